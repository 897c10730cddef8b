//! Moving threads between runqueues: when a pass over a domain is made (`passes`), which group and queue it takes from
//! (`averages`, `types`), and what it takes (`take`).

mod averages;
mod passes;
mod stats;
mod take;
mod types;

use crate::cpumask::CpuMask;
use crate::record::{AttemptId, Path};
use crate::topology::CpuIx;

/// Why a pass is made (kernel: enum cpu_idle_type).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CpuIdle {
    /// For an idle CPU.
    Idle,
    /// For a busy one.
    Busy,
    /// For one about to idle.
    Newly,
}

impl CpuIdle {
    fn code(self) -> u8 {
        use wastenot_schemas::idle_type;
        match self {
            Self::Idle => idle_type::IDLE,
            Self::Busy => idle_type::NOT_IDLE,
            Self::Newly => idle_type::NEWLY_IDLE,
        }
    }
}

/// What a pass counts by (kernel: enum migration_type).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Load,
    Util,
    Task,
    Misfit,
}

/// A pass over a domain.
struct Pass {
    /// CPU that makes it, and the one it pulls to: at first the same, then others of its group.
    dst: CpuIx,
    to: CpuIx,
    /// CPU of the group that a thread that may not go there may use.
    other: Option<CpuIx>,
    level: usize,
    idle: CpuIdle,
    path: Path,
    /// CPUs still looked at.
    cpus: CpuMask,
    unit: Unit,
    imbalance: u64,
    attempt: Option<AttemptId>,
    /// Every, or some, thread looked at was pinned elsewhere.
    all_pinned: bool,
    some_pinned: bool,
    /// The queue it took, or tried to take, from.
    src: Option<CpuIx>,
}
