//! Random schedules as a kernel could have made them: every event is reported, nothing contradicts anything.

use std::collections::BTreeMap;

use crate::events::{CpuState, Cpus, Event, Machine, Place, Stream, ThreadState, What, cpus_of};
use crate::random::Random;

const USER_NAMES: [&str; 3] = ["app", "make", "kworker/u8:1"];
const STOPPERS: [&str; 8] = [
    "migration/0",
    "migration/1",
    "migration/2",
    "migration/3",
    "migration/4",
    "migration/5",
    "migration/6",
    "migration/7",
];
const KWORKERS: [&str; 8] = [
    "kworker/0:1",
    "kworker/1:1",
    "kworker/2:1",
    "kworker/3:1",
    "kworker/4:1",
    "kworker/5:1",
    "kworker/6:1",
    "kworker/7:1",
];

#[derive(Clone, Copy, PartialEq)]
enum TaskState {
    Runs(usize),
    Queued(usize),
    Sleeps,
}

#[derive(Clone)]
struct Task {
    does: TaskState,
    last: usize,
    mask: Cpus,
    cpuset: Cpus,
    name: &'static str,
    kernel: bool,
    bound: bool,
    throttled: bool,
    disabled: bool,
    cookie: i64,
}

struct Schedule<'a> {
    scope: Scope,
    random: &'a mut Random,
    machine: Machine,
    /// Thread that runs, 0 swapper, and the queue, by CPU.
    runs: Vec<i32>,
    queues: Vec<Vec<i32>>,
    online: Cpus,
    tasks: BTreeMap<i32, Task>,
    next_tid: i32,
    free_tids: Vec<i32>,
    now: i64,
    events: Vec<Event>,
}

/// A machine of two to eight CPUs.
fn machine(random: &mut Random) -> Machine {
    let cpus = 2 + random.below(7);
    let all: Cpus = (1 << cpus) - 1;
    let groups = |of: usize| (0..cpus).step_by(of).map(|at| (((1 << of) - 1) << at) & all).collect::<Vec<Cpus>>();
    let llc = random.pick(&[2, 4, 8]);
    let nodes = groups(llc * random.pick(&[1, 1, 2]));
    let hops =
        if nodes.len() > 2 && random.chance(50) { (1..nodes.len()).map(|n| (n - 1, n)).collect() } else { vec![] };
    let cores = if random.chance(40) { groups(2) } else { vec![] };
    let isolated = if random.chance(15) { 1 << (cpus - 1) } else { 0 };
    Machine { cpus, cores, llcs: groups(llc), nodes, hops, isolated }
}

/// What happens in a schedule.
#[derive(Clone, Copy, PartialEq)]
pub enum Scope {
    Everything,
    /// Nothing that leaves a CPU idle beside its queue, or takes it away: no quota, cookies or hotplug. It is known at the
    /// start where each thread is.
    IdleMeansEmpty,
}

/// A schedule of some `steps` decisions.
pub fn schedule(random: &mut Random, scope: Scope, steps: usize) -> Stream {
    let machine = machine(random);
    let start = random.pick(&[0, 1_000_000]);
    let mut s = Schedule {
        scope,
        runs: vec![0; machine.cpus],
        queues: vec![Vec::new(); machine.cpus],
        online: machine.all(),
        machine,
        random,
        tasks: BTreeMap::new(),
        next_tid: 100,
        free_tids: Vec::new(),
        now: start,
        events: Vec::new(),
    };
    s.populate();
    s.snapshot();
    for _ in 0..steps {
        s.step();
    }
    let end = s.now + s.random.pick(&[0, 1, 5_000, 3_000_000]);
    let tick = s.random.pick(&[1_000_000, 4_000_000]);
    Stream { machine: s.machine, start, end, tick, events: s.events }
}

impl Schedule<'_> {
    fn emit(&mut self, what: What) {
        self.events.push(Event { at: self.now, what });
    }

    /// Threads that exist as the recording begins.
    fn populate(&mut self) {
        let cpus = self.machine.cpus;
        for cpu in 0..cpus {
            self.add(Task { bound: true, kernel: true, name: STOPPERS[cpu], mask: 1 << cpu, ..self.sleeper(cpu) });
            if self.random.chance(20) {
                self.add(Task { bound: true, kernel: true, name: KWORKERS[cpu], mask: 1 << cpu, ..self.sleeper(cpu) });
            }
        }
        for _ in 0..1 + self.random.below(2 * cpus) {
            let cpu = self.random.below(cpus);
            let (mask, cpuset) = (self.a_mask(1 << cpu), self.a_cpuset(1 << cpu));
            let cookie = if self.scope == Scope::Everything && self.random.chance(10) { 7 } else { 0 };
            let name = self.random.pick(&USER_NAMES);
            let task = Task { mask, cpuset, cookie, name, kernel: name.contains('/'), ..self.sleeper(cpu) };
            let tid = self.add(task);
            match self.random.below(3) {
                0 if self.runs[cpu] == 0 => self.set(tid, TaskState::Runs(cpu)),
                1 if self.runs[cpu] != 0 => self.set(tid, TaskState::Queued(cpu)),
                _ => {}
            }
        }
    }

    fn sleeper(&self, cpu: usize) -> Task {
        let all = self.machine.all();
        Task {
            does: TaskState::Sleeps,
            last: cpu,
            mask: all,
            cpuset: all,
            name: "app",
            kernel: false,
            bound: false,
            throttled: false,
            disabled: false,
            cookie: 0,
        }
    }

    fn a_mask(&mut self, with: Cpus) -> Cpus {
        let all = self.machine.all();
        match self.random.below(3) {
            0 => self.random.subset(all) | with,
            1 => Machine::group(&self.machine.llcs, cpus_of(with).next().unwrap_or(0)) | with,
            _ => all,
        }
    }

    fn a_cpuset(&mut self, with: Cpus) -> Cpus {
        if self.random.chance(15) { self.random.subset(self.machine.all()) | with } else { self.machine.all() }
    }

    fn add(&mut self, task: Task) -> i32 {
        let reused = if self.random.chance(50) { self.free_tids.pop() } else { None };
        let tid = reused.unwrap_or_else(|| {
            self.next_tid += 1;
            self.next_tid
        });
        self.tasks.insert(tid, task);
        tid
    }

    fn task(&mut self, tid: i32) -> &mut Task {
        self.tasks.get_mut(&tid).expect("a thread of the schedule")
    }

    /// Take a thread from where it is and put it elsewhere.
    fn set(&mut self, tid: i32, does: TaskState) {
        match self.task(tid).does {
            TaskState::Runs(cpu) => self.runs[cpu] = 0,
            TaskState::Queued(cpu) => self.queues[cpu].retain(|t| *t != tid),
            TaskState::Sleeps => {}
        }
        self.task(tid).does = does;
        match does {
            TaskState::Runs(cpu) => {
                self.runs[cpu] = tid;
                self.task(tid).last = cpu;
            }
            TaskState::Queued(cpu) => {
                self.queues[cpu].push(tid);
                self.task(tid).last = cpu;
            }
            TaskState::Sleeps => {}
        }
    }

    fn snapshot(&mut self) {
        for cpu in 0..self.machine.cpus {
            let state = if self.runs[cpu] == 0 { CpuState::Idle } else { CpuState::Runs(self.runs[cpu]) };
            self.emit(What::Cpu { cpu, state });
        }
        let tids: Vec<i32> = self.tasks.keys().copied().collect();
        for tid in tids {
            self.thread_snapshot(tid);
        }
    }

    fn thread_snapshot(&mut self, tid: i32) {
        let t = self.tasks[&tid].clone();
        let place = match t.does {
            TaskState::Runs(_) => Place::Running,
            TaskState::Queued(_) => Place::Queued,
            TaskState::Sleeps => Place::Asleep,
        };
        let place_known = self.scope == Scope::IdleMeansEmpty || !self.random.chance(5);
        let mask_known = !self.random.chance(5);
        self.emit(What::Thread(ThreadState {
            tid,
            name: t.name,
            cpu: t.last,
            place: if place_known { place } else { Place::Unknown },
            mask: mask_known.then_some(t.mask & t.cpuset),
            cpuset: Some(t.cpuset),
            kernel: t.kernel,
            per_cpu: t.bound,
            throttled: t.throttled,
            disabled: t.disabled,
            cookie: t.cookie,
        }));
    }

    /// CPUs on which a thread may be placed now.
    fn allowed(&self, tid: i32) -> Cpus {
        let t = &self.tasks[&tid];
        let set = t.mask & t.cpuset & self.online;
        if set != 0 { set } else { self.online }
    }

    fn any_cpu(&mut self, set: Cpus) -> usize {
        let cpus: Vec<usize> = cpus_of(set).collect();
        self.random.pick(&cpus)
    }

    fn any_tid(&mut self, which: impl Fn(&Task) -> bool) -> Option<i32> {
        let of: Vec<i32> = self.tasks.iter().filter(|(_, t)| which(t)).map(|(tid, _)| *tid).collect();
        if of.is_empty() { None } else { Some(self.random.pick(&of)) }
    }

    fn pass_time(&mut self) {
        self.now += match self.random.below(10) {
            0 | 1 => 0,
            2..=5 => self.random.between(1, 30_000),
            6..=8 => self.random.between(1_000, 400_000),
            _ => self.random.between(100_000, 9_000_000),
        };
    }

    /// One decision of the scheduler or of a thread.
    fn step(&mut self) {
        self.pass_time();
        let everything = self.scope == Scope::Everything;
        match self.random.below(100) {
            0..=24 => self.wake(),
            25..=44 => self.stop_running(),
            45..=54 => self.preempt(),
            55..=59 => self.fork(),
            60..=67 => self.migrate(),
            68..=72 => self.constrain(),
            73..=76 if everything => self.quota(),
            77..=79 => self.exit(),
            80 | 81 => self.exec(),
            82 | 83 if everything => self.hotplug(),
            84..=86 => self.interrupt(),
            87 => self.rename(),
            88 => self.count_running(),
            _ => {}
        }
        self.leave_idle();
    }

    /// The next thread of a queue to run: most often the one that has been there longest.
    fn next_with_quota(&mut self, cpu: usize) -> Option<i32> {
        let may_run: Vec<i32> = self.queues[cpu].iter().copied().filter(|tid| !self.tasks[tid].throttled).collect();
        match may_run.len() {
            0 => None,
            n => Some(may_run[if self.random.chance(25) { self.random.below(n) } else { 0 }]),
        }
    }

    /// Idle CPUs with threads on their queues exit from idle soon, most of them now.
    fn leave_idle(&mut self) {
        for cpu in 0..self.machine.cpus {
            if self.runs[cpu] != 0 || self.online >> cpu & 1 == 0 || self.random.chance(15) {
                continue;
            }
            if let Some(next) = self.next_with_quota(cpu) {
                self.now += self.random.pick(&[0, 700, 3_000, 60_000]);
                self.emit(What::Switch { cpu, prev: 0, state: "R", next });
                self.set(next, TaskState::Runs(cpu));
            }
        }
    }

    /// The thread that runs on a CPU leaves it; the next one runs.
    fn switch_from(&mut self, tid: i32, state: &'static str) {
        let TaskState::Runs(cpu) = self.tasks[&tid].does else { return };
        let next = self.next_with_quota(cpu).unwrap_or(0);
        self.emit(What::Switch { cpu, prev: tid, state, next });
        self.set(tid, if state.starts_with('R') { TaskState::Queued(cpu) } else { TaskState::Sleeps });
        if next != 0 {
            self.set(next, TaskState::Runs(cpu));
        }
    }

    fn wake(&mut self) {
        let Some(tid) = self.any_tid(|t| t.does == TaskState::Sleeps && !t.name.starts_with("migration")) else {
            return;
        };
        let allowed = self.allowed(tid);
        let last = self.tasks[&tid].last;
        if self.random.chance(30) {
            self.emit(What::Waking { tid, cpu: last });
        }
        let keeps = allowed >> last & 1 == 1 && self.random.chance(50);
        let cpu = if keeps { last } else { self.any_cpu(allowed) };
        if cpu != last && self.random.chance(70) {
            self.emit(What::Migrate { tid, from: Some(last), to: cpu });
        }
        self.emit(What::Wakeup { tid, cpu, new: false });
        self.set(tid, TaskState::Queued(cpu));
    }

    fn stop_running(&mut self) {
        let Some(tid) = self.any_tid(|t| matches!(t.does, TaskState::Runs(_))) else { return };
        let state = self.random.pick(&["S", "S", "S", "D", "I", "T", "?"]);
        self.switch_from(tid, state);
    }

    fn preempt(&mut self) {
        let Some(tid) = self.any_tid(|t| matches!(t.does, TaskState::Runs(_))) else { return };
        let TaskState::Runs(cpu) = self.tasks[&tid].does else { return };
        if self.next_with_quota(cpu).is_some() {
            let state = self.random.pick(&["R", "R+"]);
            self.switch_from(tid, state);
        }
    }

    fn fork(&mut self) {
        let Some(parent) = self.any_tid(|t| matches!(t.does, TaskState::Runs(_)) && !t.bound) else { return };
        let of = self.tasks[&parent].clone();
        let child = self.add(Task { does: TaskState::Sleeps, disabled: false, throttled: false, ..of });
        self.emit(What::Fork { parent, child });
        self.now += self.random.pick(&[0, 2_000]);
        let allowed = self.allowed(child);
        let cpu = self.any_cpu(allowed);
        self.emit(What::Wakeup { tid: child, cpu, new: true });
        self.set(child, TaskState::Queued(cpu));
    }

    fn migrate(&mut self) {
        let Some(tid) = self.any_tid(|t| matches!(t.does, TaskState::Queued(_)) && !t.disabled && !t.bound) else {
            return;
        };
        self.move_to_allowed(tid);
    }

    fn move_to_allowed(&mut self, tid: i32) {
        let (from, allowed) = (self.tasks[&tid].last, self.allowed(tid));
        let to = self.any_cpu(allowed);
        let from = if self.random.chance(90) { Some(from) } else { None };
        self.emit(What::Migrate { tid, from, to });
        self.set(tid, TaskState::Queued(to));
    }

    /// Mask, cpuset, migration-disable or cookie of a thread changes.
    fn constrain(&mut self) {
        let Some(tid) = self.any_tid(|t| !t.bound) else { return };
        let with = 1 << self.tasks[&tid].last;
        match self.random.below(4) {
            0 | 1 => {
                let (mask, cpuset) = (self.a_mask(with), self.a_cpuset(with));
                (self.task(tid).mask, self.task(tid).cpuset) = (mask, cpuset);
                let unknown = self.random.chance(8);
                let (mask, cpuset) = ((!unknown).then_some(mask & cpuset), (!self.random.chance(20)).then_some(cpuset));
                self.emit(What::Affinity { tid, mask, cpuset });
            }
            2 => {
                let on = !self.tasks[&tid].disabled;
                self.task(tid).disabled = on;
                self.emit(What::MigrationDisable { tid, on });
            }
            _ if self.scope == Scope::IdleMeansEmpty => {}
            _ => {
                let cookie = self.random.pick(&[0, 7, 8]);
                self.task(tid).cookie = cookie;
                self.emit(What::Cookie { tid, cookie });
            }
        }
    }

    /// A thread loses its quota or has it again.
    fn quota(&mut self) {
        let Some(tid) = self.any_tid(|t| !t.bound && t.does != TaskState::Sleeps) else { return };
        let on = !self.tasks[&tid].throttled;
        self.task(tid).throttled = on;
        self.emit(What::Throttle { tid, on });
        if on && matches!(self.tasks[&tid].does, TaskState::Runs(_)) {
            self.switch_from(tid, "R");
        }
    }

    fn exit(&mut self) {
        let Some(tid) = self.any_tid(|t| matches!(t.does, TaskState::Runs(_)) && !t.bound) else { return };
        self.emit(What::Exit { tid });
        let state = self.random.pick(&["X", "Z"]);
        self.switch_from(tid, state);
        self.tasks.remove(&tid);
        self.free_tids.push(tid);
    }

    /// A thread that is not the leader execs; the leader, asleep, ends.
    fn exec(&mut self) {
        let Some(old) = self.any_tid(|t| matches!(t.does, TaskState::Runs(_)) && !t.bound) else { return };
        let Some(tid) = self.any_tid(|t| t.does == TaskState::Sleeps && !t.bound) else { return };
        self.emit(What::Exec { tid, old });
        let task = self.tasks.remove(&old).expect("it runs");
        if let TaskState::Runs(cpu) = task.does {
            self.runs[cpu] = tid;
        }
        self.tasks.insert(tid, task);
        self.free_tids.push(old);
    }

    /// A CPU goes offline, its threads elsewhere; or comes back.
    fn hotplug(&mut self) {
        let cpu = self.random.below(self.machine.cpus);
        if self.online >> cpu & 1 == 0 {
            self.online |= 1 << cpu;
            self.emit(What::Hotplug { cpu, online: true });
            if self.random.chance(50) {
                self.emit(What::Switch { cpu, prev: 0, state: "R", next: 0 });
            }
            return;
        }
        if self.online.count_ones() == 1 {
            return;
        }
        let stopper = self.tasks.iter().find(|(_, t)| t.name == STOPPERS[cpu]).map(|(tid, _)| *tid);
        let Some(stopper) = stopper.filter(|tid| self.tasks[tid].does == TaskState::Sleeps) else { return };
        let prev = self.runs[cpu];
        if prev != 0 {
            self.set(prev, TaskState::Queued(cpu));
        }
        self.emit(What::Switch { cpu, prev, state: "R", next: stopper });
        self.online &= !(1 << cpu);
        for tid in self.queues[cpu].clone() {
            self.move_to_allowed(tid);
        }
        self.now += self.random.between(1, 50_000);
        if self.random.chance(40) {
            // Offline and online again without a word.
            self.now += self.random.between(1, 5_000_000);
            self.online |= 1 << cpu;
            self.emit(What::Switch { cpu, prev: 0, state: "R", next: 0 });
        } else {
            self.emit(What::Switch { cpu, prev: stopper, state: "S", next: 0 });
            self.emit(What::Hotplug { cpu, online: false });
        }
    }

    fn interrupt(&mut self) {
        let idle: Cpus = (0..self.machine.cpus).filter(|cpu| self.runs[*cpu] == 0).fold(0, |set, cpu| set | 1 << cpu);
        if idle != 0 {
            let cpu = self.any_cpu(idle);
            let ns = self.random.pick(&[15_000, 20_000, 20_001, 90_000, 2_000_000]);
            self.emit(What::Irq { cpu, ns });
        }
    }

    fn rename(&mut self) {
        let Some(tid) = self.any_tid(|t| !t.bound) else { return };
        let name = self.random.pick(&USER_NAMES);
        self.task(tid).name = name;
        self.emit(What::Name { tid, name });
    }

    fn count_running(&mut self) {
        let cpu = self.random.below(self.machine.cpus);
        let n = self.queues[cpu].len() as i32 + i32::from(self.runs[cpu] != 0);
        self.emit(What::NrRunning { cpu, n });
    }
}
