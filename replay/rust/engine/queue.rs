//! Future events, in the order of time and, at one instant, of insertion.

use crate::span::Ns;
use crate::topology::CpuIx;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Something that happens at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The running thread's burst is over, unless the CPU's generation has moved on.
    Burst { cpu: CpuIx, generation: u32 },
    /// A CPU reschedules, unless it has done so since.
    Resched { cpu: CpuIx },
    /// The scheduler tick.
    Tick { cpu: CpuIx },
    /// A thread's timer or device request is over.
    Wake { thread: u32, life: u32 },
    /// A timer of the scheduler.
    Timer { cpu: CpuIx, token: u64 },
    /// A happening of the workload.
    Happening { ix: u32 },
    /// Interrupt work ends.
    IrqEnd { cpu: CpuIx },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    at: Ns,
    seq: u64,
    event: Event,
}

impl Ord for Entry {
    /// The earliest is the greatest: the heap gives that first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.seq).cmp(&(self.at, self.seq))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The queue of events.
#[derive(Default)]
pub(crate) struct EventQueue {
    heap: BinaryHeap<Entry>,
    seq: u64,
}

impl EventQueue {
    #[inline]
    pub fn push(&mut self, at: Ns, event: Event) {
        self.seq += 1;
        self.heap.push(Entry { at, seq: self.seq, event });
    }

    /// The next event, if it comes no later than `until`.
    #[inline]
    pub fn pop(&mut self, until: Ns) -> Option<(Ns, Event)> {
        if self.heap.peek()?.at > until {
            return None;
        }
        self.heap.pop().map(|e| (e.at, e.event))
    }
}
