//! Changes of the final matching's input: waiters and usable idle CPUs that come and go.

use crate::topology::CpuIx;

/// A change of what the final matching depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputChange {
    pub t: i64,
    /// Event that made it.
    pub event: i64,
    pub what: ChangedInput,
    /// True: came; false: went.
    pub added: bool,
}

/// What came or went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangedInput {
    /// A waiter on the queue of `queue`; `class` numbers the set of CPUs that it may use.
    Waiter { class: u32, queue: CpuIx },
    /// A usable idle CPU.
    Cpu(CpuIx),
}

impl InputChange {
    pub fn waiter(added: bool, t: i64, event: i64, class: u32, queue: CpuIx) -> Self {
        Self { t, event, added, what: ChangedInput::Waiter { class, queue } }
    }

    pub fn cpu(added: bool, t: i64, event: i64, cpu: CpuIx) -> Self {
        Self { t, event, added, what: ChangedInput::Cpu(cpu) }
    }
}
