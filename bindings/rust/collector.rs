//! `wastenot._native.collector`: recordings to tables, snapshots of the machine, what this kernel permits.

use crate::WastenotError;
use crate::arrow_stream::ArrowStream;
use arrow_array::RecordBatch;
use pyo3::prelude::*;
use std::path::PathBuf;
use wastenot_assemble::Error;
use wastenot_ebpf::decode::DecodeError;
use wastenot_machine::Machine;

fn refuse(error: impl std::fmt::Display) -> PyErr {
    WastenotError::new_err(error.to_string())
}

/// Decode the recording in the folder `part_dir`: `emit(table, stream)` gets every event table's batches in order of id, then
/// the entity tables; `progress(events, share)` is told how far it is. Returns the summary as JSON.
#[pyfunction]
#[pyo3(signature = (part_dir, emit, progress=None))]
pub fn decode(py: Python<'_>, part_dir: PathBuf, emit: Py<PyAny>, progress: Option<Py<PyAny>>) -> PyResult<String> {
    let decoded = py.detach(|| {
        let mut interrupted = None;
        let mut sink = |table: &'static str, batch: RecordBatch| {
            Python::attach(|py| {
                py.check_signals()?;
                emit.call1(py, (table, ArrowStream::of_batch(batch))).map(drop)
            })
            .map_err(|error: PyErr| Error::Sink(Box::new(error)))
        };
        let mut tell = |events: i64, share: Option<f64>| {
            let Some(progress) = progress.as_ref().filter(|_| interrupted.is_none()) else { return };
            interrupted = Python::attach(|py| progress.call1(py, (events, share)).err());
        };
        let decoded = wastenot_ebpf::decode::decode(&part_dir, &mut sink, &mut tell);
        match interrupted {
            Some(error) => Err(DecodeError::Assemble(Error::Sink(Box::new(error)))),
            None => decoded,
        }
    });
    match decoded {
        Ok(summary) => Ok(summary.to_json()),
        Err(DecodeError::Assemble(Error::Sink(cause))) => match cause.downcast::<PyErr>() {
            Ok(raised) => Err(*raised), // what the callbacks raised goes through as it is
            Err(cause) => Err(refuse(cause)),
        },
        Err(error) => Err(refuse(error)),
    }
}

/// Snapshot of the machine whose /sys and /proc lie under `sysfs_root`, as JSON.
#[pyfunction]
#[pyo3(signature = (sysfs_root=PathBuf::from("/")))]
pub fn machine_snapshot(py: Python<'_>, sysfs_root: PathBuf) -> PyResult<String> {
    py.detach(|| Machine::read(&sysfs_root)).map(|machine| machine.to_json()).map_err(refuse)
}

/// The machine that hwloc XML (`lstopo --of xml`) describes, as JSON.
#[pyfunction]
pub fn hwloc_to_machine(xml: &str) -> PyResult<String> {
    Machine::from_hwloc(xml).map(|machine| machine.to_json()).map_err(refuse)
}

/// A machine's JSON as hwloc XML.
#[pyfunction]
pub fn machine_to_hwloc(json: &str) -> PyResult<String> {
    Machine::from_json(json).map(|machine| machine.to_hwloc()).map_err(refuse)
}

/// What this kernel and user may do, tried out, as JSON.
#[pyfunction]
pub fn doctor(py: Python<'_>) -> String {
    py.detach(|| wastenot_ebpf::doctor::examine().to_json())
}
