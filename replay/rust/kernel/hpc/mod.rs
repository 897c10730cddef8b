//! HPCSched: a scheduling class `hpc` between real time and the fair class, for parallel programs, which sets the priorities of
//! hardware threads. Source: Boneti, doctoral thesis, Universitat Politècnica de Catalunya, 2009, chapter 4.
//!
//! `class` is the class itself: a queue per CPU in round robin, and as many of its threads in each part of the machine.
//! `iterations` measures what a thread computed between two wakeups, `load_imbalance_detector` decides whether the
//! application is balanced, `heuristic` chooses the priority of a thread for its next iteration.

mod class;
mod heuristic;
mod iterations;
mod load_imbalance_detector;

pub use heuristic::{Heuristic, History, HpcSettings, Mapping};

use crate::engine::ThreadIx;
use iterations::Iterations;

/// The class: its settings, and the iterations of its threads.
#[derive(Clone, Debug, Default)]
pub(super) struct HpcClass {
    settings: HpcSettings,
    iterations: Vec<Iterations>,
    /// Threads that have come to the class and not ended.
    threads: Vec<ThreadIx>,
}

impl HpcClass {
    pub fn new(settings: HpcSettings) -> Self {
        Self { settings, ..Self::default() }
    }
}
