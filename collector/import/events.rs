//! The kernel events that are read: one declaration per event, with the type of each field and the names it goes by.
//!
//! From a declaration follow the event's [`EventKind`], its [`EventShape`], by which readers look for its fields, and the struct that
//! [`KernelEvent::parse`] makes of them. Fields are in the order in which the kernel prints them, by which the reader of texts finds them.
//!
//! Sources: include/trace/events/{sched,task,irq,power,cgroup,cpuhp}.h of the kernel; LTTng's instrumentation of the same
//! tracepoints (`tid` instead of `pid`) and its state dump; Android's `sched_cpu_hotplug`; the events with which applications report
//! their bubbles (`collector/bubbles`), LTTng-UST's provider `wastenot_bubble`.

use wastenot_topology::task_state::PrevState;

/// Fields an event has at most.
pub const MAX_FIELDS: usize = 8;
/// Highest CPU number that is accepted; a higher one is damage.
pub(crate) const MAX_CPU: i64 = 8191;
/// A clone that stays in its parent's process (include/uapi/linux/sched.h: CLONE_THREAD).
const CLONE_THREAD: i64 = 0x0001_0000;

/// A thread id; not negative.
pub type Tid = i32;
/// Number of a CPU; neither negative nor above 8191.
pub type CpuNumber = i16;
/// A text; bytes from the first NUL on do not belong to it.
pub type Text<'a> = &'a [u8];

/// The thread id that this number is.
#[inline]
pub fn thread_id(number: i64) -> Option<Tid> {
    Tid::try_from(number).ok().filter(|&tid| tid >= 0)
}

/// The CPU that this number is.
#[inline]
pub fn cpu_number(number: i64) -> Option<CpuNumber> {
    (0..=MAX_CPU).contains(&number).then_some(number as CpuNumber)
}

/// What a reader finds in one field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Value<'a> {
    /// The event does not have the field.
    #[default]
    Absent,
    /// A number.
    Number(i64),
    /// A text.
    Text(Text<'a>),
}

/// Values of one event's fields, in the order of its [`EventShape`].
pub type FieldValues<'a> = [Value<'a>; MAX_FIELDS];

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// A number.
    Number,
    /// A text.
    Text,
    /// `prev_state`: a number in records, letters or a number in texts.
    State,
}

/// A field: the names it goes by, and whether it is needed.
#[derive(Debug, PartialEq, Eq)]
pub struct FieldSpec {
    /// Names; the first that the event has is taken.
    pub names: &'static [&'static str],
    /// What it holds.
    pub value_type: ValueType,
    /// An event without it cannot be used.
    pub required: bool,
    /// Only where the event has this field too (LTTng's `child_pid` is a process only beside `child_tid`).
    pub beside: Option<&'static str>,
}

const fn number(names: &'static [&'static str]) -> FieldSpec {
    FieldSpec { names, value_type: ValueType::Number, required: false, beside: None }
}

const fn text(names: &'static [&'static str]) -> FieldSpec {
    FieldSpec { value_type: ValueType::Text, ..number(names) }
}

const fn state(names: &'static [&'static str]) -> FieldSpec {
    FieldSpec { value_type: ValueType::State, ..number(names) }
}

impl FieldSpec {
    const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    const fn beside(self, other: &'static str) -> Self {
        Self { beside: Some(other), ..self }
    }
}

/// The name of an event and the fields that are read of it.
#[derive(Debug, PartialEq, Eq)]
pub struct EventShape {
    /// The event's name, without its system.
    pub name: &'static str,
    /// What it means.
    pub kind: EventKind,
    /// Its fields, in the order of [`FieldValues`].
    pub fields: &'static [FieldSpec],
}

/// A type of a field.
trait FieldType<'a>: Sized {
    /// None: the value is none of this type.
    fn from_value(value: Value<'a>) -> Option<Self>;
}

impl<'a> FieldType<'a> for i64 {
    #[inline]
    fn from_value(value: Value<'a>) -> Option<Self> {
        if let Value::Number(number) = value { Some(number) } else { None }
    }
}

impl<'a> FieldType<'a> for Tid {
    #[inline]
    fn from_value(value: Value<'a>) -> Option<Self> {
        i64::from_value(value).and_then(thread_id)
    }
}

impl<'a> FieldType<'a> for CpuNumber {
    #[inline]
    fn from_value(value: Value<'a>) -> Option<Self> {
        i64::from_value(value).and_then(cpu_number)
    }
}

impl<'a> FieldType<'a> for Text<'a> {
    #[inline]
    fn from_value(value: Value<'a>) -> Option<Self> {
        if let Value::Text(text) = value { Some(text) } else { None }
    }
}

impl<'a> FieldType<'a> for PrevState<'a> {
    #[inline]
    fn from_value(value: Value<'a>) -> Option<Self> {
        match value {
            Value::Absent => None,
            Value::Number(number) => Some(Self::Number(number)),
            Value::Text(text) => Some(Self::Text(text)),
        }
    }
}

impl<'a, T: FieldType<'a>> FieldType<'a> for Option<T> {
    #[inline]
    fn from_value(value: Value<'a>) -> Option<Self> {
        Some(T::from_value(value))
    }
}

macro_rules! kernel_events {
    ($life:lifetime; $(
        $(#[$doc:meta])*
        $event:ident $(<$own:lifetime>)? = { $( $kind:ident: $name:literal, )+ } {
            $( $(#[$field_doc:meta])* $field:ident: $type:ty = $spec:expr, )*
        }
    )*) => {
        /// The events, one per name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum EventKind {
            $( $( #[doc = concat!("`", $name, "`")] $kind, )+ )*
        }

        /// In the order of [`EventKind`].
        pub(crate) static SHAPES: &[EventShape] = &[
            $( $( EventShape { name: $name, kind: EventKind::$kind, fields: $event::FIELDS }, )+ )*
        ];

        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            #[allow(missing_docs)] // the kernel's names, or explained
            pub struct $event $(<$own>)? {
                $( $(#[$field_doc])* pub $field: $type, )*
            }

            impl $(<$own>)? $event $(<$own>)? {
                const FIELDS: &'static [FieldSpec] = &[ $( $spec, )* ];
            }
        )*

        /// An event with its fields. Where several kinds have the same fields, [`EventKind`] says which it is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum KernelEvent<$life> {
            $( $(#[$doc])* $event($event $(<$own>)?), )*
        }

        impl<$life> KernelEvent<$life> {
            /// The event of this kind with these values. None: a field that is needed is absent or impossible (a negative tid).
            #[inline]
            pub fn parse(kind: EventKind, values: &FieldValues<$life>) -> Option<Self> {
                let mut values = values.iter();
                let mut next = || values.next().copied().unwrap_or_default();
                Some(match kind {
                    $( $( EventKind::$kind )|+ => Self::$event($event {
                        $( $field: FieldType::from_value(next())?, )*
                    }), )*
                })
            }
        }
    };
}

kernel_events! { 'a;
    /// A CPU switches from one thread to another.
    Switch<'a> = { Switch: "sched_switch", } {
        prev_comm: Option<Text<'a>> = text(&["prev_comm"]),
        prev_tid: Tid = number(&["prev_tid", "prev_pid"]).required(),
        prev_prio: Option<i64> = number(&["prev_prio"]),
        prev_state: Option<PrevState<'a>> = state(&["prev_state"]).required(),
        next_comm: Option<Text<'a>> = text(&["next_comm"]),
        next_tid: Tid = number(&["next_tid", "next_pid"]).required(),
        next_prio: Option<i64> = number(&["next_prio"]),
    }

    /// A thread is woken: it is decided, or done.
    Wake<'a> = { Waking: "sched_waking", Wakeup: "sched_wakeup", WakeupNew: "sched_wakeup_new", } {
        comm: Option<Text<'a>> = text(&["comm"]),
        tid: Tid = number(&["tid", "pid"]).required(),
        prio: Option<i64> = number(&["prio"]),
        /// 0: the thread was runnable before. Only kernels before 4.3 can say so.
        success: Option<i64> = number(&["success"]),
        /// The first kernels with the event call it `cpu` (Documentation/trace/events.txt).
        target_cpu: CpuNumber = number(&["target_cpu", "cpu"]).required(),
    }

    /// A thread moves to another CPU's runqueue.
    Migrate<'a> = { Migrate: "sched_migrate_task", } {
        comm: Option<Text<'a>> = text(&["comm"]),
        tid: Tid = number(&["tid", "pid"]).required(),
        prio: Option<i64> = number(&["prio"]),
        orig_cpu: Option<CpuNumber> = number(&["orig_cpu"]),
        dest_cpu: CpuNumber = number(&["dest_cpu"]).required(),
    }

    /// The kernel accounts for the time that a thread has run since its last account.
    StatRuntime<'a> = { StatRuntime: "sched_stat_runtime", } {
        comm: Option<Text<'a>> = text(&["comm"]),
        tid: Tid = number(&["tid", "pid"]).required(),
        /// In ns.
        runtime: i64 = number(&["runtime"]).required(),
    }

    /// A thread is created.
    Fork<'a> = { Fork: "sched_process_fork", } {
        parent_comm: Option<Text<'a>> = text(&["parent_comm"]),
        parent_tid: Tid = number(&["parent_tid", "parent_pid"]).required(),
        child_comm: Option<Text<'a>> = text(&["child_comm"]),
        child_tid: Tid = number(&["child_tid", "child_pid"]).required(),
        /// The process of the new thread, which LTTng has.
        child_tgid: Option<Tid> = number(&["child_pid"]).beside("child_tid"),
    }

    /// A thread is created by the thread that runs: earlier than `sched_process_fork`, and with the flags of clone().
    NewTask<'a> = { NewTask: "task_newtask", } {
        tid: Tid = number(&["tid", "pid"]).required(),
        comm: Option<Text<'a>> = text(&["comm"]),
        clone_flags: Option<i64> = number(&["clone_flags"]),
    }

    /// A process executes another program.
    Exec = { Exec: "sched_process_exec", } {
        tid: Tid = number(&["tid", "pid"]).required(),
        old_tid: Option<Tid> = number(&["old_tid", "old_pid"]),
    }

    /// A thread exits.
    Exit<'a> = { Exit: "sched_process_exit", } {
        comm: Option<Text<'a>> = text(&["comm"]),
        tid: Tid = number(&["tid", "pid"]).required(),
    }

    /// A thread gets another name.
    Rename<'a> = { Rename: "task_rename", } {
        /// Absent since 6.14: the thread that runs is renamed.
        tid: Option<Tid> = number(&["tid", "pid"]),
        newcomm: Option<Text<'a>> = text(&["newcomm"]).required(),
    }

    /// A thread moves to another cgroup.
    CgroupMove<'a> = { CgroupMove: "cgroup_attach_task", } {
        dst_id: i64 = number(&["dst_id"]).required(),
        dst_path: Option<Text<'a>> = text(&["dst_path"]),
        tid: Tid = number(&["tid", "pid"]).required(),
        comm: Option<Text<'a>> = text(&["comm"]),
    }

    /// A CPU goes online or offline (Android).
    Hotplug = { Hotplug: "sched_cpu_hotplug", } {
        affected_cpu: CpuNumber = number(&["affected_cpu"]).required(),
        /// 0: offline.
        status: Option<i64> = number(&["status"]).required(),
    }

    /// A step of a CPU's way to a state of enum cpuhp_state; target 0 is offline.
    HotplugStep = { HotplugStep: "cpuhp_enter", } {
        of_cpu: CpuNumber = number(&["cpu"]).required(),
        target: i64 = number(&["target"]).required(),
    }

    /// An interrupt's handler, or a softirq, starts or ends.
    Interrupt = {
        IrqEntry: "irq_handler_entry",
        IrqExit: "irq_handler_exit",
        SoftirqEntry: "softirq_entry",
        SoftirqExit: "softirq_exit",
    } {
        vector: Option<i64> = number(&["irq", "vec", "vector"]),
    }

    /// A CPU enters or leaves an idle state, or runs at another frequency. Any CPU may write it.
    Power = { CpuIdle: "cpu_idle", CpuFrequency: "cpu_frequency", } {
        /// Number of the idle state, or frequency (kHz).
        state: i64 = number(&["state"]).required(),
        of_cpu: CpuNumber = number(&["cpu_id"]).required(),
    }

    /// LTTng writes the state of every thread at the start, one event each.
    StateDump<'a> = { StateDump: "lttng_statedump_process_state", } {
        tid: Tid = number(&["tid"]).required(),
        tgid: Option<Tid> = number(&["pid"]),
        ppid: Option<Tid> = number(&["ppid"]),
        /// 1: a kernel thread.
        thread_type: Option<i64> = number(&["type"]),
        /// enum lttng_process_status.
        status: Option<i64> = number(&["status"]),
        of_cpu: Option<CpuNumber> = number(&["cpu"]),
        name: Option<Text<'a>> = text(&["name"]),
    }

    /// An application reports what it does with a bubble, or dumps what it reported before. Kinds are in the order of `bubble_event_kind`.
    Bubble<'a> = {
        BubbleInit: "wastenot_bubble:init",
        BubbleAttach: "wastenot_bubble:attach",
        BubbleInsertThread: "wastenot_bubble:insert_thread",
        BubbleInsertBubble: "wastenot_bubble:insert_bubble",
        BubbleRemove: "wastenot_bubble:remove",
        BubbleWake: "wastenot_bubble:wake",
        BubblePriority: "wastenot_bubble:priority",
        BubbleBurstLevel: "wastenot_bubble:burst_level",
        BubbleSlice: "wastenot_bubble:slice",
        BubbleExpect: "wastenot_bubble:expect",
        BubbleMove: "wastenot_bubble:move",
        BubbleBurst: "wastenot_bubble:burst",
        BubbleRegenerate: "wastenot_bubble:regenerate",
        BubbleClose: "wastenot_bubble:close",
        BubbleDestroy: "wastenot_bubble:destroy",
        BubbleStatedump: "wastenot_bubble:statedump",
    } {
        /// 0: the entity is a thread.
        bubble: i64 = number(&["bubble"]).required(),
        entity_tid: Option<i64> = number(&["tid"]).required(),
        holder: Option<i64> = number(&["holder"]),
        holder_id: Option<i64> = number(&["holder_id"]),
        value: Option<i64> = number(&["value"]),
        status: Option<i64> = number(&["status"]),
        /// Of a dump: the kind of event that it repeats.
        kind: Option<i64> = number(&["kind"]),
        name: Option<Text<'a>> = text(&["name"]),
    }
    /// A thread of an application enters or leaves a call in which it waits, or the body of a parallel region.
    Call<'a> = {
        CallEnter: "wastenot_call:enter",
        CallLeave: "wastenot_call:leave",
    } {
        /// Code of `region_kind`.
        kind: i64 = number(&["kind"]).required(),
        name: Text<'a> = text(&["name"]).required(),
        /// Place in the program; 0 none.
        code: Option<i64> = number(&["code"]),
        peer: Option<i64> = number(&["peer"]),
        bytes: Option<i64> = number(&["bytes"]),
    }
}

impl NewTask<'_> {
    /// The process of the new thread: that of its parent, or a new one. None: it is not known.
    pub fn process(&self, of_parent: impl FnOnce() -> Option<Tid>) -> Option<Tid> {
        match self.clone_flags? & CLONE_THREAD {
            0 => Some(self.tid),
            _ => of_parent(),
        }
    }
}

impl EventKind {
    /// Its shape.
    pub fn shape(self) -> &'static EventShape {
        &SHAPES[self as usize]
    }

    /// Reported by an application, not by the kernel.
    pub fn is_of_application(self) -> bool {
        self as usize >= Self::BubbleInit as usize
    }
}

/// Systems that LTTng puts before the kernel's names of some events, and how those names start.
const SYSTEMS_OF_LTTNG: [(&str, &str); 2] = [("irq_", "softirq_"), ("power_", "cpu_")];

/// What is read from the event of this name; a leading system (`sched:`) is passed over. None: the event is not used.
pub fn shape_of(event: &str) -> Option<&'static EventShape> {
    // Names like `init` and `move` are many systems' own: here the system belongs to the name.
    let own = event.starts_with("wastenot_bubble:") || event.starts_with("wastenot_call:");
    let name = event.rsplit_once([':', '/']).filter(|_| !own).map_or(event, |(_, name)| name);
    let without = |(system, event): (&str, &str)| name.strip_prefix(system).filter(|rest| rest.starts_with(event));
    let name = SYSTEMS_OF_LTTNG.into_iter().find_map(without).unwrap_or(name);
    SHAPES.iter().find(|shape| shape.name == name)
}

/// The name by which each field goes in one trace; None: the trace lacks it.
pub type FieldNames = Vec<Option<&'static str>>;

impl EventShape {
    /// The names by which an event that `has` some fields has those that are read. The error names the field that is missing.
    pub fn names(&self, has: impl Fn(&str) -> bool) -> Result<FieldNames, String> {
        let name = |field: &FieldSpec| {
            let may_be = field.beside.is_none_or(&has);
            let name = field.names.iter().copied().find(|name| may_be && has(name));
            match name {
                None if field.required => Err(format!("{} has no field {}", self.name, field.names.join(" or "))),
                name => Ok(name),
            }
        };
        self.fields.iter().map(name).collect()
    }

    /// The place in [`FieldValues`] of the field that goes by this name. Where several do (`child_pid`), it is the first.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.names.contains(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_fits_into_the_values_at_the_index_of_its_kind() {
        assert!(SHAPES.iter().all(|shape| shape.fields.len() <= MAX_FIELDS));
        assert!(SHAPES.iter().enumerate().all(|(n, shape)| shape.kind as usize == n));
    }

    #[test]
    fn systems_and_prefixes_are_passed_over() {
        let name = |event| shape_of(event).map(|shape| shape.name);
        assert_eq!(name("irq:softirq_entry"), Some("softirq_entry"));
        assert_eq!(name("irq_softirq_entry"), Some("softirq_entry"));
        assert_eq!(name("irq_handler_entry"), Some("irq_handler_entry"));
        assert_eq!((name("power:cpu_idle"), name("power_cpu_idle")), (Some("cpu_idle"), Some("cpu_idle")));
        assert_eq!((name("power_cpu_frequency"), name("cpu_frequency_limits")), (Some("cpu_frequency"), None));
        assert_eq!((name("softirq_raise"), name("sched")), (None, None));
        assert_eq!(name("wastenot_bubble:init"), Some("wastenot_bubble:init"));
        assert_eq!(name("wastenot_call:leave"), Some("wastenot_call:leave"));
        assert_eq!((name("init"), name("xe:init"), name("leave")), (None, None, None));
    }

    #[test]
    fn a_child_pid_is_a_process_only_beside_a_tid() {
        let shape = shape_of("sched:sched_process_fork").unwrap();
        let lttng = ["parent_comm", "parent_tid", "parent_pid", "child_comm", "child_tid", "child_pid"];
        let ftrace = ["parent_comm", "parent_pid", "child_comm", "child_pid"];
        assert_eq!(
            shape.names(|f| lttng.contains(&f)).unwrap(),
            [Some("parent_comm"), Some("parent_tid"), Some("child_comm"), Some("child_tid"), Some("child_pid")]
        );
        let names = shape.names(|f| ftrace.contains(&f)).unwrap();
        assert_eq!((names[1], names[3], names[4]), (Some("parent_pid"), Some("child_pid"), None));
        assert_eq!(
            shape.names(|f| f == "parent_pid").unwrap_err(),
            "sched_process_fork has no field child_tid or child_pid"
        );
    }

    #[test]
    fn a_value_of_another_type_is_refused_where_it_is_needed_and_absent_elsewhere() {
        let wake = |values: [Value<'static>; 5]| {
            let mut all = FieldValues::default();
            all[..5].copy_from_slice(&values);
            KernelEvent::parse(EventKind::Wakeup, &all)
        };
        let (comm, tid, prio) = (Value::Text(b"hog"), Value::Number(7), Value::Number(120));
        let expected = Wake { comm: Some(b"hog"), tid: 7, prio: Some(120), target_cpu: 3, success: None };
        assert_eq!(wake([comm, tid, prio, Value::Absent, Value::Number(3)]), Some(KernelEvent::Wake(expected)));
        assert_eq!(wake([comm, Value::Number(-7), prio, Value::Absent, Value::Number(3)]), None);
        assert_eq!(wake([comm, tid, prio, Value::Absent, Value::Number(8192)]), None);
        let nameless = Wake { comm: None, ..expected };
        assert_eq!(
            wake([Value::Number(1), tid, prio, Value::Absent, Value::Number(3)]),
            Some(KernelEvent::Wake(nameless))
        );
    }
}
