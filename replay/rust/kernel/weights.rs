//! Weights: of nice values, and of threads within their groups.
//!
//! Simplification: the kernel queues groups within groups; here every thread is on its CPU's one queue with the weight that
//! its group leaves it, shares / Σ weights of the group's runnable threads. Over time the shares come out the same.

use super::pelt::Average;
use crate::program::Policy;
use crate::span::Ns;

/// Weight by nice value, -20 first: each step is 1.25 (kernel/sched/core.c: sched_prio_to_weight).
const BY_NICE: [u64; 40] = [
    88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548, 7620, 6100, 4904, 3906, 3121, 2501,
    1991, 1586, 1277, 1024, 820, 655, 526, 423, 335, 272, 215, 172, 137, 110, 87, 70, 56, 45, 36, 29, 23, 18, 15,
];
/// Weight of SCHED_IDLE (WEIGHT_IDLEPRIO).
const IDLE: u64 = 3;
/// Weight of a thread of nice 0, and of a group.
pub(super) const NICE_0: u64 = 1024;

/// A thread's own weight.
pub(super) fn of(policy: Policy, nice: i8) -> u64 {
    match policy {
        Policy::Idle => IDLE,
        _ => BY_NICE[(i16::from(nice.clamp(-20, 19)) + 20) as usize],
    }
}

/// A scheduling group: what its runnable threads weigh.
#[derive(Clone, Debug)]
pub(super) struct GroupWeight {
    /// The group's own weight.
    pub shares: u64,
    now: u64,
    average: Average,
}

impl GroupWeight {
    /// `weight` as cgroup v2 counts: 100 is a nice-0 thread.
    pub fn new(weight: u32) -> Self {
        Self { shares: (u64::from(weight) * NICE_0 / 100).max(2), now: 0, average: Average::default() }
    }

    /// A thread of this weight becomes runnable, or is no longer.
    pub fn runnable(&mut self, now: Ns, weight: u64, more: bool) {
        self.average.update(now, self.now);
        self.now = if more { self.now + weight } else { self.now - weight.min(self.now) };
    }

    /// True when none of its threads is runnable.
    pub fn is_quiet(&self) -> bool {
        self.now == 0
    }

    /// A new thread counts from its first instant.
    pub fn attach(&mut self, now: Ns, weight: u64) {
        self.average.update(now, self.now);
        self.average.shift(weight as i64);
    }

    /// The weight that the group leaves a thread of this weight (kernel: calc_group_shares, task_h_load): at least 2.
    pub fn leaves(&mut self, now: Ns, weight: u64) -> u64 {
        let average = self.average.update(now, self.now);
        (weight * self.shares / average.max(weight)).max(2)
    }
}
