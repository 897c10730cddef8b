//! The lowest level that is stored, as it changes over the trace.
//!
//! A bin is worth its row when it represents some slices: the base is where a bin holds PER_BIN slices of a CPU on average.
//! How dense slices are is not known beforehand and changes; so the base is chosen anew from time to time, for what
//! comes later. What is below it is read from the slices themselves, of which there are few per bin.

use super::{SHIFT, TILE, TOP};

/// Slices that a bin of the base represents.
const PER_BIN: i64 = 8;
/// Slices after which the base is chosen anew, at the latest.
const SLICES: i64 = 1 << 16;
/// Time after which it may be chosen for the first time, ns.
const FIRST: i64 = 1 << 28;

/// Lowest level at the start: 4 ms.
const START: usize = 12;

/// From when on (ns from the origin) which level is the lowest one.
pub struct BaseLevel {
    changes: Vec<(i64, usize)>,
    cpus: i64,
    /// Since the latest choice: slices, and when it was.
    slices: i64,
    since: i64,
    /// Time after which it may be chosen for the first time, ns.
    first: i64,
}

impl Default for BaseLevel {
    fn default() -> Self {
        Self::starting(START, FIRST)
    }
}

impl BaseLevel {
    pub fn starting(level: usize, first: i64) -> Self {
        Self { changes: vec![(0, level)], cpus: 0, slices: 0, since: 0, first }
    }

    pub fn changes(&self) -> &[(i64, usize)] {
        &self.changes
    }

    /// Level of the change at a place.
    pub fn level(&self, at: usize) -> usize {
        self.changes[at].1
    }

    /// When the change at a place no longer holds.
    pub fn end(&self, at: usize) -> i64 {
        self.changes.get(at + 1).map_or(i64::MAX, |c| c.0)
    }

    /// The place of the change that holds at `t`, from `at` on.
    pub fn place(&self, mut at: usize, t: i64) -> usize {
        while self.end(at) <= t {
            at += 1;
        }
        at
    }

    /// A slice ended at `now`, which is the time reached; `first` of its CPU.
    #[inline]
    pub fn note(&mut self, now: i64, first: bool) {
        self.cpus += i64::from(first);
        self.slices += 1;
        if self.slices >= SLICES || now - self.since >= self.since.max(self.first) {
            self.choose(now);
        }
    }

    fn choose(&mut self, now: i64) {
        let mean = self.cpus.saturating_mul(now - self.since) / self.slices.max(1);
        (self.slices, self.since) = (0, now);
        // A tile is no longer than the time reached: the next change can begin before that has doubled.
        let wanted = log2(mean.saturating_mul(PER_BIN)).min(log2(now / TILE));
        let level = (wanted - i64::from(SHIFT)).clamp(0, TOP as i64) as usize;
        let (begun, present) = self.changes[self.changes.len() - 1];
        if level == present || begun > now {
            return; // the latest change has not begun yet
        }
        let shift = SHIFT as usize + level.max(present);
        let tile = TILE << shift;
        self.changes.push(((now / tile + 1).saturating_mul(tile), level));
    }
}

/// Rounded down; 0 for what is not above 1.
fn log2(x: i64) -> i64 {
    i64::from(x.max(1).ilog2())
}
