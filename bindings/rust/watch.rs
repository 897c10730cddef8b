//! `wastenot._native.watch`: the checker on the stream of events.

use std::path::PathBuf;
use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;
use wastenot_checker::{CheckError, Counters, FinishedEpisode, counters_over_time};
use wastenot_online::{WatchError, WatchOptions, counters_to_json, episode_to_json, replay_part};

use crate::arrow_stream::import_stream;
use crate::callbacks::{PythonCallbacks, to_error};
use crate::checker::options;

/// Watches this machine in exact mode. `options` is JSON, see `wastenot_online::WatchOptions`; every key may be left out.
///
/// Nothing happens before `start`. Dropping a started watch ends it.
#[pyclass(frozen, module = "wastenot._native.watch")]
pub struct ExactWatch(Mutex<wastenot_online::ExactWatch>);

impl ExactWatch {
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(&mut wastenot_online::ExactWatch) -> Result<T, WatchError> + Send,
    ) -> PyResult<T> {
        let result = py.detach(|| match self.0.lock() {
            Ok(mut watch) => act(&mut watch),
            Err(_) => Err(WatchError::State("the watch failed before".into())),
        });
        result.map_err(to_error)
    }
}

#[pymethods]
impl ExactWatch {
    #[new]
    #[pyo3(signature = (options="{}"))]
    fn new(options: &str) -> PyResult<Self> {
        let options = WatchOptions::from_json(options).map_err(to_error)?;
        Ok(Self(Mutex::new(wastenot_online::ExactWatch::new(options))))
    }

    /// Start. Returns the description of the recording as JSON (`wastenot_ebpf::Meta`).
    fn start(&self, py: Python<'_>) -> PyResult<String> {
        let meta = self.with(py, wastenot_online::ExactWatch::start)?;
        serde_json::to_string(&meta).map_err(to_error)
    }

    /// The counters so far, with the episodes that ended since they were last asked for, as JSON (docs/semantics.md, Counters).
    /// `new_waits` in place of `waits`: what the rows of the wait ledger have more than when they were last asked for.
    fn counters(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.with(py, wastenot_online::ExactWatch::figures_since)?.to_string())
    }

    /// Stop. Returns the counters of the whole watch.
    fn stop(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.with(py, wastenot_online::ExactWatch::stop)?.to_json().to_string())
    }
}

/// The counters of a recorded trace every `step_ns` from its start, and at its end, each as JSON with the episodes that ended since the one
/// before. `trace` is the path of a part folder, or a dict of tables as `wastenot._native.checker.check` takes it. Raises WastenotError
/// with one line.
#[pyfunction]
#[pyo3(signature = (trace, step_ns, options_json="{}"))]
pub fn replay_counters(
    py: Python<'_>,
    trace: &Bound<'_, PyAny>,
    step_ns: i64,
    options_json: &str,
) -> PyResult<Vec<String>> {
    let options = wastenot_checker::Options { tables: wastenot_checker::TableSet::Verdict, ..options(options_json)? };
    let callbacks = PythonCallbacks::default();
    let mut all = Vec::new();
    let mut visit = |counters: Counters, finished: Vec<FinishedEpisode>| {
        let mut figures = counters_to_json(&counters);
        figures["finished"] = finished.iter().map(episode_to_json).collect::<Value>();
        all.push(figures.to_string());
        callbacks.check_signals().map_err(|why| CheckError::Stopped(why.to_string()))
    };
    let done = if let Ok(tables) = trace.cast::<PyDict>() {
        let mut inputs: Vec<(String, wastenot_checker::BatchReader)> = Vec::new();
        for (name, stream) in tables.iter() {
            inputs.push((name.extract()?, Box::new(import_stream(&stream)?)));
        }
        py.detach(|| counters_over_time(inputs, &options, step_ns, &mut visit).map_err(WatchError::from))
    } else {
        let part: PathBuf = trace.extract()?;
        py.detach(|| replay_part(&part, options, step_ns, &mut visit))
    };
    callbacks.end(done)?;
    Ok(all)
}
