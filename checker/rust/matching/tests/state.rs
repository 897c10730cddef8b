//! A state to be matched, as plain data, and the ways to reach it.

use crate::matching::{CanonicalMatcher, ClassId, Distances, Flip, Matcher, Pairing, Waiter};
use std::collections::{BTreeMap, BTreeSet};
use wastenot_topology::CpuBits;

/// One call of the matchers' API. CPUs, classes and utids are taken modulo what exists.
#[derive(Clone, Debug)]
pub(super) enum Call {
    AddCpu(usize),
    RemoveCpu(usize),
    AddWaiter { utid: u32, class: usize, wait_start: i64, queue_cpu: u32 },
    RemoveWaiter(u32),
    Assign,
}

/// Idle CPUs and waiters (utid → class, waiter).
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct State {
    pub idle: BTreeSet<usize>,
    pub waiters: BTreeMap<u32, (usize, Waiter)>,
}

impl State {
    pub fn apply(&mut self, op: &Call) {
        match *op {
            Call::AddCpu(cpu) => {
                self.idle.insert(cpu);
            }
            Call::RemoveCpu(cpu) => {
                self.idle.remove(&cpu);
            }
            Call::AddWaiter { utid, class, wait_start, queue_cpu } => {
                self.waiters.insert(utid, (class, Waiter { utid, number: utid, wait_start, queue_cpu }));
            }
            Call::RemoveWaiter(utid) => {
                self.waiters.remove(&utid);
            }
            Call::Assign => {}
        }
    }

    /// The waiters in order of priority, with their classes.
    pub fn by_priority(&self) -> Vec<(usize, Waiter)> {
        let mut order: Vec<_> = self.waiters.values().copied().collect();
        order.sort_by_key(|(_, waiter)| (waiter.wait_start, waiter.utid));
        order
    }
}

/// Both matchers fed with the same calls, the matched set kept by their flips alone.
pub(super) struct Matchers {
    pub state: State,
    classes: Vec<ClassId>,
    canonical: CanonicalMatcher,
    sizes: Matcher,
    pub by_flips: BTreeSet<u32>,
    distances: Distances,
}

impl Matchers {
    pub fn new(n_cpus: usize, allowed: &[CpuBits]) -> Self {
        let mut canonical = CanonicalMatcher::new(n_cpus);
        let mut sizes = Matcher::new(n_cpus);
        let classes: Vec<_> = allowed.iter().map(|set| canonical.add_class(set)).collect();
        assert_eq!(classes, allowed.iter().map(|set| sizes.add_class(set)).collect::<Vec<_>>());
        Self {
            state: State::default(),
            classes,
            canonical,
            sizes,
            by_flips: BTreeSet::new(),
            distances: Distances::new(n_cpus, distance),
        }
    }

    pub fn apply(&mut self, op: &Call) {
        match *op {
            Call::AddCpu(cpu) => {
                self.sizes.add_cpu(cpu);
                self.canonical.add_cpu(cpu);
            }
            Call::RemoveCpu(cpu) => {
                self.sizes.remove_cpu(cpu);
                self.canonical.remove_cpu(cpu);
            }
            Call::AddWaiter { utid, class, wait_start, queue_cpu } => {
                if let Some((old, _)) = self.state.waiters.get(&utid) {
                    self.sizes.remove_waiter(self.classes[*old]);
                }
                self.sizes.add_waiter(self.classes[class]);
                self.canonical.add_waiter(self.classes[class], Waiter { utid, number: utid, wait_start, queue_cpu });
            }
            Call::RemoveWaiter(utid) => {
                if let Some((class, _)) = self.state.waiters.get(&utid) {
                    self.sizes.remove_waiter(self.classes[*class]);
                }
                self.canonical.remove_waiter(utid);
            }
            Call::Assign => {
                self.assign();
            }
        }
        self.state.apply(op);
        self.drain();
    }

    fn drain(&mut self) {
        for &Flip { utid, matched } in self.canonical.flips() {
            let changed = if matched { self.by_flips.insert(utid) } else { self.by_flips.remove(&utid) };
            assert!(changed, "utid {utid} is flipped to {matched}, which it was");
        }
        self.canonical.clear_flips();
    }

    pub fn size(&self) -> usize {
        assert_eq!(self.sizes.size(), self.canonical.size(), "the two matchers disagree about the size");
        self.sizes.size() as usize
    }

    /// The matched set as the matcher answers for each waiter; equal to what the flips say.
    pub fn matched(&self) -> BTreeSet<u32> {
        let set: BTreeSet<_> =
            self.state.waiters.keys().copied().filter(|&utid| self.canonical.is_matched(utid)).collect();
        assert_eq!(set, self.by_flips, "the flips do not add up to the matched set");
        set
    }

    pub fn assign(&mut self) -> Vec<(u32, u32, u32)> {
        let mut out = vec![Pairing { utid: 0, number: 0, queue_cpu: 0, idle_cpu: 0 }];
        self.canonical.assign(&self.distances, &mut out);
        out.iter().map(|pairing| (pairing.utid, pairing.queue_cpu, pairing.idle_cpu)).collect()
    }
}

/// Cores of 2, LLCs of 4, nodes of 16 CPUs; nodes farther from each other the more their numbers differ.
pub(super) fn distance(from: usize, to: usize) -> u32 {
    match () {
        () if from == to => 0,
        () if from / 2 == to / 2 => 1,
        () if from / 4 == to / 4 => 2,
        () if from / 16 == to / 16 => 3,
        () => 10 + (from / 16).abs_diff(to / 16) as u32,
    }
}
