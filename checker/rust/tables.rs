//! Where results go: batches of the derived tables, handed on as they fill.

use arrow_array::RecordBatch;
use wastenot_schemas::{
    BATCH_ROWS, avoidable_wait, checkpoint_interval, cpu_slice, migration, runqueue, thread_state, wasted, wasted_cpu,
};

use crate::checkpoint::{IntervalRow, Spans};
use crate::options::TableSet;
use crate::tiles::Tiles;

/// The tables that grow with the trace, under construction. Full ones wait in `ready` until the walk hands them on.
#[derive(Default)]
pub struct DerivedTables {
    /// The set of tables that is asked for; no row of another table is made.
    pub made: TableSet,
    /// Of a walk that makes the rows of a window, ns: only rows that touch it are made, and no levels of detail.
    pub window: Option<(i64, i64)>,
    /// Rows that span a checkpoint, whether they are made or not.
    pub spans: Spans,
    cpu_slice: cpu_slice::Builder,
    thread_state: thread_state::Builder,
    runqueue: runqueue::Builder,
    wasted: wasted::Builder,
    migration: migration::Builder,
    avoidable_wait: avoidable_wait::Builder,
    wasted_cpu: wasted_cpu::Builder,
    /// Levels of detail of the rows above.
    pub tiles: Tiles,
    pub ready: Vec<(&'static str, RecordBatch)>,
}

impl DerivedTables {
    /// A row that starts then is of use: it is made, or spans a checkpoint.
    #[inline(always)]
    pub fn wants(&self, start: i64) -> bool {
        self.made != TableSet::Verdict || self.spans.may_be_spanned(start)
    }
}

/// The smallest set that has a table.
const fn least(in_overview: bool) -> TableSet {
    if in_overview { TableSet::Overview } else { TableSet::All }
}

macro_rules! growing {
    ($($table:ident $(=> $observe:ident)?),*) => {
        impl DerivedTables {
            $(
                #[inline]
                pub fn $table(&mut self, row: &$table::Row) {
                    if let Some(full) = self.spans.note(row) {
                        self.ready.push((checkpoint_interval::NAME, full));
                    }
                    if self.made == TableSet::Verdict {
                        return;
                    }
                    if let Some((start, end)) = self.window {
                        if row.start() >= end || row.end() <= start {
                            return;
                        }
                    } else {
                        $(self.tiles.$observe(row, &mut self.ready);)?
                        if self.made < least($table::IN_OVERVIEW) {
                            return;
                        }
                    }
                    self.$table.push(row);
                    if self.$table.len() == BATCH_ROWS {
                        self.ready.push(($table::NAME, self.$table.finish()));
                    }
                }
            )*
            /// Hand on what is left.
            pub fn finish(&mut self) {
                self.ready.extend(self.spans.finish().map(|rows| (checkpoint_interval::NAME, rows)));
                if self.made == TableSet::Verdict {
                    return;
                }
                $(if self.made >= least($table::IN_OVERVIEW) {
                    self.ready.push(($table::NAME, self.$table.finish()));
                })*
                if self.window.is_none() {
                    self.tiles.finish(&mut self.ready);
                }
            }
        }
    };
}

growing!(
    cpu_slice => slice, thread_state, runqueue => queue, wasted, migration => migration, avoidable_wait,
    wasted_cpu => wasted
);
