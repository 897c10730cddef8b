//! One source's rows, checked, put in order and held until nothing can come before them.

use crate::tournament::Key;
use crate::{Error, Event, Interner, IrqSpan, Progress, Row, RunSpan, Source};

/// A source may hold back at most this many rows; beyond, the oldest go out and a span that comes too late is clamped.
const MAX_HELD: usize = 1 << 20;

/// A jump forward by more than this that rows soon after take back is a few wrong stamps, not a step of the clock.
const OUTLIER_NS: i64 = 60_000_000_000;

/// Rows after a jump, spans aside, that are looked at: one event can be three rows (its thread's name and declared mask).
const SUCCESSORS: usize = 16;

/// How often a source is read for the successors of such a row: one that shares its file with others may be silent for long.
const SUCCESSOR_LOOKS: usize = 64;

/// What was wrong with one source's times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oddities {
    /// Times the clock went backwards; such rows got the time of the latest row before them.
    pub clock_steps: u64,
    /// Rows left out because their stamps, and those of a few rows beside them, lay more than 60 s ahead of the rest.
    pub outliers: u64,
    /// Spans, and rows of a steady clock, that came after the reorder window had closed; they begin at its edge instead.
    pub late: u64,
}

/// A source with its rows in order. `rows[next..ready]` can be emitted.
pub struct Input {
    source: Box<dyn Source>,
    rows: Vec<Row>,
    next: usize,
    ready: usize,
    /// Time of the last row that is not a span: the source's clock.
    clock_ns: i64,
    /// Stamp, as it was read, of the last row that came before the clock.
    stepped_ns: i64,
    /// Nothing may be placed before this instant any more.
    settled_ns: i64,
    ended: bool,
    pub oddities: Oddities,
}

impl Input {
    pub fn new(source: Box<dyn Source>) -> Self {
        let never = i64::MIN;
        let oddities = Oddities::default();
        Self {
            source,
            rows: Vec::new(),
            next: 0,
            ready: 0,
            clock_ns: never,
            stepped_ns: never,
            settled_ns: never,
            ended: false,
            oddities,
        }
    }

    pub fn name(&self) -> String {
        self.source.name()
    }

    /// The rows that can be emitted now.
    #[inline]
    pub fn ready(&self) -> &[Row] {
        &self.rows[self.next..self.ready]
    }

    /// Where the source stands in the race: at its next row, or at the instant before which it has nothing more.
    #[inline]
    pub fn key(&self, index: usize) -> Key {
        match self.rows[self.next..self.ready].first() {
            Some(row) => Key::new(row.ts_ns, true, index),
            None if self.ended => Key::END,
            None => Key::new(self.settled_ns, false, index),
        }
    }

    /// The first `count` ready rows were emitted.
    #[inline]
    pub fn consume(&mut self, count: usize) {
        self.next += count;
    }

    /// Read the next portion; what it settles becomes ready.
    pub fn refill(&mut self, ids: &mut Interner) -> Result<(), Error> {
        if self.next > self.rows.len() / 2 {
            self.rows.drain(..self.next);
            self.ready -= self.next;
            self.next = 0;
        }
        let fresh = self.rows.len();
        let mut progress = self.source.read(ids, &mut self.rows)?;
        let mut looks = 0;
        while progress != Progress::End && looks < SUCCESSOR_LOOKS && self.ends_in_jump(fresh) {
            progress = self.source.read(ids, &mut self.rows)?; // only its successors tell an outlier from a long silence
            looks += 1;
        }
        self.put_in_order(fresh);
        match progress {
            Progress::End => {
                self.ended = true;
                self.ready = self.rows.len();
            }
            Progress::Settled(instant) => {
                self.settled_ns = self.settled_ns.max(instant);
                // Rows at the settled instant itself may still get company.
                let from = self.next;
                self.ready = from + self.rows[from..].partition_point(|row| row.ts_ns < self.settled_ns);
                if self.rows.len() - self.next > MAX_HELD {
                    self.ready = self.rows.len() - MAX_HELD / 2;
                    self.settled_ns = self.rows[self.ready - 1].ts_ns;
                }
            }
        }
        Ok(())
    }

    /// Check and place the rows from `fresh` on; those before are in order.
    fn put_in_order(&mut self, fresh: usize) {
        let steady = self.source.is_steady();
        let mut at = fresh;
        while at < self.rows.len() {
            if self.rows[at].event.is_span() || steady && self.rows[at].ts_ns < self.clock_ns.max(self.settled_ns) {
                self.place(at);
            } else if !steady && self.is_outlier(at) {
                if !self.rows[at].holds_at_any_time() {
                    self.rows.remove(at);
                    self.oddities.outliers += 1;
                    continue;
                }
                self.rows[at].ts_ns = self.stamp_before(at);
            } else {
                let row = &mut self.rows[at];
                if row.ts_ns < self.clock_ns {
                    // The rows of one event share its stamp.
                    self.oddities.clock_steps += u64::from(row.ts_ns != self.stepped_ns);
                    self.stepped_ns = row.ts_ns;
                    row.ts_ns = self.clock_ns;
                }
                self.clock_ns = row.ts_ns;
            }
            at += 1;
        }
    }

    /// Move the row at `at` before the rows that begin after it.
    fn place(&mut self, at: usize) {
        let row = &mut self.rows[at];
        if row.ts_ns < self.settled_ns {
            self.oddities.late += 1;
            let cut = self.settled_ns - row.ts_ns;
            row.ts_ns = self.settled_ns;
            match &mut row.event {
                Event::IrqSpan(IrqSpan { dur_ns, .. }) | Event::RunSpan(RunSpan { dur_ns, .. }) => {
                    *dur_ns = (*dur_ns - cut).max(0)
                }
                Event::BalanceAttempt(attempt) => attempt.dur_ns = (attempt.dur_ns - cut).max(0),
                Event::LostEvents(lost) => lost.end_ns = lost.end_ns.max(self.settled_ns),
                _ => {}
            }
        }
        let ts_ns = row.ts_ns;
        let from = self.ready.max(self.next).min(at);
        let place = from + self.rows[from..at].partition_point(|earlier| earlier.ts_ns <= ts_ns);
        self.rows[place..=at].rotate_right(1);
    }

    /// Whether the clock jumps is not settled by the rows there are: the jump is among the last ones.
    fn ends_in_jump(&self, fresh: usize) -> bool {
        if self.source.is_steady() {
            return false;
        }
        let stamps = self.rows[fresh..].iter().rev().filter(|row| !row.event.is_span()).map(|row| row.ts_ns);
        let mut last: Vec<i64> = stamps.take(SUCCESSORS + 1).collect();
        if last.len() <= SUCCESSORS && self.clock_ns != i64::MIN {
            last.push(self.clock_ns);
        }
        let is_first = self.clock_ns == i64::MIN && last.len() <= SUCCESSORS;
        is_first && last.len() == 1 || last.windows(2).any(|pair| pair[0].abs_diff(pair[1]) > OUTLIER_NS as u64)
    }

    /// The row jumps far ahead, and rows soon after it take back most of the jump. Of the first row there is no jump: it lies
    /// far ahead of most that follow.
    fn is_outlier(&self, at: usize) -> bool {
        let ts_ns = self.rows[at].ts_ns;
        let successors =
            || self.rows[at + 1..].iter().filter(|row| !row.event.is_span()).take(SUCCESSORS).map(|row| row.ts_ns);
        if self.clock_ns == i64::MIN {
            let earlier = successors().filter(|next| ts_ns.saturating_sub(*next) > OUTLIER_NS).count();
            return earlier > 0 && 2 * earlier > successors().count();
        }
        let jump = ts_ns.saturating_sub(self.clock_ns);
        jump > OUTLIER_NS && successors().any(|next| (0..jump / 2).contains(&next.saturating_sub(self.clock_ns)))
    }

    /// The stamp for a row that says something for good but was stamped far ahead: that of the rows beside it.
    fn stamp_before(&self, at: usize) -> i64 {
        if self.clock_ns != i64::MIN {
            return self.clock_ns;
        }
        self.rows[at + 1..]
            .iter()
            .filter(|row| !row.event.is_span())
            .map(|row| row.ts_ns)
            .min()
            .unwrap_or(self.rows[at].ts_ns)
    }
}
