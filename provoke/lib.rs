//! Small real workloads that hit the corner cases of a scheduler, each with the verdict to expect.
//!
//! A workload runs in a child process of its own, the *leader*, which may fork and wait as it likes and takes what it started
//! with it when it dies. What is done, in which order and for how long follows from the seed; when it happens is up to
//! the kernel, which is the point.

mod leader;
mod settings;
mod work;
mod workloads;

pub use leader::{Done, run};
pub use settings::{Error, Settings};
pub use workloads::{WORKLOADS, Workload, find};
