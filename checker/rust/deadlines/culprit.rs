//! What kept a job from running.

use crate::threads::Utid;
use crate::topology::CpuIx;

/// What kept a job from running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Culprit {
    Thread(Utid),
    /// Interrupt work on a CPU: kind and vector.
    Interrupt {
        cpu: CpuIx,
        kind: u8,
        vector: Option<i32>,
    },
    /// A CPU that ran swapper.
    IdleCpu(CpuIx),
    /// A fair thread that a deadline server ran (6.8 and later), after real-time and deadline threads had kept the CPU.
    FairServer(Utid),
    /// The cgroup's CPU quota.
    Quota,
}
