//! How the thread came to wait there.

mod balancer_moved;
mod crowded;
mod gained_by_mask;
mod moved_as_it_waited;
mod new_thread;
mod preempted_in_place;
mod sched_ext;
mod wakeup_cut_short;
mod wakeup_kept_prev;
mod wakeup_one_llc;
mod wakeup_other;
mod wakeup_to_waker;

use super::{Found, Rule};
use crate::causes::answers::Proof;
use crate::causes::arrivals::Came;

/// The facts of a placement.
#[derive(Clone, Copy, Debug, Default)]
pub struct Placed {
    /// How the thread came to its queue.
    pub came: Came,
    /// What made it wait, where that is something else (see `Arrival`).
    pub began: Option<Came>,
    /// Event at which it was preempted where it had the CPU to itself.
    pub in_place: Option<i64>,
    /// Event by which it gained the idle CPU while it stood there.
    pub gained: Option<i64>,
    /// A sched_ext scheduler runs it.
    pub ext: bool,
}

impl Placed {
    /// What the rules about wakeups, creation and moves say of another arrival than its own: never proved, since that this one
    /// made the thread wait follows from switches.
    pub fn of_another(came: Came) -> Option<Found> {
        let case = Self { came, ..Self::default() };
        let mut found = BY_ARRIVAL.iter().find_map(|rule| (rule.judge)(&case))?;
        found.proof = found.proof.min(Proof::Consistent);
        Some(found)
    }
}

/// Those that speak of an arrival alone.
const BY_ARRIVAL: &[&Rule<Placed>] = RULES.split_at(5).1;

/// The rules in the order in which they are asked: what happened on the queue, then what the arrival alone tells.
pub const RULES: &[&Rule<Placed>] = &[
    &sched_ext::RULE,
    &gained_by_mask::RULE,
    &crowded::RULE,
    &preempted_in_place::RULE,
    &moved_as_it_waited::RULE,
    &wakeup_one_llc::RULE,
    &wakeup_cut_short::RULE,
    &wakeup_to_waker::RULE,
    &wakeup_kept_prev::RULE,
    &wakeup_other::RULE,
    &new_thread::RULE,
    &balancer_moved::RULE,
];
