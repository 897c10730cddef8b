//! What ended it.

mod end_of_trace;
mod gone;
mod mask_changed;
mod moved;
mod started_in_place;
mod taken_by_wakeup;

use super::Rule;
use crate::causes::witness::Ending;

/// The facts of a resolution.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ended {
    /// The recording ended.
    pub at_end: bool,
    /// Event at which the CPU was no longer idle, or the last thread that may use it no longer waited.
    pub event: Option<i64>,
    /// What the event did; None: a switch.
    pub ending: Option<Ending>,
    pub cpu_taken: bool,
    pub waiter_gone: bool,
}

/// The rules in the order in which they are asked.
pub const RULES: &[&Rule<Ended>] = &[
    &end_of_trace::RULE,
    &moved::RULE,
    &mask_changed::RULE,
    &taken_by_wakeup::RULE,
    &started_in_place::RULE,
    &gone::RULE,
];
