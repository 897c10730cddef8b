//! Where finished batches go.

use arrow_array::RecordBatch;

/// Rows of a full batch: the row group size of DuckDB, at which inserting is fastest.
pub const BATCH_ROWS: usize = 122_880;

/// Why a receiver refused a batch, as it says.
pub type SinkError = Box<dyn std::error::Error + Send + Sync>;

/// Takes finished batches.
pub trait Sink {
    /// A batch of at most [`BATCH_ROWS`] rows of `table`; an event table's are in the order of their ids.
    fn batch(&mut self, table: &'static str, batch: RecordBatch) -> Result<(), SinkError>;

    /// Called now and then with the number of events done: a chance to show progress and to stop.
    fn progress(&mut self, events: i64) -> Result<(), SinkError> {
        let _ = events;
        Ok(())
    }
}

impl<F: FnMut(&'static str, RecordBatch) -> Result<(), SinkError>> Sink for F {
    fn batch(&mut self, table: &'static str, batch: RecordBatch) -> Result<(), SinkError> {
        self(table, batch)
    }
}

/// Collects every batch: for tests and small traces.
#[derive(Default)]
pub struct BatchCollector(pub Vec<(&'static str, RecordBatch)>);

impl Sink for BatchCollector {
    fn batch(&mut self, table: &'static str, batch: RecordBatch) -> Result<(), SinkError> {
        self.0.push((table, batch));
        Ok(())
    }
}

/// Drops every batch: for measurements, and where only the outcome matters.
#[derive(Default)]
pub struct NullSink;

impl Sink for NullSink {
    fn batch(&mut self, _: &'static str, _: RecordBatch) -> Result<(), SinkError> {
        Ok(())
    }
}

/// A table under construction.
pub trait TableBuilder {
    /// Name of the table.
    const NAME: &'static str;
    /// A row of it.
    type Row<'a>;
    /// Append a row.
    fn push(&mut self, row: &Self::Row<'_>);
    /// Rows so far.
    fn len(&self) -> usize;
    /// The table has no rows yet.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The rows so far as a batch; the builder is empty afterwards.
    fn finish(&mut self) -> RecordBatch;
}

/// Append a row; a batch that is full goes to `sink`.
#[inline]
pub fn append<B: TableBuilder>(builder: &mut B, row: &B::Row<'_>, sink: &mut dyn Sink) -> Result<(), SinkError> {
    builder.push(row);
    if builder.len() == BATCH_ROWS { sink.batch(B::NAME, builder.finish()) } else { Ok(()) }
}

/// Hand on what is left of a table.
pub fn flush<B: TableBuilder>(builder: &mut B, sink: &mut dyn Sink) -> Result<(), SinkError> {
    if builder.is_empty() { Ok(()) } else { sink.batch(B::NAME, builder.finish()) }
}

/// A struct with a builder per table, called like the table.
#[macro_export]
macro_rules! builders {
    ($(#[$doc:meta])* $vis:vis struct $name:ident { $($table:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Default)]
        #[allow(missing_docs)]
        $vis struct $name { $($vis $table: $crate::$table::Builder,)* }

        impl $name {
            /// Hand on what is left, in the order of the declaration.
            $vis fn flush(&mut self, sink: &mut dyn $crate::Sink) -> Result<(), $crate::SinkError> {
                $($crate::flush(&mut self.$table, sink)?;)*
                Ok(())
            }
        }
    };
}
