//! The checker: a pure state machine from the events of a trace to what they prove.
//!
//! One walk over the events ([`walk`]) reconstructs the scheduler's state (`scheduler`, `threads`, `cpus`), keeps the
//! invariant (`invariant`: idle CPUs, waiting threads, the matchings of the excuse ledger), turns what lasts into
//! episodes (`intervals`, `grades`, `recurrent`) and writes every derived table (`tables`, `results`). Nothing here opens a
//! file: events come as Arrow batches (`source`), results leave as Arrow batches through a [`Sink`].
//!
//! What every number means is defined in `docs/semantics.md`; names here are the ones used there.

pub mod causes;
mod check;
mod checkpoint;
mod counter_steps;
mod counters;
mod cpus;
mod data_quality;
pub mod deadlines;
mod domain_tree;
mod error;
mod fast_hash;
mod grades;
mod idle_wait_pair;
mod input_change;
mod interval_joiner;
mod invariant;
mod lazy_matcher;
pub mod matching;
mod online;
mod options;
mod pair_segment;
mod recurrent;
mod results;
mod run_by_cpu;
mod scheduler;
mod self_checks;
mod source;
mod tables;
mod threads;
mod tiles;
mod time_limits;
mod topology;
mod wait_ledger;
mod walk;
mod waste_interval;

pub use causes::AnswerTotals;
pub use check::check;
pub use counter_steps::{CounterSteps, StepVisitor, counters_over_time, end};
pub use counters::{CauseCounter, Counters, FinishedEpisode, GRADES, GradeCounter};
pub use data_quality::Contradiction;
pub use error::CheckError;
pub use online::{EventVisitor, OnlineCheck};
pub use options::{BadOption, Options, TIMED_GRADES, TableSet};
pub use scheduler::CpuTimes;
pub use source::BatchReader;
pub use wait_ledger::LedgerRow;
pub use walk::{Window, check_window, window_waits};
pub use wastenot_schemas::{BatchCollector, NullSink, Sink};
