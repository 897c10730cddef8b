//! A time in which the matching kept a pair of a waiting thread and an idle CPU.

use crate::matching::Pairing;
use crate::topology::CpuIx;

/// (number of the thread, CPU it waited on, idle CPU).
pub type PairKey = (u32, u32, u32);

/// A thread was matched to an idle CPU from `from` to `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairSegment {
    /// Start; before that of the record where this was cut.
    pub from: i64,
    pub to: i64,
    /// Number of the thread.
    pub utid: u32,
    /// How the thread came to wait there: a place in the interval's record of arrivals.
    pub origin: u32,
    pub queue: CpuIx,
    pub idle: CpuIx,
}

impl PairSegment {
    /// The pair.
    pub fn key(&self) -> PairKey {
        (self.utid, u32::from(self.queue), u32::from(self.idle))
    }

    /// It is of this pair.
    #[inline]
    pub fn is(&self, pair: &Pairing) -> bool {
        self.key() == (pair.number, pair.queue_cpu, pair.idle_cpu)
    }
}
