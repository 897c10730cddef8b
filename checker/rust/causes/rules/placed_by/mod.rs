//! How the thread came to wait there.

mod affinity_change;
mod crowded_by_another;
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

use super::{Finding, Rule};
use crate::causes::answers::Proof;
use crate::causes::wait_origin::Arrival;

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
    /// A sched_ext scheduler runs it.
    pub ext: bool,
}

impl PlacementFacts {
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
const BY_ARRIVAL: &[&Rule<PlacementFacts>] = RULES.split_at(5).1;

/// The rules in the order in which they are asked: what happened on the queue, then what the arrival alone says.
pub const RULES: &[&Rule<PlacementFacts>] = &[
    &sched_ext::RULE,
    &affinity_change::RULE,
    &crowded_by_another::RULE,
    &preempted_in_place::RULE,
    &moved_as_it_waited::RULE,
    &wakeup_one_llc::RULE,
    &wakeup_scan_cut::RULE,
    &wake_affine::RULE,
    &wakeup_prev_cpu::RULE,
    &wakeup::RULE,
    &fork_exec::RULE,
    &moved_while_runnable::RULE,
];
