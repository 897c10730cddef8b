//! Why a CPU that went idle did not search as far as the domain that joins it with the queue.

use crate::causes::NewidleEntry;
use crate::causes::rules::not_moved_because::{DomainSource, IdleWaitFacts};

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
