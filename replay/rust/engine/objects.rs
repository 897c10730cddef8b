//! State of the objects that threads share.

use super::thread::ThreadIx;
use crate::span::Ns;
use crate::workload::{Object, WaitMode};
use std::collections::VecDeque;

/// An object and its waiters, in the order of arrival.
#[derive(Debug)]
pub(crate) struct SharedObject {
    pub kind: ObjectState,
    pub waiters: VecDeque<ThreadIx>,
}

#[derive(Debug)]
pub(crate) enum ObjectState {
    Lock {
        owner: Option<ThreadIx>,
        wait: WaitMode,
        fair: bool,
    },
    Barrier {
        parties: u32,
        arrived: u32,
        wait: WaitMode,
    },
    /// Readers wait in `waiters`, writers here.
    Pipe {
        capacity: u32,
        items: u32,
        writers: VecDeque<ThreadIx>,
    },
    Semaphore {
        count: u64,
        wait: WaitMode,
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

impl SharedObject {
    pub fn new(object: &Object) -> Self {
        let kind = match *object {
            Object::Lock { wait, fair } => ObjectState::Lock { owner: None, wait, fair },
            Object::Barrier { parties, wait } => ObjectState::Barrier { parties, arrived: 0, wait },
            Object::Pipe { capacity } => ObjectState::Pipe { capacity, items: 0, writers: VecDeque::new() },
            Object::Semaphore { count, wait } => ObjectState::Semaphore { count: u64::from(count), wait },
            Object::Device { parallel } => ObjectState::Device { parallel, busy: 0, queue: VecDeque::new() },
            Object::Counter { tickets } => ObjectState::Counter { left: tickets },
        };
        Self { kind, waiters: VecDeque::new() }
    }

    /// True when a released waiter has the object; else it has to try again.
    pub fn grants(&self) -> bool {
        matches!(self.kind, ObjectState::Barrier { .. } | ObjectState::Lock { fair: true, .. })
    }

    /// How it is waited for.
    pub fn waiting(&self) -> WaitMode {
        match self.kind {
            ObjectState::Lock { wait, .. }
            | ObjectState::Barrier { wait, .. }
            | ObjectState::Semaphore { wait, .. } => wait,
            ObjectState::Pipe { .. } | ObjectState::Device { .. } | ObjectState::Counter { .. } => WaitMode::Sleep,
        }
    }

    /// Takes a thread off the list of waiters.
    pub fn forget(&mut self, t: ThreadIx) {
        self.waiters.retain(|&w| w != t);
    }
}
