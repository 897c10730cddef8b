//! Jobs of deadline tasks: which met their deadlines, what each spent its time on, and whose fault each miss is.
//!
//! A walk over the trace as a check makes it, with one observer beside it. What every figure means is in `docs/semantics.md`, section
//! "Deadlines": a *job* is what a task does between an activation and its next sleep or yield; its time is divided without rest into
//! running and the ways not to run ([`TimeUse`]); a deadline thread is *passed over* while a CPU that it may use idles, or runs a
//! thread of a lower class or with a later deadline, which global EDF excludes.

mod culprit;
mod edf;
mod fault;
mod faults;
mod glob;
mod job_table;
mod passed_over;
mod report;
mod root_domains;
mod schedulability;
mod task;
mod tracker;

pub use job_table::DL_JOB;
pub use report::{DeadlineReport, PassedOverRow};
pub use schedulability::{NotCovered, Schedulability, partitioned_first_fit};
pub use task::{Reservation, TimeUse};

use wastenot_schemas::{EvidenceKind, Sink};

use crate::error::CheckError;
use crate::options::{BadOption, Options, TableSet};
use crate::source::BatchReader;
use crate::walk::{Walk, read_inputs};
use tracker::DeadlineTracker;

/// A task that the trace does not describe: threads whose name matches, and what they need.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredTask {
    /// Name of its threads; `*` and `?` stand for any text and any character.
    pub name: String,
    /// The most that a job runs, ns.
    pub runtime_ns: i64,
    /// From a job's activation to its deadline, ns.
    pub deadline_ns: i64,
    /// Between two activations, at least, ns.
    pub period_ns: i64,
}

/// Options of [`deadlines`].
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DeadlineOptions {
    /// Tasks that are declared; of two that match a thread the later one counts. What was recorded of a thread counts before both.
    pub tasks: Vec<DeclaredTask>,
    /// The worst misses, and the longest times for which a thread was passed over, that are listed.
    pub listed: Option<usize>,
}

impl DeadlineOptions {
    fn validate(&self) -> Result<(), BadOption> {
        for task in &self.tasks {
            let DeclaredTask { name, runtime_ns, deadline_ns, period_ns } = task;
            if *runtime_ns <= 0 || deadline_ns < runtime_ns || period_ns < deadline_ns {
                return Err(BadOption(format!(
                    "task {name}: 0 < runtime ≤ deadline ≤ period must hold, as sched_setattr demands it; \
                     got {runtime_ns}, {deadline_ns}, {period_ns} ns"
                )));
            }
        }
        Ok(())
    }
}

/// The jobs of the deadline tasks of a trace. `inputs` as for [`crate::check`]; rows of the table [`DL_JOB`] leave through `sink` in the
/// order in which jobs end.
pub fn deadlines(
    inputs: Vec<(String, BatchReader)>,
    options: &DeadlineOptions,
    sink: &mut dyn Sink,
) -> Result<DeadlineReport, CheckError> {
    options.validate()?;
    let (mut source, entities) = read_inputs(inputs)?;
    if entities.topology.is_empty() {
        return Err(CheckError::NoCpus);
    }
    let walk_options = Options { without_causes: true, tables: TableSet::Verdict, ..Options::default() };
    let mut walk = Walk::new(&entities, &walk_options);
    walk.scheduler.without_servers = true;
    walk.start(&entities)?;
    let mut tracker = DeadlineTracker::new(&entities, options);
    let mut dropped = wastenot_schemas::NullSink;
    let mut read = 0i64;
    source.walk(|view, row| -> Result<(), CheckError> {
        let before = tracker.before(&walk.scheduler, view, row, walk.last_ns);
        walk.apply(view, row, &mut dropped)?;
        if let Some(before) = before {
            tracker.after(&walk.scheduler, view, row, before);
        }
        read += 1;
        if read & 0xf_ffff == 0 {
            sink.progress(read).map_err(|why| CheckError::Stopped(why.to_string()))?;
        }
        tracker.hand_on(sink)
    })?;
    let end_ns = entities.end(None, walk.scheduler.now);
    tracker.finish(&walk.scheduler, end_ns);
    tracker.flush(sink)?;
    let recorded = entities.recorded.is_recorded(EvidenceKind::DlParameters);
    let why = entities.recorded.why_not(EvidenceKind::DlParameters).map(str::to_owned);
    Ok(DeadlineReport::of(tracker, &walk.scheduler, (recorded, why), entities.window, end_ns))
}
