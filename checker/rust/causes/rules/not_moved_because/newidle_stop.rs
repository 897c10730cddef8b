//! Why a CPU that went idle did not search as far as the domain that joins it with the queue.

use crate::causes::NewidleEntry;
use crate::causes::rules::not_moved_because::{DomainSource, IdleWaitFacts};
use crate::causes::rules::{Repair, RepairKind};

/// Releases in which CPUs about to idle came to look no more.
pub const COST_RAISED_IN_6_1: Repair = Repair::new(
    RepairKind::KernelRelease,
    "boot 6.1.160 or later: from 6.1.149 on an attempt that pulled nothing raised the cost that a CPU about to \
                 idle compares with, until it looked no more",
    "ChangeLog-6.1.149: Bump sd->max_newidle_lb_cost when newidle balance fails; ChangeLog-6.1.160: Revert \
                 max_newidle_lb_cost bump",
)
.before((6, 1), 160);
/// The same on the other stable branch.
pub const COST_RAISED_IN_6_12: Repair = Repair::new(
    RepairKind::KernelRelease,
    "boot 6.12.64 or later: from 6.12.43 on an attempt that pulled nothing raised the cost that a CPU about to \
                 idle compares with, until it looked no more",
    "ChangeLog-6.12.43: Bump sd->max_newidle_lb_cost when newidle balance fails; ChangeLog-6.12.64: Revert \
                 max_newidle_lb_cost bump",
)
.before((6, 12), 64);

/// What kept it from an attempt over the common domain, in the order in which the kernel asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewidleStop {
    WakeupPending,
    NoneOverloaded,
    TooShort,
    /// None of these: the release leaves the rest to chance.
    Dice,
}

/// A stop that was recorded.
#[derive(Clone, Copy, Debug)]
pub struct RecordedStop {
    pub why: NewidleStop,
    /// When the CPU went idle, and what it decided by.
    pub events: [Option<i64>; 2],
    /// It is the reason for certain.
    pub proved: bool,
}

/// What kept the idle CPU from looking there; None where it looked, or what it decided by is not recorded.
pub fn newidle_stop(c: &IdleWaitFacts) -> Option<RecordedStop> {
    let idle = c.entry.filter(|_| c.newidle_matters())?;
    let newidle = idle.newidle?;
    let level = c.level?;
    if newidle.level.is_some_and(|reached| reached >= level) {
        return None;
    }
    let NewidleEntry { event, overloaded, wakeup_pending, too_short_level, dice } = newidle.entry?;
    let why = match too_short_level {
        _ if wakeup_pending => NewidleStop::WakeupPending,
        _ if !overloaded => NewidleStop::NoneOverloaded,
        Some(first) if first <= level => NewidleStop::TooShort,
        _ if dice => NewidleStop::Dice,
        _ => return None,
    };
    let needs_domain = matches!(why, NewidleStop::TooShort | NewidleStop::Dice);
    let proved = !c.balance_was_found() && (!needs_domain || c.domains == DomainSource::Exact);
    Some(RecordedStop { why, events: [Some(idle.event), Some(event)], proved })
}
