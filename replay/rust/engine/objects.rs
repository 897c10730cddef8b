//! What threads share, at work.

use super::thread::ThreadIx;
use crate::span::Ns;
use crate::workload::{Object, Waiting};
use std::collections::VecDeque;

/// An object and who waits for it, in the order of arrival.
#[derive(Debug)]
pub(crate) struct Shared {
    pub kind: Kind,
    pub waiters: VecDeque<ThreadIx>,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Lock {
        owner: Option<ThreadIx>,
        wait: Waiting,
        fair: bool,
    },
    Barrier {
        parties: u32,
        arrived: u32,
        wait: Waiting,
    },
    /// Readers wait in `waiters`, writers here.
    Pipe {
        capacity: u32,
        items: u32,
        writers: VecDeque<ThreadIx>,
    },
    Semaphore {
        count: u64,
        wait: Waiting,
    },
    Device {
        parallel: u32,
        busy: u32,
        queue: VecDeque<(ThreadIx, Ns)>,
    },
    Counter {
        left: u64,
    },
}

impl Shared {
    pub fn new(object: &Object) -> Self {
        let kind = match *object {
            Object::Lock { wait, fair } => Kind::Lock { owner: None, wait, fair },
            Object::Barrier { parties, wait } => Kind::Barrier { parties, arrived: 0, wait },
            Object::Pipe { capacity } => Kind::Pipe { capacity, items: 0, writers: VecDeque::new() },
            Object::Semaphore { count, wait } => Kind::Semaphore { count: u64::from(count), wait },
            Object::Device { parallel } => Kind::Device { parallel, busy: 0, queue: VecDeque::new() },
            Object::Counter { tickets } => Kind::Counter { left: tickets },
        };
        Self { kind, waiters: VecDeque::new() }
    }

    /// A waiter that is let go has what it waited for; else it has to try again.
    pub fn grants(&self) -> bool {
        matches!(self.kind, Kind::Barrier { .. } | Kind::Lock { fair: true, .. })
    }

    /// How it is waited for.
    pub fn waiting(&self) -> Waiting {
        match self.kind {
            Kind::Lock { wait, .. } | Kind::Barrier { wait, .. } | Kind::Semaphore { wait, .. } => wait,
            Kind::Pipe { .. } | Kind::Device { .. } | Kind::Counter { .. } => Waiting::Sleep,
        }
    }

    /// Takes a thread off the list of waiters.
    pub fn forget(&mut self, t: ThreadIx) {
        self.waiters.retain(|&w| w != t);
    }
}
