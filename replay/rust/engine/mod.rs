//! The running machine: time, CPUs, threads, what they share. Schedulers act through [`Engine`]; [`Simulation`] drives both.

mod application;
mod bubbles;
mod deadline_jobs;
mod fork_exit;
mod happenings;
mod interpret;
mod objects;
mod queue;
mod run;
mod switch;
mod thread;

pub use bubbles::{Bubble, BubbleIx};
pub(crate) use bubbles::{BubbleRecord, level_code};
pub use deadline_jobs::{DeadlineJob, JobCounts};
pub(crate) use run::RT_PERIOD_US;
pub use run::{Outcome, Progress, Settings, SimulationError};
pub use thread::{State, Thread, ThreadIx};

use crate::compile::CompiledWorkload;
use crate::costs::Costs;
use crate::masks::{CpuMask, MaskId, Masks};
use crate::program::Ix;
use crate::random::Random;
use crate::record::{Path, Recorder};
use crate::scheduler::{Placement, Scheduler};
use crate::span::Ns;
use crate::topology::{CpuIx, SimulatedTopology};
use crate::workload::Workload;
use application::Application;
use deadline_jobs::JobLog;
use objects::SharedObject;
use queue::{Event, EventQueue};
use std::collections::VecDeque;
use std::rc::Rc;
use wastenot_schemas::task_state;

/// What a stopper (`migration/N`) has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Only switch to the stopper, so that the CPU reschedules.
    Nothing,
    /// Move a thread whose mask forbids this CPU.
    Displace(ThreadIx, u32),
    /// Move a thread that execs.
    Exec(ThreadIx, u32, CpuIx),
    /// What the scheduler asked for.
    Scheduler(u64),
}

/// A CPU.
#[derive(Debug)]
struct Cpu {
    online: bool,
    current: Option<ThreadIx>,
    /// Up to when the current thread's time is accounted for.
    settled: Ns,
    /// Speed of the current thread, 1024 the fastest.
    speed: u32,
    /// Priority of the last thread with a load that ran here.
    smt_priority: Option<u8>,
    generation: u32,
    resched_at: Option<Ns>,
    irq_until: Ns,
    idle_since: Ns,
    ticking: bool,
    stopper: ThreadIx,
    stops: VecDeque<Stop>,
    /// Runnable threads as the scheduler last counted them, the stopper not among them.
    count: u32,
}

/// A scheduling group: a cgroup or a session.
#[derive(Clone, Debug)]
pub struct Group {
    /// Name of the cgroup or session.
    pub name: Rc<str>,
    /// True for a session (autogroup), false for a cgroup.
    pub is_session: bool,
    /// cpu.weight: 100 the default.
    pub weight: u32,
    /// CPU time per period.
    pub quota: Option<(Ns, Ns)>,
    /// CPUs of its cpuset.
    pub cpuset: Option<MaskId>,
}

/// The running machine.
pub struct Engine<'s> {
    /// The machine.
    pub topology: SimulatedTopology,
    /// What things cost.
    pub costs: Costs,
    /// Sets of CPUs.
    pub masks: Masks,
    /// Random numbers for the scheduler; programs have their own.
    pub random: Random,
    /// Writes the trace.
    pub recorder: Recorder<'s>,
    groups: Vec<Group>,
    threads: Vec<Thread>,
    free: Vec<ThreadIx>,
    bubbles: Vec<Bubble>,
    free_bubbles: Vec<BubbleIx>,
    bubble_of_row: Vec<Option<BubbleIx>>,
    next_bubble: i64,
    cpus: Vec<Cpu>,
    online: CpuMask,
    idle: CpuMask,
    now: Ns,
    tick_ns: Ns,
    queue: EventQueue,
    immediate: VecDeque<CpuIx>,
    /// CPU in whose context the engine is.
    context: CpuIx,
    shared: Vec<SharedObject>,
    code: CompiledWorkload,
    workload: Workload,
    next_tid: i32,
    seed: u64,
    waited_for: u32,
    /// Threads alive.
    alive: u32,
    progress: Vec<Progress>,
    marks: Vec<(u64, Ns)>,
    events: u64,
    /// The application that a balancer places.
    application: Option<Application>,
    jobs: JobLog,
    /// What ends the run: the first thing that was refused.
    refused: Option<SimulationError>,
    command: String,
    options: String,
}

/// An engine and the scheduler that drives it.
pub struct Simulation<'s, S> {
    /// The running machine.
    pub engine: Engine<'s>,
    /// The scheduler.
    pub scheduler: S,
}

impl<'s> Engine<'s> {
    /// The current time.
    #[inline]
    pub fn now(&self) -> Ns {
        self.now
    }

    /// Length of the tick.
    pub fn tick_ns(&self) -> Ns {
        self.tick_ns
    }

    /// A thread.
    #[inline]
    pub fn thread(&self, t: ThreadIx) -> &Thread {
        &self.threads[t as usize]
    }

    /// Slots of threads in use so far: an upper bound of every [`ThreadIx`].
    pub fn slots(&self) -> usize {
        self.threads.len()
    }

    /// The CPUs a thread may use, offline ones included.
    #[inline]
    pub fn allowed(&self, t: ThreadIx) -> &CpuMask {
        self.masks.get(self.threads[t as usize].mask)
    }

    /// True when a thread may use a CPU that is online.
    #[inline]
    pub fn may_use(&self, t: ThreadIx, cpu: CpuIx) -> bool {
        self.allowed(t).contains(cpu) && self.cpus[cpu as usize].online
    }

    /// Where a thread was last (a new one: where its parent is), if it may still run there; else the first CPU that it may use.
    pub fn last_usable(&self, t: ThreadIx, why: Placement) -> CpuIx {
        let last = match why {
            Placement::Fork { parent_cpu } => parent_cpu,
            _ => self.thread(t).cpu,
        };
        let usable = |c: &CpuIx| self.may_use(t, *c);
        let other = || self.online().iter().find(usable).or_else(|| self.online().first());
        Some(last).filter(usable).or_else(other).unwrap_or(0)
    }

    /// The thread that runs on a CPU; None for swapper.
    #[inline]
    pub fn current(&self, cpu: CpuIx) -> Option<ThreadIx> {
        self.cpus[cpu as usize].current
    }

    /// True when the CPU runs its stopper.
    pub fn stopping(&self, cpu: CpuIx) -> bool {
        let c = &self.cpus[cpu as usize];
        c.current == Some(c.stopper)
    }

    /// True when swapper runs on the CPU.
    #[inline]
    pub fn runs_idle(&self, cpu: CpuIx) -> bool {
        self.cpus[cpu as usize].current.is_none()
    }

    /// Since when swapper runs there.
    pub fn idle_since(&self, cpu: CpuIx) -> Ns {
        self.cpus[cpu as usize].idle_since
    }

    /// True when the CPU is about to reschedule.
    pub fn resched_pending(&self, cpu: CpuIx) -> bool {
        self.cpus[cpu as usize].resched_at.is_some()
    }

    /// True while the CPU works on interrupts.
    pub fn in_irq(&self, cpu: CpuIx) -> bool {
        self.cpus[cpu as usize].irq_until > self.now
    }

    /// CPUs that are online.
    #[inline]
    pub fn online(&self) -> &CpuMask {
        &self.online
    }

    /// Online CPUs that run swapper.
    #[inline]
    pub fn idle(&self) -> &CpuMask {
        &self.idle
    }

    /// Scheduling groups: sessions and cgroups.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The CPU in whose context the engine is.
    #[inline]
    pub fn context(&self) -> CpuIx {
        self.context
    }

    /// Brings a CPU's running thread up to date: its run time, and what is left of its burst.
    pub fn settle(&mut self, cpu: CpuIx) {
        let c = &mut self.cpus[cpu as usize];
        let elapsed = self.now - c.settled;
        c.settled = self.now;
        let Some(t) = c.current else { return };
        if elapsed == 0 {
            return;
        }
        let thread = &mut self.threads[t as usize];
        thread.run_ns += elapsed;
        let burnt = elapsed.min(thread.overhead);
        thread.overhead -= burnt;
        let left = elapsed - burnt;
        if thread.spinning {
            thread.spin_left = thread.spin_left.map(|s| s.saturating_sub(left));
        } else {
            thread.work = thread.work.saturating_sub(left * u64::from(c.speed));
        }
    }

    /// Asks a CPU to reschedule: at once from its own context, else after an interrupt (and its exit from idle).
    pub fn resched(&mut self, cpu: CpuIx) {
        let at = if cpu == self.context && !self.runs_idle(cpu) {
            self.now
        } else {
            let exit = if self.runs_idle(cpu) { self.costs.idle_exit_ns } else { 0 };
            self.now + self.costs.ipi_ns + exit
        };
        let at = at.max(self.cpus[cpu as usize].irq_until);
        let c = &mut self.cpus[cpu as usize];
        if !c.online || c.resched_at.is_some_and(|earlier| earlier <= at) {
            return;
        }
        c.resched_at = Some(at);
        if at == self.now {
            self.immediate.push_back(cpu);
        } else {
            self.queue.push(at, Event::Resched { cpu });
        }
    }

    /// Moves a thread that is queued (not running) or sleeps: from now on it is queued on `to`. The scheduler moves it
    /// between its own queues.
    pub fn move_thread(&mut self, t: ThreadIx, to: CpuIx, path: Path) {
        let thread = &mut self.threads[t as usize];
        debug_assert!(thread.state != State::Running, "a running thread is moved by its stopper");
        let from = std::mem::replace(&mut thread.cpu, to);
        if from != to {
            self.recorder.migrate(self.now, self.context, thread.tid, from, to, path);
        }
    }

    /// Calls [`Scheduler::timer`] at an instant, in the context of a CPU.
    pub fn timer(&mut self, at: Ns, cpu: CpuIx, token: u64) {
        self.queue.push(at.max(self.now), Event::Timer { cpu, token });
    }

    /// Wakes the stopper of a CPU, which calls [`Scheduler::run_stopper`] there.
    pub fn stop(&mut self, cpu: CpuIx, token: u64) {
        self.stop_for(cpu, Stop::Scheduler(token));
    }

    /// The kernel's count of a runqueue changed.
    pub fn count(&mut self, cpu: CpuIx, nr_running: u32, delta: i16) {
        let c = &mut self.cpus[cpu as usize];
        c.count = nr_running;
        let stopper = u32::from(self.threads[c.stopper as usize].is_runnable());
        self.recorder.nr_running(self.now, cpu, nr_running + stopper, delta);
    }

    /// A thread's group lost or regained its quota on the thread's CPU.
    pub fn throttle(&mut self, t: ThreadIx, throttled: bool) {
        let thread = &self.threads[t as usize];
        self.recorder.throttle(self.now, thread.cpu, thread.tid, throttled);
    }

    /// Time that the scheduler itself takes on a CPU, at the cost of the thread that runs there.
    pub fn charge(&mut self, cpu: CpuIx, ns: Ns) {
        let Some(t) = self.cpus[cpu as usize].current else { return };
        self.settle(cpu);
        self.threads[t as usize].overhead += ns;
        self.arm(cpu);
    }

    /// Time that a thread will have to burn before it goes on: it is queued, or about to run.
    pub fn burden(&mut self, t: ThreadIx, ns: Ns) {
        self.threads[t as usize].overhead += ns;
    }

    /// Ends the run: a deadline thread is refused.
    pub fn refuse(&mut self, t: ThreadIx, why: String) {
        let thread = &self.threads[t as usize];
        let (name, tid) = (thread.name.to_string(), thread.tid);
        self.refused.get_or_insert(SimulationError::NotAdmitted { name, tid, why });
    }

    /// Events handled so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    fn stop_for(&mut self, cpu: CpuIx, what: Stop) {
        let stopper = self.cpus[cpu as usize].stopper;
        self.cpus[cpu as usize].stops.push_back(what);
        let thread = &mut self.threads[stopper as usize];
        if thread.state == State::Sleeping {
            (thread.state, thread.queued_since) = (State::Queued, self.now);
            let (tid, prio) = (thread.tid, thread.prio());
            self.recorder.waking(self.now, self.context, tid, cpu, prio);
            let count = self.cpus[cpu as usize].count;
            self.count(cpu, count, 1);
            self.recorder.wakeup(self.now, self.context, tid, cpu, prio, false);
        }
        self.resched(cpu);
    }

    /// Speed of a thread on a CPU, 1024 the fastest: capacity, busy siblings, distance from its memory. At least 1.
    fn speed(&self, cpu: CpuIx, t: ThreadIx) -> u32 {
        let thread = &self.threads[t as usize];
        let mut speed = u64::from(self.topology.cpu(cpu).capacity) << 10;
        let busy = |&&c: &&CpuIx| self.cpus[c as usize].current.is_some();
        let sibling = self.topology.siblings(cpu).iter().find(busy);
        if let Some(load) = thread.load {
            let priority = self.sibling_priority(cpu, sibling.copied());
            speed = speed * u64::from(self.code.loads[load as usize].at(thread.smt_priority, priority)) / 1000;
        } else if let Some(&sibling) = sibling {
            let other = self.cpus[sibling as usize].current.map_or(0, |o| self.threads[o as usize].tgid);
            let share = if other == thread.tgid { self.costs.smt_share_corun } else { self.costs.smt_share };
            speed = speed * u64::from(share) / 1000;
        }
        if thread.memory > 0 {
            let distance = match thread.home {
                Some(home) if home != self.topology.location(cpu).node => self.node_distance(home, cpu),
                _ => 1000,
            };
            let memory = u64::from(thread.memory.min(1000));
            speed = speed * 1_000_000 / ((1000 - memory) * 1000 + memory * u64::from(distance));
        }
        if thread.sharing > 0 {
            speed = speed * 1000 / self.sharing_time(cpu, t);
        }
        ((speed >> 10) as u32).max(1)
    }

    /// Time of a thread that shares data with others of its process, in thousandths of what it takes alone. Of n that run on
    /// other cores and itself each is equally likely to have written a line last: n / (n + 1) of the shared accesses miss.
    fn sharing_time(&self, cpu: CpuIx, t: ThreadIx) -> u64 {
        let thread = &self.threads[t as usize];
        let core = self.topology.location(cpu).core;
        let elsewhere = self.topology.indices().filter(|&c| self.topology.location(c).core != core);
        let co_threads = elsewhere.filter(|&c| {
            let other = self.cpus[c as usize].current.map(|o| &self.threads[o as usize]);
            other.is_some_and(|o| o.tgid == thread.tgid && o.sharing > 0)
        });
        let (mut n, mut cost) = (0, 1000);
        for c in co_threads {
            (n, cost) = (n + 1, self.costs.shared_time(self.topology.distance(c, cpu)).max(cost));
        }
        let misses = u64::from(thread.sharing.min(1000)) * n / (n + 1);
        1000 + misses * u64::from(cost - 1000) / 1000
    }

    /// The priority of the other hardware thread of a CPU's core: of the thread that runs there, or of one that waits where that
    /// keeps it. None: it takes nothing from the core.
    fn sibling_priority(&self, cpu: CpuIx, busy: Option<CpuIx>) -> Option<u8> {
        if let Some(t) = busy.and_then(|s| self.cpus[s as usize].current) {
            return Some(self.threads[t as usize].smt_priority);
        }
        let kept = |s: &CpuIx| self.cpus[*s as usize].smt_priority;
        let siblings = self.topology.siblings(cpu).iter();
        if self.workload.waiting_keeps_priority { siblings.filter_map(kept).next() } else { None }
    }

    /// Changes the priority of a thread's hardware thread (POWER: `or X,X,X`), which is its own and its sibling's speed.
    pub fn set_smt_priority(&mut self, t: ThreadIx, priority: u8) {
        let thread = &self.threads[t as usize];
        if thread.smt_priority == priority {
            return;
        }
        let (cpu, runs) = (thread.cpu, thread.state == State::Running);
        if runs {
            self.settle(cpu);
        }
        self.threads[t as usize].smt_priority = priority;
        if runs {
            self.keep_priority(cpu, t);
            self.arm(cpu);
            self.settle_siblings(cpu);
        }
    }

    /// A thread runs on a CPU, or its priority changed.
    fn keep_priority(&mut self, cpu: CpuIx, t: ThreadIx) {
        let thread = &self.threads[t as usize];
        if thread.load.is_some() {
            self.cpus[cpu as usize].smt_priority = Some(thread.smt_priority);
        }
    }

    /// The speed of the siblings changes: with what runs on a CPU, or with its priority.
    fn settle_siblings(&mut self, cpu: CpuIx) {
        for i in 0..self.topology.siblings(cpu).len() {
            let sibling = self.topology.siblings(cpu)[i];
            self.settle(sibling);
            self.arm(sibling);
        }
    }

    /// The speed of co-threads on other CPUs changes when a thread starts or stops running.
    fn settle_co_threads(&mut self, cpu: CpuIx, threads: [Option<ThreadIx>; 2]) {
        for t in threads.into_iter().flatten() {
            let (tgid, sharing) = (self.threads[t as usize].tgid, self.threads[t as usize].sharing);
            if sharing == 0 {
                continue;
            }
            for c in 0..self.cpus.len() as CpuIx {
                let other = self.cpus[c as usize].current.map(|o| &self.threads[o as usize]);
                if c != cpu && other.is_some_and(|o| o.tgid == tgid && o.sharing > 0) {
                    self.settle(c);
                    self.arm(c);
                }
            }
        }
    }

    fn node_distance(&self, home: u16, cpu: CpuIx) -> u32 {
        let any = self.topology.indices().find(|&c| self.topology.location(c).node == home);
        any.map_or(1000, |c| self.costs.numa_factor(self.topology.distance(c, cpu)))
    }

    /// Sets the end of the current burst of a CPU again.
    fn arm(&mut self, cpu: CpuIx) {
        let c = &self.cpus[cpu as usize];
        let Some(t) = c.current else { return };
        let generation = c.generation.wrapping_add(1);
        let speed = self.speed(cpu, t);
        let thread = &self.threads[t as usize];
        let end = if thread.spinning {
            thread.spin_left.map(|left| thread.overhead + left)
        } else {
            Some(thread.overhead + thread.work.div_ceil(u64::from(speed)))
        };
        let c = &mut self.cpus[cpu as usize];
        (c.generation, c.speed) = (generation, speed);
        if let Some(end) = end {
            self.queue.push(self.now + end, Event::Burst { cpu, generation });
        }
    }

    /// Number of an interned name's text.
    fn name_of(&self, name: Ix) -> &str {
        &self.code.names[name as usize]
    }

    /// The state a thread is left in at a switch, as the tables code it.
    fn state_code(state: State) -> u8 {
        match state {
            State::Running | State::Queued => task_state::R,
            State::Sleeping => task_state::S,
            State::Blocked => task_state::D,
            State::Dead => task_state::X,
        }
    }
}
