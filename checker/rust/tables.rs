//! Where results go: batches of the derived tables, handed on as they fill.

use arrow_array::RecordBatch;
use wastenot_schemas::{avoidable_wait, cpu_slice, migration, runqueue, thread_state, wasted, wasted_cpu};

use crate::tiles::Tiles;

/// Rows of a batch: DuckDB's row group, which it takes in without cutting.
pub const BATCH_ROWS: usize = 122_880;

/// Takes the derived tables. An error text stops the walk (the receiver failed or was interrupted).
pub trait Sink {
    fn emit(&mut self, table: &'static str, batch: RecordBatch) -> Result<(), String>;
    /// Called now and then with the id reached; a chance to show progress and to stop.
    fn progress(&mut self, events: i64) -> Result<(), String> {
        let _ = events;
        Ok(())
    }
}

/// Keeps every batch: for tests and small traces.
#[derive(Default)]
pub struct Kept(pub Vec<(&'static str, RecordBatch)>);

impl Sink for Kept {
    fn emit(&mut self, table: &'static str, batch: RecordBatch) -> Result<(), String> {
        self.0.push((table, batch));
        Ok(())
    }
}

/// The tables that grow with the trace, under construction. Full ones wait in `ready` until the walk hands them on.
#[derive(Default)]
pub struct Growing {
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

macro_rules! growing {
    ($($table:ident $(=> $observe:ident)?),*) => {
        impl Growing {
            $(
                #[inline]
                pub fn $table(&mut self, row: &$table::Row) {
                    $(self.tiles.$observe(row, &mut self.ready);)?
                    self.$table.push(row);
                    if self.$table.len() == BATCH_ROWS {
                        self.ready.push(($table::NAME, self.$table.finish()));
                    }
                }
            )*
            /// Hand on what is left.
            pub fn finish(&mut self) {
                $(self.ready.push(($table::NAME, self.$table.finish()));)*
                self.tiles.finish(&mut self.ready);
            }
        }
    };
}

growing!(
    cpu_slice => slice, thread_state, runqueue => queue, wasted, migration => migration, avoidable_wait,
    wasted_cpu => wasted
);
