//! Rows that span a checkpoint, for walks that stop there.

use arrow_array::RecordBatch;
use wastenot_schemas::{
    BATCH_ROWS, avoidable_wait, checkpoint_interval, cpu_slice, migration, runqueue, thread_state, wasted, wasted_cpu,
};

/// A row of a table that grows with the trace: an interval, or an instant.
pub trait IntervalRow {
    /// It is written some time after it has ended, not by the event that ends it.
    const LATE: bool = false;
    /// From when it holds, ns.
    fn start(&self) -> i64;
    /// Until when, ns.
    fn end(&self) -> i64;
    /// As a row of the table of intervals that span a checkpoint, which gives it its times.
    fn spanning(&self) -> checkpoint_interval::Row<'static>;
}

macro_rules! intervals {
    ($($table:ident $late:literal |$row:ident| { $($column:ident: $value:expr),* $(,)? })*) => {$(
        impl IntervalRow for $table::Row {
            const LATE: bool = $late;
            #[inline(always)]
            fn start(&self) -> i64 {
                self.start_ns
            }
            #[inline(always)]
            fn end(&self) -> i64 {
                self.start_ns + self.dur_ns
            }
            fn spanning(&self) -> checkpoint_interval::Row<'static> {
                let $row = self;
                checkpoint_interval::Row { table_name: $table::NAME, $($column: $value,)* ..Default::default() }
            }
        }
    )*};
}

intervals! {
    cpu_slice false |r| {
        cpu: Some(r.cpu), utid: r.utid, end_state: r.end_state, observed: Some(r.observed),
    }
    thread_state false |r| { utid: Some(r.utid), phase: Some(r.phase), cpu: r.cpu }
    runqueue false |r| { cpu: Some(r.cpu), queued: Some(r.queued), running: Some(r.running) }
    wasted false |r| {
        wasted: Some(r.wasted), certain: Some(r.certain), idle_while_waiting: Some(r.idle_while_waiting),
        idle_cpus: Some(r.idle_cpus), waiting: Some(r.waiting),
    }
    avoidable_wait true |r| { utid: Some(r.utid), waited_on: Some(r.waited_on) }
    wasted_cpu true |r| { cpu: Some(r.cpu) }
}

impl IntervalRow for migration::Row {
    fn start(&self) -> i64 {
        self.ts_ns
    }
    fn end(&self) -> i64 {
        self.ts_ns + 1
    }
    fn spanning(&self) -> checkpoint_interval::Row<'static> {
        unreachable!("an instant spans nothing")
    }
}

/// The checkpoints so far, and the rows that span one.
pub struct Spans {
    /// Time of the latest checkpoint.
    latest: i64,
    /// Time and event of all, in order.
    cuts: Vec<(i64, i64)>,
    rows: checkpoint_interval::Builder,
}

impl Default for Spans {
    fn default() -> Self {
        Self { latest: i64::MIN, cuts: Vec::new(), rows: checkpoint_interval::Builder::default() }
    }
}

impl Spans {
    /// A checkpoint before the event `event`, when time had reached `now`.
    pub fn cut(&mut self, now: i64, event: i64) {
        self.latest = now;
        self.cuts.push((now, event));
    }

    /// Note a row that is written, if it spans a checkpoint: one that is written by the event that ends it started before the latest;
    /// of one that is written later, the times decide. Returns a full batch.
    #[inline(always)]
    pub fn note<R: IntervalRow>(&mut self, row: &R) -> Option<RecordBatch> {
        if self.may_be_spanned(row.start()) { self.note_early(row) } else { None }
    }

    /// A row that starts then may span a checkpoint.
    #[inline(always)]
    pub fn may_be_spanned(&self, start: i64) -> bool {
        start < self.latest
    }

    #[cold]
    fn note_early<R: IntervalRow>(&mut self, row: &R) -> Option<RecordBatch> {
        let before_end = match R::LATE {
            true => self.cuts.partition_point(|(t, _)| *t <= row.end()),
            false => self.cuts.len(),
        };
        let &(t, event) = self.cuts[..before_end].last()?;
        if t <= row.start() {
            return None;
        }
        let (start_ns, dur_ns) = (row.start(), row.end() - row.start());
        self.rows.push(&checkpoint_interval::Row { checkpoint_id: event, start_ns, dur_ns, ..row.spanning() });
        (self.rows.len() == BATCH_ROWS).then(|| self.rows.finish())
    }

    /// The rows that are left.
    pub fn finish(&mut self) -> Option<RecordBatch> {
        (!self.rows.is_empty()).then(|| self.rows.finish())
    }
}
