//! What ended it.

mod end_of_trace;
mod mask_changed;
mod moved_by;
mod no_longer_runnable;
mod started_in_place;
mod taken_by_wakeup;

use super::Rule;
use crate::causes::balancer_log::EndingEvent;

/// The facts of a resolution.
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
    &mask_changed::RULE,
    &taken_by_wakeup::RULE,
    &started_in_place::RULE,
    &no_longer_runnable::RULE,
];
