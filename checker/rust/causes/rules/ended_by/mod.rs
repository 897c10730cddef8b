//! What ended it.

mod affinity_change;
mod blocked_or_exited;
mod end_of_trace;
mod moved_by;
mod started_in_place;
mod wakeup_elsewhere;

use super::Rule;
use crate::causes::balancer_log::EndingEvent;

/// What is known of how a pair ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct EndFacts {
    /// The recording ended.
    pub at_end: bool,
    /// Event at which the CPU was no longer idle, or the last thread that may use it no longer waited.
    pub event: Option<i64>,
    /// What the event did; None: a switch.
    pub ending: Option<EndingEvent>,
    pub cpu_taken: bool,
    pub waiter_gone: bool,
}

/// The rules in the order in which they are asked.
pub const RULES: &[&Rule<EndFacts>] = &[
    &end_of_trace::RULE,
    &moved_by::RULE,
    &affinity_change::RULE,
    &wakeup_elsewhere::RULE,
    &started_in_place::RULE,
    &blocked_or_exited::RULE,
];
