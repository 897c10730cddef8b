//! The live recorder for Python.

use crate::WastenotError;
use pyo3::prelude::*;
use std::path::Path;
use std::sync::Mutex;
use wastenot_ebpf::{CaptureError, Options};

/// Records this machine's scheduler into a part folder (`T.duckdb.part`), which must not exist: with eBPF, or with tracefs
/// where BPF is not permitted. `options` is JSON, see `wastenot_ebpf::Options`; every key may be left out.
///
/// Nothing happens before `start`. Dropping a started recorder ends the recording with the reason `interrupt`.
#[pyclass(frozen, module = "wastenot._native.collector")]
pub struct Recorder(Mutex<wastenot_ebpf::Capture>);

fn to_error(error: CaptureError) -> PyErr {
    WastenotError::new_err(error.to_string())
}

fn to_json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|e| WastenotError::new_err(e.to_string()))
}

impl Recorder {
    fn with<T: Send + serde::Serialize>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut wastenot_ebpf::Capture) -> Result<T, CaptureError> + Send,
    ) -> PyResult<String> {
        let result = py.detach(|| match self.0.lock() {
            Ok(mut recorder) => act(&mut recorder),
            Err(_) => Err(CaptureError::State("the recorder failed before")),
        });
        to_json(&result.map_err(to_error)?)
    }
}

#[pymethods]
impl Recorder {
    #[new]
    #[pyo3(signature = (part_dir, options="{}"))]
    fn new(part_dir: &str, options: &str) -> PyResult<Self> {
        let options = Options::from_json(options).map_err(to_error)?;
        Ok(Self(Mutex::new(wastenot_ebpf::Capture::new(Path::new(part_dir), options))))
    }

    /// Begin, by eBPF or tracefs (option `source`), take the snapshot, write `meta.json` and `machine.json`. Returns `meta.json` as text.
    fn start(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, wastenot_ebpf::Capture::start)
    }

    /// Figures so far, as JSON; `ended` is not null where the recording has ended by itself (`disk_full`).
    fn stats(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |recorder| recorder.stats())
    }

    /// End the recording: `reason` is command, duration or interrupt. Returns the completed `meta.json` as text.
    fn stop(&self, py: Python<'_>, reason: &str) -> PyResult<String> {
        self.with(py, |recorder| recorder.stop(reason))
    }
}
