//! From an event of the kernel, whatever the format, to rows.

use crate::cpus::Cpus;
use crate::priorities::Priorities;
use crate::shapes::SHAPES;
use crate::{Declared, Kind, MAX_NUMBERS, MAX_TEXTS, Original, PrevState, Release, Shape, States, Tracepoint, Tracer};
use serde::Serialize;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use wastenot_assemble::{BubbleEvent, Cgroup, Event, Interner, LostEvents, MaskId, Row, StackId, ThreadSnapshot};
use wastenot_schemas::{bubble_event_kind, cpu_of_kernel_thread, holder, irq_kind, kick_kind, queue_state, task_state};

/// Highest CPU number taken for one; more is damage.
const MAX_CPU: i64 = 8191;
/// Number of the balancer's softirq since 2.6.32 (include/linux/interrupt.h: SCHED_SOFTIRQ).
const SCHED_SOFTIRQ: i64 = 7;
/// Interrupt spans shorter than this are not rows (docs/semantics.md: irq_busy).
const SHORTEST_IRQ_NS: i64 = 20_000;
/// An interrupt longer than this has lost its end.
const LONGEST_IRQ_NS: i64 = 100_000_000;
/// The kernel accounts for the time of a running thread at least so often (at 100 ticks per second, twice over).
const LONGEST_RUN_NS: i64 = 20_000_000;
/// `task_newtask` and `sched_process_fork` of one birth are not further apart (ns): kernel_clone() calls both.
const SAME_BIRTH_NS: u64 = 1_000_000_000;
/// A clone that stays in its parent's process (include/uapi/linux/sched.h: CLONE_THREAD).
const CLONE_THREAD: i64 = 0x0001_0000;

/// The fields of one event in the order of its [`Shape`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Fields<'a> {
    /// Numbers; the place of `prev_state` is not read.
    pub numbers: [Option<i64>; MAX_NUMBERS],
    /// `prev_state` of a switch.
    pub prev_state: Option<PrevState<'a>>,
    /// Texts; bytes from the first NUL on are passed over.
    pub texts: [Option<&'a [u8]>; MAX_TEXTS],
    /// Kernel stack of the event.
    pub stack: Option<StackId>,
}

impl Fields<'_> {
    fn tid(&self, place: usize) -> Option<i32> {
        self.numbers[place].and_then(|n| i32::try_from(n).ok()).filter(|&tid| tid >= 0)
    }

    fn cpu(&self, place: usize) -> Option<i16> {
        self.numbers[place].filter(|n| (0..=MAX_CPU).contains(n)).map(|n| n as i16)
    }

    fn prio(&self, place: usize, kind: Kind, priorities: Priorities) -> Option<i16> {
        self.numbers[place].and_then(|number| priorities.kernels(kind, number))
    }
}

/// The one translator that all sources of a trace share.
pub type Shared = Rc<RefCell<Translator>>;

/// What the events of a trace have told so far, as far as later events need it.
#[derive(Default)]
pub struct Translator {
    declared: Vec<(Declared, Option<MaskId>)>,
    threads: Threads,
    cpus: Vec<Cpu>,
    read: Vec<u64>,
    counts: Counts,
    notes: Vec<String>,
    unverified: Vec<String>,
    complete: bool,
    done: f64,
    has_stacks: bool,
    /// The trace has the kernel's accounts of running time.
    has_accounts: bool,
    has_balance: bool,
    original: Option<Original>,
    states: States,
    priorities: Priorities,
    /// Numbers of softirqs are those of [`SCHED_SOFTIRQ`]'s releases.
    knows_softirqs: bool,
    /// How many events have come.
    ordinal: u64,
}

/// Events by what became of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Read, by name; copies that were dropped too.
    pub read: BTreeMap<&'static str, u64>,
    /// Copies of an event that another channel had recorded too.
    pub duplicates: u64,
    /// Events with fields that cannot be (a CPU of -1, a negative tid).
    pub garbled: u64,
    /// Events of kinds that mean nothing to us.
    pub ignored: u64,
    /// Named threads for which no mask was declared.
    pub undeclared: u64,
}

#[derive(Clone, Copy, Default)]
struct Cpu {
    seen: bool,
    /// The event that named it last; another one has named it too.
    named_by: u64,
    named_again: bool,
    current: Option<i32>,
    /// Time of the last switch.
    since_ns: i64,
    irq: Option<Irq>,
    /// Told to go offline; it does so when its stopper thread takes over for good.
    leaving: bool,
}

#[derive(Clone, Copy)]
struct Irq {
    since_ns: i64,
    depth: u32,
    kind: u8,
    vector: Option<i32>,
}

impl Translator {
    /// For a trace whose user declared these masks; later ones win.
    pub fn new(declared: &[Declared]) -> Self {
        let declared = declared.iter().map(|d| (d.clone(), None)).collect();
        let (read, states) = (vec![0; SHAPES.len()], States::of_text());
        Self { declared, complete: true, read, states, knows_softirqs: true, ..Self::default() }
    }

    /// The events were written by this tracer on a kernel of this release (as `uname -r` prints it), in these formats. Before any
    /// event; a reader that does not call it has texts, or states as codes.
    pub fn written_by(&mut self, tracer: &Tracer, kernel: Option<&str>, formats: &[Tracepoint]) {
        let printed = formats.iter().find_map(|format| format.printed.as_ref());
        self.states = States::new(kernel, tracer, printed);
        self.priorities = Priorities::of(tracer);
        self.knows_softirqs = kernel.and_then(Release::parse).is_none_or(|release| release.is_from(2, 6, 32));
        if let Tracer::Other(name) = tracer {
            self.unverified(format!("the events were written by {name}, whose fields were not verified"));
        }
    }

    /// The same, to be shared among sources.
    pub fn shared(declared: &[Declared]) -> Shared {
        Rc::new(RefCell::new(Self::new(declared)))
    }

    /// Append the rows of an event that `cpu` wrote. `current` is the thread that ran there where the format says so.
    #[inline]
    #[allow(clippy::too_many_arguments)]
    pub fn event(
        &mut self,
        shape: &Shape,
        ts_ns: i64,
        cpu: i64,
        current: Option<i32>,
        fields: &Fields<'_>,
        ids: &mut Interner,
        rows: &mut Vec<Row>,
    ) {
        self.read[shape.kind as usize] += 1;
        self.ordinal += 1;
        if !(0..=MAX_CPU).contains(&cpu) {
            self.counts.garbled += 1;
            return;
        }
        let cpu = cpu as i16;
        self.see(cpu);
        if self.rows_of(shape.kind, ts_ns, cpu, current, fields, ids, rows).is_none() {
            self.counts.garbled += 1;
        }
    }

    /// Append the row of an event that an application told of a bubble; `cpu` and `tid` are where and who, as far as known.
    pub fn bubble(
        &mut self,
        shape: &Shape,
        ts_ns: i64,
        cpu: Option<i16>,
        tid: Option<i32>,
        fields: &Fields<'_>,
        rows: &mut Vec<Row>,
    ) {
        self.read[shape.kind as usize] += 1;
        match bubble_event(shape.kind, cpu, tid, fields).filter(|_| shape.kind >= Kind::BubbleInit) {
            Some(event) => rows.push(Row { ts_ns, event }),
            None => self.counts.garbled += 1,
        }
    }

    /// Nothing where a field that is needed cannot be what it says.
    #[inline]
    #[allow(clippy::too_many_arguments)]
    fn rows_of(
        &mut self,
        kind: Kind,
        ts_ns: i64,
        cpu: i16,
        current: Option<i32>,
        fields: &Fields<'_>,
        ids: &mut Interner,
        rows: &mut Vec<Row>,
    ) -> Option<()> {
        let running = current.or(self.cpus[cpu as usize].current);
        let event = match kind {
            Kind::Switch => {
                let (prev_tid, next_tid) = (fields.tid(0)?, fields.tid(3)?);
                self.name(ts_ns, prev_tid, fields.texts[0], ids, rows);
                self.name(ts_ns, next_tid, fields.texts[1], ids, rows);
                let state = &mut self.cpus[cpu as usize];
                (state.current, state.since_ns) = (Some(next_tid), ts_ns);
                state.irq = None;
                if state.leaving && fields.texts[1].is_some_and(|name| name.starts_with(b"migration/")) {
                    state.leaving = false;
                    rows.push(Row { ts_ns, event: Event::Hotplug { cpu, online: false } });
                }
                let prev = self.threads.get(prev_tid);
                let is_exiting = prev.is_some_and(|thread| thread.exiting);
                // Not every form of a switch has the name of the thread that leaves.
                let comm = fields.texts[0].map(until_nul).or(prev.map(|thread| &*thread.name));
                let code = |state| self.states.code(state, prev_tid, comm, is_exiting);
                Event::Switch {
                    cpu,
                    prev_tid,
                    prev_state: fields.prev_state.map_or(task_state::UNKNOWN, code),
                    prev_prio: fields.prio(1, kind, self.priorities),
                    next_tid,
                    next_prio: fields.prio(4, kind, self.priorities),
                }
            }
            Kind::Waking | Kind::Wakeup | Kind::WakeupNew => {
                let tid = fields.tid(0)?;
                let (prio, target_cpu) = (fields.prio(1, kind, self.priorities), fields.cpu(2)?);
                if fields.numbers[3] == Some(0) {
                    self.ignore(); // it was runnable already; only kernels before 4.3 can say so
                    return Some(());
                }
                self.see(target_cpu);
                self.name(ts_ns, tid, fields.texts[0], ids, rows);
                match kind {
                    Kind::Waking => Event::Waking { cpu, tid, target_cpu: Some(target_cpu), prio },
                    _ => Event::Wakeup { cpu, tid, target_cpu, prio, is_new: kind == Kind::WakeupNew },
                }
            }
            Kind::Migrate => {
                let (tid, orig_cpu, dest_cpu) = (fields.tid(0)?, fields.cpu(2), fields.cpu(3)?);
                self.see(dest_cpu);
                self.has_stacks |= fields.stack.is_some();
                self.name(ts_ns, tid, fields.texts[0], ids, rows);
                Event::Migrate { cpu, tid, orig_cpu, dest_cpu, stack: fields.stack }
            }
            Kind::StatRuntime => {
                let (tid, ran_ns) = (fields.tid(0)?, fields.numbers[1].filter(|ns| *ns >= 0)?);
                // The first only tells that there are any: from then on the order is held open for begins of runs.
                // Somebody else's account is written where a queue is changed from afar.
                if std::mem::replace(&mut self.has_accounts, true) && current == Some(tid) && tid != 0 {
                    self.run_unseen(ts_ns, cpu, tid, ran_ns, fields.texts[0], ids, rows);
                }
                if tid == 0 {
                    return Some(());
                }
                Event::Runtime { cpu, tid, runtime_ns: ran_ns }
            }
            Kind::Fork => {
                let (parent_tid, child_tid) = (fields.tid(0)?, fields.tid(1)?);
                self.name(ts_ns, parent_tid, fields.texts[0], ids, rows);
                return self.fork(kind, ts_ns, cpu, parent_tid, child_tid, fields.tid(2), fields.texts[1], ids, rows);
            }
            Kind::NewTask => {
                let (parent_tid, child_tid) = (running?, fields.tid(0)?);
                let tgid = match fields.numbers[1] {
                    Some(flags) if flags & CLONE_THREAD == 0 => Some(child_tid),
                    Some(_) => self.threads.get(parent_tid).and_then(|parent| parent.tgid),
                    None => None,
                };
                return self.fork(kind, ts_ns, cpu, parent_tid, child_tid, tgid, fields.texts[0], ids, rows);
            }
            Kind::Exec => {
                let tid = fields.tid(0)?;
                self.threads.entry(tid).tgid = Some(tid);
                Event::Exec { cpu, tid, old_tid: fields.tid(1) }
            }
            Kind::Exit => {
                let tid = fields.tid(0)?;
                let thread = self.threads.entry(tid);
                (thread.born, thread.exiting) = (None, true);
                Event::Exit { cpu, tid }
            }
            Kind::Rename => {
                self.name(ts_ns, fields.tid(0).or(running)?, fields.texts[0], ids, rows);
                return Some(());
            }
            Kind::CgroupMove => {
                let (tid, cgroup_id) = (fields.tid(0)?, fields.numbers[1]?);
                if let Some(path) = fields.texts[0] {
                    ids.describe_cgroup(cgroup_id, Cgroup { path: text(path).into(), ..Cgroup::default() });
                }
                self.name(ts_ns, tid, fields.texts[1], ids, rows);
                Event::CgroupMove { cpu: Some(cpu), tid, cgroup_id }
            }
            Kind::Hotplug => {
                let of_cpu = fields.cpu(0)?;
                self.see(of_cpu);
                Event::Hotplug { cpu: of_cpu, online: fields.numbers[1]? != 0 }
            }
            Kind::HotplugStep => {
                let (of_cpu, target) = (fields.cpu(0)?, fields.numbers[1]?);
                self.see(of_cpu);
                let was_leaving = std::mem::replace(&mut self.cpus[of_cpu as usize].leaving, target == 0);
                if target == 0 || was_leaving {
                    return Some(()); // still to come, or called off
                }
                Event::Hotplug { cpu: of_cpu, online: true }
            }
            Kind::IrqEntry | Kind::SoftirqEntry => {
                let kind = if kind == Kind::IrqEntry { irq_kind::HARDIRQ } else { irq_kind::SOFTIRQ };
                let balances = fields.numbers[0] == Some(SCHED_SOFTIRQ) && self.knows_softirqs;
                if kind == irq_kind::SOFTIRQ && balances && running == Some(0) {
                    let event = Event::Kick { cpu, target_cpu: cpu, kind: kick_kind::SOFTIRQ };
                    rows.push(Row { ts_ns, event });
                }
                self.enter_irq(ts_ns, cpu, running, kind, fields.numbers[0]);
                return Some(());
            }
            Kind::IrqExit | Kind::SoftirqExit => {
                self.leave_irq(ts_ns, cpu, rows);
                return Some(());
            }
            Kind::ProcessState => {
                self.process_state(ts_ns, fields, ids, rows)?;
                return Some(());
            }
            kind => bubble_event(kind, Some(cpu), current, fields)?,
        };
        rows.push(Row { ts_ns, event });
        Some(())
    }

    /// A thread was created: one row, though two tracepoints record it. Sources are read ahead of each other, so that its end
    /// may have been read before: only the other tracepoint, close by, is the same birth.
    #[allow(clippy::too_many_arguments)]
    fn fork(
        &mut self,
        kind: Kind,
        ts_ns: i64,
        cpu: i16,
        parent_tid: i32,
        child_tid: i32,
        tgid: Option<i32>,
        name: Option<&[u8]>,
        ids: &mut Interner,
        rows: &mut Vec<Row>,
    ) -> Option<()> {
        let child = self.threads.entry(child_tid);
        if child.born.is_some_and(|(other, at)| other != kind && at.abs_diff(ts_ns) <= SAME_BIRTH_NS) {
            return Some(());
        }
        *child = Thread { born: Some((kind, ts_ns)), tgid, ..Thread::default() };
        rows.push(Row { ts_ns, event: Event::Fork { cpu, parent_tid, child_tid, child_tgid: tgid } });
        self.name(ts_ns, child_tid, name, ids, rows);
        Some(())
    }

    /// A thread has run on this CPU for that long. Where swapper runs as far as switches tell, its own was not reported.
    #[inline]
    #[allow(clippy::too_many_arguments)]
    fn run_unseen(
        &mut self,
        ts_ns: i64,
        cpu: i16,
        tid: i32,
        ran_ns: i64,
        name: Option<&[u8]>,
        ids: &mut Interner,
        rows: &mut Vec<Row>,
    ) {
        let state = &mut self.cpus[cpu as usize];
        if state.current != Some(0) || ts_ns <= state.since_ns {
            return;
        }
        let begin_ns = ts_ns.saturating_sub(ran_ns).max(state.since_ns);
        (state.current, state.irq) = (Some(tid), None);
        self.name(ts_ns, tid, name, ids, rows);
        rows.push(Row { ts_ns: begin_ns, event: Event::RunSpan { cpu, tid, dur_ns: ts_ns - begin_ns } });
    }

    fn enter_irq(&mut self, ts_ns: i64, cpu: i16, running: Option<i32>, kind: u8, vector: Option<i64>) {
        let state = &mut self.cpus[cpu as usize];
        match &mut state.irq {
            Some(irq) => {
                irq.depth += 1;
                if irq.kind != kind {
                    irq.kind = irq_kind::MIXED;
                }
            }
            None if running == Some(0) => {
                let vector = vector.and_then(|n| i32::try_from(n).ok());
                state.irq = Some(Irq { since_ns: ts_ns, depth: 1, kind, vector });
            }
            None => {}
        }
    }

    fn leave_irq(&mut self, ts_ns: i64, cpu: i16, rows: &mut Vec<Row>) {
        let state = &mut self.cpus[cpu as usize];
        let Some(irq) = &mut state.irq else { return };
        irq.depth -= 1;
        if irq.depth > 0 {
            return;
        }
        let Irq { since_ns, kind, vector, .. } = *irq;
        state.irq = None;
        let dur_ns = ts_ns - since_ns;
        if (SHORTEST_IRQ_NS..=LONGEST_IRQ_NS).contains(&dur_ns) {
            rows.push(Row { ts_ns: since_ns, event: Event::IrqSpan { cpu, dur_ns, kind, vector } });
        }
    }

    /// The instant before which no row can come any more, for a source that has come to `ts_ns` and holds the events of `cpu`
    /// (None: of all CPUs): the begin of an interrupt that has not ended, or of a run that is still to be accounted for.
    pub fn settled(&self, ts_ns: i64, cpu: Option<i16>) -> i64 {
        let open = |state: &Cpu| {
            let irq = state.irq.map(|irq| irq.since_ns).filter(|since| ts_ns - since <= LONGEST_IRQ_NS);
            let may_run = self.has_accounts && state.current == Some(0);
            let run = may_run.then(|| state.since_ns.max(ts_ns.saturating_sub(LONGEST_RUN_NS)));
            irq.into_iter().chain(run).min()
        };
        let earliest = match cpu {
            Some(cpu) => self.cpus.get(cpu as usize).and_then(open),
            None => self.cpus.iter().filter_map(open).min(),
        };
        earliest.map_or(ts_ns, |since| since.min(ts_ns))
    }

    /// LTTng's state dump: status of a thread (enum lttng_process_status in lttng-statedump-impl.c), some time after the tracing began.
    /// Of a runnable thread it does not say whether it runs or is queued: it is WAIT_FORK for every fair thread, and WAIT_CPU for
    /// every real-time thread, the running ones included.
    fn process_state(
        &mut self,
        ts_ns: i64,
        fields: &Fields<'_>,
        ids: &mut Interner,
        rows: &mut Vec<Row>,
    ) -> Option<()> {
        const UNNAMED: i64 = 0; // neither runnable nor asleep: stopped, traced, parked
        const WAIT_FORK: i64 = 1;
        const WAIT_CPU: i64 = 2;
        const EXIT: i64 = 3;
        const ZOMBIE: i64 = 4;
        const WAIT: i64 = 5;
        const RUN: i64 = 6;
        const DEAD: i64 = 7;
        const KERNEL: i64 = 1;
        let tid = fields.tid(0)?;
        if tid == 0 {
            return Some(());
        }
        let tgid = fields.tid(1).unwrap_or(tid);
        self.threads.entry(tid).tgid = Some(tgid);
        let Some(cpu) = fields.cpu(5) else {
            self.name(ts_ns, tid, fields.texts[0], ids, rows);
            return Some(());
        };
        let (state, queue) = match fields.numbers[4] {
            Some(WAIT_FORK | WAIT_CPU) => (task_state::R, queue_state::UNKNOWN),
            Some(RUN) => (task_state::R, queue_state::RUNNING),
            Some(WAIT) => (task_state::S, queue_state::OFF),
            Some(ZOMBIE) => (task_state::Z, queue_state::OFF),
            Some(EXIT | DEAD) => (task_state::X, queue_state::OFF),
            Some(UNNAMED) => (task_state::UNKNOWN, queue_state::OFF),
            _ => (task_state::UNKNOWN, queue_state::UNKNOWN),
        };
        let snapshot = ThreadSnapshot {
            tid,
            tgid,
            ppid: fields.tid(2),
            name: text(fields.texts[0].unwrap_or(b"")).into(),
            state,
            queue,
            cpu,
            mask: None,
            user_mask: None,
            cpuset_mask: None,
            policy: 0,
            prio: None,
            cgroup_id: None,
            migration_disabled: false,
            throttled: false,
            cookie: 0,
            is_kernel: fields.numbers[3] == Some(KERNEL),
            per_cpu_thread: false,
        };
        rows.push(Row { ts_ns, event: Event::ThreadSnapshot(Box::new(snapshot)) });
        self.name(ts_ns, tid, fields.texts[0], ids, rows);
        Some(())
    }

    /// The thread goes by this name (up to the first NUL) from now on; `<...>` and nothing mean that the tracer does not know.
    #[inline]
    pub fn name(&mut self, ts_ns: i64, tid: i32, name: Option<&[u8]>, ids: &mut Interner, rows: &mut Vec<Row>) {
        let Some(name) = name.map(until_nul) else { return };
        // Sources are read ahead of each other: a name that is known may have been met later in the trace than here.
        let is_known = |known: &Thread| *known.name == *name && known.named_ns <= ts_ns;
        if tid == 0 || self.threads.get(tid).is_some_and(is_known) {
            return;
        }
        if !name.is_empty() && name != b"<...>" {
            self.rename(ts_ns, tid, name, ids, rows);
        }
    }

    #[cold]
    fn rename(&mut self, ts_ns: i64, tid: i32, name: &[u8], ids: &mut Interner, rows: &mut Vec<Row>) {
        let thread = self.threads.entry(tid);
        thread.name = name.into();
        thread.named_ns = ts_ns;
        let told = text(name);
        rows.push(Row { ts_ns, event: Event::Name { tid, tgid: thread.tgid, name: told.as_ref().into() } });
        let (is_bound, has_declarations) = (cpu_of_kernel_thread(&told).is_some(), !self.declared.is_empty());
        let fitting = self.declared.iter_mut().rev().find(|(declared, _)| declared.fits(&told));
        let is_declared = fitting.is_some();
        // A wildcard speaks of the threads of a workload: it does not unbind a kernel thread that the kernel binds to its CPU.
        let mask = fitting
            .filter(|(declared, _)| !(is_bound && declared.has_wildcard()))
            .map(|(declared, mask)| *mask.get_or_insert_with(|| ids.mask(declared.cpus.words())));
        // Under a name it had before, or from its parent, it may have got a declared mask.
        if mask.is_some() || is_bound && has_declarations {
            rows.push(Row { ts_ns, event: Event::Affinity { cpu: None, tid, mask, user: None, cpuset: None } });
        }
        self.counts.undeclared += u64::from(!is_declared);
    }

    /// What a trace tells of a thread beside its events (a process tree, saved command lines).
    pub fn thread(
        &mut self,
        ts_ns: i64,
        tid: i32,
        tgid: Option<i32>,
        name: Option<&[u8]>,
        ids: &mut Interner,
        rows: &mut Vec<Row>,
    ) {
        if tid <= 0 {
            return;
        }
        let thread = self.threads.entry(tid);
        if tgid.is_some() && thread.tgid != tgid {
            thread.tgid = tgid;
            let known = std::mem::take(&mut thread.name); // told anew, with its process
            let name = name.map(until_nul).filter(|name| !name.is_empty()).map_or(known, Into::into);
            return self.name(ts_ns, tid, Some(&name), ids, rows);
        }
        self.name(ts_ns, tid, name, ids, rows);
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
        rows.push(Row { ts_ns: from_ns.min(to_ns), event: Event::Lost(Box::new(lost)) });
    }

    /// The CPU exists.
    #[inline]
    pub fn see(&mut self, cpu: i16) {
        let at = cpu as usize;
        if at >= self.cpus.len() {
            self.cpus.resize(at + 1, Cpu::default());
        }
        let state = &mut self.cpus[at];
        state.named_again |= state.seen && state.named_by != self.ordinal;
        (state.seen, state.named_by) = (true, self.ordinal);
    }

    /// An event of no interest.
    #[inline]
    pub fn ignore(&mut self) {
        self.counts.ignored += 1;
    }

    /// A second copy of an event of this shape was dropped.
    pub fn duplicate(&mut self, shape: &Shape) {
        self.read[shape.kind as usize] += 1;
        self.counts.duplicates += 1;
    }

    /// An event whose fields cannot be read.
    pub fn garbled(&mut self) {
        self.counts.garbled += 1;
    }

    /// An event was read that needs no translation: an export of ours has its row.
    #[inline]
    pub fn restored(&mut self, kind: Kind) {
        self.read[kind as usize] += 1;
    }

    /// The trace is an export of ours, and tells this of the one it was made from.
    pub fn is_export_of(&mut self, original: Original) {
        self.original = Some(original);
    }

    /// A row that [`event`](Self::event) gave has got its stack since.
    pub fn saw_stacks(&mut self) {
        self.has_stacks = true;
    }

    /// Balance attempts are rows too.
    pub fn saw_balance(&mut self) {
        self.has_balance = true;
    }

    /// Something to tell about the trace as a whole, one sentence without a stop; told once.
    pub fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    /// The input goes past what the readers have been verified on: one sentence without a stop, kept once.
    pub fn unverified(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.unverified.contains(&text) {
            self.unverified.push(text);
        }
    }

    /// The trace ends before its end: why, and what was read.
    pub fn incomplete(&mut self, why: impl Into<String>) {
        self.complete = false;
        self.note(why);
    }

    /// Share of the input that has been read, for the progress bar.
    #[inline]
    pub fn set_done(&mut self, share: f64) {
        self.done = share;
    }

    pub(crate) fn original(&self) -> Option<&Original> {
        self.original.as_ref()
    }

    pub(crate) fn done(&self) -> f64 {
        self.done
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    pub(crate) fn counts(&self) -> Counts {
        let read = SHAPES
            .iter()
            .zip(self.read.iter().copied())
            .filter(|(_, n)| *n > 0)
            .map(|(shape, n)| (shape.name, n))
            .collect();
        Counts { read, ..self.counts.clone() }
    }

    /// What is missing or odd, a line each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Ways in which the input goes past what the readers have been verified on.
    pub(crate) fn unverified_statements(&self) -> Vec<String> {
        let has_switches = self.read[Kind::Switch as usize] > 0;
        let states = if has_switches { self.states.statements() } else { Vec::new() };
        self.unverified.iter().cloned().chain(states).collect()
    }

    /// States of threads that were not understood, in a line.
    pub(crate) fn states_note(&self) -> Option<String> {
        self.states.note()
    }

    /// The CPUs that exist as far as the events say, and those whose number is damage: see [`Cpus`].
    pub(crate) fn cpus(&self) -> Cpus {
        let seen = self.cpus.iter().enumerate().filter(|(_, state)| state.seen);
        Cpus::of(seen.map(|(cpu, state)| (cpu as u32, state.named_again)))
    }

    pub(crate) fn evidence(&self) -> &'static str {
        match (self.has_balance, self.has_stacks) {
            (true, _) => "L2",
            (false, true) => "L1",
            (false, false) => "L0",
        }
    }

    /// Every named thread has a declared mask.
    pub(crate) fn masks_declared(&self) -> bool {
        !self.declared.is_empty() && self.counts.undeclared == 0
    }

    /// What is missing of the events that say when a thread was woken.
    pub(crate) fn wakeups_note(&self) -> Option<&'static str> {
        let read = |kind: Kind| self.read[kind as usize] > 0;
        match (read(Kind::Switch) && !read(Kind::Wakeup), read(Kind::Waking)) {
            (false, _) => None,
            (true, false) => {
                Some("no wakeups are in the trace: only preempted threads are seen waiting; record sched_wakeup")
            }
            (true, true) => Some(
                "sched_waking is in the trace and sched_wakeup is not: where and when a woken thread was queued is not known, so only \
                 preempted threads are seen waiting; record sched_wakeup",
            ),
        }
    }

    pub(crate) fn has_interrupts(&self) -> bool {
        self.read[Kind::SoftirqEntry as usize] > 0 && self.read[Kind::IrqEntry as usize] > 0
    }
}

/// What an application told of a bubble, or the dump of what it had told before (`collector/bubbles`). `current` is the thread that told.
fn bubble_event(kind: Kind, cpu: Option<i16>, current: Option<i32>, fields: &Fields<'_>) -> Option<Event> {
    let [bubble, entity_tid, holder, holder_id, value, status, dumped, ..] = fields.numbers;
    let is_dump = kind == Kind::BubbleStatedump;
    let kind = if is_dump { dumped? } else { kind as i64 - Kind::BubbleInit as i64 };
    let kind = u8::try_from(kind).ok().filter(|&kind| kind <= bubble_event_kind::DESTROY)?;
    let (bubble, into) = (bubble?, holder_id.filter(|_| holder == Some(holder::BUBBLE.into())));
    // The upper half of a bubble's number is the process that made it.
    let process = |number: i64| i32::try_from(number >> 32).ok();
    let own = |number: i64| number & 0xffff_ffff;
    use bubble_event_kind::{BURST_LEVEL, EXPECT, INSERT_BUBBLE, INSERT_THREAD, MOVE, PRIORITY, SLICE};
    let has_holder = matches!(kind, INSERT_THREAD | INSERT_BUBBLE | MOVE);
    let has_value = matches!(kind, PRIORITY | SLICE | EXPECT);
    Some(Event::Bubble(Box::new(BubbleEvent {
        cpu,
        tid: current,
        tgid: Some(bubble).filter(|&number| number != 0).or(into).and_then(process),
        kind,
        bubble: (bubble != 0).then(|| own(bubble)),
        entity_tid: if bubble == 0 { Some(i32::try_from(entity_tid?).ok().filter(|&tid| tid > 0)?) } else { None },
        holder: holder.filter(|_| has_holder || kind == BURST_LEVEL).and_then(|code| u8::try_from(code).ok()),
        holder_id: holder_id.filter(|_| has_holder).map(|id| if into.is_some() { own(id) } else { id }),
        value: value.filter(|_| has_value),
        name: fields.texts[0].filter(|_| kind == bubble_event_kind::INIT).map(|name| text(name).into()),
        snapshot: is_dump,
        status: status.and_then(|status| i32::try_from(status).ok()).filter(|&status| status != 0),
    })))
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    &bytes[..end]
}

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(until_nul(bytes))
}

#[derive(Clone, Debug, Default)]
struct Thread {
    name: Box<[u8]>,
    /// Time of the event that gave it this name.
    named_ns: i64,
    tgid: Option<i32>,
    /// Created in this trace and not gone since: by which event, and when.
    born: Option<(Kind, i64)>,
    /// Its exit was recorded, and no birth since.
    exiting: bool,
}

/// Threads by tid: a table for the tids that kernels give out, a map for what damage makes of them.
#[derive(Default)]
struct Threads {
    places: Vec<u32>,
    known: Vec<Thread>,
    odd: std::collections::HashMap<i32, u32>,
}

/// The largest tid there can be (include/linux/threads.h: PID_MAX_LIMIT).
const PID_MAX: i32 = 4 << 20;

impl Threads {
    #[inline]
    fn get(&self, tid: i32) -> Option<&Thread> {
        let place = if (0..PID_MAX).contains(&tid) {
            self.places.get(tid as usize).copied().filter(|&place| place != 0)
        } else {
            self.odd.get(&tid).copied()
        };
        place.map(|place| &self.known[place as usize - 1])
    }

    fn entry(&mut self, tid: i32) -> &mut Thread {
        let next = self.known.len() as u32 + 1;
        let place = if (0..PID_MAX).contains(&tid) {
            let at = tid as usize;
            if at >= self.places.len() {
                self.places.resize((at + 1).next_power_of_two(), 0);
            }
            &mut self.places[at]
        } else {
            self.odd.entry(tid).or_default()
        };
        if *place == 0 {
            *place = next;
            self.known.push(Thread::default());
        }
        &mut self.known[*place as usize - 1]
    }
}
