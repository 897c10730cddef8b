//! The event tables of a trace as one stream in the order of their ids.
//!
//! Every event table is sorted by `id`, and ids are (nearly) dense over all tables together. So the merge is a counting
//! sort: for a window of ids each stream writes its number into the slots of its rows, then the slots are walked.

use std::collections::VecDeque;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Int64Array, RecordBatch, RecordBatchReader};
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

/// One table: batches scanned but not yet walked, and the reader for more.
struct Stream<V> {
    table: &'static str,
    reader: Option<BatchReader>,
    make: fn(&RecordBatch) -> Result<V, SchemaMismatch>,
    /// Ids of the batch being scanned, and how far that has come.
    ids: Int64Array,
    scanned: usize,
    last_id: i64,
    /// The batch being walked: its typed view, its rows, and how many have been read.
    view: Option<V>,
    rows: usize,
    read: usize,
    /// Batches to walk after it, with their rows.
    held: VecDeque<(V, usize)>,
}

impl<V> Stream<V> {
    /// Make the next unscanned row available; false at the end.
    fn advance(&mut self) -> Result<bool, SourceError> {
        loop {
            if self.scanned < self.ids.len() {
                return Ok(true);
            }
            let Some(reader) = self.reader.as_mut() else { return Ok(false) };
            match reader.next() {
                None => self.reader = None,
                Some(Err(why)) => return Err(SourceError::Read { table: self.table.to_owned(), why }),
                Some(Ok(batch)) if batch.num_rows() == 0 => {}
                Some(Ok(batch)) => {
                    let view = (self.make)(&batch)?;
                    let Some(ids) = batch.column(0).as_primitive_opt::<Int64Type>() else {
                        let why = ArrowError::SchemaError("first column is not the id".into());
                        return Err(SourceError::Read { table: self.table.to_owned(), why });
                    };
                    (self.ids, self.scanned) = (ids.clone(), 0);
                    self.held.push_back((view, batch.num_rows()));
                }
            }
        }
    }

    /// First unscanned id; only after `advance` returned true.
    fn head(&self) -> i64 {
        self.ids.value(self.scanned)
    }

    /// Write `mark` into the slots of all rows with ids in `base .. base + WINDOW`.
    fn scan(&mut self, base: i64, slots: &mut [u8], mark: u8) -> Result<(), SourceError> {
        let end = base + slots.len() as i64;
        while self.advance()? {
            let unscanned = &self.ids.values()[self.scanned..];
            for (at, &id) in unscanned.iter().enumerate() {
                if id >= end {
                    self.scanned += at;
                    return Ok(());
                }
                if id <= self.last_id || slots[(id - base) as usize] != GAP {
                    return Err(SourceError::Order { table: self.table.to_owned(), id, after: self.last_id });
                }
                self.last_id = id;
                slots[(id - base) as usize] = mark;
            }
            self.scanned = self.ids.len();
        }
        Ok(())
    }

    /// The next row that was scanned.
    #[inline(always)]
    fn next(&mut self) -> (&V, usize) {
        if self.read == self.rows {
            self.next_batch();
        }
        let row = self.read;
        self.read += 1;
        (self.view.as_ref().expect("a marked row is held"), row)
    }

    #[cold]
    fn next_batch(&mut self) {
        let (view, rows) = self.held.pop_front().expect("a marked row is held");
        (self.view, self.rows, self.read) = (Some(view), rows, 0);
    }
}

/// Streams of several tables, walked in id order. `V` is an enumeration of typed views.
pub struct Source<V> {
    streams: Vec<Stream<V>>,
    /// All ids are above this one.
    after: i64,
}

impl<V> Default for Source<V> {
    fn default() -> Self {
        Self::after(i64::MIN)
    }
}

impl<V> Source<V> {
    /// No streams yet; ids must be above `after`.
    pub fn after(after: i64) -> Self {
        Self { streams: Vec::new(), after }
    }

    /// The latest id that was read.
    pub fn last_id(&self) -> i64 {
        self.streams.iter().map(|s| s.last_id).max().unwrap_or(self.after)
    }

    /// Add a table.
    pub fn add(
        &mut self,
        table: &'static str,
        reader: BatchReader,
        make: fn(&RecordBatch) -> Result<V, SchemaMismatch>,
    ) {
        self.streams.push(Stream {
            table,
            reader: Some(reader),
            make,
            ids: Int64Array::from(Vec::<i64>::new()),
            scanned: 0,
            last_id: self.after,
            view: None,
            rows: 0,
            read: 0,
            held: VecDeque::new(),
        });
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
                let (view, row) = self.streams[mark as usize].next();
                visit(view, row)?;
            }
        }
    }
}
