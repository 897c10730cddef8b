//! DLRB, the dynamic load and resource balancer: a library in a parallel application that places its threads on the CPUs and sets
//! the priorities of their hardware threads. Source: Boneti, doctoral thesis, Universitat Politècnica de Catalunya, 2009,
//! chapter 5.
//!
//! It acts when all threads of the application have ended an iteration. `placement` splits the threads over the machine's
//! domains, `resources` sets priorities within each core, [`Dlrb`] decides when each of them acts.

pub mod placement;
pub mod resources;

use crate::smt::DEFAULT_PRIORITY;
use crate::topology::CpuIx;
use placement::Domain;
use resources::PriorityRange;
use serde::{Deserialize, Serialize};

/// CPU time of an iteration over its length, in hundredths of a percent: 10 000 for a thread that never waits.
pub type Utilisation = u32;

/// A percent.
pub const PERCENT: Utilisation = 100;

/// A thread with more utilisation is in the pattern by which a change of phase is recognised.
const HIGH: Utilisation = 95 * PERCENT;

/// Which patterns of threads with high utilisation are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseChange {
    /// Those of each iteration and the one before it, as the thesis says. Priorities that balance a core make all of its
    /// threads high ones, which then is a change too.
    AnyIteration,
    /// Those of two iterations that ran with the same priorities and in the same places.
    #[default]
    SameConditions,
}

/// The balancer of a workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DlrbSpec {
    /// Names of the application's threads, in the order in which they are dealt out. All of them report each iteration.
    pub threads: Vec<String>,
    /// Which patterns are compared.
    #[serde(default)]
    pub phase_change: PhaseChange,
}

/// What the balancer wants after an iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The CPU of each thread.
    pub cpus: Vec<CpuIx>,
    /// The priority of each thread.
    pub priorities: Vec<u8>,
}

/// The balancer.
#[derive(Clone, Debug)]
pub struct Dlrb {
    machine: Domain,
    phase_change: PhaseChange,
    range: PriorityRange,
    cpus: Vec<CpuIx>,
    /// Priority of each CPU.
    priority: Vec<u8>,
    /// Threads of high utilisation in the iteration before; None before the first one.
    high: Option<Vec<bool>>,
    /// The iteration that runs differs from the one before in places or priorities.
    conditions_changed: bool,
}

impl Dlrb {
    /// A balancer for so many threads on the CPUs of a machine.
    pub fn new(machine: Domain, threads: usize, phase_change: PhaseChange) -> Self {
        let cpus = machine.deal(threads);
        let highest = machine.cpus().into_iter().max().unwrap_or(0);
        let priority = vec![DEFAULT_PRIORITY; usize::from(highest) + 1];
        let range = PriorityRange::default();
        Self { machine, phase_change, range, cpus, priority, high: None, conditions_changed: false }
    }

    /// Places and priorities at present.
    pub fn decision(&self) -> Decision {
        let priorities = self.cpus.iter().map(|&c| self.priority[usize::from(c)]).collect();
        Decision { cpus: self.cpus.clone(), priorities }
    }

    /// An iteration is over, in which the threads had these utilisations.
    pub fn iteration(&mut self, utilisation: &[Utilisation]) -> Decision {
        let before = self.decision();
        let high: Vec<bool> = utilisation.iter().map(|&u| u > HIGH).collect();
        let comparable = self.phase_change == PhaseChange::AnyIteration || !self.conditions_changed;
        let first = self.high.is_none();
        let changed = comparable && self.high.as_ref().is_some_and(|last| *last != high);
        self.high = Some(high);
        if first || changed {
            // One iteration with equal priorities shows what the threads do by themselves.
            self.cpus = self.machine.split(utilisation);
            self.priority.fill(DEFAULT_PRIORITY);
        } else {
            self.set_priorities(utilisation);
        }
        let decision = self.decision();
        self.conditions_changed = decision != before;
        decision
    }

    /// The resource balancer, core by core.
    fn set_priorities(&mut self, utilisation: &[Utilisation]) {
        for core in self.machine.cores() {
            let [a, b] = core[..] else { continue };
            let of = |cpu: CpuIx| -> Utilisation {
                self.cpus.iter().zip(utilisation).filter(move |(c, _)| **c == cpu).map(|(_, u)| u).sum()
            };
            let now = (self.priority[usize::from(a)], self.priority[usize::from(b)]);
            let (pa, pb) = resources::priorities((of(a), of(b)), now, self.range);
            (self.priority[usize::from(a)], self.priority[usize::from(b)]) = (pa, pb);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machines::even;
    use crate::topology::SimulatedTopology;

    fn dlrb(threads: usize, phase_change: PhaseChange) -> Dlrb {
        let topology = SimulatedTopology::new(&even(1, 1, 2, 2));
        Dlrb::new(Domain::of(topology.components()), threads, phase_change)
    }

    fn percent(u: [u32; 4]) -> Vec<Utilisation> {
        u.iter().map(|u| u * PERCENT).collect()
    }

    #[test]
    fn it_is_placed_after_the_first_iteration_and_has_priorities_from_the_third_on() {
        let mut d = dlrb(4, PhaseChange::SameConditions);
        let equal = percent([15, 23, 50, 99]);
        assert_eq!(d.decision(), Decision { cpus: vec![0, 2, 1, 3], priorities: vec![4; 4] });
        // t1 and t4 share a core, t2 and t3 the other.
        assert_eq!(d.iteration(&equal), Decision { cpus: vec![1, 3, 2, 0], priorities: vec![4; 4] });
        assert_eq!(d.iteration(&equal).priorities, [4, 4, 5, 6]);
        // Balanced: nothing changes for the rest of the run.
        for _ in 0..5 {
            let decision = d.iteration(&percent([98, 80, 90, 99]));
            assert_eq!(decision, Decision { cpus: vec![1, 3, 2, 0], priorities: vec![4, 4, 5, 6] });
        }
    }

    #[test]
    fn a_change_of_phase_is_followed_by_an_iteration_with_equal_priorities() {
        let mut d = dlrb(4, PhaseChange::SameConditions);
        let (one, other) = (percent([25, 100, 25, 100]), percent([100, 15, 100, 15]));
        d.iteration(&one);
        d.iteration(&one);
        assert_eq!(d.iteration(&percent([100; 4])).priorities, [4, 6, 4, 6]);
        assert_eq!(d.iteration(&other).priorities, [4; 4]);
        assert_eq!(d.iteration(&percent([100, 25, 100, 25])).priorities, [6, 4, 6, 4]);
    }

    #[test]
    fn as_the_thesis_says_it_a_balanced_iteration_is_a_change_of_phase_too() {
        let mut d = dlrb(4, PhaseChange::AnyIteration);
        let one = percent([25, 100, 25, 100]);
        d.iteration(&one);
        assert_eq!(d.iteration(&one).priorities, [4, 6, 4, 6]);
        assert_eq!(d.iteration(&percent([100; 4])).priorities, [4; 4]);
    }
}
