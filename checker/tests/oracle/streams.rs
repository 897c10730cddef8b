//! Traces at random: what a scheduler could have done, and sheer nonsense. Both shrink to short drawings.

use proptest::prelude::*;
use wastenot_schemas::task_state;

use super::{Event, Machine, Set, SnapshotState, Trace, members};

/// Gaps between events, ns: none, around the thresholds, far beyond them.
const GAPS: [i64; 24] = [
    0,
    0,
    0,
    1_000,
    3_000,
    10_000,
    30_000,
    49_999,
    50_000,
    50_001,
    200_000,
    1_000_000,
    2_000_000,
    3_999_999,
    4_000_000,
    4_000_001,
    6_000_000,
    9_000_000,
    12_000_001,
    20_000_000,
    45_000_000,
    100_000_000,
    100_000_001,
    200_000_000,
];

/// One step of a stream: what, three numbers to choose with, and how long after the step before.
pub type Step = (u8, u8, u8, u8, usize);

fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>(), any::<u8>(), 0..GAPS.len()), 1..most)
}

pub fn machine() -> impl Strategy<Value = Machine> {
    let shape = (2usize..=6, 1usize..=2, 1usize..=2, 1usize..=2, 0u8..4);
    let times = (prop::sample::select(vec![1_000_000, 4_000_000, 10_000_000]), any::<bool>());
    (shape, times).prop_map(|((n, llcs, nodes, smt, isolated), (tick_ns, domains))| {
        let halves = |parts: usize| (0..n).map(|c| c * parts / n).collect::<Vec<_>>();
        Machine {
            n,
            llc: halves(llcs.max(nodes)),
            node: halves(nodes),
            // Hardware threads of a core are neighbours, within one LLC where its size is even.
            core: (0..n).map(|c| c / smt).collect(),
            isolated: if isolated == 0 { 1 << (n - 1) } else { 0 },
            tick_ns,
            intervals_ns: domains.then_some((3_000_000, 20_000_000)),
        }
    })
}

/// A trace that a scheduler could have left.
pub fn plausible(most: usize) -> impl Strategy<Value = Trace> {
    let threads = prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>()), 2..8);
    (machine(), threads, steps(most), 0usize..3)
        .prop_map(|(machine, threads, steps, spice)| Simulation::new(machine, &threads, spice).run(&steps))
}

/// tids of the two threads that [`beside_a_pinned_waiter`] adds.
const PINNED: (i32, i32) = (901, 902);

/// One more CPU, on which one thread runs for ever and another, bound to it, waits for ever.
fn beside_a_pinned_waiter(mut trace: Trace) -> Trace {
    let m = &mut trace.machine;
    let cpu = m.n as i16;
    m.llc.push(m.llc[m.n - 1]);
    m.node.push(m.node[m.n - 1]);
    m.core.push(m.n);
    m.n += 1;
    let thread = |tid, state| {
        let mask = Some(1 << cpu);
        (0, Event::Thread { tid, cpu, state, mask, cpuset: None, per_cpu: false })
    };
    trace.events.splice(0..0, [thread(PINNED.0, SnapshotState::Running), thread(PINNED.1, SnapshotState::Queued)]);
    trace
}

/// A plausible trace for [`with_flicker`].
pub fn to_be_flickered(most: usize) -> impl Strategy<Value = Trace> {
    plausible(most).prop_map(beside_a_pinned_waiter)
}

/// One waste that lasts for three seconds; in the other LLC a thread waits for `on` and is gone for `off` ns in turns.
pub fn beside_a_long_waste() -> impl Strategy<Value = Trace> {
    (1_000_000i64..9_000_000, 200_000i64..20_000_000).prop_map(|(on, off)| {
        let machine = Machine {
            n: 4,
            llc: vec![0, 0, 1, 1],
            node: vec![0; 4],
            core: vec![0, 1, 2, 3],
            isolated: 0,
            tick_ns: 4_000_000,
            intervals_ns: Some((10_000_000, 20_000_000)),
        };
        let thread = |tid, cpu, state, mask| {
            (0, Event::Thread { tid, cpu, state, mask: Some(mask), cpuset: None, per_cpu: false })
        };
        let mut events = vec![
            thread(100, 0, SnapshotState::Running, 0b11),
            thread(101, 0, SnapshotState::Queued, 0b11),
            thread(200, 2, SnapshotState::Running, 0b1100),
            thread(201, 2, SnapshotState::Asleep, 0b1100),
            (0, Event::Cpu { cpu: 1, current: Some(0) }),
            (0, Event::Cpu { cpu: 3, current: Some(0) }),
        ];
        let end_ns = 3_000_000_000;
        let mut ts = 1_000_000;
        while ts + on < end_ns {
            events.push((ts, Event::Wakeup { tid: 201, cpu: 2, new: false }));
            let taken = ts + on;
            events.push((taken, Event::Switch { cpu: 3, prev: 0, state: task_state::R, next: 201 }));
            events.push((taken, Event::Switch { cpu: 3, prev: 201, state: task_state::S, next: 0 }));
            ts = taken + off;
        }
        beside_a_pinned_waiter(Trace { machine, end_ns, events })
    })
}

/// The trace, but `changes` times on the way the bound waiter loses its quota or gets it back: nothing else changes.
pub fn with_flicker(trace: &Trace, changes: i64) -> Trace {
    let throttle = |i: i64| Event::Throttle { tid: PINNED.1, on: i % 2 == 0 };
    let mut flicker = (0..changes).map(|i| (trace.end_ns * i / changes + 1, throttle(i))).peekable();
    let mut events = Vec::new();
    for event in &trace.events {
        while let Some(change) = flicker.next_if(|(t, _)| *t < event.0) {
            events.push(change);
        }
        events.push(event.clone());
    }
    events.extend(flicker);
    Trace { events, ..trace.clone() }
}

/// A trace that makes no sense.
pub fn nonsense(most: usize) -> impl Strategy<Value = Trace> {
    (machine(), steps(most)).prop_map(|(machine, steps)| {
        let mut ts = 0;
        let mut events = Vec::new();
        for step in &steps {
            ts = if step.0 % 23 == 0 { (ts - GAPS[step.4]).max(-5) } else { ts + GAPS[step.4] };
            events.push((ts, any_event(&machine, *step, ts)));
        }
        Trace { machine, end_ns: ts.max(0) + 1_000, events }
    })
}

fn any_event(machine: &Machine, (what, a, b, c, gap): Step, ts: i64) -> Event {
    let cpu = |x: u8| if x == 255 { 99 } else { i16::from(x) % machine.n as i16 };
    let tid = |x: u8| i32::from(x % 7);
    let set = |x: u8| Some(Set::from(x) & machine.all()).filter(|s| *s != 0);
    let on = c % 2 == 0;
    match what % 32 {
        0..=9 => {
            Event::Switch { cpu: cpu(a), prev: tid(b), state: c % task_state::NAMES.len() as u8, next: tid(b / 7) }
        }
        10..=14 => Event::Wakeup { tid: tid(a), cpu: cpu(b), new: c % 5 == 0 },
        15..=17 => Event::Migrate { tid: tid(a), from: (c % 3 > 0).then(|| cpu(c)), to: cpu(b) },
        18 => Event::Fork { parent: tid(a), child: tid(b) },
        19 => Event::Exec { tid: tid(a), was: tid(b) },
        20 => Event::Affinity { tid: tid(a), mask: set(b), cpuset: set(c) },
        21 => Event::MigrationDisabled { tid: tid(a), on },
        22 | 23 => Event::Throttle { tid: tid(a), on },
        24 if on => Event::Cgroup { tid: tid(a), cgroup: i64::from(b % 3) },
        24 => Event::Cookie { tid: tid(a), cookie: i64::from(b % 3) },
        25 => Event::Hotplug { cpu: cpu(a), online: on },
        26 => Event::Irq { cpu: cpu(a), dur_ns: GAPS[gap] },
        27 => Event::Lost { cpu: (b % 4 > 0).then(|| cpu(a)), end_ns: ts + GAPS[gap] - 5_000 },
        28 => Event::Cpu { cpu: cpu(a), current: (c % 4 > 0).then(|| tid(b)) },
        29 | 30 => {
            let state = [SnapshotState::Running, SnapshotState::Queued, SnapshotState::Asleep][usize::from(c % 3)];
            let (mask, cpuset) = (set(b), set(c).filter(|_| on));
            Event::Thread { tid: tid(a), cpu: cpu(b), state, mask, cpuset, per_cpu: c % 9 == 0 }
        }
        _ if on => Event::Run { cpu: cpu(a), tid: tid(b) },
        _ => Event::NrRunning { cpu: cpu(a), n: i32::from(b % 3) },
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TaskPlace {
    Runs(usize),
    Queued(usize),
    Asleep(usize),
    Gone,
}

/// A scheduler that does as it is reported, as long as it can be done.
struct Simulation {
    machine: Machine,
    /// How much beside switches, wakeups and moves happens: 0 nothing, 1 constraints, 2 also what hides CPUs.
    spice: usize,
    tids: Vec<i32>,
    places: Vec<TaskPlace>,
    online: Set,
    /// Switches of these CPUs are lost up to then.
    lost_until: Vec<i64>,
    now: i64,
    events: Vec<(i64, Event)>,
}

impl Simulation {
    fn new(machine: Machine, threads: &[(u8, u8, u8)], spice: usize) -> Self {
        let n = machine.n;
        let mut s = Self {
            online: machine.all(),
            lost_until: vec![0; n],
            machine,
            spice,
            tids: Vec::new(),
            places: Vec::new(),
            now: 0,
            events: Vec::new(),
        };
        for (i, (cpu, state, mask)) in threads.iter().enumerate() {
            let cpu = usize::from(*cpu) % n;
            let free = s.running(cpu).is_none();
            let (place, state) = match state % 3 {
                0 if free => (TaskPlace::Runs(cpu), SnapshotState::Running),
                1 if !free => (TaskPlace::Queued(cpu), SnapshotState::Queued),
                _ => (TaskPlace::Asleep(cpu), SnapshotState::Asleep),
            };
            s.places.push(place);
            s.tids.push(100 + i as i32);
            let cgroup = i64::from(mask / 16 % 4);
            let mask = match mask % 4 {
                0 => Some(s.machine.all() & Set::from(mask / 4) | 1 << cpu),
                1 => None,
                _ => Some(s.machine.all()),
            };
            let per_cpu = spice > 0 && i == 6;
            if cgroup > 0 {
                s.emit(Event::Cgroup { tid: s.tids[i], cgroup });
            }
            s.emit(Event::Thread { tid: s.tids[i], cpu: cpu as i16, state, mask, cpuset: None, per_cpu });
        }
        for cpu in (0..n).filter(|c| s.running(*c).is_none()).collect::<Vec<_>>() {
            s.emit(Event::Cpu { cpu: cpu as i16, current: Some(0) });
        }
        s
    }

    fn run(mut self, steps: &[Step]) -> Trace {
        for step in steps {
            self.now += GAPS[step.4];
            self.step(*step);
        }
        Trace { machine: self.machine, end_ns: self.now + 7_000_000, events: self.events }
    }

    fn emit(&mut self, event: Event) {
        self.events.push((self.now, event));
    }

    fn running(&self, cpu: usize) -> Option<usize> {
        self.places.iter().position(|p| *p == TaskPlace::Runs(cpu))
    }

    fn queued(&self, cpu: usize) -> Vec<usize> {
        (0..self.places.len()).filter(|&u| self.places[u] == TaskPlace::Queued(cpu)).collect()
    }

    fn those(&self, holds: impl Fn(TaskPlace) -> bool) -> Vec<usize> {
        (0..self.places.len()).filter(|&u| holds(self.places[u])).collect()
    }

    fn some_cpu(&self, x: u8) -> usize {
        let online: Vec<usize> = members(self.online).collect();
        online[usize::from(x) % online.len()]
    }

    /// The CPU goes from what runs to `next`, leaving the former in `state`.
    fn switch(&mut self, cpu: usize, state: u8, next: Option<usize>) {
        let prev = self.running(cpu);
        if prev == next {
            return;
        }
        let tid = |u: Option<usize>| u.map_or(0, |u| self.tids[u]);
        let event = Event::Switch { cpu: cpu as i16, prev: tid(prev), state, next: tid(next) };
        // Of a loss, every other switch is lost.
        if self.now >= self.lost_until[cpu] || self.events.len().is_multiple_of(2) {
            self.emit(event);
        }
        if let Some(prev) = prev {
            self.places[prev] = match state {
                task_state::R | task_state::R_PREEMPTED => TaskPlace::Queued(cpu),
                task_state::X => TaskPlace::Gone,
                _ => TaskPlace::Asleep(cpu),
            };
        }
        if let Some(next) = next {
            self.places[next] = TaskPlace::Runs(cpu);
        }
    }

    fn wake(&mut self, utid: usize, cpu: usize) {
        self.emit(Event::Wakeup { tid: self.tids[utid], cpu: cpu as i16, new: false });
        self.places[utid] = TaskPlace::Queued(cpu);
    }

    fn step(&mut self, (what, a, b, c, gap): Step) {
        let pick = |from: &[usize], x: u8| (!from.is_empty()).then(|| from[usize::from(x) % from.len()]);
        let cpu = self.some_cpu(a);
        let asleep = self.those(|p| matches!(p, TaskPlace::Asleep(_)));
        let waiting = self.those(|p| matches!(p, TaskPlace::Queued(_)));
        let alive = self.those(|p| p != TaskPlace::Gone);
        let queue = self.queued(cpu);
        match what % 40 {
            0..=8 => {
                if let Some(u) = pick(&asleep, b) {
                    if c % 4 == 0 {
                        self.emit(Event::Waking { tid: self.tids[u], last: 0 });
                    }
                    self.wake(u, cpu);
                }
            }
            9..=13 => self.switch(cpu, task_state::S, pick(&queue, b)),
            14..=19 => {
                if let Some(next) = pick(&queue, b) {
                    self.switch(cpu, [task_state::R, task_state::R_PREEMPTED][usize::from(c % 2)], Some(next));
                }
            }
            20..=22 => {
                if let Some(u) = pick(&waiting, b) {
                    let TaskPlace::Queued(from) = self.places[u] else { return };
                    let (from, to) = ((c % 3 > 0).then_some(from as i16), cpu as i16);
                    self.emit(Event::Migrate { tid: self.tids[u], from, to });
                    self.places[u] = TaskPlace::Queued(cpu);
                }
            }
            23..=25 => {
                // An idle CPU pulls, with or without a word.
                if let (None, Some(u)) = (self.running(cpu), pick(&waiting, b)) {
                    if c % 2 == 0 {
                        self.emit(Event::Migrate { tid: self.tids[u], from: None, to: cpu as i16 });
                    }
                    self.switch(cpu, task_state::R, Some(u));
                }
            }
            26 => {
                let parent = self.running(cpu).or(pick(&alive, b));
                let child = 200 + self.tids.len() as i32 % 5;
                if let Some(parent) = parent.filter(|_| self.tids.len() < 12 && !self.holds(child)) {
                    self.emit(Event::Fork { parent: self.tids[parent], child });
                    self.tids.push(child);
                    self.places.push(TaskPlace::Asleep(cpu));
                    if c % 2 == 0 {
                        self.emit(Event::Wakeup { tid: child, cpu: cpu as i16, new: true });
                        *self.places.last_mut().expect("just made") = TaskPlace::Queued(cpu);
                    }
                }
            }
            27 => self.switch(cpu, [task_state::X, task_state::D][usize::from(c % 2)], pick(&queue, b)),
            _ if self.spice > 0 => {
                if let Some(u) = pick(&alive, b) {
                    self.constrain(what, u, cpu, (b, c, gap));
                }
            }
            _ => {}
        }
    }

    fn holds(&self, tid: i32) -> bool {
        self.tids.iter().zip(&self.places).any(|(t, p)| *t == tid && *p != TaskPlace::Gone)
    }

    fn constrain(&mut self, what: u8, u: usize, cpu: usize, (b, c, gap): (u8, u8, usize)) {
        let (tid, on, all) = (self.tids[u], c % 2 == 0, self.machine.all());
        let some = |x: u8| Some(Set::from(x) & all).filter(|s| *s != 0);
        let number = cpu as i16;
        match what % 40 {
            28 | 29 => self.emit(Event::Affinity { tid, mask: some(c), cpuset: some(b.rotate_left(3)).filter(|_| on) }),
            30 => self.emit(Event::MigrationDisabled { tid, on }),
            31 | 32 => self.emit(Event::Throttle { tid, on }),
            33 => self.emit(Event::Cookie { tid, cookie: i64::from(c % 3) }),
            34 => self.emit(Event::Irq { cpu: number, dur_ns: 20_001 + GAPS[gap] }),
            38 | 39 => self.emit(Event::Cgroup { tid, cgroup: 1 + i64::from(c % 3) }),
            35 if self.running(cpu) == Some(u) => {
                let new = 300 + tid % 10;
                if !self.holds(new) {
                    self.emit(Event::Exec { tid: new, was: tid });
                    self.tids[u] = new;
                }
            }
            36 if self.spice > 1 => {
                if !on || self.online.count_ones() < 2 {
                    for cpu in members(all & !self.online) {
                        self.emit(Event::Hotplug { cpu: cpu as i16, online: true });
                    }
                    self.online = all;
                } else if self.running(cpu).is_none() && self.queued(cpu).is_empty() {
                    self.emit(Event::Hotplug { cpu: number, online: false });
                    self.online &= !(1 << cpu);
                }
            }
            37 if self.spice > 1 => {
                self.lost_until[cpu] = self.now + GAPS[gap];
                self.emit(Event::Lost { cpu: Some(number), end_ns: self.now + GAPS[gap] });
            }
            _ => {}
        }
    }
}
