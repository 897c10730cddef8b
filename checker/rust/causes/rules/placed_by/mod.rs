//! How the thread came to wait there.

mod crowded_by_another;
mod gained_by_mask;
mod moved_as_it_waited;
mod moved_while_runnable;
mod new_thread;
mod placed_by_sched_ext;
mod preempted_in_place;
mod wakeup_cut_short;
mod wakeup_kept_prev;
mod wakeup_one_llc;
mod wakeup_other;
mod wakeup_to_waker;

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
    &placed_by_sched_ext::RULE,
    &gained_by_mask::RULE,
    &crowded_by_another::RULE,
    &preempted_in_place::RULE,
    &moved_as_it_waited::RULE,
    &wakeup_one_llc::RULE,
    &wakeup_cut_short::RULE,
    &wakeup_to_waker::RULE,
    &wakeup_kept_prev::RULE,
    &wakeup_other::RULE,
    &new_thread::RULE,
    &moved_while_runnable::RULE,
];
