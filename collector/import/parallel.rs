//! Threads of a parallel program as rows: what traces of programs (Paraver, OTF2) have in common.
//!
//! Such a trace says what each thread of one program did, and nothing of the rest of the machine. Where it says on which
//! CPU a thread ran, [`ProgramRows`] makes switches and wakeups of that; while none of the program runs on a CPU, that CPU
//! runs a thread of its own, [`UNKNOWN_THREAD`]: it may have been idle or run anything, so that no idle time is read off
//! such a trace. Where the trace does not say on which CPU, each thread has a CPU for itself.

use crate::{EventKind, Tid, Translator};
use std::collections::BTreeMap;
use wastenot_assemble::{CpuSnapshot, Event, Interner, Row, ThreadName, ThreadSnapshot};
use wastenot_assemble::{IrqSpan, RegionEvent, SchedMigrateTask, SchedSwitch, SchedWakeup, SchedWaking, Throttle};
use wastenot_schemas::{RegionKind, irq_kind, queue_state, task_state};

/// Threads of a program at most: each may need a CPU of its own.
pub const MOST_THREADS: usize = 8192;

/// Name of the thread that runs on a CPU while none of the program does: the trace does not say which it is, or whether
/// the CPU was idle.
pub const UNKNOWN_THREAD: &str = "(not in the trace)";

/// What a thread does, and on which CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// It runs.
    Running(i16),
    /// It became runnable and is queued.
    Queued(i16),
    /// It was preempted and is queued.
    Preempted(i16),
    /// Its cgroup has no quota left.
    Throttled(i16),
    /// It sleeps.
    Asleep,
    /// Uninterruptible sleep: I/O.
    Blocked,
    /// Stopped, or what it does is not said.
    Stopped,
}

impl Activity {
    fn running(self) -> Option<i16> {
        if let Self::Running(cpu) = self { Some(cpu) } else { None }
    }

    fn queued(self) -> Option<i16> {
        match self {
            Self::Queued(cpu) | Self::Preempted(cpu) => Some(cpu),
            _ => None,
        }
    }

    fn cpu(self) -> Option<i16> {
        match self {
            Self::Throttled(cpu) => Some(cpu),
            _ => self.running().or(self.queued()),
        }
    }

    fn is_off(self) -> bool {
        matches!(self, Self::Asleep | Self::Blocked | Self::Stopped)
    }

    /// The state in which a switch leaves the thread.
    fn state(self) -> u8 {
        match self {
            Self::Asleep => task_state::S,
            Self::Blocked => task_state::D,
            Self::Stopped => task_state::T,
            Self::Preempted(_) => task_state::R_PREEMPTED,
            _ => task_state::R,
        }
    }
}

/// A thread of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramThread {
    /// Its number.
    pub tid: Tid,
    /// Its process.
    pub tgid: Tid,
    /// The process that started it.
    pub parent: Tid,
    /// Its name.
    pub name: Box<str>,
}

#[derive(Clone, Copy, Debug)]
struct ThreadState {
    activity: Option<Activity>,
    /// What it does from this instant on, and which thread of the program woke it.
    next: Option<(Activity, Option<usize>)>,
}

/// Makes the rows of a program's threads; changes of one instant are gathered until a later one.
pub struct ProgramRows {
    threads: Vec<ProgramThread>,
    states: Vec<ThreadState>,
    cpus: BTreeMap<i16, OnCpu>,
    /// The instant that is gathered.
    now_ns: i64,
    /// Threads with something new at it.
    changed: Vec<usize>,
    /// Threads that are not the program's have numbers from here on, by CPU.
    unknown: Tid,
    /// Switches and wakeups count as read.
    counts: bool,
    conflict: Option<Conflict>,
}

/// What a CPU runs and who is queued there.
#[derive(Clone, Copy, Debug, Default)]
struct OnCpu {
    /// The thread of the program that is to run there.
    running: Option<usize>,
    /// Threads of the program that are queued there.
    queued: u32,
    /// The thread that runs there by the rows so far; 0 none.
    current: Tid,
    /// The thread that is not in the trace has its name.
    is_named: bool,
}

/// Two threads run on one CPU at once, which no kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The CPU.
    pub cpu: i16,
    /// From when on (ns).
    pub ts_ns: i64,
    /// The two threads.
    pub threads: [usize; 2],
}

impl ProgramRows {
    /// For these threads, from `start_ns` on. `counts`: what they do is read from the trace, not assumed.
    pub fn new(threads: Vec<ProgramThread>, start_ns: i64, counts: bool) -> Self {
        let none = ThreadState { activity: None, next: None };
        let unknown = threads.iter().flat_map(|t| [t.tid, t.tgid, t.parent]).max().unwrap_or(0).saturating_add(1);
        Self {
            states: vec![none; threads.len()],
            threads,
            cpus: BTreeMap::new(),
            now_ns: start_ns,
            changed: Vec::new(),
            unknown,
            counts,
            conflict: None,
        }
    }

    /// The processes that started others, with their names: rows of their own, since they do nothing in the trace.
    pub fn parents(&self, names: &[(Tid, &str)], rows: &mut Vec<Row>) {
        for (tid, name) in names {
            let event = ThreadName { tid: *tid, tgid: Some(*tid), name: (*name).into() };
            rows.push(Row { ts_ns: self.now_ns, event: event.into() });
        }
    }

    /// From `ts_ns` on a thread does this. `waker`: the thread of the program that woke it. Instants do not go back.
    pub fn change(&mut self, ts_ns: i64, thread: usize, activity: Activity, waker: Option<usize>, to: &mut Target<'_>) {
        self.reach(ts_ns, to);
        if self.states[thread].next.is_none() {
            self.changed.push(thread);
        }
        self.states[thread].next = Some((activity, waker));
    }

    /// A thread enters or leaves a region at `ts_ns`.
    pub fn region(
        &mut self,
        ts_ns: i64,
        thread: usize,
        kind: RegionKind,
        enter: bool,
        name: &str,
        to: &mut Target<'_>,
    ) {
        self.reach(ts_ns, to);
        let cpu = self.states[thread].activity.and_then(Activity::running).filter(|_| self.counts);
        let (tid, name) = (self.threads[thread].tid, to.ids.text(name));
        let event = RegionEvent { cpu, tid, kind: kind as u8, enter, peer: None, bytes: None, name };
        to.rows.push(Row { ts_ns, event: event.into() });
    }

    /// `cpu` does interrupt work for so long from `ts_ns` on, while a thread of the program is there.
    pub fn interrupt(&mut self, ts_ns: i64, dur_ns: i64, cpu: i16, to: &mut Target<'_>) {
        self.reach(ts_ns, to);
        to.translator.add_cpu(cpu);
        let event = IrqSpan { cpu, dur_ns, kind: irq_kind::MIXED, vector: None };
        to.rows.push(Row { ts_ns, event: event.into() });
    }

    /// Nothing more comes before `ts_ns`: rows of what was gathered.
    pub fn reach(&mut self, ts_ns: i64, to: &mut Target<'_>) {
        if ts_ns > self.now_ns {
            self.emit(to);
            self.now_ns = ts_ns;
        }
    }

    /// Rows of the last instant.
    pub fn finish(&mut self, to: &mut Target<'_>) {
        self.emit(to);
    }

    /// Rows of what was gathered. One that ran and is queued after a wakeup slept at this instant, if only for no time.
    fn emit(&mut self, to: &mut Target<'_>) {
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        let mut woken = Vec::new();
        for &thread in &changed {
            let state = &mut self.states[thread];
            if let (Some(Activity::Running(_)), Some((Activity::Queued(_), _))) = (state.activity, state.next) {
                woken.push((thread, state.next.replace((Activity::Asleep, None))));
            }
        }
        self.emit_changes(&changed, to);
        if !woken.is_empty() {
            changed.clear();
            for (thread, next) in woken {
                self.states[thread].next = next;
                changed.push(thread);
            }
            self.emit_changes(&changed, to);
        }
        changed.clear();
        self.changed = changed;
    }

    fn emit_changes(&mut self, changed: &[usize], to: &mut Target<'_>) {
        let mut left = Left::default();
        let mut cpus: Vec<i16> = Vec::new();
        let before: Vec<Option<Activity>> = changed.iter().map(|&thread| self.states[thread].activity).collect();
        for (&thread, activity) in changed.iter().zip(&before) {
            cpus.extend(activity.and_then(Activity::cpu));
            self.leave_cpu(thread, *activity);
        }
        for (&thread, before) in changed.iter().zip(before) {
            let Some((next, waker)) = self.states[thread].next.take() else { continue };
            cpus.extend(next.cpu());
            match before {
                None => {
                    self.snapshot(thread, next, to);
                    if let Activity::Preempted(cpu) = next {
                        // A snapshot does not say whether one that is queued was preempted.
                        left.through.push((cpu, self.threads[thread].tid, next.state()));
                    }
                }
                Some(before) => self.step(thread, before, next, waker, &mut left, to),
            }
        }
        cpus.sort_unstable();
        cpus.dedup();
        for cpu in cpus {
            self.switch(cpu, &left, to);
        }
    }

    fn leave_cpu(&mut self, thread: usize, activity: Option<Activity>) {
        let Some((activity, on)) = activity.and_then(|a| Some((a, self.cpus.get_mut(&a.cpu()?)?))) else { return };
        if activity.queued().is_some() {
            on.queued -= 1;
        } else if on.running == Some(thread) {
            on.running = None;
        }
    }

    fn enter_cpu(&mut self, thread: usize, activity: Activity) {
        if let Some(cpu) = activity.running() {
            let on = self.cpus.entry(cpu).or_default();
            if let Some(other) = on.running {
                self.conflict.get_or_insert(Conflict { cpu, ts_ns: self.now_ns, threads: [other, thread] });
            }
            on.running = Some(thread);
        } else if let Some(cpu) = activity.queued() {
            self.cpus.entry(cpu).or_default().queued += 1;
        }
    }

    /// Two threads that were to run on one CPU at once; the rows make no sense from there on.
    pub fn conflict(&self) -> Option<Conflict> {
        self.conflict
    }

    /// The first that is known of a thread.
    fn snapshot(&mut self, thread: usize, activity: Activity, to: &mut Target<'_>) {
        let ProgramThread { tid, tgid, parent, ref name } = self.threads[thread];
        let cpu = activity.cpu().unwrap_or(0);
        let queue = match activity {
            Activity::Running(_) => queue_state::RUNNING,
            _ if activity.is_off() => queue_state::OFF,
            _ => queue_state::QUEUED,
        };
        let event = ThreadSnapshot {
            tid,
            tgid,
            ppid: Some(parent),
            name: name.clone(),
            state: if queue == queue_state::OFF { activity.state() } else { task_state::R },
            queue,
            cpu,
            throttled: matches!(activity, Activity::Throttled(_)),
            ..ThreadSnapshot::default()
        };
        to.rows.push(Row { ts_ns: self.now_ns, event: event.into() });
        self.states[thread].activity = Some(activity);
        self.enter_cpu(thread, activity);
        if let Activity::Running(cpu) = activity {
            to.translator.add_cpu(cpu);
            let on = self.cpus.entry(cpu).or_default();
            if on.current == 0 {
                on.current = tid;
                let event = CpuSnapshot { cpu, online: true, current_tid: Some(tid) };
                to.rows.push(Row { ts_ns: self.now_ns, event: event.into() });
            }
        }
    }

    /// What a thread does between two activities, but for the switches of CPUs.
    fn step(
        &mut self,
        thread: usize,
        before: Activity,
        next: Activity,
        waker: Option<usize>,
        left: &mut Left,
        to: &mut Target<'_>,
    ) {
        let tid = self.threads[thread].tid;
        let now_ns = self.now_ns;
        let mut push = |event: Event| to.rows.push(Row { ts_ns: now_ns, event });
        if before.running().is_some() {
            left.states.insert(tid, next.state());
        } else if let Some(cpu) = before.cpu().filter(|_| next.is_off()) {
            left.through.push((cpu, tid, next.state()));
        }
        for (activity, throttled) in [(before, false), (next, true)] {
            if let Activity::Throttled(cpu) = activity {
                push(Throttle { cpu, tid, throttled, error_ns: 0 }.into());
            }
        }
        if before.is_off() && !next.is_off() {
            let target_cpu = next.cpu().unwrap_or(0);
            // One that sleeps from this instant on still runs while it wakes another. What is not a thread of the program
            // wakes from a CPU without one.
            let of = |waker: usize| self.cpus.iter().find(|(_, on)| on.current == self.threads[waker].tid);
            let is_outside = |tid: Tid| tid == 0 || tid >= self.unknown;
            let on = waker.and_then(of).or_else(|| self.cpus.iter().find(|(_, on)| is_outside(on.current)));
            if let Some((&cpu, _)) = on {
                push(SchedWaking { cpu, tid, target_cpu: Some(target_cpu), prio: None }.into());
            }
            push(SchedWakeup { cpu: target_cpu, tid, target_cpu, ..SchedWakeup::default() }.into());
            if self.counts {
                to.translator.restored(EventKind::Wakeup);
            }
            if let Activity::Preempted(cpu) = next {
                left.through.push((cpu, tid, next.state()));
            }
        } else if let (Some(orig), Some(dest)) = (before.cpu(), next.cpu())
            && orig != dest
        {
            push(SchedMigrateTask { cpu: dest, tid, orig_cpu: Some(orig), dest_cpu: dest, stack_id: None }.into());
        }
        self.states[thread].activity = Some(next);
        self.enter_cpu(thread, next);
    }

    /// Let `cpu` run what it should, now that all threads have their new activity.
    fn switch(&mut self, cpu: i16, left: &Left, to: &mut Target<'_>) {
        to.translator.add_cpu(cpu);
        let beside = self.unknown + Tid::from(cpu);
        for &(_, tid, _) in left.through.iter().filter(|(on, ..)| *on == cpu) {
            self.switch_to(cpu, tid, left, to);
        }
        let on = self.cpus.entry(cpu).or_default();
        let next_tid = match on.running {
            Some(thread) => self.threads[thread].tid,
            None if on.queued > 0 || self.counts => beside,
            None => 0,
        };
        self.switch_to(cpu, next_tid, left, to);
    }

    /// `cpu` runs `next_tid` from now on.
    fn switch_to(&mut self, cpu: i16, next_tid: Tid, left: &Left, to: &mut Target<'_>) {
        let beside = self.unknown + Tid::from(cpu);
        let on = self.cpus.entry(cpu).or_default();
        let prev_tid = std::mem::replace(&mut on.current, next_tid);
        if prev_tid == next_tid {
            return;
        }
        let mut push = |event: Event| to.rows.push(Row { ts_ns: self.now_ns, event });
        if next_tid == beside {
            if !std::mem::replace(&mut on.is_named, true) {
                push(ThreadName { tid: beside, tgid: Some(beside), name: UNKNOWN_THREAD.into() }.into());
            }
            push(SchedWakeup { cpu, tid: beside, target_cpu: cpu, ..SchedWakeup::default() }.into());
        }
        let prev_state = match prev_tid {
            0 => task_state::R,
            tid if tid == beside => task_state::S,
            tid => left.state(cpu, tid),
        };
        push(SchedSwitch { cpu, prev_tid, prev_state, next_tid, ..SchedSwitch::default() }.into());
        if self.counts {
            to.translator.restored(EventKind::Switch);
        }
    }
}

/// Threads that leave their CPU at one instant.
#[derive(Debug, Default)]
struct Left {
    /// The state in which each that ran is left.
    states: BTreeMap<Tid, u8>,
    /// Threads that were queued and are not any more, or were off and are preempted: only a switch says so, so that they
    /// run on this CPU for no time and are left in this state.
    through: Vec<(i16, Tid, u8)>,
}

impl Left {
    /// The state in which a thread of the program leaves a CPU; one that goes on there makes way for others for no time.
    fn state(&self, cpu: i16, tid: Tid) -> u8 {
        let through = self.through.iter().find(|(on, of, _)| (*on, *of) == (cpu, tid)).map(|(_, _, state)| *state);
        through.or_else(|| self.states.get(&tid).copied()).unwrap_or(task_state::R_PREEMPTED)
    }
}

/// Where rows go.
pub struct Target<'a> {
    /// Counts and CPUs.
    pub translator: &'a mut Translator,
    /// Texts.
    pub ids: &'a mut Interner,
    /// The rows.
    pub rows: &'a mut Vec<Row>,
}

/// What a thread does in a function of MPI, by its name in C or Fortran, with or without the P of the profiling interface;
/// None where it does not wait for others.
pub fn kind_of_mpi(name: &str) -> Option<RegionKind> {
    let lower = name.to_ascii_lowercase();
    let name = lower.strip_prefix('p').unwrap_or(&lower).strip_prefix("mpi_")?.trim_end_matches('_');
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    Some(match () {
        () if name == "init" || starts(&["init_", "finalize"]) => RegionKind::Startup,
        () if starts(&["wait"]) => RegionKind::Wait,
        () if starts(&["test", "probe", "mprobe", "iprobe", "improbe"]) => RegionKind::Probe,
        () if name.contains("recv") => RegionKind::Receive,
        () if name.ends_with("send") || starts(&["start"]) => RegionKind::Send,
        () if starts(&COLLECTIVES)
            || name.strip_prefix('i').is_some_and(|name| COLLECTIVES.iter().any(|c| name.starts_with(c))) =>
        {
            RegionKind::Collective
        }
        () if starts(&["win_lock", "win_unlock", "win_flush", "win_wait", "win_complete", "win_start"]) => {
            RegionKind::Wait
        }
        () => return None,
    })
}

/// Starts of the names of collective operations.
const COLLECTIVES: [&str; 16] = [
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "scan",
    "exscan",
    "gather",
    "allgather",
    "scatter",
    "alltoall",
    "neighbor_",
    "comm_dup",
    "comm_split",
    "comm_create",
    "win_fence",
    "cart_create",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(make: impl FnOnce(&mut ProgramRows, &mut Target<'_>)) -> Vec<String> {
        let thread = |tid: Tid| ProgramThread { tid, tgid: tid, parent: 9, name: "a".into() };
        let mut program = ProgramRows::new(vec![thread(1), thread(2)], 0, true);
        let (mut translator, mut ids, mut rows) = (Translator::default(), Interner::default(), Vec::new());
        let mut to = Target { translator: &mut translator, ids: &mut ids, rows: &mut rows };
        make(&mut program, &mut to);
        program.finish(&mut to);
        let shown = |row: &Row| match &row.event {
            Event::SchedSwitch(e) => {
                format!("{} cpu{} {}/{}->{}", row.ts_ns, e.cpu, e.prev_tid, e.prev_state, e.next_tid)
            }
            Event::SchedWakeup(e) => format!("{} wake {} on {}", row.ts_ns, e.tid, e.target_cpu),
            Event::SchedWaking(e) => format!("{} waking {} by cpu{}", row.ts_ns, e.tid, e.cpu),
            Event::SchedMigrateTask(e) => format!("{} move {} to {}", row.ts_ns, e.tid, e.dest_cpu),
            Event::ThreadSnapshot(e) => format!("{} is {} {}", row.ts_ns, e.tid, e.queue),
            other => format!("{} {}", row.ts_ns, other.table()),
        };
        rows.iter().map(shown).collect()
    }

    #[test]
    fn one_that_wakes_another_and_sleeps_at_the_same_instant_is_its_waker() {
        let made = rows(|program, to| {
            program.change(0, 0, Activity::Running(0), None, to);
            program.change(0, 1, Activity::Asleep, None, to);
            program.change(5, 1, Activity::Running(1), Some(0), to);
            program.change(6, 0, Activity::Asleep, None, to);
        });
        assert_eq!(
            made,
            [
                "0 is 1 0",
                "0 cpu_snapshot",
                "0 is 2 2",
                "5 waking 2 by cpu0",
                "5 wake 2 on 1",
                "5 cpu1 0/0->2",
                "6 thread_name",
                "6 wake 10 on 0",
                "6 cpu0 1/2->10"
            ]
        );
    }

    #[test]
    fn one_that_ran_and_is_queued_after_a_wakeup_slept_in_between() {
        let made = rows(|program, to| {
            program.change(0, 0, Activity::Running(0), None, to);
            program.change(0, 1, Activity::Running(1), None, to);
            program.change(5, 1, Activity::Queued(1), Some(0), to);
        });
        let tail = ["5 wake 11 on 1", "5 cpu1 2/2->11", "5 waking 2 by cpu0", "5 wake 2 on 1"];
        assert_eq!(
            made.iter().filter(|row| row.starts_with('5') && !row.contains("name")).collect::<Vec<_>>(),
            tail.iter().collect::<Vec<_>>()
        );
    }

    #[test]
    fn one_whose_state_is_not_known_while_it_is_queued_comes_back_preempted() {
        let made = rows(|program, to| {
            program.change(0, 0, Activity::Running(0), None, to);
            program.change(3, 0, Activity::Preempted(0), None, to);
            program.change(5, 0, Activity::Stopped, None, to);
            program.change(8, 0, Activity::Preempted(0), None, to);
        });
        assert_eq!(
            made[2..],
            [
                "3 thread_name",
                "3 wake 10 on 0",
                "3 cpu0 1/1->10",
                "5 cpu0 10/2->1",
                "5 wake 10 on 0",
                "5 cpu0 1/4->10",
                "8 waking 1 by cpu0",
                "8 wake 1 on 0",
                "8 cpu0 10/2->1",
                "8 wake 10 on 0",
                "8 cpu0 1/1->10"
            ]
        );
    }

    #[test]
    fn one_that_is_preempted_from_the_start_is_not_taken_for_one_that_was_woken() {
        let made = rows(|program, to| program.change(0, 0, Activity::Preempted(0), None, to));
        assert_eq!(made, ["0 is 1 1", "0 cpu0 0/0->1", "0 thread_name", "0 wake 10 on 0", "0 cpu0 1/1->10"]);
    }

    #[test]
    fn beside_one_that_is_preempted_something_runs_that_is_not_in_the_trace() {
        let made = rows(|program, to| {
            program.change(0, 0, Activity::Running(0), None, to);
            program.change(3, 0, Activity::Preempted(0), None, to);
            program.change(7, 0, Activity::Running(1), None, to);
        });
        assert_eq!(
            made,
            [
                "0 is 1 0",
                "0 cpu_snapshot",
                "3 thread_name",
                "3 wake 10 on 0",
                "3 cpu0 1/1->10",
                "7 move 1 to 1",
                "7 cpu1 0/0->1"
            ]
        );
    }

    #[test]
    fn names_of_mpi_say_what_is_waited_for() {
        use RegionKind as Kind;
        for (name, kind) in [
            ("MPI_Barrier", Some(Kind::Collective)),
            ("PMPI_Waitall", Some(Kind::Wait)),
            ("mpi_sendrecv_", Some(Kind::Receive)),
            ("MPI_Isend", Some(Kind::Send)),
            ("MPI_Ibarrier", Some(Kind::Collective)),
            ("MPI_Iprobe", Some(Kind::Probe)),
            ("MPI_Init_thread", Some(Kind::Startup)),
            ("MPI_Comm_rank", None),
            ("MPI_Initialized", None),
            ("main", None),
        ] {
            assert_eq!(kind_of_mpi(name), kind, "{name}");
        }
    }
}
