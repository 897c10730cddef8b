//! `wastenot._native.collector`: recordings and other tools' traces to tables, snapshots of the machine, what this kernel permits.

use crate::callbacks::{PythonCallbacks, to_error};
use pyo3::prelude::*;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use wastenot_ebpf::decode::CompanionTrace;
use wastenot_import::Options;
use wastenot_machine::Machine;
use wastenot_machine::schedstat::COUNTERS;
use wastenot_topology::CpuSet;

/// Decode the recording in the folder `part_dir`: `emit(table, stream)` gets every event table's batches in order of id, then
/// the entity tables; `progress(events, share)` is called with the progress. Returns the summary as JSON.
#[pyfunction]
#[pyo3(signature = (part_dir, emit, progress=None))]
pub fn decode(py: Python<'_>, part_dir: PathBuf, emit: Py<PyAny>, progress: Option<Py<PyAny>>) -> PyResult<String> {
    let callbacks = PythonCallbacks::new(Some(emit), progress);
    let decoded = py.detach(|| {
        let companion = bubbles_in(&part_dir);
        // What it raises ends the work with the next batch.
        let mut progress = |events: i64, share: Option<f64>| drop(callbacks.progress((events, share)));
        wastenot_ebpf::decode::decode(&part_dir, companion, &mut &callbacks, &mut progress)
    });
    callbacks.end(decoded).map(|summary| summary.to_json())
}

/// Applications' bubbles and calls during a recording (`record --with-bubbles`, `--call-library`): a trace by LTTng beside the
/// segments.
fn bubbles_in(part_dir: &Path) -> CompanionTrace {
    let folder = part_dir.join("bubbles");
    if !folder.is_dir() {
        return CompanionTrace::default();
    }
    if !wastenot_ctf::holds_trace(&folder) {
        return CompanionTrace::note("no application reported bubbles or calls while it was recorded");
    }
    match wastenot_ctf::open(&folder, &Options::default()) {
        Ok(opened) => CompanionTrace::of(opened),
        Err(error) => {
            CompanionTrace::note(format!("what applications reported (bubbles, calls) cannot be read: {error}"))
        }
    }
}

/// Options of an import, as JSON.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ImportOptions {
    affinity: Vec<String>,
    machine: Option<String>,
    kallsyms: Option<PathBuf>,
    formats: Option<PathBuf>,
    command: Option<String>,
    keep_strays: bool,
    no_host: bool,
}

/// Read the trace of another tool at `path` (a file or folder, recognised by its content): `emit` and `progress` as for
/// `decode`. Returns the summary as JSON.
#[pyfunction]
#[pyo3(signature = (path, emit, options="{}", progress=None))]
pub fn import_trace(
    py: Python<'_>,
    path: PathBuf,
    emit: Py<PyAny>,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let ImportOptions { affinity, machine, kallsyms, formats, command, keep_strays, no_host } =
        serde_json::from_str(options).map_err(|e| to_error(format!("import options: {e}")))?;
    let callbacks = PythonCallbacks::new(Some(emit), progress);
    let imported = py.detach(|| {
        let options = Options {
            formats,
            command,
            keep_strays,
            no_host,
            ..Options::new(&affinity, machine.as_deref(), kallsyms)?
        };
        let opened = wastenot_formats::open(&path, &options)?;
        wastenot_import::run(opened, &options, &mut &callbacks, &mut |events, share| {
            drop(callbacks.progress((events, Some(share))));
        })
    });
    callbacks.end(imported).map(|summary| summary.to_json())
}

/// The format of what lies at `path`: ctf, trace.dat, perf, perfetto or ftrace; None when it is none of those.
#[pyfunction]
pub fn recognise(path: PathBuf) -> PyResult<Option<&'static str>> {
    Ok(wastenot_formats::recognise(&path).map_err(to_error)?.map(|format| format.name()))
}

/// What the load balancer counted between the readings in `before` (perf.data of `perf sched stats record`, a text of
/// /proc/schedstat) and `after`, as JSON: `domains`, each with cpu, level, name, restarted and counters by
/// name.
#[pyfunction]
#[pyo3(signature = (before, after=None))]
pub fn schedstat(py: Python<'_>, before: PathBuf, after: Option<PathBuf>) -> PyResult<String> {
    let counted = py.detach(|| wastenot_formats::schedstat::counted(&before, after.as_deref())).map_err(to_error)?;
    let domains: Vec<serde_json::Value> = counted
        .iter()
        .map(|(delta, name)| {
            let counters: serde_json::Map<String, serde_json::Value> =
                COUNTERS.iter().zip(delta.counters).map(|(name, count)| ((*name).to_owned(), count.into())).collect();
            serde_json::json!({
                "cpu": delta.cpu, "level": delta.level, "name": name, "restarted": delta.restarted, "counters": counters,
            })
        })
        .collect();
    Ok(serde_json::json!({ "domains": domains }).to_string())
}

/// Snapshot of the machine whose /sys and /proc lie under `sysfs_root`, as JSON.
#[pyfunction]
#[pyo3(signature = (sysfs_root=PathBuf::from("/")))]
pub fn machine_snapshot(py: Python<'_>, sysfs_root: PathBuf) -> PyResult<String> {
    py.detach(|| Machine::read(&sysfs_root)).map(|machine| machine.to_json()).map_err(to_error)
}

/// The machine that hwloc XML (`lstopo --of xml`) describes, as JSON.
#[pyfunction]
pub fn hwloc_to_machine(xml: &str) -> PyResult<String> {
    Machine::from_hwloc(xml).map(|machine| machine.to_json()).map_err(to_error)
}

/// A machine's JSON as hwloc XML.
#[pyfunction]
pub fn machine_to_hwloc(json: &str) -> PyResult<String> {
    Machine::from_json(json).map(|machine| machine.to_hwloc()).map_err(to_error)
}

/// The CPUs of a list as the kernel writes it, ascending, each once.
#[pyfunction]
pub fn parse_cpu_list(text: &str) -> PyResult<Vec<u32>> {
    CpuSet::parse_list(text).map(|cpus| cpus.iter().collect()).map_err(to_error)
}

/// What this kernel and user may do, tried out, as JSON.
#[pyfunction]
pub fn doctor(py: Python<'_>) -> String {
    py.detach(|| wastenot_ebpf::doctor::examine().to_json())
}
