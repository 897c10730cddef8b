//! The events that mean something to us, and the names their fields go by.
//!
//! Sources: include/trace/events/{sched,task,irq,cgroup,cpuhp}.h of the kernel; LTTng's instrumentation of the same
//! tracepoints (`tid` instead of `pid`) and its state dump; Android's `sched_cpu_hotplug`; the events that applications tell of
//! their bubbles (`collector/bubbles`), LTTng-UST's provider `wastenot_bubble`.

/// Numbers an event can have at most.
pub const MAX_NUMBERS: usize = 8;
/// Texts an event can have at most.
pub const MAX_TEXTS: usize = 2;

/// What an event means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Hash)]
#[allow(missing_docs)] // the events are those of `shape_of`, by name
pub enum Kind {
    Switch,
    Waking,
    Wakeup,
    WakeupNew,
    Migrate,
    StatRuntime,
    Fork,
    NewTask,
    Exec,
    Exit,
    Rename,
    CgroupMove,
    Hotplug,
    HotplugStep,
    IrqEntry,
    IrqExit,
    SoftirqEntry,
    SoftirqExit,
    ProcessState,
    // In the order of `bubble_event_kind`.
    BubbleInit,
    BubbleAttach,
    BubbleInsertThread,
    BubbleInsertBubble,
    BubbleRemove,
    BubbleWake,
    BubblePriority,
    BubbleBurstLevel,
    BubbleSlice,
    BubbleExpect,
    BubbleMove,
    BubbleBurst,
    BubbleRegenerate,
    BubbleClose,
    BubbleDestroy,
    BubbleStatedump,
}

/// A field and the names it goes by, best first.
#[derive(Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Names; the first that the event has is taken.
    pub names: &'static [&'static str],
    /// An event without it is of no use.
    pub required: bool,
    /// Only where the event has this field too (LTTng's `child_pid` is a process only beside `child_tid`).
    pub beside: Option<&'static str>,
}

/// Which fields of an event matter, in the order in which [`Fields`](crate::Fields) holds them.
#[derive(Debug, PartialEq, Eq)]
pub struct Shape {
    /// The event's name, without its system.
    pub name: &'static str,
    /// What it means.
    pub kind: Kind,
    /// Numbers. That of `prev_state` is handed on apart, see [`PrevState`](crate::PrevState).
    pub numbers: &'static [Wanted],
    /// Texts, up to their first NUL.
    pub texts: &'static [Wanted],
}

const fn need(names: &'static [&'static str]) -> Wanted {
    Wanted { names, required: true, beside: None }
}

const fn want(names: &'static [&'static str]) -> Wanted {
    Wanted { names, required: false, beside: None }
}

const TID: Wanted = need(&["tid", "pid"]);
const PRIO: Wanted = want(&["prio"]);
const COMM: Wanted = want(&["comm"]);

const fn wake(name: &'static str, kind: Kind) -> Shape {
    // The first kernels with the event call it `cpu` (Documentation/trace/events.txt). `success` 0: the thread was runnable before.
    const NUMBERS: &[Wanted] = &[TID, PRIO, need(&["target_cpu", "cpu"]), want(&["success"])];
    Shape { name, kind, numbers: NUMBERS, texts: &[COMM] }
}

const fn interrupt(name: &'static str, kind: Kind) -> Shape {
    const NUMBERS: &[Wanted] = &[want(&["irq", "vec", "vector"])];
    Shape { name, kind, numbers: NUMBERS, texts: &[] }
}

/// Numbers of a bubble's event, as [`Translator`](crate::Translator) reads them by place.
const fn bubble(name: &'static str, kind: Kind) -> Shape {
    const NUMBERS: &[Wanted] = &[
        need(&["bubble"]),
        need(&["tid"]),
        want(&["holder"]),
        want(&["holder_id"]),
        want(&["value"]),
        want(&["status"]),
        want(&["kind"]),
    ];
    const TEXTS: &[Wanted] = &[want(&["name"])];
    Shape { name, kind, numbers: NUMBERS, texts: TEXTS }
}

pub(crate) const SHAPES: &[Shape] = &[
    Shape {
        name: "sched_switch",
        kind: Kind::Switch,
        numbers: &[
            need(&["prev_tid", "prev_pid"]),
            want(&["prev_prio"]),
            need(&["prev_state"]),
            need(&["next_tid", "next_pid"]),
            want(&["next_prio"]),
        ],
        texts: &[want(&["prev_comm"]), want(&["next_comm"])],
    },
    wake("sched_waking", Kind::Waking),
    wake("sched_wakeup", Kind::Wakeup),
    wake("sched_wakeup_new", Kind::WakeupNew),
    Shape {
        name: "sched_migrate_task",
        kind: Kind::Migrate,
        numbers: &[TID, PRIO, want(&["orig_cpu"]), need(&["dest_cpu"])],
        texts: &[COMM],
    },
    Shape { name: "sched_stat_runtime", kind: Kind::StatRuntime, numbers: &[TID, need(&["runtime"])], texts: &[COMM] },
    Shape {
        name: "sched_process_fork",
        kind: Kind::Fork,
        numbers: &[
            need(&["parent_tid", "parent_pid"]),
            need(&["child_tid", "child_pid"]),
            Wanted { names: &["child_pid"], required: false, beside: Some("child_tid") },
        ],
        texts: &[want(&["parent_comm"]), want(&["child_comm"])],
    },
    Shape { name: "task_newtask", kind: Kind::NewTask, numbers: &[TID, want(&["clone_flags"])], texts: &[COMM] },
    Shape { name: "sched_process_exec", kind: Kind::Exec, numbers: &[TID, want(&["old_tid", "old_pid"])], texts: &[] },
    Shape { name: "sched_process_exit", kind: Kind::Exit, numbers: &[TID], texts: &[COMM] },
    // Without a pid of its own (since 6.14) the thread that runs is renamed.
    Shape { name: "task_rename", kind: Kind::Rename, numbers: &[want(&["tid", "pid"])], texts: &[need(&["newcomm"])] },
    Shape {
        name: "cgroup_attach_task",
        kind: Kind::CgroupMove,
        numbers: &[TID, need(&["dst_id"])],
        texts: &[want(&["dst_path"]), COMM],
    },
    Shape {
        name: "sched_cpu_hotplug",
        kind: Kind::Hotplug,
        numbers: &[need(&["affected_cpu"]), need(&["status"])],
        texts: &[],
    },
    Shape { name: "cpuhp_enter", kind: Kind::HotplugStep, numbers: &[need(&["cpu"]), need(&["target"])], texts: &[] },
    interrupt("irq_handler_entry", Kind::IrqEntry),
    interrupt("irq_handler_exit", Kind::IrqExit),
    interrupt("softirq_entry", Kind::SoftirqEntry),
    interrupt("softirq_exit", Kind::SoftirqExit),
    // LTTng writes the state of every thread at the start, one event each.
    Shape {
        name: "lttng_statedump_process_state",
        kind: Kind::ProcessState,
        numbers: &[need(&["tid"]), want(&["pid"]), want(&["ppid"]), want(&["type"]), want(&["status"]), want(&["cpu"])],
        texts: &[want(&["name"])],
    },
    bubble("wastenot_bubble:init", Kind::BubbleInit),
    bubble("wastenot_bubble:attach", Kind::BubbleAttach),
    bubble("wastenot_bubble:insert_thread", Kind::BubbleInsertThread),
    bubble("wastenot_bubble:insert_bubble", Kind::BubbleInsertBubble),
    bubble("wastenot_bubble:remove", Kind::BubbleRemove),
    bubble("wastenot_bubble:wake", Kind::BubbleWake),
    bubble("wastenot_bubble:priority", Kind::BubblePriority),
    bubble("wastenot_bubble:burst_level", Kind::BubbleBurstLevel),
    bubble("wastenot_bubble:slice", Kind::BubbleSlice),
    bubble("wastenot_bubble:expect", Kind::BubbleExpect),
    bubble("wastenot_bubble:move", Kind::BubbleMove),
    bubble("wastenot_bubble:burst", Kind::BubbleBurst),
    bubble("wastenot_bubble:regenerate", Kind::BubbleRegenerate),
    bubble("wastenot_bubble:close", Kind::BubbleClose),
    bubble("wastenot_bubble:destroy", Kind::BubbleDestroy),
    bubble("wastenot_bubble:statedump", Kind::BubbleStatedump),
];

/// What is read from the event of this name; a leading system (`sched:`) is passed over. None: it means nothing to us.
pub fn shape_of(event: &str) -> Option<&'static Shape> {
    // Names like `init` and `move` are many systems' own: here the system belongs to the name.
    let own = event.starts_with("wastenot_bubble:");
    let name = event.rsplit_once([':', '/']).filter(|_| !own).map_or(event, |(_, name)| name);
    let name = name.strip_prefix("irq_").filter(|rest| rest.starts_with("softirq_")).unwrap_or(name); // LTTng's
    SHAPES.iter().find(|shape| shape.name == name)
}

/// The name by which each wanted field goes in one trace; None: the trace lacks it.
pub type Places = Vec<Option<&'static str>>;

impl Shape {
    /// Place of each wanted field among an event's `fields`, numbers then texts; the error names the field that is missing.
    pub fn places(&self, has: impl Fn(&str) -> bool) -> Result<(Places, Places), String> {
        let place = |wanted: &Wanted| {
            let there = wanted.beside.is_none_or(&has);
            let found = wanted.names.iter().copied().find(|name| there && has(name));
            match found {
                None if wanted.required => Err(format!("{} has no field {}", self.name, wanted.names.join(" or "))),
                found => Ok(found),
            }
        };
        Ok((
            self.numbers.iter().map(place).collect::<Result<_, _>>()?,
            self.texts.iter().map(place).collect::<Result<_, _>>()?,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_fits_the_slots() {
        assert!(SHAPES.iter().all(|s| s.numbers.len() <= MAX_NUMBERS && s.texts.len() <= MAX_TEXTS));
        assert!(SHAPES.iter().enumerate().all(|(n, s)| s.kind as usize == n), "in the order of the kinds");
    }

    #[test]
    fn systems_and_prefixes_are_passed_over() {
        let name = |event| shape_of(event).map(|shape| shape.name);
        assert_eq!(name("irq:softirq_entry"), Some("softirq_entry"));
        assert_eq!(name("irq_softirq_entry"), Some("softirq_entry"));
        assert_eq!(name("irq_handler_entry"), Some("irq_handler_entry"));
        assert_eq!((name("softirq_raise"), name("sched")), (None, None));
        assert_eq!(name("wastenot_bubble:init"), Some("wastenot_bubble:init"));
        assert_eq!((name("init"), name("xe:init")), (None, None));
    }

    #[test]
    fn a_child_pid_is_a_process_only_beside_a_tid() {
        let shape = shape_of("sched:sched_process_fork").unwrap();
        let lttng = ["parent_comm", "parent_tid", "parent_pid", "child_comm", "child_tid", "child_pid"];
        let ftrace = ["parent_comm", "parent_pid", "child_comm", "child_pid"];
        assert_eq!(
            shape.places(|f| lttng.contains(&f)).unwrap().0,
            [Some("parent_tid"), Some("child_tid"), Some("child_pid")]
        );
        assert_eq!(shape.places(|f| ftrace.contains(&f)).unwrap().0, [Some("parent_pid"), Some("child_pid"), None]);
        assert_eq!(
            shape.places(|f| f == "parent_pid").unwrap_err(),
            "sched_process_fork has no field child_tid or child_pid"
        );
    }
}
