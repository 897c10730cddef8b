//! Why a core was wasted: how the thread came to wait there, why no CPU took it, what ended the wait, and how sure that is.
//!
//! The walk notes what may matter (`wait_origin`, `balancer_log`, `llc_moves`); when an interval of waste is graded,
//! `cause_analysis` gathers the facts of each idle–waiting pair and applies the `rules`; `waste_by_pair` adds up their answers over
//! an episode. The kernel's decisions are read from its own records only: stacks of moves (`migration_paths`), load-balance
//! attempts (`balance_attempt`) and the loads they saw (`result_from_loads`), scheduling domains (`domains`).

pub mod answers;
mod attempt_log;
mod balance_attempt;
mod balancer_log;
mod cause_analysis;
mod cause_totals;
mod departures;
pub mod domains;
mod earlier_attempts;
mod ext_log;
pub mod kernels;
mod kick_log;
mod llc_moves;
pub mod migration_paths;
mod packed_pairs;
mod pair_answers;
pub mod realtime_runs;
mod result_from_loads;
pub mod rules;
mod schedstat_readings;
pub mod wait_origin;
mod waste_by_pair;

pub use balance_attempt::{AttemptResult, BalanceAttempt, is_newly_idle};
pub use balancer_log::{
    AttemptLoads, BalanceSearch, BalancerLog, CpuChoice, CpuMove, CpuUse, EndingEvent, NewidleBalance, NewidleEntry,
    OpenAttempt, PendingWakeup, SeenCpu,
};
pub use cause_analysis::{AnswerCache, CauseAnalysis};
pub use cause_totals::{AnswerTotals, CauseTotals, WasteByCause};
pub use domains::{DomainHistory, GROUPS_OF_EACH};
pub use ext_log::{ExtDecision, ExtLog, ExtPlace, ExtQueueId, ExtWait, OF_ALL};
pub use kick_log::{KickOrSoftirq, NextBalanceReading};
pub use llc_moves::LlcMoves;
pub use migration_paths::{MigrationPath, MoveContext, StackPath};
pub use packed_pairs::{PackedPair, PackedPairs, PairLimit};
pub use pair_answers::{AnswerLine, AnswerRecord, Cause, PAIRS, Preventable, ShortAnswers, cause};
pub use result_from_loads::{GROUP_TYPES, result_from_loads};
pub use wait_origin::{Arrival, CpuScan, IdleAlternative, QueuedBy, SchedClass, WaitOrigin, WaiterTraits};
pub use waste_by_pair::{AnsweredCase, WasteByPair};
