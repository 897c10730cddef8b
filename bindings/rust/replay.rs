//! `wastenot._native.replay`: simulations.

use crate::callbacks::{PythonCallbacks, to_error};
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;
use wastenot_machine::Machine;
use wastenot_replay::costs::{CONSTANTS, Costs, Slot};
use wastenot_replay::faults::FAULTS;
use wastenot_replay::scenario::{PreparedScenario, SCHEDULERS, Scenario, ScenarioOverrides};
use wastenot_replay::{FaultSet, Outcome, Settings};
use wastenot_schemas::{Sink, SinkError};

/// How a simulation is run, as JSON.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SimulationOptions {
    seed: Option<u64>,
    /// Settings that replace those of the scenario.
    overrides: ScenarioOverrides,
    /// JSON of a machine, or hwloc XML.
    snapshot: Option<String>,
    /// Constants to multiply, by name: numerator and denominator.
    scale: Vec<(String, u64, u64)>,
    /// Command line and options (JSON) to name in the trace.
    command: String,
    options: String,
}

/// Passes batches on, and reports how far they reach.
struct SimulationSink<'a> {
    callbacks: &'a PythonCallbacks,
    limit_ns: u64,
    rows: i64,
    reached_ns: i64,
}

impl Sink for SimulationSink<'_> {
    fn batch(&mut self, table: &'static str, batch: RecordBatch) -> Result<(), SinkError> {
        if let Some(ts) = batch.column_by_name("ts_ns").and_then(|c| c.as_primitive_opt::<Int64Type>()) {
            self.rows += ts.len() as i64;
            self.reached_ns = self.reached_ns.max(ts.values().last().copied().unwrap_or(0));
        }
        self.callbacks.batch(table, batch)?;
        self.callbacks.progress((self.rows, self.reached_ns as f64 / self.limit_ns.max(1) as f64))
    }
}

/// Run the scenario that the TOML text `scenario` describes: `emit(table, stream)` gets the batches of every event table in
/// order of id, then the entity tables. Returns the outcome as JSON, with the progress of the threads.
#[pyfunction]
#[pyo3(signature = (scenario, options="{}", emit=None, progress=None))]
pub fn simulate(
    py: Python<'_>,
    scenario: &str,
    options: &str,
    emit: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let options: SimulationOptions =
        serde_json::from_str(options).map_err(|e| to_error(format!("simulation options: {e}")))?;
    let ready =
        parse(scenario)?.prepare(&options.overrides, machine(options.snapshot.as_deref())?).map_err(to_error)?;
    let mut costs = ready.costs.clone();
    for (name, num, den) in &options.scale {
        costs = costs.scaled(name, *num, *den).ok_or_else(|| to_error(unknown_constant(name)))?;
    }
    let settings = Settings {
        seed: options.seed.unwrap_or(1),
        costs,
        evidence: ready.evidence,
        log_jobs: false,
        command: options.command,
        options: if options.options.is_empty() { "{}".to_owned() } else { options.options },
    };
    let limit_ns = ready.workload.limit_ns();
    let callbacks = PythonCallbacks::new(emit, progress);
    let mut sink = SimulationSink { callbacks: &callbacks, limit_ns, rows: 0, reached_ns: 0 };
    let ended = py.detach(|| ready.run(&settings, &mut sink));
    callbacks.end(ended).map(|outcome| outcome_json(&ready, &outcome))
}

fn outcome_json(ready: &PreparedScenario, outcome: &Outcome) -> String {
    let threads = outcome.progress.iter().map(|p| {
        let ended_ns = (p.alive == 0).then_some(p.ended_ns);
        let jobs = &p.deadline_jobs;
        json!({ "name": p.name, "threads": p.threads, "alive": p.alive, "ended_ns": ended_ns, "run_ns": p.run_ns,
            "waited_ns": p.waited_ns, "deadline_jobs": jobs.jobs, "deadlines_missed": jobs.missed,
            "tardiness_max_ns": jobs.tardiness_max_ns })
    });
    let marks = outcome.marks.iter().map(|(name, (count, last_ns))| (name.clone(), json!([count, last_ns])));
    json!({
        "end_ns": outcome.end_ns,
        "finished": outcome.finished,
        "events": outcome.rows,
        "handled": outcome.handled,
        "cpus": ready.machine.online.iter().count(),
        "scheduler": ready.scheduler,
        "faults": ready.faults.iter().map(|a| a.name).collect::<Vec<_>>(),
        "threads": threads.collect::<Vec<_>>(),
        "marks": marks.collect::<serde_json::Map<_, _>>(),
    })
    .to_string()
}

/// The scenario of a TOML text, checked as far as possible without its machine, as JSON.
#[pyfunction]
pub fn scenario(text: &str) -> PyResult<String> {
    serde_json::to_string(&parse(text)?).map_err(to_error)
}

/// The faults of the kernel model, as JSON: name, what it does, fix, source, counterfactual, and the releases that had it.
#[pyfunction]
pub fn faults() -> String {
    use wastenot_replay::Release;
    let releases = [("4.1", Release::Averages), ("6.12", Release::Eevdf)];
    let all = FAULTS.iter().map(|a| {
        let had = |release| FaultSet::shipped(release).has(a.fault);
        let shipped: Vec<&str> = releases.iter().filter(|r| had(r.1)).map(|r| r.0).collect();
        json!({ "name": a.name, "does": a.does, "fix": a.fix, "source": a.source, "counterfactual": a.counterfactual,
            "shipped": shipped })
    });
    json!(all.collect::<Vec<_>>()).to_string()
}

/// The schedulers by name, as JSON: name and what it is.
#[pyfunction]
pub fn schedulers() -> String {
    json!(SCHEDULERS).to_string()
}

/// The constants of the simulation by name, as JSON: nanoseconds or thousandths.
#[pyfunction]
pub fn constants() -> String {
    let mut costs = Costs::default();
    let value = |slot: Slot<'_>| match slot {
        Slot::Time(ns) => *ns,
        Slot::Share(share) => u64::from(*share),
    };
    let all = CONSTANTS.iter().map(|(name, slot)| ((*name).to_owned(), json!(value(slot(&mut costs)))));
    json!(all.collect::<serde_json::Map<_, _>>()).to_string()
}

/// The experiment of soft real time on a core of two hardware threads, with settings as JSON. Returns its outcome as JSON.
#[pyfunction]
#[pyo3(signature = (settings="{}"))]
pub fn soft_realtime(py: Python<'_>, settings: &str) -> PyResult<String> {
    use wastenot_replay::soft_realtime::experiment;
    let settings: experiment::ExperimentSettings =
        serde_json::from_str(settings).map_err(|e| to_error(format!("soft real time: {e}")))?;
    let outcome = py.detach(|| experiment::run(&settings)).map_err(to_error)?;
    serde_json::to_string(&outcome).map_err(to_error)
}

fn unknown_constant(name: &str) -> String {
    let known = CONSTANTS.iter().map(|c| c.0).collect::<Vec<_>>().join(" ");
    format!("{name:?} is not a constant; one of {known}")
}

/// A machine from JSON or hwloc XML, distinguished by the first letter.
fn machine(snapshot: Option<&str>) -> PyResult<Option<Machine>> {
    let Some(text) = snapshot else { return Ok(None) };
    let read = if text.trim_start().starts_with('<') { Machine::from_hwloc(text) } else { Machine::from_json(text) };
    read.map(Some).map_err(to_error)
}

fn parse(text: &str) -> PyResult<Scenario> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map(|s| 1 + text[..s.start.min(text.len())].matches('\n').count());
        let what = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
        to_error(line.map_or(what.clone(), |line| format!("line {line}: {what}")))
    })
}
