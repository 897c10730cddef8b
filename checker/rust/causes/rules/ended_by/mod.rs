//! What ended it.

mod affinity_change;
mod blocked_or_exited;
mod end_of_trace;
mod interrupt_work;
mod moved_by;
mod started_in_place;
mod wakeup_elsewhere;

use super::{Answers, Finding, Rule, conclude, rules_in_order};
use crate::causes::answers::Question;
use crate::causes::balancer_log::EndingEvent;
use crate::causes::kernels::Release;

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

rules_in_order!(
    EndedBy, EndFacts:
    end_of_trace, moved_by, interrupt_work, affinity_change, wakeup_elsewhere, started_in_place, blocked_or_exited
);
