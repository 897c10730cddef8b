//! The walk's state at a cut between two events, from which a later walk makes the rows that follow.
//!
//! A state holds what later rows depend on: what each CPU does, the threads that later events can refer to, who waits in which order,
//! and since when each row under way lasts. What follows from these is made anew (classes of waiters, the matchings). It does not hold
//! what only a verdict needs: sums of time, counts, the record of the interval of waste under way, notes for causes and self-checks,
//! and of threads their process, parent and cgroup. Of dead threads it holds how many there were, since numbers go on, and the stoppers,
//! whose name another thread with their tid may take: that of any other decides no row.
//!
//! `coder` is the encoding, `state` the fields, `spans` the rows that a walk which stops at a cut does not see the end of. What is
//! taken from and put into a scheduler is in `scheduler::restart` and `invariant::restart`.

mod coder;
mod spans;
mod state;

pub use coder::Damaged;
pub use spans::{IntervalRow, Spans};
pub use state::{CpuAtCut, OpenPair, ThreadAtCut, WalkState};
