//! How the thread came to wait there.

mod balancer_moved;
mod gained_by_mask;
mod new_thread;
mod preempted_in_place;
mod sched_ext;
mod wakeup_cut_short;
mod wakeup_kept_prev;
mod wakeup_one_llc;
mod wakeup_other;
mod wakeup_to_waker;

use super::Rule;
use crate::causes::arrivals::Arrival;

/// The facts of a placement.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// How the thread came to stand on its queue.
    pub arrival: Arrival,
    /// Event by which it gained the idle CPU while it stood there.
    pub gained: Option<i64>,
}

impl Placed {
    /// The preemption that made it wait is of no later placement's making, so neither is the wait of its own.
    pub fn waits_in_place(&self) -> bool {
        self.arrival.alone && self.arrival.preempted.is_some()
    }
}

/// The rules in the order in which they are asked.
pub const RULES: &[&Rule<Placed>] = &[
    &sched_ext::RULE,
    &gained_by_mask::RULE,
    &preempted_in_place::RULE,
    &wakeup_one_llc::RULE,
    &wakeup_cut_short::RULE,
    &wakeup_to_waker::RULE,
    &wakeup_kept_prev::RULE,
    &wakeup_other::RULE,
    &new_thread::RULE,
    &balancer_moved::RULE,
];
