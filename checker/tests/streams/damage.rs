//! Damage to a schedule: what tracers, buffers and virtual machines do to the events on their way.

use crate::events::{CpuState, Event, Place, Stream, ThreadState, What};
use crate::random::Random;
use crate::reference::Figures;
use crate::schedule::{Scope, schedule};

/// The stream of a seed.
pub fn stream(seed: u64) -> Stream {
    let mut random = Random::new(seed);
    let steps = random.pick(&[6, 15, 40, 80]);
    let mut stream = schedule(&mut random, Scope::Everything, steps);
    if random.chance(95) {
        let kinds = 1 + random.below(4);
        (0..kinds).for_each(|_| damage(&mut random, &mut stream));
    }
    stream
}

/// A schedule, whole and without some of its events.
pub fn without(seed: u64, which: impl Fn(&What) -> bool) -> (Stream, Stream) {
    let mut random = Random::new(seed);
    let steps = random.pick(&[15, 40, 80]);
    let whole = schedule(&mut random, Scope::IdleMeansEmpty, steps);
    let mut damaged = whole.clone();
    damaged.events.retain(|e| !which(&e.what));
    (whole, damaged)
}

/// Time of which the figures say that it is unobserved or doubtful.
pub fn unsure(figures: &Figures) -> i64 {
    [&figures.unobserved, &figures.doubtful, &figures.doubtful_wait]
        .into_iter()
        .flat_map(|by_cpu| by_cpu.values())
        .sum()
}

/// What of the stream is damaged, and how much.
fn damage(random: &mut Random, stream: &mut Stream) {
    let percent = random.pick(&[3, 15, 50, 100]);
    match random.below(15) {
        0 | 1 => without_exits_from_idle(random, stream, percent),
        2 => drop_events(random, stream, percent, |w| matches!(w, What::Wakeup { .. })),
        3 => drop_events(random, stream, percent, |w| matches!(w, What::Fork { .. })),
        4 => {
            drop_events(random, stream, percent, |w| matches!(w, What::Wakeup { new: true, .. } | What::Migrate { .. }))
        }
        5 => drop_events(random, stream, percent, |w| matches!(w, What::Cpu { .. })),
        6 => drop_events(random, stream, percent, |w| matches!(w, What::Thread(_))),
        7 => drop_events(random, stream, percent.min(15), |w| matches!(w, What::Switch { .. })),
        8 => drop_events(random, stream, percent.min(15), |_| true),
        9 => lose(random, stream),
        10 => (0..1 + random.below(6)).for_each(|_| contradict(random, stream)),
        11 => duplicate(random, stream),
        12 => reorder(random, stream),
        13 => (0..1 + random.below(8)).for_each(|_| insert(random, stream)),
        _ => drop_events(random, stream, percent, |w| matches!(w, What::Hotplug { .. } | What::Exec { .. })),
    }
}

fn drop_events(random: &mut Random, stream: &mut Stream, percent: usize, which: impl Fn(&What) -> bool) {
    stream.events.retain(|e| !which(&e.what) || !random.chance(percent));
}

/// Exits from idle are not reported; the kernel's account of a thread's time may be.
fn without_exits_from_idle(random: &mut Random, stream: &mut Stream, percent: usize) {
    let accounts = random.pick(&[0, 0, 50, 100]);
    let mut events: Vec<Event> = Vec::new();
    for event in stream.events.drain(..) {
        match event.what {
            What::Switch { cpu, prev: 0, next, .. } if random.chance(percent) => {
                if next != 0 && random.chance(accounts) {
                    let (at, ns) = (event.at + random.pick(&[0, 900]), random.between(1, 1_000_000));
                    events.push(Event { at, what: What::Run { tid: next, cpu, ns } });
                }
            }
            _ => events.push(event),
        }
    }
    events.sort_by_key(|e| e.at);
    stream.events = events;
}

fn an_instant(random: &mut Random, stream: &Stream) -> i64 {
    if stream.events.is_empty() || random.chance(30) {
        return random.between(stream.start, stream.end + 1);
    }
    stream.events[random.below(stream.events.len())].at
}

/// Put an event behind those of its instant, or before.
fn put(random: &mut Random, stream: &mut Stream, event: Event) {
    let at = event.at;
    let place = if random.chance(50) {
        stream.events.iter().position(|e| e.at >= at)
    } else {
        stream.events.iter().position(|e| e.at > at)
    };
    stream.events.insert(place.unwrap_or(stream.events.len()), event);
}

/// A buffer overflows: events of a CPU, or of all, are lost, and the stream says so.
fn lose(random: &mut Random, stream: &mut Stream) {
    let start = an_instant(random, stream);
    let end = (start + random.pick(&[1, 30_000, 1_000_000, 20_000_000])).min(stream.end);
    let of = if random.chance(20) { None } else { Some(random.below(stream.machine.cpus)) };
    let inside = random.pick(&[0, 60, 100]);
    stream.events.retain(|e| {
        let lost = e.at >= start && e.at < end && of.is_none_or(|of| cpu_of(&e.what).is_none_or(|cpu| cpu == of));
        !lost || !random.chance(inside)
    });
    put(random, stream, Event { at: start, what: What::Lost { cpu: of, end } });
}

fn cpu_of(what: &What) -> Option<usize> {
    match what {
        What::Switch { cpu, .. } | What::Irq { cpu, .. } | What::Run { cpu, .. } => Some(*cpu),
        What::Wakeup { cpu, .. } | What::Hotplug { cpu, .. } | What::Migrate { to: cpu, .. } => Some(*cpu),
        _ => None,
    }
}

/// A thread of the stream, or one that is not in it.
fn a_tid(random: &mut Random, stream: &Stream) -> i32 {
    let switches = stream.events.iter().filter_map(|e| match e.what {
        What::Switch { prev, next, .. } => Some(if random.chance(50) { prev } else { next }),
        What::Wakeup { tid, .. } => Some(tid),
        _ => None,
    });
    let mut tids: Vec<i32> = switches.filter(|tid| *tid != 0).collect();
    tids.push(999);
    random.pick(&tids)
}

/// An event says something else than what happened.
fn contradict(random: &mut Random, stream: &mut Stream) {
    if stream.events.is_empty() {
        return;
    }
    let at = random.below(stream.events.len());
    let (other, place) = (a_tid(random, stream), random.below(stream.machine.cpus));
    let (what, swapper) = (random.below(4), random.chance(20));
    let left_in = random.pick(&["R", "S", "D", "X", "Z", "R+"]);
    match &mut stream.events[at].what {
        What::Switch { cpu, prev, state, next } => match what {
            0 => *cpu = place,
            1 => *prev = if swapper { 0 } else { other },
            2 => *next = if swapper { 0 } else { other },
            _ => *state = left_in,
        },
        What::Wakeup { tid, cpu, new } => match what {
            0 => *tid = other,
            1 => *new = !*new,
            _ => *cpu = place,
        },
        What::Migrate { tid, to, .. } if what > 1 => (*tid, *to) = (other, place),
        What::Migrate { to, .. } => *to = place,
        What::Fork { parent, .. } if what == 0 => *parent = other,
        What::Fork { child, .. } => *child = other,
        What::Exec { tid, .. } if what > 1 => *tid = other,
        What::Exec { old, .. } => *old = other,
        What::Name { tid, .. } | What::Affinity { tid, .. } | What::Cookie { tid, .. } => *tid = other,
        What::Throttle { tid, .. } | What::MigrationDisable { tid, .. } => *tid = other,
        What::Hotplug { cpu, .. } | What::Irq { cpu, .. } => *cpu = place,
        What::Cpu { state, .. } => *state = if swapper { CpuState::Idle } else { CpuState::Runs(other) },
        What::Thread(thread) if what > 1 => thread.cpu = place,
        What::Thread(thread) => thread.tid = other,
        _ => {}
    }
}

fn duplicate(random: &mut Random, stream: &mut Stream) {
    for at in (0..stream.events.len()).rev() {
        if random.chance(4) {
            let copy = stream.events[at].clone();
            stream.events.insert(at, copy);
        }
    }
}

/// Events change places: those of one instant; neighbours, each at the other's time; one stamped too early or too late.
fn reorder(random: &mut Random, stream: &mut Stream) {
    let how = random.below(3);
    for i in 1..stream.events.len() {
        let same = stream.events[i - 1].at == stream.events[i].at;
        match how {
            0 if same && random.chance(50) => stream.events.swap(i - 1, i),
            1 if random.chance(5) => {
                let (a, b) = (stream.events[i - 1].at, stream.events[i].at);
                stream.events.swap(i - 1, i);
                (stream.events[i - 1].at, stream.events[i].at) = (a, b);
            }
            2 if random.chance(3) => stream.events[i].at = (stream.events[i].at - 70_000).max(stream.start),
            2 if random.chance(1) => stream.events[i].at = stream.end + 1,
            _ => {}
        }
    }
}

/// An event that no kernel would have written there.
fn insert(random: &mut Random, stream: &mut Stream) {
    let at = an_instant(random, stream);
    let (tid, other) = (a_tid(random, stream), a_tid(random, stream));
    let (cpu, on) = (random.below(stream.machine.cpus), random.chance(50));
    let all = stream.machine.all();
    let a_set = |random: &mut Random| if random.chance(20) { None } else { Some(random.subset(all)) };
    let what = match random.below(16) {
        0 => What::Switch { cpu, prev: tid, state: random.pick(&["R", "S", "X"]), next: other },
        1 => What::Switch { cpu, prev: 0, state: "R", next: other },
        2 => What::Switch { cpu, prev: tid, state: random.pick(&["R", "S", "X"]), next: 0 },
        3 => What::Wakeup { tid, cpu, new: random.chance(30) },
        4 => What::Migrate { tid, from: None, to: cpu },
        5 => What::Fork { parent: tid, child: other },
        6 => What::Exec { tid, old: other },
        7 => What::Affinity { tid, mask: a_set(random), cpuset: a_set(random) },
        8 => What::Throttle { tid, on },
        9 => What::MigrationDisable { tid, on },
        10 => What::Cookie { tid, cookie: random.pick(&[0, 7, 8]) },
        11 => What::Hotplug { cpu, online: on },
        12 => What::Irq { cpu, ns: random.pick(&[19_000, 40_000, 700_000]) },
        13 => What::Run { tid, cpu, ns: 5_000 },
        14 => {
            let state = random.pick(&[CpuState::Idle, CpuState::Runs(tid), CpuState::Offline]);
            What::Cpu { cpu, state }
        }
        _ => What::Thread(ThreadState {
            tid,
            name: random.pick(&["app", "kworker/1:1", "migration/0"]),
            cpu,
            place: random.pick(&[Place::Running, Place::Queued, Place::Asleep, Place::Unknown]),
            mask: a_set(random),
            cpuset: a_set(random),
            kernel: random.chance(30),
            per_cpu: false,
            throttled: random.chance(20),
            disabled: random.chance(20),
            cookie: random.pick(&[0, 0, 7]),
        }),
    };
    put(random, stream, Event { at, what });
}
