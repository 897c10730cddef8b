//! Simulation of schedulers on any machine: a workload goes in, a trace as a recorder writes it comes out.
//!
//! API:
//! - [`Workload`] describes what threads do (data: programs of [`Step`]s, what they share, what happens meanwhile).
//! - [`Simulation`] runs it on a [`wastenot_machine::Machine`] under a [`Scheduler`], with a seed and [`Costs`].
//! - [`Sink`] takes the tables, at a chosen [`Evidence`]; [`Outcome`] has the progress of the threads.
//! - [`kernel::Kernel`] is the model of Linux's scheduler, of two releases, with the named [`faults`].
//! - [`schedulers`] has small ones to start from.
//!
//! The same machine, workload, scheduler, settings and seed give the same tables, byte for byte, everywhere: integers only,
//! one order of events, one random generator.

#![warn(missing_docs)]

pub mod bubbles;
pub mod compile;
pub mod costs;
pub mod dlrb;
pub mod engine;
pub mod faults;
pub mod kernel;
pub mod machines;
pub mod masks;
pub mod program;
pub mod provocations;
pub mod random;
pub mod record;
mod release;
pub mod scenario;
pub mod scheduler;
pub mod schedulers;
pub mod smt;
pub mod soft_realtime;
pub mod span;
mod topology;
pub mod workload;

pub use costs::Costs;
pub use engine::{
    Bubble, BubbleIx, DeadlineJob, Engine, JobCounts, Outcome, Settings, Simulation, SimulationError, State, Thread,
    ThreadIx,
};
pub use faults::{Fault, FaultSet};
pub use kernel::Kernel;
pub use program::{DeadlineParameters, LateTimer, PeriodicTimer, Policy, Step};
pub use record::Evidence;
pub use release::Release;
pub use scheduler::{Dequeue, Enqueue, Placement, Scheduler};
pub use span::{Ns, Span, Time};
pub use topology::{Component, CpuIx, Level, SimulatedTopology};
pub use wastenot_schemas::{BatchCollector, NullSink, Sink};
pub use workload::Workload;
