//! The watcher for Python.

use crate::callbacks::{to_error, to_json};
use pyo3::prelude::*;
use std::path::PathBuf;
use wastenot_ebpf::watch::{FlightRecorder, WatchOptions};

/// Watches this machine: a sentinel that looks at all runqueues, and a black box that holds the events of the last seconds.
/// `options` is JSON, see `wastenot_ebpf::watch::WatchOptions`; every key may be left out.
///
/// Nothing happens before `start`. Every method may be called from any thread, `status` also while `save` runs in another one.
#[pyclass(frozen, module = "wastenot._native.collector")]
pub struct Watcher(FlightRecorder);

#[pymethods]
impl Watcher {
    #[new]
    #[pyo3(signature = (options="{}"))]
    fn new(options: &str) -> PyResult<Self> {
        Ok(Self(FlightRecorder::new(WatchOptions::from_json(options).map_err(to_error)?)))
    }

    /// Start. Returns what is watched and recorded and what is not, as JSON (`WatchStarted`).
    fn start(&self, py: Python<'_>) -> PyResult<String> {
        to_json(&py.detach(|| self.0.start()).map_err(to_error)?)
    }

    /// Figures so far, as JSON (`WatchStatus`).
    fn status(&self, py: Python<'_>) -> PyResult<String> {
        to_json(&py.detach(|| self.0.status()).map_err(to_error)?)
    }

    /// Save the black box, and what follows for `after_ns`, as the part folder `folder`. Returns JSON (`SavedBox`).
    #[pyo3(signature = (folder, after_ns, reason))]
    fn save(&self, py: Python<'_>, folder: PathBuf, after_ns: u64, reason: &str) -> PyResult<String> {
        to_json(&py.detach(|| self.0.save(&folder, after_ns, reason)).map_err(to_error)?)
    }

    /// Stop; a box that is being saved ends here. Returns the last figures as JSON (`WatchStatus`).
    fn stop(&self, py: Python<'_>) -> PyResult<String> {
        to_json(&py.detach(|| self.0.stop()).map_err(to_error)?)
    }
}
