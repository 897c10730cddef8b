//! Calls back into Python from work that runs without the interpreter's lock, and the exceptions raised there.

use std::fmt::Display;
use std::sync::Mutex;

use arrow_array::RecordBatch;
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use wastenot_schemas::{Sink, SinkError};

use crate::WastenotError;
use crate::arrow_stream::ArrowStream;

/// A user's error in Rust as the one of Python.
pub fn to_error(error: impl Display) -> PyErr {
    WastenotError::new_err(error.to_string())
}

/// A value as JSON text.
pub fn to_json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(to_error)
}

/// The caller's functions: `emit(table, stream)` receives batches, `progress` figures. Both may be missing.
///
/// The first exception that one of them or a signal's handler raises ends the work, and `end` raises it again.
#[derive(Default)]
pub struct PythonCallbacks {
    emit: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
    raised: Mutex<Option<PyErr>>,
}

impl PythonCallbacks {
    pub fn new(emit: Option<Py<PyAny>>, progress: Option<Py<PyAny>>) -> Self {
        Self { emit, progress, raised: Mutex::default() }
    }

    pub fn batch(&self, table: &'static str, batch: RecordBatch) -> Result<(), SinkError> {
        self.call(|py| match &self.emit {
            Some(emit) => emit.call1(py, (table, ArrowStream::of_batch(batch))).map(drop),
            None => Ok(()),
        })
    }

    pub fn progress<A>(&self, figures: A) -> Result<(), SinkError>
    where
        A: for<'py> PyCallArgs<'py>,
    {
        self.call(|py| match &self.progress {
            Some(progress) => progress.call1(py, figures).map(drop),
            None => Ok(()),
        })
    }

    /// Run the handlers of signals that have come, such as Ctrl-C.
    pub fn check_signals(&self) -> Result<(), SinkError> {
        self.call(|_| Ok(()))
    }

    /// What the work came to: the exception that was raised, else its result.
    pub fn end<T, E: Display>(self, result: Result<T, E>) -> PyResult<T> {
        match self.raised.into_inner().expect("no panic while it is locked") {
            Some(raised) => Err(raised),
            None => result.map_err(to_error),
        }
    }

    fn call(&self, call: impl FnOnce(Python<'_>) -> PyResult<()>) -> Result<(), SinkError> {
        if self.raised.lock().expect("no panic while it is locked").is_some() {
            return Err("ended by an exception".into());
        }
        Python::attach(|py| py.check_signals().and_then(|()| call(py))).map_err(|error| {
            let text = error.to_string();
            *self.raised.lock().expect("no panic while it is locked") = Some(error);
            text.into()
        })
    }
}

/// The check reports the events done, as `progress(events)`.
impl Sink for &PythonCallbacks {
    fn batch(&mut self, table: &'static str, batch: RecordBatch) -> Result<(), SinkError> {
        PythonCallbacks::batch(self, table, batch)
    }

    fn progress(&mut self, events: i64) -> Result<(), SinkError> {
        PythonCallbacks::progress(self, (events,))
    }
}
