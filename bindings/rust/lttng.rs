//! Recording with LTTng for Python.

use crate::WastenotError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Mutex;
use wastenot_lttng::session::{Session, SessionOptions, available, available_for_bubbles};

/// Records the kernel's scheduler with LTTng into `folder`, which must not exist or be empty; with `bubbles` what applications
/// tell of their bubbles instead. Nothing happens before `start`; dropping a started one ends the recording.
#[pyclass(frozen, module = "wastenot._native.collector")]
pub struct LttngSession {
    folder: PathBuf,
    stacks: bool,
    bubbles: bool,
    running: Mutex<Option<Session>>,
}

fn refuse(why: impl std::fmt::Display) -> PyErr {
    WastenotError::new_err(why.to_string())
}

#[pymethods]
impl LttngSession {
    #[new]
    #[pyo3(signature = (folder, stacks=true, bubbles=false))]
    fn new(folder: PathBuf, stacks: bool, bubbles: bool) -> Self {
        Self { folder, stacks, bubbles, running: Mutex::new(None) }
    }

    /// Why LTTng cannot record the kernel (or bubbles) here, in one line; None where it can.
    #[staticmethod]
    #[pyo3(signature = (bubbles=false))]
    fn obstacle(bubbles: bool) -> Option<String> {
        if bubbles { available_for_bubbles().err() } else { available().err() }
    }

    /// Begin. Raises WastenotError with one line.
    fn start(&self, py: Python<'_>) -> PyResult<()> {
        let options = SessionOptions { stacks: self.stacks, ..SessionOptions::default() };
        let started = py.detach(|| match self.bubbles {
            true => Session::start_bubbles(&self.folder),
            false => Session::start(&self.folder, &options),
        });
        let session = started.map_err(refuse)?;
        *self.running.lock().expect("no panic while held") = Some(session);
        Ok(())
    }

    /// End; returns the folder of the trace, for `import_trace`.
    fn stop(&self, py: Python<'_>) -> PyResult<PathBuf> {
        let session = self.running.lock().expect("no panic while held").take();
        let session = session.ok_or_else(|| refuse("the recording has not begun"))?;
        py.detach(|| session.stop()).map_err(refuse)
    }
}
