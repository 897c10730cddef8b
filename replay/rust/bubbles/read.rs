//! Input tables, and errors.

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::ArrowError;
use std::collections::BTreeMap;
use wastenot_schemas::SchemaMismatch;

/// Batches of one table.
pub type BatchReader = Box<dyn RecordBatchReader + Send>;

/// Why bubbles could not be derived.
#[derive(Debug)]
pub enum BubbleError {
    /// A table is not as declared.
    Schema(SchemaMismatch),
    /// A table could not be read.
    Read(String, ArrowError),
    /// The receiver of the results failed.
    Stopped(String),
}

impl std::fmt::Display for BubbleError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Schema(e) => write!(f, "bubbles: {e}"),
            Self::Read(table, e) => write!(f, "bubbles: table {table}: {e}"),
            Self::Stopped(why) => write!(f, "{why}"),
        }
    }
}

impl std::error::Error for BubbleError {}

impl From<SchemaMismatch> for BubbleError {
    fn from(e: SchemaMismatch) -> Self {
        Self::Schema(e)
    }
}

/// The tables that were given, each taken once; one that is missing is empty.
pub struct Tables(BTreeMap<String, BatchReader>);

impl Tables {
    pub fn new(inputs: Vec<(String, BatchReader)>) -> Self {
        Self(inputs.into_iter().collect())
    }

    /// Call `visit` for every batch of a table.
    pub fn each(
        &mut self,
        table: &str,
        mut visit: impl FnMut(RecordBatch) -> Result<(), BubbleError>,
    ) -> Result<(), BubbleError> {
        for batch in self.0.remove(table).into_iter().flatten() {
            visit(batch.map_err(|e| BubbleError::Read(table.to_owned(), e))?)?;
        }
        Ok(())
    }

    /// All batches of a short table.
    pub fn all(&mut self, table: &str) -> Result<Vec<RecordBatch>, BubbleError> {
        let mut out = Vec::new();
        self.each(table, |batch| {
            out.push(batch);
            Ok(())
        })?;
        Ok(out)
    }
}
