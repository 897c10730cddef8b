//! Setup, the loop over events, and the end of a simulation.

use super::*;
use crate::compile::{WorkloadError, cpu_named};
use crate::program::Instr;
use crate::record::{Evidence, ThreadRow, TraceEnd};
use crate::scheduler::Enqueue;
use crate::span::Time;
use crate::workload::ThreadSpec;
use std::collections::BTreeMap;
use wastenot_machine::Machine;
use wastenot_schemas as tables;
use wastenot_schemas::Sink;
use wastenot_topology::KernelRelease;

/// How a simulation is run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Seed of all random numbers.
    pub seed: u64,
    /// What things cost.
    pub costs: Costs,
    /// How much the trace shows.
    pub evidence: Evidence,
    /// Keep every job of deadline threads in the outcome.
    pub log_jobs: bool,
    /// Command line to name in the trace.
    pub command: String,
    /// Options as JSON to name in the trace.
    pub options: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 1,
            costs: Costs::default(),
            evidence: Evidence::default(),
            log_jobs: false,
            command: String::new(),
            options: "{}".to_owned(),
        }
    }
}

/// A simulation that could not be run.
#[derive(Debug)]
pub enum SimulationError {
    /// The workload does not fit together or not the machine.
    Workload(WorkloadError),
    /// The machine has no CPU that is online.
    NoCpus,
    /// Threads of the workload never existed: the run ended before their launcher had forked them all.
    NeverStarted {
        /// Name of the threads.
        name: String,
        /// How many the workload asks for.
        count: u32,
        /// How many of them existed.
        started: u32,
        /// When the run ended.
        end_ns: Ns,
    },
    /// A thread may not have policy `deadline`.
    NotAdmitted {
        /// Its name.
        name: String,
        /// Its tid.
        tid: i32,
        /// Why.
        why: String,
    },
    /// The sink failed.
    Sink(String),
}

impl std::fmt::Display for SimulationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Workload(e) => write!(f, "{e}"),
            Self::NoCpus => write!(f, "the machine has no CPU that is online"),
            Self::NeverStarted { name, count, started, end_ns } => write!(
                f,
                "only {started} of {count} threads {name:?} existed when the run ended at {:.3} s: their launcher got too \
                 little CPU time or starts too late; raise the limit, or place them (`placed`)",
                *end_ns as f64 / 1e9
            ),
            Self::NotAdmitted { name, tid, why } => write!(f, "deadline thread {name:?} (tid {tid}) is refused: {why}"),
            Self::Sink(why) => write!(f, "{why}"),
        }
    }
}

impl std::error::Error for SimulationError {}

impl From<WorkloadError> for SimulationError {
    fn from(e: WorkloadError) -> Self {
        Self::Workload(e)
    }
}

/// Progress of the threads of one row of the workload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Name of the threads.
    pub name: String,
    /// Threads it had in all, children included.
    pub threads: u64,
    /// Threads that have not ended.
    pub alive: u64,
    /// When the last one ended.
    pub ended_ns: Ns,
    /// Time they ran.
    pub run_ns: Ns,
    /// Time for which they were runnable and did not run.
    pub waited_ns: Ns,
    /// Jobs of those of policy `deadline`.
    pub deadline_jobs: JobCounts,
    /// Threads of the row itself that existed, children not included.
    pub(super) started: u32,
    pub(super) group: u32,
    pub(super) tgid: i32,
}

/// The outcome of a simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// When it ended.
    pub end_ns: Ns,
    /// True when all threads that the run waits for had ended by then.
    pub finished: bool,
    /// Rows of the workload's `threads`.
    pub progress: Vec<Progress>,
    /// Marks: how often, and when last.
    pub marks: BTreeMap<String, (u64, Ns)>,
    /// Jobs of deadline threads in the order in which they ended, those that were late as the run ended last; with
    /// [`Settings::log_jobs`].
    pub jobs: Vec<DeadlineJob>,
    /// Events the engine handled.
    pub handled: u64,
    /// Event rows in the trace.
    pub rows: i64,
}

impl Outcome {
    /// When the threads of a name had ended; None while one is alive or for an unknown name.
    pub fn ended(&self, name: &str) -> Option<Ns> {
        let mut of_name = self.progress.iter().filter(|p| p.name == name).peekable();
        of_name.peek()?;
        of_name.try_fold(0, |last, p| (p.alive == 0).then_some(last.max(p.ended_ns)))
    }
}

/// Time of each period that deadline and real-time threads may have, and the period (kernel: sysctl_sched_rt_runtime,
/// sysctl_sched_rt_period).
const RT_RUNTIME_US: i64 = 950_000;
pub(crate) const RT_PERIOD_US: i64 = 1_000_000;

/// First tid of a thread.
const FIRST_TID: i32 = 100;

impl<'s, S: Scheduler> Simulation<'s, S> {
    /// Sets everything up at time 0.
    pub fn new(
        machine: &Machine,
        workload: &Workload,
        scheduler: S,
        settings: &Settings,
        sink: &'s mut dyn Sink,
    ) -> Result<Self, SimulationError> {
        // What kernels start with, where the machine does not say.
        let (rt_runtime_us, rt_period_us) =
            (machine.rt_runtime_us.or(Some(RT_RUNTIME_US)), machine.rt_period_us.or(Some(RT_PERIOD_US)));
        let topology = SimulatedTopology::new(&Machine { rt_runtime_us, rt_period_us, ..machine.clone() });
        let online = topology.bits(&machine.online);
        if online.is_empty() {
            return Err(SimulationError::NoCpus);
        }
        let threads: u64 = workload.threads.iter().map(|row| u64::from(row.count)).sum();
        if threads + topology.len() as u64 >= u64::from(interpret::MAX_THREADS) {
            return Err(WorkloadError::TooMany("threads").into());
        }
        let mut masks = Masks::default();
        masks.intern(&CpuMask::all(topology.len()));
        let code = CompiledWorkload::new(workload, &topology, &mut masks)?;
        let modern = is_modern(scheduler.release());
        let recorder = Recorder::new(sink, settings.evidence, &topology, modern);
        let shared = code.objects.iter().map(SharedObject::new).collect();
        let marks = vec![(0, 0); code.marks.len()];
        let engine = Engine {
            costs: settings.costs.clone(),
            random: Random::new(settings.seed),
            recorder,
            groups: Vec::new(),
            threads: Vec::new(),
            free: Vec::new(),
            bubbles: Vec::new(),
            free_bubbles: Vec::new(),
            bubble_of_row: Vec::new(),
            next_bubble: 0,
            cpus: Vec::new(),
            idle: online.clone(),
            online,
            now: 0,
            tick_ns: machine.tick_ns.clamp(100_000, 1_000_000_000) as Ns,
            queue: EventQueue::default(),
            immediate: VecDeque::new(),
            context: 0,
            shared,
            code,
            workload: workload.clone(),
            next_tid: FIRST_TID,
            seed: settings.seed,
            waited_for: 0,
            alive: 0,
            progress: Vec::new(),
            marks,
            events: 0,
            application: None,
            jobs: JobLog::new(settings.log_jobs),
            refused: None,
            command: settings.command.clone(),
            options: settings.options.clone(),
            topology,
            masks,
        };
        let mut simulation = Self { engine, scheduler };
        simulation.set_up()?;
        Ok(simulation)
    }

    fn set_up(&mut self) -> Result<(), SimulationError> {
        let e = &mut self.engine;
        e.context = e.online.first().unwrap_or(0);
        e.make_groups()?;
        e.make_cpus();
        for c in e.topology.indices() {
            let online = e.cpus[c as usize].online;
            e.recorder.cpu_snapshot(0, c, online);
        }
        self.scheduler.start(e);
        for b in self.engine.make_bubbles()? {
            self.scheduler.create_bubble(&mut self.engine, b);
        }
        let placed = self.engine.make_threads()?;
        self.engine.start_application(&placed)?;
        for t in 0..self.engine.threads.len() as ThreadIx {
            let queued = placed.contains(&t);
            self.engine.snapshot(t, queued);
        }
        for t in 0..self.engine.threads.len() as ThreadIx {
            if !self.engine.threads[t as usize].per_cpu {
                self.engine.join_bubble(t);
                self.admit(t);
            }
        }
        if let Some(refused) = self.engine.refused.take() {
            return Err(refused);
        }
        for t in placed {
            let e = &mut self.engine;
            let cpu = e.threads[t as usize].cpu;
            e.threads[t as usize].state = State::Queued;
            e.context = cpu;
            self.scheduler.activate(e, t, cpu, Enqueue::New);
            self.record_server(cpu, t, true);
            self.scheduler.enqueue(&mut self.engine, t, cpu, Enqueue::New);
            // The scheduler may not ask for a CPU on which no thread ran yet.
            self.engine.resched(cpu);
        }
        let limit = self.engine.workload.limit_ns();
        for (ix, at) in self.engine.workload.happenings.clone().iter().enumerate() {
            if at.at.0 > limit {
                return Err(WorkloadError::AfterLimit { at: at.at, limit: Time(limit) }.into());
            }
            self.engine.queue.push(at.at.0, Event::Happening { ix: ix as u32 });
        }
        Ok(())
    }

    /// Runs until all threads that are waited for have ended, or to the workload's limit. The trace is complete
    /// then. Fails when threads of the workload did not exist by then: such a run is of another workload.
    pub fn run(mut self) -> Result<Outcome, SimulationError> {
        let limit = self.engine.workload.limit_ns();
        while self.engine.waited_for > 0 && self.engine.recorder.error().is_none() && self.engine.refused.is_none() {
            while let Some(cpu) = self.engine.immediate.pop_front() {
                if self.engine.cpus[cpu as usize].resched_at == Some(self.engine.now) {
                    self.schedule(cpu);
                }
            }
            let Some((at, event)) = self.engine.queue.pop(limit) else { break };
            self.engine.now = at;
            self.engine.events += 1;
            self.handle(event);
        }
        self.close(limit)
    }

    fn handle(&mut self, event: Event) {
        let e = &mut self.engine;
        match event {
            Event::Burst { cpu, generation } => {
                if e.cpus[cpu as usize].generation == generation {
                    self.burst_over(cpu);
                }
            }
            Event::Resched { cpu } => {
                if e.cpus[cpu as usize].resched_at == Some(e.now) {
                    self.schedule(cpu);
                }
            }
            Event::Tick { cpu } => self.tick(cpu),
            Event::Wake { thread, life } => {
                if e.threads[thread as usize].life == life {
                    let cpu = e.threads[thread as usize].cpu;
                    e.context = if e.cpus[cpu as usize].online { cpu } else { e.online.first().unwrap_or(0) };
                    e.finish_request(thread);
                    self.wake(thread, None, false);
                }
            }
            Event::Timer { cpu, token } => {
                e.context = cpu;
                self.scheduler.timer(e, cpu, token);
            }
            Event::Happening { ix } => self.happening(ix),
            Event::IrqEnd { cpu } => {
                if e.runs_idle(cpu) && !e.in_irq(cpu) {
                    self.scheduler.irq_end(e, cpu);
                }
            }
        }
    }

    /// The tick of a CPU. After the first tick in idle the next comes when the CPU leaves idle.
    fn tick(&mut self, cpu: CpuIx) {
        let e = &mut self.engine;
        e.context = cpu;
        if !e.cpus[cpu as usize].online || e.runs_idle(cpu) {
            e.cpus[cpu as usize].ticking = false;
            if !e.cpus[cpu as usize].online {
                return;
            }
        } else {
            e.settle(cpu);
            let at = e.next_tick(cpu);
            e.queue.push(at, Event::Tick { cpu });
        }
        if !e.stopping(cpu) {
            self.scheduler.tick(e, cpu);
        }
    }

    fn close(mut self, limit: Ns) -> Result<Outcome, SimulationError> {
        let e = &mut self.engine;
        if let Some(refused) = e.refused.take() {
            return Err(refused);
        }
        let finished = e.waited_for == 0;
        let end_ns = if finished { e.now } else { limit };
        e.now = end_ns;
        for c in e.topology.indices() {
            e.settle(c);
        }
        e.close_jobs();
        let (mut progress, handled) = (std::mem::take(&mut e.progress), e.events);
        for t in e.threads.iter().filter(|t| t.state != State::Dead) {
            if let Some(p) = progress.get_mut(t.start as usize) {
                p.run_ns += t.run_ns;
                p.waited_ns += t.waited_ns;
            }
        }
        for (p, row) in progress.iter_mut().zip(&e.workload.threads) {
            p.name = row.name.clone().unwrap_or_else(|| row.program.clone());
        }
        let written = e.recorder.error().is_none();
        let missing = progress.iter().zip(&e.workload.threads).find(|(p, row)| p.started < row.count);
        if let Some((p, row)) = missing.filter(|_| written) {
            let (name, count, started) = (p.name.clone(), row.count, p.started);
            return Err(SimulationError::NeverStarted { name, count, started, end_ns });
        }
        let marks = e.code.marks.iter().cloned().zip(e.marks.iter().copied()).collect();
        let release = self.scheduler.release().to_owned();
        let migration_cost_ns = self.scheduler.migration_cost_ns();
        let jobs = std::mem::take(&mut self.engine.jobs.ended);
        let rows = self.engine.finish(&release, migration_cost_ns, end_ns)?;
        Ok(Outcome { end_ns, finished, progress, marks, jobs, handled, rows })
    }
}

impl Engine<'_> {
    fn make_groups(&mut self) -> Result<(), WorkloadError> {
        for (name, spec) in &self.workload.cgroups {
            let cpuset = match &spec.cpus {
                Some(set) => Some(self.masks.intern(&crate::compile::usable(self.topology.bits(set), set)?)),
                None => None,
            };
            let period = spec.period.map_or(100_000_000, |t| t.0.max(1_000_000));
            let quota = spec.quota.map(|q| (q.0.max(1_000), period));
            let weight = spec.weight.unwrap_or(100).clamp(1, 10_000);
            self.groups.push(Group { name: name.as_str().into(), is_session: false, weight, quota, cpuset });
        }
        for (i, row) in self.workload.threads.clone().iter().enumerate() {
            let group = match &row.cgroup {
                Some(name) => {
                    let at = self.groups.iter().position(|g| !g.is_session && *g.name == **name);
                    at.ok_or_else(|| WorkloadError::Unknown { kind: "cgroup", name: name.clone() })?
                }
                None => {
                    let name = row.session.clone().unwrap_or_else(|| format!("session {i}"));
                    let at = self.groups.iter().position(|g| g.is_session && *g.name == *name);
                    at.unwrap_or_else(|| {
                        let name: Rc<str> = name.as_str().into();
                        self.groups.push(Group { name, is_session: true, weight: 100, quota: None, cpuset: None });
                        self.groups.len() - 1
                    })
                }
            };
            if !self.workload.programs.contains_key(&row.program) {
                return Err(WorkloadError::Unknown { kind: "program", name: row.program.clone() });
            }
            self.progress.push(Progress { group: group as u32, ..Progress::default() });
        }
        // The group of kernel threads and of what was there before.
        let name: Rc<str> = "kernel".into();
        self.groups.push(Group { name, is_session: true, weight: 100, quota: None, cpuset: None });
        Ok(())
    }

    fn make_cpus(&mut self) {
        let kernel = self.groups.len() as u32 - 1;
        for c in self.topology.indices() {
            let name = format!("migration/{}", self.topology.number(c));
            let thread = self.thread_of(&name, c, 0, kernel);
            let mask = self.masks.intern(&CpuMask::of(self.topology.len(), [c]));
            let policy = crate::program::Policy::Fifo(99);
            let (tgid, ppid) = (thread.tid, 2);
            let stopper = self.add(Thread { mask, policy, tgid, ppid, per_cpu: true, ..thread });
            self.cpus.push(Cpu {
                online: self.online.contains(c),
                current: None,
                settled: 0,
                speed: 1024,
                smt_priority: None,
                generation: 0,
                resched_at: None,
                irq_until: 0,
                idle_since: 0,
                ticking: false,
                stopper,
                stops: VecDeque::new(),
                count: 0,
            });
        }
    }

    /// Creates the threads that exist at the start; returns those that are queued.
    fn make_threads(&mut self) -> Result<Vec<ThreadIx>, WorkloadError> {
        let mut placed = Vec::new();
        for (i, row) in self.workload.threads.clone().iter().enumerate() {
            if let Some(set) = &row.cpus {
                crate::compile::usable(self.topology.bits(set), set)?;
            }
            match &row.placed {
                Some(set) => {
                    let cpus: Vec<CpuIx> = self.topology.bits(set).intersection(&self.online).iter().collect();
                    if cpus.is_empty() {
                        return Err(WorkloadError::NoSuchCpus(set.to_string()));
                    }
                    for nth in 0..row.count {
                        let thread = self.thread_of_row(i as u32, nth, cpus[nth as usize % cpus.len()]);
                        placed.push(self.add(thread));
                    }
                }
                None => self.make_launcher(i, row)?,
            }
        }
        Ok(placed)
    }

    fn make_launcher(&mut self, i: usize, row: &ThreadSpec) -> Result<(), WorkloadError> {
        let cpu = match row.from {
            Some(number) => cpu_named(&self.topology, number)?,
            None => self.online.first().unwrap_or(0),
        };
        let program = Ix::try_from(self.code.programs.len()).map_err(|_| WorkloadError::TooMany("programs"))?;
        self.code.programs.push(vec![Instr::Launch(i as u32), Instr::Join(0), Instr::Exit]);
        let thread = self.thread_of("launcher", cpu, program, self.progress[i].group);
        // A shell starts things before they compete with it.
        let thread = Thread { priority: i32::MAX, ..thread };
        // Its threads are waited for before they are there.
        self.waited_for += u32::from(!row.background);
        let launcher = self.add(thread);
        self.queue.push(row.at.0, Event::Wake { thread: launcher, life: 0 });
        Ok(())
    }

    fn snapshot(&mut self, t: ThreadIx, queued: bool) {
        let thread = &self.threads[t as usize];
        let masks = self.mask_row(t);
        let group = &self.groups[thread.group as usize];
        let name = thread.name.clone();
        let row = ThreadRow {
            tid: thread.tid,
            tgid: thread.tgid,
            ppid: thread.ppid,
            name: &name,
            queued,
            cpu: thread.cpu,
            masks,
            policy: interpret::policy_code(thread.policy),
            prio: thread.prio(),
            cgroup_id: (!group.is_session).then_some(1000 + i64::from(thread.group)),
            is_kernel: thread.per_cpu,
            per_cpu: thread.per_cpu,
        };
        self.recorder.thread_snapshot(0, &row);
    }

    fn finish(self, release: &str, migration_cost_ns: Option<i64>, end_ns: Ns) -> Result<i64, SimulationError> {
        let row = |(i, g): (usize, &Group)| (1000 + i as i64, format!("/{}", g.name), g.quota, g.weight as i32);
        let cgroups: Vec<_> = self.groups.iter().enumerate().filter(|(_, g)| !g.is_session).map(row).collect();
        let rows = cgroups.iter().map(|(id, path, quota, weight)| tables::cgroup::Row {
            cgroup_id: *id,
            path,
            quota_ns: quota.map(|q| q.0 as i64),
            period_ns: quota.map(|q| q.1 as i64),
            weight: Some(*weight),
        });
        let closing = TraceEnd {
            topology: &self.topology,
            masks: &self.masks,
            release,
            migration_cost_ns,
            end_ns,
            command: &self.command,
            options: &self.options,
            cgroups: rows.collect(),
        };
        self.recorder.close(&closing).map_err(SimulationError::Sink)
    }
}

/// True from 6.10 on, when the balance functions got the prefix `sched_`.
fn is_modern(release: &str) -> bool {
    KernelRelease::mainline_of(release).is_some_and(|release| release >= (6, 10))
}
