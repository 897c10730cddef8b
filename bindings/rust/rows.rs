//! Rows of a query as Python values, without pyarrow: importing that takes longer than most queries.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{DataType, SchemaRef};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

use crate::arrow_stream::{capsule_of, import_stream};

/// Rows in memory. Other libraries read them as often as they like by the Arrow PyCapsule stream interface.
#[pyclass(frozen, module = "wastenot._native")]
pub struct Rows {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

#[pymethods]
impl Rows {
    /// All rows of an object that has `__arrow_c_stream__`.
    #[new]
    fn new(stream: &Bound<'_, PyAny>) -> PyResult<Self> {
        let reader = import_stream(stream)?;
        let schema = reader.schema();
        let batches = stream
            .py()
            .detach(|| reader.collect::<Result<Vec<_>, _>>())
            .map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(Self { schema, batches })
    }

    /// Rows of one schema after each other, without copying them.
    #[staticmethod]
    fn joined(parts: Vec<Bound<'_, Self>>) -> PyResult<Self> {
        let first = parts.first().ok_or_else(|| PyValueError::new_err("no rows to join"))?;
        let schema = Arc::clone(&first.get().schema);
        let batches = parts.iter().flat_map(|part| part.get().batches.iter().cloned()).collect();
        Ok(Self { schema, batches })
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema; // the interface allows the producer to ignore it
        let batches = self.batches.clone().into_iter().map(Ok);
        capsule_of(py, Box::new(RecordBatchIterator::new(batches, Arc::clone(&self.schema))))
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Names of the columns.
    fn columns(&self) -> Vec<&str> {
        self.schema.fields().iter().map(|f| f.name().as_str()).collect()
    }

    /// A dictionary per row; None where a column is of a type that `value` does not know.
    fn dictionaries<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        if !self.schema.fields().iter().all(|f| is_known(f.data_type())) {
            return Ok(None);
        }
        let names: Vec<_> = self.schema.fields().iter().map(|f| pyo3::types::PyString::intern(py, f.name())).collect();
        let out = PyList::empty(py);
        for batch in &self.batches {
            for row in 0..batch.num_rows() {
                let values = PyDict::new(py);
                for (name, column) in names.iter().zip(batch.columns()) {
                    values.set_item(name, value(py, column.as_ref(), row)?)?;
                }
                out.append(values)?;
            }
        }
        Ok(Some(out))
    }
}

/// Whether `value` knows the type: numbers, text, lists and structures of them. Times and decimals are left to pyarrow.
fn is_known(kind: &DataType) -> bool {
    use DataType as T;
    match kind {
        T::List(f) | T::LargeList(f) => is_known(f.data_type()),
        T::Struct(fields) => fields.iter().all(|f| is_known(f.data_type())),
        T::Dictionary(key, values) => {
            matches!(**key, T::UInt8 | T::UInt16 | T::UInt32) && matches!(**values, T::Utf8 | T::Utf8View)
        }
        T::Null | T::Boolean | T::Float32 | T::Float64 | T::Utf8 | T::LargeUtf8 | T::Utf8View => true,
        kind => kind.is_integer(),
    }
}

/// One value, as pyarrow's `to_pylist` has it.
fn value<'py>(py: Python<'py>, array: &dyn Array, row: usize) -> PyResult<Bound<'py, PyAny>> {
    use DataType as T;
    // An array of type null has no bitmap of nulls.
    if array.is_null(row) || *array.data_type() == T::Null {
        return Ok(py.None().into_bound(py));
    }
    match array.data_type() {
        T::Boolean => array.as_boolean().value(row).into_bound_py_any(py),
        T::Int8 => number::<Int8Type>(py, array, row),
        T::Int16 => number::<Int16Type>(py, array, row),
        T::Int32 => number::<Int32Type>(py, array, row),
        T::Int64 => number::<Int64Type>(py, array, row),
        T::UInt8 => number::<UInt8Type>(py, array, row),
        T::UInt16 => number::<UInt16Type>(py, array, row),
        T::UInt32 => number::<UInt32Type>(py, array, row),
        T::UInt64 => number::<UInt64Type>(py, array, row),
        T::Float32 => number::<Float32Type>(py, array, row),
        T::Float64 => number::<Float64Type>(py, array, row),
        T::Utf8 => array.as_string::<i32>().value(row).into_bound_py_any(py),
        T::LargeUtf8 => array.as_string::<i64>().value(row).into_bound_py_any(py),
        T::Utf8View => array.as_string_view().value(row).into_bound_py_any(py),
        T::List(_) => list(py, array.as_list::<i32>().value(row).as_ref()),
        T::LargeList(_) => list(py, array.as_list::<i64>().value(row).as_ref()),
        T::Struct(fields) => {
            let out = PyDict::new(py);
            for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                out.set_item(field.name(), value(py, column.as_ref(), row)?)?;
            }
            Ok(out.into_any())
        }
        T::Dictionary(_, _) => {
            let dictionary = array.as_any_dictionary();
            let keys = dictionary.keys();
            let key = match keys.data_type() {
                T::UInt8 => keys.as_primitive::<UInt8Type>().value(row).into(),
                T::UInt16 => keys.as_primitive::<UInt16Type>().value(row).into(),
                _ => keys.as_primitive::<UInt32Type>().value(row) as usize,
            };
            value(py, dictionary.values().as_ref(), key)
        }
        kind => Err(PyValueError::new_err(format!("no Python value for {kind}"))),
    }
}

fn number<'py, T: ArrowPrimitiveType>(py: Python<'py>, array: &dyn Array, row: usize) -> PyResult<Bound<'py, PyAny>>
where
    T::Native: IntoPyObject<'py>,
{
    array.as_primitive::<T>().value(row).into_bound_py_any(py)
}

fn list<'py>(py: Python<'py>, items: &dyn Array) -> PyResult<Bound<'py, PyAny>> {
    let out = PyList::empty(py);
    for row in 0..items.len() {
        out.append(value(py, items, row)?)?;
    }
    Ok(out.into_any())
}
