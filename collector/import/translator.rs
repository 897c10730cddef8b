//! From an event of the kernel, whatever the format, to rows: each event goes to the tracker of its subject.

use crate::cpus::Cpus;
use crate::events::MAX_CPU;
use crate::priorities::Priorities;
use crate::report::Report;
use crate::trackers::bubbles::bubble_event;
use crate::trackers::calls::call_event;
use crate::trackers::cpus::CpuTracker;
use crate::trackers::hotplug::HotplugTracker;
use crate::trackers::interrupts::InterruptTracker;
use crate::trackers::power::power_event;
use crate::trackers::runtime::RuntimeTracker;
use crate::trackers::switches::SwitchTracker;
use crate::trackers::threads::ThreadTracker;
use crate::trackers::{Context, Output, wakeups};
use crate::{Bubble, DeclaredAffinity, EventKind, KernelEvent, Text, Tid, Tracepoint};
use std::cell::RefCell;
use std::rc::Rc;
use wastenot_assemble::{Event, EventStack, Interner, LostEvents, Row, StackId};
use wastenot_schemas::stack_event;
use wastenot_topology::task_state::{PrevStateDecoder, Tracer};

/// The one translator that all sources of a trace share.
pub type SharedTranslator = Rc<RefCell<Translator>>;

/// When and where an event was written, as the trace says.
#[derive(Clone, Copy, Debug, Default)]
pub struct EventOrigin {
    /// Stamp (ns).
    pub ts_ns: i64,
    /// The CPU that wrote it.
    pub cpu: i64,
    /// The thread that ran there, where the format says so.
    pub current: Option<Tid>,
    /// Kernel stack of the event.
    pub stack: Option<StackId>,
}

/// Trackers of one trace, and the report on what was read.
#[derive(Default)]
pub struct Translator {
    threads: ThreadTracker,
    cpus: CpuTracker,
    switches: SwitchTracker,
    interrupts: InterruptTracker,
    hotplug: HotplugTracker,
    runtime: RuntimeTracker,
    priorities: Priorities,
    pub(crate) report: Report,
}

impl Translator {
    /// For a trace whose user declared these masks; later ones win.
    pub fn new(declared: &[DeclaredAffinity]) -> Self {
        let switches = SwitchTracker { states: PrevStateDecoder::of_text() };
        Self { threads: ThreadTracker::new(declared), switches, ..Self::default() }
    }

    /// The same, to be shared among sources.
    pub fn shared(declared: &[DeclaredAffinity]) -> SharedTranslator {
        Rc::new(RefCell::new(Self::new(declared)))
    }

    /// The events were written by this tracer on a kernel of this release (as `uname -r` prints it), in these formats. Before any
    /// event; a reader that does not call it has texts, or states as codes.
    pub fn written_by(&mut self, tracer: &Tracer, kernel: Option<&str>, formats: &[Tracepoint]) {
        self.switches.states = PrevStateDecoder::new(kernel, tracer, Tracepoint::state_bits(formats));
        self.priorities = Priorities::of(tracer);
        self.interrupts.set_kernel(kernel);
        if let Tracer::Other(name) = tracer {
            self.unverified(format!("the events were written by {name}, whose fields were not verified"));
        }
    }

    /// Append the rows of an event. `event` is None where its fields are impossible.
    #[inline]
    pub fn event(
        &mut self,
        kind: EventKind,
        origin: &EventOrigin,
        event: Option<KernelEvent<'_>>,
        ids: &mut Interner,
        rows: &mut Vec<Row>,
    ) {
        self.report.read(kind);
        self.cpus.next_event();
        let &EventOrigin { ts_ns, cpu, current, stack } = origin;
        if !(0..=MAX_CPU).contains(&cpu) {
            return self.garbled();
        }
        let cpu = cpu as i16;
        self.cpus.add(cpu);
        let running = current.or(self.cpus.current(cpu));
        let context = Context { ts_ns, cpu, current, running, stack };
        let first = rows.len();
        let done = event.and_then(|event| self.dispatch(kind, &context, event, &mut Output { ids, rows }));
        if done.is_none() {
            self.garbled();
        }
        if let Some(stack) = stack
            && let Some(row) = rows[first..].iter().find_map(|row| stack_row(row, stack))
        {
            rows.push(row);
        }
    }

    /// Append the row of an event that an application reported of a bubble; `cpu` and `tid` are where and who, as far as known.
    pub fn bubble(
        &mut self,
        kind: EventKind,
        ts_ns: i64,
        (cpu, tid): (Option<i16>, Option<Tid>),
        event: Option<Bubble<'_>>,
        rows: &mut Vec<Row>,
    ) {
        self.report.read(kind);
        match event.and_then(|event| bubble_event(kind, cpu, tid, &event)) {
            Some(event) => rows.push(Row { ts_ns, event }),
            None => self.garbled(),
        }
    }

    /// None: what is needed of the event is not known, or impossible.
    #[inline]
    fn dispatch(&mut self, kind: EventKind, at: &Context, event: KernelEvent<'_>, out: &mut Output<'_>) -> Option<()> {
        let Self { threads, cpus, switches, interrupts, hotplug, runtime, priorities, .. } = self;
        match event {
            KernelEvent::Switch(event) => {
                threads.name(at.ts_ns, event.prev_tid, event.prev_comm, out);
                threads.name(at.ts_ns, event.next_tid, event.next_comm, out);
                cpus.switch(at.cpu, at.ts_ns, event.next_tid);
                interrupts.switch(at.cpu);
                hotplug.switch(at.ts_ns, at.cpu, &event, out);
                switches.switch(at, &event, *priorities, threads, out);
            }
            KernelEvent::Wake(event) => {
                if !wakeups::wake(kind, at, &event, *priorities, cpus, threads, out) {
                    self.ignore();
                }
            }
            KernelEvent::Migrate(event) => {
                wakeups::migrate(at, &event, cpus, threads, out);
                self.report.has_stacks |= at.stack.is_some();
            }
            KernelEvent::StatRuntime(event) => runtime.account(at, &event, cpus, interrupts, threads, out)?,
            KernelEvent::Fork(event) => threads.fork(at, &event, out),
            KernelEvent::NewTask(event) => threads.new_task(at, &event, out)?,
            KernelEvent::Exec(event) => threads.exec(at, &event, out),
            KernelEvent::Exit(event) => threads.exit(at, &event, out),
            KernelEvent::Rename(event) => threads.rename(at, &event, out)?,
            KernelEvent::CgroupMove(event) => threads.cgroup_move(at, &event, out),
            KernelEvent::Hotplug(event) => hotplug.hotplug(at.ts_ns, &event, cpus, out)?,
            KernelEvent::HotplugStep(event) => hotplug.step(at.ts_ns, &event, cpus, out),
            KernelEvent::Interrupt(event) => interrupts.interrupt(kind, at, event, out),
            KernelEvent::Power(event) => {
                out.row(at.ts_ns, power_event(kind, &event)?);
                cpus.add(event.of_cpu);
            }
            KernelEvent::StateDump(event) => threads.state_dump(at, &event, out),
            KernelEvent::Call(event) => {
                let row = call_event(kind, Some(at.cpu), at.current?, &event, out.ids)?;
                out.row(at.ts_ns, row);
            }
            KernelEvent::Bubble(event) => out.row(at.ts_ns, bubble_event(kind, Some(at.cpu), at.current, &event)?),
        }
        Some(())
    }

    /// The instant before which no row can come any more, for a source that has come to `ts_ns` and holds the events of `cpu`
    /// (None: of all CPUs): the start of an interrupt that has not ended, or of a run that is still to be accounted for.
    pub fn settled(&self, ts_ns: i64, cpu: Option<i16>) -> i64 {
        let interrupt = self.interrupts.open_since(ts_ns, cpu);
        let run = self.runtime.open_since(ts_ns, cpu, &self.cpus);
        interrupt.into_iter().chain(run).fold(ts_ns, i64::min)
    }

    /// The thread goes by this name from now on; `<...>` and nothing mean that the tracer does not know.
    pub fn name(&mut self, ts_ns: i64, tid: Tid, name: Option<Text<'_>>, ids: &mut Interner, rows: &mut Vec<Row>) {
        self.threads.name(ts_ns, tid, name, &mut Output { ids, rows });
    }

    /// What a trace says of a thread beside its events (a process tree, saved command lines).
    pub fn thread(
        &mut self,
        ts_ns: i64,
        tid: Tid,
        tgid: Option<Tid>,
        name: Option<Text<'_>>,
        ids: &mut Interner,
        rows: &mut Vec<Row>,
    ) {
        self.threads.describe(ts_ns, tid, tgid, name, &mut Output { ids, rows });
    }

    /// Between these instants events of `cpu` (None: of any) were lost, `count` of them where that is known.
    pub fn lost(
        &mut self,
        cpu: Option<i16>,
        from_ns: i64,
        to_ns: i64,
        count: Option<u64>,
        ids: &mut Interner,
        rows: &mut Vec<Row>,
    ) {
        let count = count.map(|n| i64::try_from(n).unwrap_or(i64::MAX));
        let lost = LostEvents { end_ns: to_ns.max(from_ns), cpu, count, what: ids.text("any") };
        rows.push(Row { ts_ns: from_ns.min(to_ns), event: Event::LostEvents(Box::new(lost)) });
    }

    /// The CPU exists.
    #[inline]
    pub fn add_cpu(&mut self, cpu: i16) {
        self.cpus.add(cpu);
    }

    /// Ways in which the input goes past what the readers have been verified on.
    pub(crate) fn unverified_statements(&self) -> Vec<String> {
        let states = &self.switches.states;
        let states = if self.report.has_read(EventKind::Switch) { states.statements() } else { Vec::new() };
        self.report.unverified.iter().cloned().chain(states).collect()
    }

    /// States of threads that were not understood, in a line.
    pub(crate) fn states_note(&self) -> Option<String> {
        self.switches.states.note()
    }

    /// The CPUs that exist as far as the events say, and those whose number is damage: see [`Cpus`].
    pub(crate) fn cpus(&self) -> Cpus {
        self.cpus.existing()
    }

    /// Every named thread has a declared mask.
    pub(crate) fn masks_declared(&self) -> bool {
        self.threads.all_declared()
    }

    /// Events by what became of them.
    pub(crate) fn counts(&self) -> crate::report::Counts {
        self.report.counts(self.threads.undeclared)
    }
}

/// The row of the kernel stack of a wakeup or switch; None for other rows. A move has its stack in its own row, and the idle
/// thread's stack says nothing.
pub fn stack_row(row: &Row, stack_id: StackId) -> Option<Row> {
    let (of, cpu, tid) = match &row.event {
        Event::SchedSwitch(e) if e.prev_tid != 0 => (stack_event::SCHED_SWITCH, e.cpu, e.prev_tid),
        Event::SchedWaking(e) => (stack_event::SCHED_WAKING, e.cpu, e.tid),
        Event::SchedWakeup(e) => (stack_event::SCHED_WAKEUP, e.cpu, e.tid),
        _ => return None,
    };
    Some(Row { ts_ns: row.ts_ns, event: Event::from(EventStack { cpu, tid, of, stack_id: Some(stack_id) }) })
}

/// Whether a kernel stack of such an event is kept.
pub fn has_stack(kind: EventKind) -> bool {
    use EventKind::{Migrate, Switch, Wakeup, WakeupNew, Waking};
    matches!(kind, Migrate | Switch | Waking | Wakeup | WakeupNew)
}
