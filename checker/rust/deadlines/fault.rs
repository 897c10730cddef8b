//! Whose fault a missed deadline can be.

use serde::Serialize;

/// Whose fault a miss is: what alone made up for the time by which the job was late, the first of these that did; where none did
/// alone, the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// It ran beyond its runtime, or its server had throttled it because of that.
    OwnOverrun,
    /// It was passed over.
    Scheduler,
    /// Interrupts, threads of a higher class, a CPU that was slow to leave idle, or being blocked.
    Interference,
    /// Other tasks had its CPUs, and the tasks bound to these need more than may be admitted, or than they have.
    Overload,
    /// Threads with earlier deadlines had its CPUs, within what may be admitted: global EDF does not guarantee every such set.
    NotGuaranteed,
    /// What its CPUs did is not known.
    NotVisible,
    /// Not SCHED_DEADLINE: its CPU ran other threads of its class, or of a lower one.
    Contention,
}

impl Fault {
    pub const COUNT: usize = 7;
    pub fn name(self) -> &'static str {
        match self {
            Self::OwnOverrun => "own_overrun",
            Self::Scheduler => "scheduler",
            Self::Interference => "interference",
            Self::Overload => "overload",
            Self::NotGuaranteed => "not_guaranteed",
            Self::NotVisible => "not_visible",
            Self::Contention => "contention",
        }
    }
}
