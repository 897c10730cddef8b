//! The event tables of a trace as one stream in the order of their ids.
//!
//! Every event table is sorted by `id`, and ids are (nearly) dense over all tables together. So the merge is a counting
//! sort: for a window of ids each stream writes its number into the slots of its rows, then the slots are walked.

use std::collections::VecDeque;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch, RecordBatchReader};
use arrow_schema::ArrowError;
use wastenot_schemas::SchemaMismatch;

/// Ids handled at once.
const WINDOW: usize = 1 << 16;
/// Slot of an id that no stream has.
const GAP: u8 = u8::MAX;

/// Batches of one table, in id order.
pub type BatchReader = Box<dyn RecordBatchReader + Send>;

/// A table could not be read.
#[derive(Debug)]
pub enum SourceError {
    Schema(SchemaMismatch),
    Read { table: String, why: ArrowError },
    Order { table: String, id: i64, after: i64 },
}

impl std::fmt::Display for SourceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Schema(e) => write!(f, "{e}"),
            Self::Read { table, why } => write!(f, "table {table}: {why}"),
            Self::Order { table, id, after } => {
                write!(
                    f,
                    "table {table}: event id {id} after {after}: ids must rise and belong to one table (was the trace edited?)"
                )
            }
        }
    }
}

impl std::error::Error for SourceError {}

impl From<SchemaMismatch> for SourceError {
    fn from(e: SchemaMismatch) -> Self {
        Self::Schema(e)
    }
}

/// A batch in use: the typed view `V`, its ids, and how far it has been read.
struct Held<V> {
    view: V,
    batch: RecordBatch,
    rows: usize,
    read: usize,
}

/// One table: batches scanned but not yet walked, and the reader for more.
struct Stream<V> {
    table: &'static str,
    reader: Option<BatchReader>,
    make: fn(&RecordBatch) -> Result<V, SchemaMismatch>,
    held: VecDeque<Held<V>>,
    /// Where the scan stands: row of the last held batch.
    scanned: usize,
    last_id: i64,
}

fn ids(batch: &RecordBatch) -> &[i64] {
    batch.column(0).as_primitive::<Int64Type>().values()
}

impl<V> Stream<V> {
    /// Make the next unscanned row available; false at the end.
    fn advance(&mut self) -> Result<bool, SourceError> {
        loop {
            if self.held.back().is_some_and(|h| self.scanned < h.batch.num_rows()) {
                return Ok(true);
            }
            let Some(reader) = self.reader.as_mut() else { return Ok(false) };
            match reader.next() {
                None => self.reader = None,
                Some(Err(why)) => return Err(SourceError::Read { table: self.table.to_owned(), why }),
                Some(Ok(batch)) if batch.num_rows() == 0 => {}
                Some(Ok(batch)) => {
                    let view = (self.make)(&batch)?;
                    if batch.column(0).data_type() != &arrow_schema::DataType::Int64 {
                        let why = ArrowError::SchemaError("first column is not the id".into());
                        return Err(SourceError::Read { table: self.table.to_owned(), why });
                    }
                    let rows = batch.num_rows();
                    self.held.push_back(Held { view, batch, rows, read: 0 });
                    self.scanned = 0;
                }
            }
        }
    }

    /// First unscanned id; only after `advance` said true.
    fn head(&self) -> i64 {
        ids(&self.held.back().expect("advance said there is a row").batch)[self.scanned]
    }

    /// Write `mark` into the slots of all rows with ids in `base .. base + WINDOW`.
    fn scan(&mut self, base: i64, slots: &mut [u8], mark: u8) -> Result<(), SourceError> {
        let end = base + slots.len() as i64;
        while self.advance()? {
            let held = self.held.back().expect("advance said there is a row");
            let ids = ids(&held.batch);
            let mut at = self.scanned;
            while at < ids.len() && ids[at] < end {
                let id = ids[at];
                if id <= self.last_id || slots[(id - base) as usize] != GAP {
                    return Err(SourceError::Order { table: self.table.to_owned(), id, after: self.last_id });
                }
                self.last_id = id;
                slots[(id - base) as usize] = mark;
                at += 1;
            }
            self.scanned = at;
            if at < ids.len() {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Streams of several tables, walked in id order. `V` is an enumeration of typed views.
pub struct Source<V> {
    streams: Vec<Stream<V>>,
}

impl<V> Default for Source<V> {
    fn default() -> Self {
        Self { streams: Vec::new() }
    }
}

impl<V> Source<V> {
    /// Add a table.
    pub fn add(
        &mut self,
        table: &'static str,
        reader: BatchReader,
        make: fn(&RecordBatch) -> Result<V, SchemaMismatch>,
    ) {
        let held = VecDeque::new();
        self.streams.push(Stream { table, reader: Some(reader), make, held, scanned: 0, last_id: i64::MIN });
    }

    /// Call `visit(view, row)` for every row of every table in id order; stops at the first error.
    pub fn walk<E: From<SourceError>>(&mut self, mut visit: impl FnMut(&V, usize) -> Result<(), E>) -> Result<(), E> {
        let mut slots = vec![GAP; WINDOW];
        loop {
            let mut base = i64::MAX;
            for s in &mut self.streams {
                if s.advance()? {
                    base = base.min(s.head());
                }
            }
            if base == i64::MAX {
                return Ok(());
            }
            slots.fill(GAP);
            for (mark, s) in self.streams.iter_mut().enumerate() {
                s.scan(base, &mut slots, mark as u8)?;
            }
            for &mark in slots.iter().filter(|&&m| m != GAP) {
                let s = &mut self.streams[mark as usize];
                let mut held = s.held.front_mut().expect("a marked row is held");
                if held.read == held.rows {
                    s.held.pop_front();
                    held = s.held.front_mut().expect("a marked row is held");
                }
                let row = held.read;
                held.read += 1;
                visit(&held.view, row)?;
            }
        }
    }
}
