//! Few events far away in time from all others are set aside: old ones left in a tracer's buffer, or stamps that are damaged.
//!
//! Rows pass in the order of the trace. The first ones wait until it is seen what follows; those after a long gap wait until
//! they are too many to be strays, or the trace ends. What waits is bounded.

use crate::tables::Tables;
use crate::{Error, Interner, Row, Sink};

/// A gap without any event has to be longer than this ...
const GAP_NS: i64 = 600_000_000_000;
/// ... and than so many times the time that the rest takes.
const GAP_TO_REST: i64 = 10;
/// For each row set aside there are at least so many others.
const REST_TO_STRAYS: usize = 100;
/// Rows that may be set aside at one end of the trace, at most.
const MOST: usize = 4096;
/// Rows that wait at the start of the trace, until it is decided what of them stands apart; where that is not clear yet,
/// twice, four and eight times as many: a hundred times what may be set aside.
const FIRST: usize = 1 << 16;
const LAST: usize = FIRST << 3;
const _: () = assert!(LAST > MOST * (REST_TO_STRAYS + 1), "whatever may be set aside has its proof among what waits");

/// Events that were set aside at one end of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strays {
    /// How many.
    pub events: usize,
    /// Stamp of the first and of the last (ns).
    pub span_ns: (i64, i64),
    /// The gap between them and the rest (ns).
    pub gap_ns: i64,
    /// They are stamped before the rest; else after it.
    pub before: bool,
}

/// What happens to the rows that come.
enum Stage {
    /// They wait, as the first ones.
    Start,
    /// They pass.
    Pass,
    /// They wait: there is a gap before them.
    AfterGap,
}

/// Passes rows on to the tables, except for strays.
pub struct StrayFilter {
    sets_aside: bool,
    stage: Stage,
    /// Rows that wait, with their sources.
    waiting: Vec<(usize, Row)>,
    /// Rows passed on, and the time of the first and the last of them.
    passed: usize,
    span_ns: Option<(i64, i64)>,
    found: Vec<Strays>,
}

/// Where rows go.
pub struct Onward<'a> {
    pub tables: &'a mut Tables,
    pub ids: &'a mut Interner,
    pub sink: &'a mut dyn Sink,
}

impl StrayFilter {
    /// `sets_aside` false: every row passes.
    pub fn new(sets_aside: bool) -> Self {
        let stage = if sets_aside { Stage::Start } else { Stage::Pass };
        Self { sets_aside, stage, waiting: Vec::new(), passed: 0, span_ns: None, found: Vec::new() }
    }

    /// Time of the first and of the last row that was passed on.
    pub fn span_ns(&self) -> Option<(i64, i64)> {
        self.span_ns
    }

    /// What was set aside.
    pub fn into_strays(self) -> Vec<Strays> {
        self.found
    }

    /// The next row in the order of the trace.
    #[inline]
    pub fn push(&mut self, source: usize, row: &Row, to: &mut Onward<'_>) -> Result<(), Error> {
        if let (Stage::Pass, Some((first, last))) = (&self.stage, self.span_ns)
            && !is_gap(last, row.ts_ns)
        {
            self.span_ns = Some((first, row.ts_ns));
            self.passed += 1;
            return to.tables.push(source, row, to.ids, to.sink);
        }
        self.wait(source, row, to)
    }

    #[cold]
    fn wait(&mut self, source: usize, row: &Row, to: &mut Onward<'_>) -> Result<(), Error> {
        match self.stage {
            Stage::Pass => {
                let stands_apart = self.span_ns.is_some_and(|span| stands_apart(span.1, row.ts_ns, span));
                if !self.sets_aside || !stands_apart || self.passed < REST_TO_STRAYS {
                    return self.pass(source, row, to);
                }
                self.stage = Stage::AfterGap;
                self.waiting.push((source, row.clone()));
            }
            Stage::AfterGap => {
                self.waiting.push((source, row.clone()));
                if self.waiting.len() > MOST || self.waiting.len() * REST_TO_STRAYS > self.passed {
                    self.stage = Stage::Pass;
                    let waiting = std::mem::take(&mut self.waiting);
                    return waiting.iter().try_for_each(|(source, row)| self.pass(*source, row, to));
                }
            }
            Stage::Start => {
                self.waiting.push((source, row.clone()));
                let n = self.waiting.len();
                if n >= FIRST && n.is_power_of_two() {
                    match self.strays_at_start() {
                        None if n < LAST => {}
                        strays => return self.release(strays.unwrap_or(0), to),
                    }
                }
            }
        }
        Ok(())
    }

    /// How many of the rows that wait stand before the longest run of rows without a gap, and apart from it; None where it
    /// has to be seen how long that run becomes.
    fn strays_at_start(&self) -> Option<usize> {
        let ts_ns = |place: usize| self.waiting[place].1.ts_ns;
        let gaps = (1..self.waiting.len()).filter(|&place| is_gap(ts_ns(place - 1), ts_ns(place)));
        let (mut start, mut longest) = (0, 0..0);
        for end in gaps.chain([self.waiting.len()]) {
            if end - start > longest.len() {
                longest = start..end;
            }
            start = end;
        }
        let strays = longest.start;
        let apart = (1..=MOST).contains(&strays)
            && stands_apart(ts_ns(strays - 1), ts_ns(strays), (ts_ns(strays), ts_ns(longest.end - 1)));
        match longest.len() / REST_TO_STRAYS {
            _ if !apart => Some(0),
            enough if enough >= strays => Some(strays),
            _ => None,
        }
    }

    fn pass(&mut self, source: usize, row: &Row, to: &mut Onward<'_>) -> Result<(), Error> {
        self.span_ns = Some((self.span_ns.map_or(row.ts_ns, |(first, _)| first), row.ts_ns));
        self.passed += 1;
        to.tables.push(source, row, to.ids, to.sink)
    }

    /// The first so many rows that wait are set aside, the others pass.
    fn release(&mut self, strays: usize, to: &mut Onward<'_>) -> Result<(), Error> {
        self.stage = Stage::Pass;
        let waiting = std::mem::take(&mut self.waiting);
        let (aside, rest) = waiting.split_at(strays);
        if let (Some((_, last)), Some((_, next))) = (aside.last(), rest.first()) {
            self.set_aside(aside, next.ts_ns.saturating_sub(last.ts_ns), true);
            // What strays say of threads for good is needed by the rows that follow.
            for (source, row) in aside.iter().filter(|(_, row)| row.holds_at_any_time()) {
                self.pass(*source, &Row { ts_ns: next.ts_ns, ..row.clone() }, to)?;
            }
        }
        rest.iter().try_for_each(|(source, row)| self.push(*source, row, to))
    }

    /// The trace has ended.
    pub fn finish(&mut self, to: &mut Onward<'_>) -> Result<(), Error> {
        if matches!(self.stage, Stage::Start) {
            let strays = self.strays_at_start().unwrap_or(0);
            self.release(strays, to)?;
        }
        if let (Stage::AfterGap, Some((_, last))) = (&self.stage, self.span_ns) {
            let aside = std::mem::take(&mut self.waiting);
            self.set_aside(&aside, aside[0].1.ts_ns.saturating_sub(last), false);
        }
        Ok(())
    }

    fn set_aside(&mut self, rows: &[(usize, Row)], gap_ns: i64, before: bool) {
        let events = rows.iter().filter(|(_, row)| !row.holds_at_any_time()).count();
        if let (Some((_, first)), Some((_, last))) = (rows.first(), rows.last()) {
            self.found.push(Strays { events, span_ns: (first.ts_ns, last.ts_ns), gap_ns, before });
        }
    }
}

/// Nothing happens for so long that what lies on the other side may be strays.
#[inline]
fn is_gap(before: i64, after: i64) -> bool {
    after.saturating_sub(before) > GAP_NS
}

/// The gap is long beside the time that the rest takes.
fn stands_apart(before: i64, after: i64, (first, last): (i64, i64)) -> bool {
    let rest = last.saturating_sub(first).saturating_mul(GAP_TO_REST);
    is_gap(before, after) && after.saturating_sub(before) > rest
}
