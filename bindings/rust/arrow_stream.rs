//! Record batches between Rust and Python by the Arrow PyCapsule stream interface, without copying.
//!
//! <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::sync::Mutex;

/// Rows for users of Arrow (pyarrow, DuckDB, pandas, polars). Can be read once.
#[pyclass(frozen, module = "wastenot._native")]
pub struct ArrowStream(Mutex<Option<Box<dyn RecordBatchReader + Send>>>);

impl ArrowStream {
    pub fn of_batch(batch: RecordBatch) -> Self {
        let schema = batch.schema();
        Self(Mutex::new(Some(Box::new(RecordBatchIterator::new([Ok(batch)], schema)))))
    }
}

#[pymethods]
impl ArrowStream {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema; // the interface allows the producer to ignore it
        let reader = self.0.lock().expect("no panic while held").take();
        let reader = reader.ok_or_else(|| PyValueError::new_err("this Arrow stream was read already"))?;
        capsule_of(py, reader)
    }
}

/// A capsule of the interface that gives what the reader reads.
pub fn capsule_of(py: Python<'_>, reader: Box<dyn RecordBatchReader + Send>) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
}

/// Take over a Python object that has `__arrow_c_stream__` as a reader.
pub fn import_stream(object: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    let capsule = object.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast::<PyCapsule>().map_err(|e| PyTypeError::new_err(e.to_string()))?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: the capsule's name says that it holds an ArrowArrayStream; from_raw moves it out and leaves it released.
    unsafe { RecordBatchStreamReader::from_raw(pointer.as_ptr()) }.map_err(|e| PyValueError::new_err(e.to_string()))
}
