//! `wastenot._native.replay`: tables of bubbles, and where everything was at an instant.

use std::sync::Mutex;

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use wastenot_replay::bubbles::{self, BatchReader, Timeline};
use wastenot_schemas::{Sink, SinkError};

use crate::WastenotError;
use crate::arrow_stream::{ArrowStream, import_stream};

/// Calls back into Python for every batch; the first exception raised there ends the work and is raised again.
struct BubbleSink {
    emit: Py<PyAny>,
    raised: Option<PyErr>,
}

impl Sink for BubbleSink {
    fn batch(&mut self, table: &'static str, batch: RecordBatch) -> Result<(), SinkError> {
        Python::attach(|py| {
            py.check_signals()?;
            self.emit.call1(py, (table, ArrowStream::of_batch(batch))).map(drop)
        })
        .map_err(|e| {
            let text = e.to_string();
            self.raised = Some(e);
            text.into()
        })
    }
}

/// Derive the tables of bubbles: `tables` maps table names to objects with `__arrow_c_stream__` (see the crate's `derive`),
/// `emit(table, stream)` receives bubble, bubble_stat, bubble_member, entity_holder and rows of data_quality.
#[pyfunction]
pub fn derive_bubbles(py: Python<'_>, tables: &Bound<'_, PyDict>, emit: Py<PyAny>) -> PyResult<()> {
    let mut inputs: Vec<(String, BatchReader)> = Vec::new();
    for (name, stream) in tables.iter() {
        inputs.push((name.extract()?, Box::new(import_stream(&stream)?)));
    }
    let mut sink = BubbleSink { emit, raised: None };
    let result = py.detach(|| bubbles::derive(inputs, &mut sink));
    match (sink.raised.take(), result) {
        (Some(raised), _) => Err(raised),
        (None, Err(e)) => Err(WastenotError::new_err(e.to_string())),
        (None, Ok(())) => Ok(()),
    }
}

/// Where the threads and bubbles of the declared tree were, indexed for queries at any instant.
#[pyclass(frozen, module = "wastenot._native.replay")]
pub struct BubbleTimeline(Mutex<Timeline>);

#[pymethods]
impl BubbleTimeline {
    /// From a stream of the rows of `entity_holder`.
    #[new]
    fn new(py: Python<'_>, rows: &Bound<'_, PyAny>) -> PyResult<Self> {
        let rows: BatchReader = Box::new(import_stream(rows)?);
        let read = py.detach(|| Timeline::read(rows));
        read.map(|t| Self(Mutex::new(t))).map_err(|e| WastenotError::new_err(e.to_string()))
    }

    /// End of the last row, ns; 0 when there is none.
    #[getter]
    fn end_ns(&self) -> i64 {
        self.0.lock().expect("no panic while held").end_ns()
    }

    /// The rows of `entity_holder` under way at an instant.
    fn state(&self, at_ns: i64) -> ArrowStream {
        ArrowStream::of_batch(self.0.lock().expect("no panic while held").state_batch(at_ns))
    }

    /// What changes from `start_ns` up to `end_ns`, at most `limit` rows; and whether that was all.
    fn changes(&self, start_ns: i64, end_ns: i64, limit: usize) -> (ArrowStream, bool) {
        let (batch, whole) = self.0.lock().expect("no panic while held").changes_batch(start_ns, end_ns, limit);
        (ArrowStream::of_batch(batch), whole)
    }
}
