//! The child in which libbabeltrace2 runs, with the note on what it reads.

use crate::decode::{Plan, decode};
use crate::graph::Library;
use crate::monitor::Monitor;
use std::io;
use std::mem::ManuallyDrop;
use std::time::Duration;
pub use wastenot_import::PipeRead;
use wastenot_import::ReadingChild;

/// What the child may allocate beyond what its parent has, ...
const MEMORY: u64 = 1 << 29;
/// ... and for each file of the trace, ...
const MEMORY_OF_FILE: u64 = 1 << 18;
/// ... but no more than this (bytes).
const MOST_MEMORY: u64 = 1 << 30;

/// A decoding child; it ends with its owner.
pub struct Child {
    child: ManuallyDrop<ReadingChild>,
    monitor: Monitor,
}

impl Child {
    /// Decode `plan` in a child.
    pub fn spawn(library: &'static Library, plan: &Plan) -> io::Result<Self> {
        let monitor = Monitor::new()?;
        let memory = (MEMORY + plan.files() * MEMORY_OF_FILE).min(MOST_MEMORY);
        let child = ReadingChild::spawn(memory, |out| decode(library, plan, monitor, out));
        let child = child.inspect_err(|_| {
            // SAFETY: there is no child that uses it.
            unsafe { monitor.unmap() }
        })?;
        Ok(Self { child: ManuallyDrop::new(child), monitor })
    }

    /// The next bytes, waiting for them no longer than `patience`.
    pub fn read(&mut self, into: &mut [u8], patience: Duration) -> io::Result<PipeRead> {
        self.child.read(into, patience)
    }

    /// End it. Returns the port that it read last, and how many of its reads had come back.
    pub fn end(self) -> Option<(usize, u64)> {
        self.monitor.last()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // SAFETY: dropped once, here: the child, the other user of the memory, has ended before it is given back.
        unsafe {
            ManuallyDrop::drop(&mut self.child);
            self.monitor.unmap();
        }
    }
}
