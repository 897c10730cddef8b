//! Soft real time on a core of two hardware threads: sets of jobs with deadlines under schedulers that also decide how much of the
//! core each of the two gets. Source: Boneti, doctoral thesis, Universitat Politècnica de Catalunya, 2009, chapter 6.
//!
//! `task_set` makes sets, `core_model` says how fast two jobs are beside each other, `allocation` how much of the core the
//! most critical one gets, `dual_objective` the hardware that tries to give it more, `schedule` runs a set to its end.
//!
//! This is a model of its own, apart from [`crate::Engine`]: no threads, no trace, and floating point.

pub mod allocation;
pub mod core_model;
pub mod dual_objective;
pub mod experiment;
pub mod schedule;
pub mod task_set;

/// Milliseconds.
pub type Ms = f64;
