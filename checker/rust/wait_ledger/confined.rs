//! Which of the threads that are neither throttled nor matched are confined: those that wait longest.

use std::collections::VecDeque;

use crate::threads::Utid;

/// Settlings without a confined thread, beyond one per thread in the order, after which the order is dropped.
const SPARE: usize = 16;

/// Start of a thread's wait, its number, its utid.
pub type WaitKey = (i64, u32, Utid);

/// Those threads in the order of their waits (ties: lowest number), kept only while some are confined and a while longer. Threads come
/// at its end and leave near its start, as a rule.
#[derive(Clone, Default)]
pub struct ConfinedOrder {
    kept: bool,
    order: VecDeque<WaitKey>,
    /// So many of the first are confined.
    confined: usize,
    /// Settlings since one was.
    unused: usize,
}

impl ConfinedOrder {
    pub fn is_kept(&self) -> bool {
        self.kept
    }

    /// Number of confined threads.
    pub fn confined(&self) -> usize {
        self.confined
    }

    pub fn utid(&self, at: usize) -> Utid {
        self.order[at].2
    }

    pub fn iter(&self) -> impl Iterator<Item = &WaitKey> {
        self.order.iter()
    }

    /// Keep the order of these from now on.
    pub fn begin(&mut self, all: impl Iterator<Item = WaitKey>) {
        let mut all: Vec<_> = all.collect();
        all.sort_unstable();
        (self.kept, self.order, self.confined) = (true, all.into(), 0);
    }

    /// The order has not been of use for so long that making it anew costs less.
    pub fn is_unused(&mut self, most: usize) -> bool {
        self.unused = if most > 0 { 0 } else { self.unused + 1 };
        self.kept && self.unused > self.order.len() + SPARE
    }

    /// Keep no order from now on; the threads that were in it.
    pub fn end(&mut self) -> impl Iterator<Item = WaitKey> + '_ {
        (self.kept, self.confined) = (false, 0);
        self.order.drain(..)
    }

    /// The thread has this place instead of that. A place before a confined thread's is confined.
    pub fn replace(&mut self, was: Option<WaitKey>, is: Option<WaitKey>) {
        if let Some(was) = was {
            let at = self.order.partition_point(|key| *key < was);
            self.order.remove(at);
            self.confined -= usize::from(at < self.confined);
        }
        if let Some(is) = is {
            let at = self.order.partition_point(|key| *key < is);
            self.order.insert(at, is);
            self.confined += usize::from(at < self.confined);
        }
    }

    /// A thread in the order is confined.
    pub fn is_confined(&self, key: WaitKey) -> bool {
        self.confined > 0 && key <= self.order[self.confined - 1]
    }

    /// One more is confined: the first that was not.
    pub fn confine(&mut self) -> Option<Utid> {
        let (.., utid) = *self.order.get(self.confined)?;
        self.confined += 1;
        Some(utid)
    }

    /// One less is confined: the last that was.
    pub fn release(&mut self) -> Utid {
        self.confined -= 1;
        self.order[self.confined].2
    }
}
