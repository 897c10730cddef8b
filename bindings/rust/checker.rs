//! `wastenot._native.checker`: the check over Arrow streams.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Deserialize;
use wastenot_checker::causes::answers::Question;
use wastenot_checker::causes::rules::{Repair, RuleText, all};
use wastenot_checker::deadlines::DeadlineOptions;
use wastenot_checker::{BatchReader, Options, TIMED_GRADES, TableSet, Window};
use wastenot_topology::KernelRelease;

use crate::arrow_stream::import_stream;
use crate::callbacks::{PythonCallbacks, to_error, to_json};

/// The options in the JSON text.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct OptionsText {
    strict: bool,
    thresholds_ns: HashMap<String, i64>,
    without_causes: bool,
    tables: Option<String>,
    checkpoint_events: Option<i64>,
}

/// Options of a check from JSON.
pub fn options(text: &str) -> PyResult<Options> {
    let parsed: OptionsText = serde_json::from_str(text).map_err(|e| to_error(format!("check options: {e}")))?;
    let mut options = Options {
        strict: parsed.strict,
        without_causes: parsed.without_causes,
        checkpoint_events: parsed.checkpoint_events,
        ..Options::default()
    };
    if let Some(name) = parsed.tables {
        options.tables =
            TableSet::named(&name).ok_or_else(|| to_error(format!("tables {name}: no such set of tables")))?;
    }
    for (grade, ns) in parsed.thresholds_ns {
        let at = TIMED_GRADES
            .iter()
            .position(|g| *g == grade)
            .ok_or_else(|| to_error(format!("threshold {grade}: no such grade; one of {}", TIMED_GRADES.join(", "))))?;
        options.thresholds_ns[at] = Some(ns);
    }
    Ok(options)
}

/// Check a trace: `tables` maps table names to objects with `__arrow_c_stream__` (event tables in id order, and cpu,
/// numa_node, domain, domain_group, machine, mask, trace); `emit(table, stream)` receives every derived table, in several batches where
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
    let (options, inputs) = (options(options_json)?, readers(tables)?);
    let callbacks = PythonCallbacks::new(Some(emit), progress);
    let checked = py.detach(|| wastenot_checker::check(inputs, &options, &mut &callbacks));
    callbacks.end(checked)
}

fn readers(tables: &Bound<'_, PyDict>) -> PyResult<Vec<(String, BatchReader)>> {
    let reader = |(name, stream): (Bound<'_, PyAny>, Bound<'_, PyAny>)| -> PyResult<(String, BatchReader)> {
        Ok((name.extract()?, Box::new(import_stream(&stream)?)))
    };
    tables.iter().map(reader).collect()
}

/// Make the rows that touch a window from `start_ns` to `end_ns` of the tables that grow with the trace, tiles excepted.
///
/// `tables` as for `check`, the events from a checkpoint (`state`; None: from the start of the trace) to the first whose time is not
/// before the window's end, or to the end of the trace (`to_the_end`). Rows that span the checkpoint at which they end are in
/// `checkpoint_interval`. `emit` and `progress` as for `check`. Raises WastenotError with one line.
#[pyfunction]
#[pyo3(signature = (tables, start_ns, end_ns, state, to_the_end, emit, progress=None))]
#[allow(clippy::too_many_arguments)] // of Python, by name
pub fn check_window(
    py: Python<'_>,
    tables: &Bound<'_, PyDict>,
    start_ns: i64,
    end_ns: i64,
    state: Option<&[u8]>,
    to_the_end: bool,
    emit: Py<PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let inputs = readers(tables)?;
    let window = Window { start_ns, end_ns, state, to_the_end };
    let callbacks = PythonCallbacks::new(Some(emit), progress);
    let checked = py.detach(|| wastenot_checker::check_window(inputs, &window, &mut &callbacks));
    callbacks.end(checked)
}

/// How long threads waited within a window, and why: `emit` receives the table `cgroup_wait` of it.
///
/// `tables`, `state`, `to_the_end` and `progress` as for `check_window`. Of the waits on the queues of `cpus` and of the threads `utids`, of all
/// where a list is empty. Returns how much of it was no wait by a later event, ns. Raises WastenotError with one line.
#[pyfunction]
#[pyo3(signature = (tables, start_ns, end_ns, state, to_the_end, cpus, utids, emit, progress=None))]
#[allow(clippy::too_many_arguments)] // of Python, by name
pub fn window_waits(
    py: Python<'_>,
    tables: &Bound<'_, PyDict>,
    start_ns: i64,
    end_ns: i64,
    state: Option<&[u8]>,
    to_the_end: bool,
    cpus: Vec<i16>,
    utids: Vec<u32>,
    emit: Py<PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<i64> {
    let inputs = readers(tables)?;
    let window = Window { start_ns, end_ns, state, to_the_end };
    let callbacks = PythonCallbacks::new(Some(emit), progress);
    let refuted_ns = py.detach(|| wastenot_checker::window_waits(inputs, &window, &cpus, &utids, &mut &callbacks));
    callbacks.end(refuted_ns)
}

/// The jobs of the deadline tasks of a trace: its figures as JSON; `emit` receives the table of jobs. `tables` and `progress` as for `check`,
/// `options_json` as [`DeadlineOptions`] has them. Raises WastenotError with one line.
#[pyfunction]
#[pyo3(signature = (tables, options_json, emit, progress=None))]
pub fn deadlines(
    py: Python<'_>,
    tables: &Bound<'_, PyDict>,
    options_json: &str,
    emit: Py<PyAny>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let options: DeadlineOptions =
        serde_json::from_str(options_json).map_err(|e| to_error(format!("options of deadlines: {e}")))?;
    let inputs = readers(tables)?;
    let callbacks = PythonCallbacks::new(Some(emit), progress);
    let report = py.detach(|| wastenot_checker::deadlines::deadlines(inputs, &options, &mut &callbacks));
    to_json(&callbacks.end(report)?)
}

/// The descriptions of all rules for causes, as a JSON list in the order in which they are applied; of their repairs those that are
/// meant for a kernel (a release as `uname -r` prints it; all of them where that is None or not understood).
#[pyfunction]
#[pyo3(signature = (kernel=None))]
pub fn rules(kernel: Option<&str>) -> String {
    let kernel = kernel.and_then(KernelRelease::parse);
    let repair = |r: &Repair| {
        serde_json::json!({
            "kind": r.kind.name(), "kernels": r.kernels.to_string(), "text": r.text, "source": r.source,
        })
    };
    let of = |(question, a): (Question, &RuleText)| {
        let repairs: Vec<_> = a.repairs.iter().filter(|r| r.is_for(kernel.as_ref())).map(repair).collect();
        serde_json::json!({
            "name": a.name, "question": wastenot_schemas::question::NAMES[question as usize],
            "kernels": a.kernels.to_string(), "description": a.description, "functions": a.functions, "proof": a.proof,
            "refuted_by": a.refuted_by, "limits": a.limits, "repairs": repairs,
        })
    };
    serde_json::Value::from(all().map(of).collect::<Vec<_>>()).to_string()
}
