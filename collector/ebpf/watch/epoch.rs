//! Epochs: the instants at which a saved box may begin.
//!
//! A reader needs a row of every thread before the thread's other records, and the rings hold the last seconds only. So the threads
//! are read again from time to time (`bpf/constraints.h`), and a box begins where one of these readings does.

use crate::ring::Rings;

/// One reading of all threads.
pub(crate) struct Epoch {
    /// Records from here on are of this epoch or may be.
    pub start_ns: u64,
    /// Position in each ring at `start_ns`: a record starts there.
    pub starts: Vec<u64>,
    /// Position in each ring at which every thread had been introduced.
    pub settled: Vec<u64>,
    /// Records of user space: threads by the iterator, offline CPUs, cgroups.
    pub rows: Vec<u8>,
}

impl Epoch {
    /// Whether the rings hold all records since its start, and `spare` bytes may be written to each before they do not.
    pub fn is_held(&self, rings: &Rings, spare: u64) -> bool {
        (0..rings.cpus()).all(|cpu| self.written(rings, cpu) + spare <= rings.size())
    }

    /// Most bytes that any CPU has written since its start.
    pub fn most_written(&self, rings: &Rings) -> u64 {
        (0..rings.cpus()).map(|cpu| self.written(rings, cpu)).max().unwrap_or(0)
    }

    fn written(&self, rings: &Rings, cpu: usize) -> u64 {
        rings.head(cpu) - self.starts[cpu]
    }
}
