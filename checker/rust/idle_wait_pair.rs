//! An idle CPU beside a queue whose waiter may use it: what grades measure and causes explain.

use crate::topology::CpuIx;

/// CPU `idle` was idle and `queue` held a waiter that may use it, from `from` to `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IdleWaitPair {
    pub idle: CpuIx,
    pub queue: CpuIx,
    pub from: i64,
    pub to: i64,
}

impl IdleWaitPair {
    /// How long, ns.
    pub fn length(&self) -> i64 {
        self.to - self.from
    }
}
