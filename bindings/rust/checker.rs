//! `wastenot._native.checker`: the check over Arrow streams.

use std::collections::HashMap;

use arrow_array::RecordBatch;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;
use wastenot_checker::{BatchReader, Options, TIMED_GRADES};
use wastenot_schemas::{Sink, SinkError};

use crate::WastenotError;
use crate::arrow_stream::{ArrowStream, import_stream};

/// The options in the JSON text.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct OptionsText {
    strict: bool,
    thresholds_ns: HashMap<String, i64>,
}

fn options(text: &str) -> PyResult<Options> {
    let parsed: OptionsText =
        serde_json::from_str(text).map_err(|e| WastenotError::new_err(format!("check options: {e}")))?;
    let mut options = Options { strict: parsed.strict, ..Options::default() };
    for (grade, ns) in parsed.thresholds_ns {
        let at = TIMED_GRADES.iter().position(|g| *g == grade).ok_or_else(|| {
            WastenotError::new_err(format!("threshold {grade}: no such grade; one of {}", TIMED_GRADES.join(", ")))
        })?;
        options.thresholds_ns[at] = Some(ns);
    }
    Ok(options)
}

/// Calls back into Python for every batch; the first exception raised there ends the check and is raised again.
struct CheckCallbacks {
    emit: Py<PyAny>,
    progress: Option<Py<PyAny>>,
    raised: Option<PyErr>,
}

impl CheckCallbacks {
    fn call(&mut self, call: impl FnOnce(Python<'_>) -> PyResult<()>) -> Result<(), SinkError> {
        Python::attach(|py| py.check_signals().and_then(|()| call(py))).map_err(|e| {
            let text = e.to_string();
            self.raised = Some(e);
            text.into()
        })
    }
}

impl Sink for CheckCallbacks {
    fn batch(&mut self, table: &'static str, batch: RecordBatch) -> Result<(), SinkError> {
        let emit = Python::attach(|py| self.emit.clone_ref(py));
        self.call(|py| emit.call1(py, (table, ArrowStream::of_batch(batch))).map(drop))
    }

    fn progress(&mut self, events: i64) -> Result<(), SinkError> {
        let progress = Python::attach(|py| self.progress.as_ref().map(|p| p.clone_ref(py)));
        self.call(|py| progress.map_or(Ok(()), |p| p.call1(py, (events,)).map(drop)))
    }
}

/// Check a trace: `tables` maps table names to objects with `__arrow_c_stream__` (event tables in id order, and cpu,
/// numa_node, domain, machine, mask, trace); `emit(table, stream)` receives every derived table, in several batches where
/// it is long; `progress(events)` is called now and then. Raises WastenotError with one line.
#[pyfunction]
#[pyo3(signature = (tables, options_json, emit, progress=None))]
pub fn check(
    py: Python<'_>,
    tables: &Bound<'_, PyDict>,
    options_json: &str,
    emit: Py<PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let options = options(options_json)?;
    let mut inputs: Vec<(String, BatchReader)> = Vec::new();
    for (name, stream) in tables.iter() {
        inputs.push((name.extract()?, Box::new(import_stream(&stream)?)));
    }
    let mut sink = CheckCallbacks { emit, progress, raised: None };
    let result = py.detach(|| wastenot_checker::check(inputs, &options, &mut sink));
    match (sink.raised.take(), result) {
        (Some(raised), _) => Err(raised),
        (None, Err(e)) => Err(WastenotError::new_err(e.to_string())),
        (None, Ok(())) => Ok(()),
    }
}

/// The descriptions of all rules for causes, as a JSON list in the order in which they are applied.
#[pyfunction]
pub fn rules() -> String {
    let of =
        |(question, a): (wastenot_checker::causes::answers::Question, &wastenot_checker::causes::rules::RuleText)| {
            serde_json::json!({
                "name": a.name, "question": wastenot_schemas::question::NAMES[question as usize],
                "kernels": a.kernels.to_string(), "says": a.says, "functions": a.functions, "proof": a.proof,
                "refuted_by": a.refuted_by, "blind": a.blind, "next": a.next,
            })
        };
    serde_json::Value::from(wastenot_checker::causes::rules::all().map(of).collect::<Vec<_>>()).to_string()
}
