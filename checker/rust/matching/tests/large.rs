//! Random walks over machines of 64 to 200 CPUs, checked against Kuhn's algorithm now and then.

use super::oracle::Kuhn;
use super::state::{Call, Matchers};
use wastenot_topology::CpuBits;

/// A small generator of numbers, so that each walk is fixed by its seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

/// Masks of all sorts: everything, nothing, one CPU, a span, random sparse and random dense ones.
fn masks(n_cpus: usize, classes: usize, dice: &mut Random) -> Vec<CpuBits> {
    (0..classes)
        .map(|class| match class % 6 {
            0 => CpuBits::of(n_cpus, (0..n_cpus as u32).filter(|_| dice.below(2) == 0)),
            1 => CpuBits::of(n_cpus, [dice.below(n_cpus) as u32]),
            2 => CpuBits::of(n_cpus, (0..n_cpus as u32).filter(|_| dice.below(16) == 0)),
            3 => {
                let start = dice.below(n_cpus) as u32;
                CpuBits::of(n_cpus, start..start + 1 + dice.below(8) as u32)
            }
            4 if class > 6 => CpuBits::new(n_cpus),
            _ => CpuBits::all(n_cpus),
        })
        .collect()
}

fn walk(n_cpus: usize, classes: usize, waiters: usize, steps: usize, seed: u64) {
    let dice = &mut Random(seed);
    let masks = masks(n_cpus, classes, dice);
    let mut rig = Matchers::new(n_cpus, &masks);
    // The share of idle CPUs drifts, so that both sides are scarce in turn.
    for step in 0..steps {
        let mostly_idle = (step / 500) % 2 == 0;
        let op = match dice.below(10) {
            0..3 if (dice.below(4) > 0) == mostly_idle => Call::AddCpu(dice.below(n_cpus)),
            0..3 => Call::RemoveCpu(dice.below(n_cpus)),
            3..7 => Call::AddWaiter {
                utid: dice.below(waiters) as u32,
                class: dice.below(classes),
                wait_start: if dice.below(3) == 0 { dice.below(step + 1) } else { step / 3 } as i64,
                queue_cpu: dice.below(n_cpus) as u32,
            },
            _ => Call::RemoveWaiter(dice.below(waiters) as u32),
        };
        rig.apply(&op);
        rig.size();
        if step % 97 == 96 {
            let expected = Kuhn::canonical(&rig.state, &masks);
            assert_eq!(rig.size(), expected.len(), "seed {seed}, step {step}");
            assert_eq!(rig.matched(), expected.iter().map(|(_, waiter)| waiter.utid).collect());
        }
        if step % 970 == 969 {
            assert_eq!(rig.assign(), Kuhn::assignment(&rig.state, &masks), "seed {seed}, step {step}");
        }
    }
}

#[test]
fn sixty_four_cpus() {
    for seed in 1..=10 {
        walk(64, 20, 150, 4_000, seed * 7_919);
    }
}

#[test]
fn more_than_one_word_of_cpus() {
    for (n_cpus, seed) in [(65, 11), (100, 12), (128, 13), (130, 14), (200, 15)] {
        walk(n_cpus, 30, 220, 3_000, seed * 104_729);
    }
}

#[test]
fn more_than_one_word_of_classes() {
    walk(70, 150, 300, 4_000, 99_991);
}

#[test]
fn few_waiters_and_few_cpus_change_often() {
    for seed in 1..=20 {
        walk(8, 6, 10, 3_000, seed * 31_337);
    }
}

#[test]
fn the_widest_machines() {
    walk(1_024, 12, 60, 1_500, 3);
    walk(4_096, 12, 40, 1_000, 4);
    walk(4_100, 8, 12, 300, 5);
}
