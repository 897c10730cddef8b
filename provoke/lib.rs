//! Small real workloads that hit the corner cases of a scheduler, each with the verdict to expect.
//!
//! A workload runs in a child process, the *leader*, which may fork and wait; its children die with it. The seed determines
//! the work, its order and its amounts; the kernel determines when it happens.

mod leader;
mod settings;
mod work;
mod workloads;

pub use leader::{RunResult, run};
pub use settings::{Error, Settings};
pub use workloads::{WORKLOADS, Workload, find};
