//! `wastenot._native.provoke`: real workloads.

use crate::callbacks::{PythonCallbacks, to_error};
use pyo3::prelude::*;
use serde_json::json;
use wastenot_provoke::{Settings, WORKLOADS, find};

/// The workloads as JSON, in their order: name, does, expect, unit.
#[pyfunction]
pub fn workloads() -> String {
    let description =
        |w: &wastenot_provoke::Workload| json!({"name": w.name, "does": w.does, "expect": w.expect, "unit": w.unit});
    json!(WORKLOADS.iter().map(description).collect::<Vec<_>>()).to_string()
}

/// Run the workload `name` in a child process for `seconds`. Returns what was done, as JSON: name, work, unit, threads, took_s,
/// seed. A signal whose handler raises ends the workload, then the exception goes through.
#[pyfunction]
#[pyo3(signature = (name, seed=1, seconds=3.0, threads=None))]
pub fn run(py: Python<'_>, name: &str, seed: u64, seconds: f64, threads: Option<usize>) -> PyResult<String> {
    let workload = find(name).map_err(to_error)?;
    let settings = Settings::new(seed, seconds, threads).map_err(to_error)?;
    let callbacks = PythonCallbacks::default();
    let done = py.detach(|| wastenot_provoke::run(workload, &settings, || callbacks.check_signals().is_ok()));
    let done = callbacks.end(done)?;
    let outcome = json!({
        "name": name, "work": done.work, "unit": workload.unit, "threads": done.threads,
        "took_s": done.took.as_secs_f64(), "seed": seed,
    });
    Ok(outcome.to_string())
}
