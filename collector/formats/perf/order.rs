//! Records of all rings in one order of time.
//!
//! `perf record` goes round the rings of the CPUs again and again and writes what each holds, and PERF_RECORD_FINISHED_ROUND
//! after each round. Within a ring records are in order, give or take an interrupt. What was in a ring at the end of
//! round n had been written before the end of round n, and what comes in round n + 1 or later from another ring may be as old as the
//! end of round n - 1. perf itself puts out at the end of round n + 1 what is not later than the latest record of round n
//! (tools/perf/util/ordered-events.c); here it waits one round more, so that the losses reported in a round, which begin with the record
//! before, still find their place.

use crate::blocks::{Blocks, RecordPlace};

/// A record that waits for its turn.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its time (ns), never 0.
    pub time: u64,
    pub place: RecordPlace,
    /// Number of its [`Attr`](crate::attr::Attr) for samples.
    pub attr: u16,
}

/// Rounds are joined until they have this many records: sorting pays then, and memory stays small.
const ROUND: usize = 8192;
/// Blocks that may wait at most; beyond, the older half goes out, rounds or not.
const MAX_WAITING: usize = 2048;
/// A jump forward by more than this is believed only when another record bears it out.
const OUTLIER_NS: u64 = 60_000_000_000;
/// Not more records than these are held back for that.
const MAX_HELD: usize = 64;

/// The waiting records.
#[derive(Default)]
pub struct Order {
    waiting: Vec<Entry>,
    fresh: usize,
    /// Latest record so far; at the end of the last round; of the one before.
    latest: u64,
    ends: [u64; 2],
    /// Records far ahead of all others, with their ring and its time.
    pending: Vec<(Entry, usize, u64)>,
    /// Rings are written from the end: their records are in reverse order.
    pub backward: bool,
    pub outliers: u64,
}

impl Order {
    /// A record of `ring` that was written at `written` (its place in the order may lie before).
    #[inline]
    pub fn push(&mut self, entry: Entry, ring: usize, written: u64, blocks: &mut Blocks) {
        blocks.hold(entry.place.block());
        self.fresh += 1;
        if !self.pending.is_empty() {
            self.check_pending(ring, written, blocks);
        }
        let doubtful =
            if self.latest == 0 { self.pending.is_empty() } else { written > self.latest.saturating_add(OUTLIER_NS) };
        if doubtful && !self.backward && self.pending.len() < MAX_HELD {
            self.pending.push((entry, ring, written));
            return;
        }
        self.latest = self.latest.max(written);
        self.waiting.push(entry);
    }

    /// Pending records that a record at `written` confirms join the others; one that it contradicts is dropped.
    #[cold]
    fn check_pending(&mut self, ring: usize, written: u64, blocks: &mut Blocks) {
        let believable = self.latest == 0 || written <= self.latest.saturating_add(OUTLIER_NS);
        let (waiting, latest, outliers) = (&mut self.waiting, &mut self.latest, &mut self.outliers);
        self.pending.retain(|&(entry, of, at)| {
            let near = written.abs_diff(at) <= OUTLIER_NS;
            if near || believable && written > at {
                waiting.push(entry);
                *latest = at.max(*latest);
                false
            } else if of == ring && written < at {
                blocks.release(entry.place.block());
                *outliers += 1;
                false
            } else {
                true
            }
        });
    }

    /// A round has ended. Records before this instant can go out now, where there are any.
    pub fn round(&mut self) -> Option<u64> {
        if self.fresh < ROUND {
            return None;
        }
        self.fresh = 0;
        let limit = self.ends[1];
        self.ends = [self.latest, self.ends[0]];
        (limit > 0).then_some(limit)
    }

    /// Records before this instant are all there. It is passed on when enough wait to make sorting pay.
    pub fn settled(&mut self, limit: u64) -> Option<u64> {
        if self.fresh < ROUND || limit == 0 {
            return None;
        }
        self.fresh = 0;
        Some(limit)
    }

    /// Too much waits: the time of the record in the middle.
    pub fn overflow(&mut self, blocks: &Blocks) -> Option<u64> {
        if blocks.in_use() < MAX_WAITING || self.waiting.is_empty() {
            return None;
        }
        self.waiting.sort_by_key(|entry| entry.time);
        Some(self.waiting[self.waiting.len() / 2].time.saturating_add(1))
    }

    /// Nothing more comes: pending records are accepted.
    pub fn end(&mut self) {
        let pending = self.pending.drain(..).map(|(entry, _, at)| {
            self.latest = self.latest.max(at);
            entry
        });
        self.waiting.extend(pending);
    }

    /// The records before `limit`, in order; the others wait on.
    pub fn take(&mut self, limit: u64, taken: &mut Vec<Entry>) {
        self.waiting.sort_by_key(|entry| entry.time);
        let count = self.waiting.partition_point(|entry| entry.time < limit);
        taken.clear();
        taken.extend(self.waiting.drain(..count));
    }

    /// Time of the latest record.
    pub fn latest(&self) -> u64 {
        self.latest
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.pending.is_empty()
    }
}
