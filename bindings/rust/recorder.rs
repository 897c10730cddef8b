//! The live recorder for Python.

use crate::callbacks::{to_error, to_json};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Mutex;
use wastenot_record::{RecordingError, RecordingOptions, RecordingSession, open};

/// Records this machine into a folder, which must not exist: the scheduler with eBPF, tracefs or LTTng, or applications' bubbles.
/// `options` is JSON, see `wastenot_record::RecordingOptions`; every key may be left out.
///
/// Nothing happens before `start`. Dropping a started recorder ends the recording with the reason `interrupt`.
#[pyclass(frozen, module = "wastenot._native.collector")]
pub struct Recorder(Mutex<Box<dyn RecordingSession>>);

impl Recorder {
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut dyn RecordingSession) -> Result<T, RecordingError> + Send,
    ) -> PyResult<T> {
        let result = py.detach(|| match self.0.lock() {
            Ok(mut session) => act(session.as_mut()),
            Err(_) => Err(RecordingError::Option("the recorder failed before".into())),
        });
        result.map_err(to_error)
    }
}

#[pymethods]
impl Recorder {
    #[new]
    #[pyo3(signature = (folder, options="{}"))]
    fn new(folder: PathBuf, options: &str) -> PyResult<Self> {
        let options = RecordingOptions::from_json(options).map_err(to_error)?;
        Ok(Self(Mutex::new(open(&folder, options))))
    }

    /// Why it cannot record here, in one line, as far as that is known without trying; None where it may.
    fn obstacle(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.with(py, |session| Ok(session.obstacle()))
    }

    /// Start. Returns what is recorded and what is not, as JSON (`wastenot_record::Started`).
    fn start(&self, py: Python<'_>) -> PyResult<String> {
        to_json(&self.with(py, |session| session.start())?)
    }

    /// Figures so far, as JSON; `ended` is not null where the recording has ended by itself (`disk_full`).
    fn stats(&self, py: Python<'_>) -> PyResult<String> {
        to_json(&self.with(py, |session| session.status())?)
    }

    /// Stop with the reason command, duration or interrupt. Returns JSON (`wastenot_record::Stopped`).
    fn stop(&self, py: Python<'_>, reason: &str) -> PyResult<String> {
        to_json(&self.with(py, |session| session.stop(reason))?)
    }
}
