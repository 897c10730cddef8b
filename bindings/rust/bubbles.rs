//! `wastenot._native.replay`: tables of bubbles, and where everything was at an instant.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use wastenot_replay::bubbles::{self, BatchReader, Timeline};

use crate::arrow_stream::{ArrowStream, import_stream};
use crate::callbacks::{PythonCallbacks, to_error};

/// Derive the tables of bubbles: `tables` maps table names to objects with `__arrow_c_stream__` (see the crate's `derive`),
/// `emit(table, stream)` receives bubble, bubble_stat, bubble_member, entity_holder and rows of data_quality.
#[pyfunction]
pub fn derive_bubbles(py: Python<'_>, tables: &Bound<'_, PyDict>, emit: Py<PyAny>) -> PyResult<()> {
    let mut inputs: Vec<(String, BatchReader)> = Vec::new();
    for (name, stream) in tables.iter() {
        inputs.push((name.extract()?, Box::new(import_stream(&stream)?)));
    }
    let callbacks = PythonCallbacks::new(Some(emit), None);
    let derived = py.detach(|| bubbles::derive(inputs, &mut &callbacks));
    callbacks.end(derived)
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
        read.map(|t| Self(Mutex::new(t))).map_err(to_error)
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
