//! Cost of the matchers, in ns per call: `cargo run --release -p wastenot-checker --example matching [name]`.
//!
//! Each line is a machine under churn: CPUs become idle and busy, threads start and stop waiting, from a fixed list of
//! calls made beforehand. `crowded`: far more waiters than idle CPUs. `balanced`: about as many of each. Nine of ten
//! waits start now; the others started earlier, as after a move between queues. Allocations are counted in the second
//! half of each run, when all buffers have grown. Each piece of a run counts with its fastest of seven times.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use wastenot_checker::matching::{CanonicalMatcher, ClassId, Distances, Matcher, Waiter};
use wastenot_topology::CpuBits;

struct CountingAllocator;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: defers to the system allocator for everything.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's contract is the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is the system allocator's.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static GLOBAL: CountingAllocator = CountingAllocator;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

#[derive(Clone, Copy)]
enum Call {
    AddCpu(usize),
    RemoveCpu(usize),
    AddWaiter(usize, Waiter),
    RemoveWaiter(usize, u32),
}

/// What the classes of a machine allow.
#[derive(Clone, Copy, PartialEq)]
enum Masks {
    /// Every CPU.
    All,
    /// Each CPU with even odds.
    Half,
    /// Every second class every CPU, the others each with even odds.
    Mixed,
    /// The first class every CPU, each other a single one. Half of the threads belong to the first.
    Pinned,
}

struct Machine {
    name: &'static str,
    n_cpus: usize,
    classes: usize,
    masks: Masks,
    threads: usize,
    /// Of 100 threads, how many wait on average.
    waiting_percent: usize,
}

fn machine(
    name: &'static str,
    n_cpus: usize,
    (classes, masks): (usize, Masks),
    threads: usize,
    waiting_percent: usize,
) -> Machine {
    Machine { name, n_cpus, classes, masks, threads, waiting_percent }
}

const CALLS: usize = 1_000_000;
/// Moments at which [`assign`] assigns.
const MOMENTS: usize = 2_000;
/// Calls timed together.
const PIECE: usize = 1_000;

/// A list of calls each of which changes something.
fn churn(machine: &Machine, dice: &mut Random) -> Vec<Call> {
    let mut idle = vec![false; machine.n_cpus];
    let mut class_of: Vec<Option<usize>> = vec![None; machine.threads];
    let mut calls = Vec::with_capacity(CALLS);
    while calls.len() < CALLS {
        if dice.below(3) == 0 {
            let cpu = dice.below(machine.n_cpus);
            calls.push(if idle[cpu] { Call::RemoveCpu(cpu) } else { Call::AddCpu(cpu) });
            idle[cpu] = !idle[cpu];
            continue;
        }
        let utid = dice.below(machine.threads);
        let wants_wait = dice.below(100) < machine.waiting_percent;
        match class_of[utid] {
            Some(class) if !wants_wait => {
                calls.push(Call::RemoveWaiter(class, utid as u32));
                class_of[utid] = None;
            }
            None if wants_wait => {
                let to_first = machine.masks == Masks::Pinned && utid.is_multiple_of(2);
                let class = if to_first { 0 } else { utid % machine.classes };
                let now = calls.len();
                let wait_start = if dice.below(10) == 0 { dice.below(now + 1) } else { now } as i64;
                let queue_cpu = dice.below(machine.n_cpus) as u32;
                calls.push(Call::AddWaiter(
                    class,
                    Waiter { utid: utid as u32, number: utid as u32, wait_start, queue_cpu },
                ));
                class_of[utid] = Some(class);
            }
            _ => {}
        }
    }
    calls
}

fn half(n_cpus: usize, dice: &mut Random) -> CpuBits {
    CpuBits::of(n_cpus, (0..n_cpus as u32).filter(|_| dice.below(2) == 0))
}

fn masks(machine: &Machine, dice: &mut Random) -> Vec<CpuBits> {
    (0..machine.classes)
        .map(|class| match machine.masks {
            Masks::Pinned if class > 0 => CpuBits::of(machine.n_cpus, [(class - 1) as u32]),
            Masks::Half => half(machine.n_cpus, dice),
            Masks::Mixed if class % 2 == 1 => half(machine.n_cpus, dice),
            _ => CpuBits::all(machine.n_cpus),
        })
        .collect()
}

/// ns for each piece of a run, and allocations in its second half.
struct Cost {
    nanos: Vec<u64>,
    allocations: u64,
}

impl Cost {
    /// Repeats a run and keeps the fastest time of each piece, so that other work on this machine counts little.
    fn of(mut run: impl FnMut() -> Self) -> Self {
        let mut best = run();
        for _ in 1..7 {
            let again = run();
            best.nanos.iter_mut().zip(&again.nanos).for_each(|(best, again)| *best = (*best).min(*again));
        }
        best
    }

    fn per(&self, units: usize) -> f64 {
        self.nanos.iter().sum::<u64>() as f64 / units.max(1) as f64
    }
}

/// Runs `call` over the list.
fn time(calls: &[Call], mut call: impl FnMut(Call)) -> Cost {
    let mut before = 0;
    let mut nanos = Vec::with_capacity(CALLS / PIECE);
    for (at, piece) in calls.chunks(PIECE).enumerate() {
        if at * PIECE == CALLS / 2 {
            before = ALLOCATIONS.load(Ordering::Relaxed);
        }
        let start = Instant::now();
        piece.iter().for_each(|&it| call(it));
        nanos.push(start.elapsed().as_nanos() as u64);
    }
    Cost { nanos, allocations: ALLOCATIONS.load(Ordering::Relaxed) - before }
}

fn size_only(machine: &Machine, masks: &[CpuBits], calls: &[Call]) -> Cost {
    let mut matcher = Matcher::new(machine.n_cpus);
    let classes: Vec<ClassId> = masks.iter().map(|set| matcher.add_class(set)).collect();
    let mut total = 0_u64;
    let cost = time(calls, |call| {
        match call {
            Call::AddCpu(cpu) => matcher.add_cpu(cpu),
            Call::RemoveCpu(cpu) => matcher.remove_cpu(cpu),
            Call::AddWaiter(class, _) => matcher.add_waiter(classes[class]),
            Call::RemoveWaiter(class, _) => matcher.remove_waiter(classes[class]),
        }
        total += u64::from(matcher.size());
    });
    black_box(total);
    cost
}

fn canonical(machine: &Machine, masks: &[CpuBits], calls: &[Call]) -> Cost {
    let mut matcher = CanonicalMatcher::new(machine.n_cpus);
    let classes: Vec<ClassId> = masks.iter().map(|set| matcher.add_class(set)).collect();
    let mut flips = 0;
    let cost = time(calls, |call| {
        match call {
            Call::AddCpu(cpu) => matcher.add_cpu(cpu),
            Call::RemoveCpu(cpu) => matcher.remove_cpu(cpu),
            Call::AddWaiter(class, waiter) => matcher.add_waiter(classes[class], waiter),
            Call::RemoveWaiter(_, utid) => matcher.remove_waiter(utid),
        }
        flips += matcher.flips().len();
        matcher.clear_flips();
    });
    black_box(flips);
    cost
}

/// Cores of 2, LLCs of 16, nodes of 64 CPUs.
fn distance(from: usize, to: usize) -> u32 {
    [1, 2, 16, 64].iter().position(|span| from / span == to / span).unwrap_or(4) as u32
}

/// Assigns after every tenth call of the first 20,000; also returns how many waiters were matched in all.
fn assign(machine: &Machine, masks: &[CpuBits], calls: &[Call]) -> (Cost, usize) {
    let distances = Distances::new(machine.n_cpus, distance);
    let mut pairs = 0;
    let cost = Cost::of(|| {
        let mut matcher = CanonicalMatcher::new(machine.n_cpus);
        let classes: Vec<ClassId> = masks.iter().map(|set| matcher.add_class(set)).collect();
        let (mut nanos, mut out) = (Vec::with_capacity(MOMENTS), Vec::new());
        pairs = 0;
        for (at, call) in calls[..MOMENTS * 10].iter().enumerate() {
            match *call {
                Call::AddCpu(cpu) => matcher.add_cpu(cpu),
                Call::RemoveCpu(cpu) => matcher.remove_cpu(cpu),
                Call::AddWaiter(class, waiter) => matcher.add_waiter(classes[class], waiter),
                Call::RemoveWaiter(_, utid) => matcher.remove_waiter(utid),
            }
            if at % 10 == 9 {
                let start = Instant::now();
                matcher.assign(&distances, &mut out);
                nanos.push(start.elapsed().as_nanos() as u64);
                pairs += out.len();
            }
        }
        Cost { nanos, allocations: 0 }
    });
    (cost, pairs)
}

fn main() {
    let machines = [
        machine("2 CPUs, 1 class", 2, (1, Masks::All), 10, 20),
        machine("64 CPUs, 1 class", 64, (1, Masks::All), 1_000, 4),
        machine("64 CPUs, crowded", 64, (20, Masks::Half), 2_000, 50),
        machine("64 CPUs, balanced", 64, (20, Masks::Half), 1_000, 3),
        machine("64 CPUs, mixed", 64, (20, Masks::Mixed), 1_000, 3),
        machine("64 CPUs, pinned", 64, (65, Masks::Pinned), 1_000, 4),
        machine("256 CPUs, balanced", 256, (20, Masks::Mixed), 4_000, 3),
        machine("1,024 CPUs, crowded", 1_024, (20, Masks::Mixed), 4_000, 50),
        machine("1,024 CPUs, balanced", 1_024, (20, Masks::Mixed), 16_000, 3),
        machine("1,024 CPUs, pinned", 1_024, (1_025, Masks::Pinned), 16_000, 3),
    ];
    println!(
        "{:<22}{:>10}{:>12}{:>14}{:>10}{:>14}",
        "", "Matcher", "Canonical", "assign/waiter", "matched", "allocations"
    );
    let wanted = std::env::args().nth(1).unwrap_or_default();
    for machine in machines.iter().filter(|machine| machine.name.contains(&wanted)) {
        let dice = &mut Random(88_172_645_463_325_252);
        let masks = masks(machine, dice);
        let calls = churn(machine, dice);
        let sizes = Cost::of(|| size_only(machine, &masks, &calls));
        let canonical = Cost::of(|| canonical(machine, &masks, &calls));
        let (assign, pairs) = assign(machine, &masks, &calls);
        println!(
            "{:<22}{:>10.1}{:>12.1}{:>14.1}{:>10.1}{:>14}",
            machine.name,
            sizes.per(CALLS),
            canonical.per(CALLS),
            assign.per(pairs),
            pairs as f64 / MOMENTS as f64,
            sizes.allocations + canonical.allocations
        );
    }
}
