//! How the thread came to wait there.

mod affinity_change;
mod crowded_by_another;
mod ext_enqueue;
mod ext_select_cpu;
mod fork_exec;
mod moved_as_it_waited;
mod moved_while_runnable;
mod preempted_in_place;
mod sched_ext;
mod wake_affine;
mod wakeup;
mod wakeup_one_llc;
mod wakeup_prev_cpu;
mod wakeup_scan_cut;

use super::{Answers, Finding, Rule, conclude, rules_in_order};
use crate::causes::ExtPlace;
use crate::causes::answers::{PlacedBy, Proof, Question};
use crate::causes::kernels::Release;
use crate::causes::wait_origin::{Arrival, SchedClass};

/// The facts of a placement.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlacementFacts {
    /// How the thread came to its queue.
    pub arrival: Arrival,
    /// What made it wait, where that is something else (see `WaitOrigin`).
    pub made_wait_by: Option<Arrival>,
    /// Event at which it was preempted where it had the CPU to itself.
    pub in_place: Option<i64>,
    /// Event by which it gained the idle CPU while it was queued there.
    pub gained: Option<i64>,
    pub class: SchedClass,
    /// The local queue that a sched_ext scheduler put it into.
    pub ext_place: Option<ExtPlace>,
}

impl PlacementFacts {
    /// The real-time or deadline class chose its CPU, by rules of its own (select_task_rq_rt, select_task_rq_dl).
    fn is_realtime(&self) -> bool {
        self.arrival.realtime
    }

    /// An answer about the arrival's own decision, which was decisive where the thread had an idle CPU to go to.
    fn of_arrival<const N: usize>(&self, answer: PlacedBy, proof: Proof, events: [Option<i64>; N]) -> Option<Finding> {
        Some(Finding::new(answer, proof, events)?.with_decisive(self.arrival.had_idle_alternative()))
    }

    /// What the rules about wakeups, creation and moves say of another arrival than its own: never proved, since that this one
    /// made the thread wait follows from switches.
    pub fn of_another(arrival: Arrival) -> Option<Finding> {
        let case = Self { arrival, ..Self::default() };
        let mut finding = BY_ARRIVAL.iter().find_map(|rule| (rule.conclude)(&case))?;
        finding.proof = finding.proof.min(Proof::Consistent);
        Some(finding)
    }
}

/// Those that need an arrival only.
const BY_ARRIVAL: &[&Rule<PlacementFacts>] = RULES.split_at(7).1;

// What happened on the queue, then what the arrival alone says.
rules_in_order!(
    PlacedBy, PlacementFacts:
    ext_select_cpu, ext_enqueue, sched_ext, affinity_change, crowded_by_another, preempted_in_place, moved_as_it_waited, wakeup_one_llc,
    wakeup_scan_cut, wake_affine, wakeup_prev_cpu, wakeup, fork_exec, moved_while_runnable
);
