//! `wastenot._native.collector.write_perfetto`: a trace of ours as a Perfetto trace.

use crate::arrow_stream::import_stream;
use crate::callbacks::PythonCallbacks;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::path::PathBuf;
use wastenot_perfetto::BatchReader;

/// Write a trace to the file `path`: `tables` maps table names to objects with `__arrow_c_stream__` (event tables in id order,
/// entities, findings; `perfetto_tables()` lists those that are used). Returns events, packets and bytes written.
#[pyfunction]
pub fn write_perfetto(py: Python<'_>, tables: &Bound<'_, PyDict>, path: PathBuf) -> PyResult<(i64, u64, u64)> {
    let mut inputs: BTreeMap<String, BatchReader> = BTreeMap::new();
    for (name, stream) in tables.iter() {
        inputs.insert(name.extract()?, Box::new(import_stream(&stream)?));
    }
    let callbacks = PythonCallbacks::default();
    let written = py.detach(|| {
        wastenot_perfetto::write(inputs, &path, &mut |_| callbacks.check_signals().map_err(|error| error.to_string()))
    });
    let written = callbacks.end(written)?;
    Ok((written.events, written.packets, written.bytes))
}

/// Tables beside those of events that `write_perfetto` uses.
#[pyfunction]
pub fn perfetto_tables() -> Vec<&'static str> {
    [wastenot_perfetto::ENTITIES, wastenot_perfetto::FINDINGS].concat()
}
