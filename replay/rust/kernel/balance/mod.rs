//! Moving threads between runqueues: when a domain is balanced (`attempts`), which group and queue an attempt takes from
//! (`averages`, `types`), and what it takes (`take`).

mod attempts;
mod averages;
mod stats;
mod take;
mod types;

use crate::masks::CpuMask;
use crate::record::{AttemptId, Path};
use crate::topology::CpuIx;

/// Why an attempt is made (kernel: enum cpu_idle_type).
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

/// What an attempt counts by (kernel: enum migration_type).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MigrationType {
    Load,
    Util,
    Task,
    Misfit,
}

/// A load-balance attempt over a domain (kernel: struct lb_env).
struct LbEnv {
    /// CPU that makes it, and the one it pulls to: at first the same, then others of its group.
    dst: CpuIx,
    to: CpuIx,
    /// CPU of the group that a thread that may not go there may use.
    other: Option<CpuIx>,
    level: usize,
    idle: CpuIdle,
    path: Path,
    /// CPUs that are not excluded yet.
    cpus: CpuMask,
    unit: MigrationType,
    imbalance: u64,
    attempt: Option<AttemptId>,
    /// Every, or some, examined thread was pinned elsewhere.
    all_pinned: bool,
    some_pinned: bool,
    /// The queue it took, or tried to take, from.
    src: Option<CpuIx>,
}
