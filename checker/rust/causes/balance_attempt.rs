//! One load-balance attempt over one scheduling domain, and its result.

use wastenot_schemas::idle_type;

use crate::topology::CpuIx;

/// What an attempt over a domain concluded, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptResult {
    /// Not recorded.
    Unknown,
    /// It moved threads.
    Moved,
    /// It ended before it looked: another CPU balances for its group.
    LeftToAnother,
    /// No thread waited in another group.
    NothingThere,
    /// The averages of its groups hid that CPUs idle here while threads wait there.
    Averages,
    /// The imbalance is below what the domain acts on.
    Allowed,
    /// Nodes may differ by that much.
    NumaAllowed,
    /// So few threads run here that nodes may differ, though not by so much in the kernel's own rule.
    NumaFew,
    /// By its loads the attempt had to act, and did not.
    Unexplained,
    /// It chose the queue and took no thread: none of its threads may use the CPU.
    Pinned(CpuIx),
    /// The same, but the masks were widened while the threads were queued there.
    StaleMask(CpuIx),
    /// It chose the queue and took no thread, though some may use the CPU; true: all of those were cache-hot.
    Refused(CpuIx, bool),
    /// The same, since their process prefers the cache there; true: that goes for all of them.
    PreferredLlc(CpuIx, bool),
}

impl AttemptResult {
    /// The queue that it chose, and left all threads of.
    pub fn queue(self) -> Option<CpuIx> {
        match self {
            Self::Pinned(queue) | Self::StaleMask(queue) | Self::Refused(queue, _) | Self::PreferredLlc(queue, _) => {
                Some(queue)
            }
            _ => None,
        }
    }

    /// It moved no thread though one waited in another group.
    pub fn left_a_waiter(self) -> bool {
        !matches!(self, Self::Unknown | Self::Moved | Self::LeftToAnother | Self::NothingThere)
    }
}

/// One load-balance attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BalanceAttempt {
    /// From when until when.
    pub t: i64,
    pub until: i64,
    pub event: i64,
    /// CPU it balanced for.
    pub dst: CpuIx,
    /// Level of the domain; None: not recorded.
    pub level: Option<i16>,
    /// A code of `idle_type`.
    pub idle: u8,
    pub result: AttemptResult,
    /// The result rests on what the kernel's own attempt showed; else on the reconstructed queues.
    pub seen: bool,
    /// At least that the attempt searched for threads does.
    pub searched: bool,
    /// It met pinned threads alone, so that the time until the next one doubles (LBF_ALL_PINNED).
    pub backs_off: bool,
    /// It examined threads, none of which any CPU of its group may take.
    pub pinned_for_group: bool,
}

/// An attempt made as a CPU was about to idle.
pub fn is_newly_idle(idle: u8) -> bool {
    idle == idle_type::NEWLY_IDLE
}
