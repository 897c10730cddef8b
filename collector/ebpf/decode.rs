//! A recording (the folder `T.duckdb.part`) into the tables of a trace.
//!
//! Segments are read once, frame by frame, and distributed to one source per CPU; crate `wastenot-assemble` puts them in one
//! order. Memory is bounded whatever the length. A recording whose recorder was killed decodes up to its last whole frame and
//! is marked: `complete` false, `end_reason` "crash (recovered)", `end_ns` the last event.

mod domains;
mod error;
mod frames;
mod rows;
mod snapshot;
mod stream;

pub use error::DecodeError;
pub use stream::{EventStream, Stretch};

use crate::Meta;
use crate::segment::Tail;
use arrow_array::RecordBatch;
use frames::Frames;
use serde::Serialize;
use std::path::Path;
use wastenot_assemble::{Assembler, Interner, Sink};
use wastenot_import::OpenTrace;
use wastenot_machine::Machine;
use wastenot_schemas::{PresentEvidence, SCHEMA_VERSION, cgroup, evidence, mask, stack, trace};

/// What was decoded. Serialises to the JSON that `wastenot._native.collector.decode` returns.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Rows in all event tables.
    pub events: i64,
    /// Start of the trace (ns).
    pub start_ns: i64,
    /// End of what is known (ns).
    pub end_ns: i64,
    /// The recorder was not killed.
    pub complete: bool,
    /// Why it ended.
    pub end_reason: String,
    /// Evidence level.
    pub evidence_level: String,
    /// What else the recorder said of it, with what decoding found.
    pub notes: Vec<String>,
    /// Rows of the start snapshot that were corrected by the events around them.
    pub snapshot_corrected: u64,
}

impl Summary {
    /// As JSON, one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a summary has only texts, numbers and lists")
    }
}

/// Another trace of the same time and clock, of which the events are merged into the recording's: bubbles of applications.
#[derive(Default)]
pub struct CompanionTrace {
    opened: Option<OpenTrace>,
    notes: Vec<String>,
}

impl CompanionTrace {
    /// Merge the events of this trace into the recording's order.
    pub fn of(opened: OpenTrace) -> Self {
        Self { opened: Some(opened), notes: Vec::new() }
    }

    /// No such trace, for this reason.
    pub fn note(why: impl Into<String>) -> Self {
        Self { opened: None, notes: vec![why.into()] }
    }
}

/// Called from time to time: events decoded, and the share of the recording's time that is done where its end is known.
pub type Progress<'a> = dyn FnMut(i64, Option<f64>) + 'a;

/// Decode the recording in `part`: every event table, then machine, cpu, numa_node, domain, domain_group, mask, stack, cgroup and trace.
pub fn decode(
    part: &Path,
    companion: CompanionTrace,
    sink: &mut dyn Sink,
    progress: &mut Progress<'_>,
) -> Result<Summary, DecodeError> {
    let meta = Meta::read(part).map_err(DecodeError::Meta)?;
    let (start_ns, end_ns) = (meta.start_ns as i64, meta.end_ns.map(|end_ns| end_ns as i64));
    let machine = read_machine(part)?;
    let segments = part.join("segments");
    let cpus = machine.possible.iter().last().map_or(0, |cpu| cpu as usize + 1);
    let mut frames = Frames::open(&segments, cpus, meta.counters.clone(), meta.functions.clone())
        .map_err(|cause| DecodeError::Io { path: segments.clone(), cause })?;
    frames.number_levels(&machine);
    frames.read_around_snapshot(start_ns)?;
    let (frames, mut sources) = frames.sources();
    let CompanionTrace { opened, notes: of_companion } = companion;
    let translator = opened.map(|opened| {
        sources.extend(opened.sources);
        opened.translator
    });

    let mut events = 0;
    let mut present = PresentEvidence::default();
    let mut counting = |table: &'static str, batch: RecordBatch| {
        events += batch.num_rows() as i64;
        present.add(table, &batch);
        let length = end_ns.map(|end_ns| (end_ns - start_ns).max(1) as f64);
        let done = frames.borrow().last_ns().map_or(0, |last_ns| last_ns - start_ns) as f64;
        progress(events, length.map(|length| (done / length).clamp(0.0, 1.0)));
        sink.batch(table, batch)
    };
    // As far as each frame settles it, no farther: a recording gives the same events while it goes on (EventStream).
    let mut merge = Assembler::new(sources, Interner::default()).start();
    loop {
        let settled_ns = frames.borrow().settled_ns();
        merge.advance(settled_ns, &mut counting)?;
        if !frames.borrow_mut().advance()? {
            break;
        }
    }
    merge.advance(i64::MAX, &mut counting)?;
    let (report, ids) = merge.finish(&mut counting)?;

    let changed_domains = frames.borrow_mut().take_domains(&machine);
    let frames = frames.borrow();
    let finished = matches!(frames.tail(), Some((_, Tail::Finished { last: true })));
    let (first_ns, last_ns) = report.span_ns.unwrap_or((start_ns, start_ns));
    let complete = finished && end_ns.is_some();
    let end_ns = if meta.ends_at_stop { end_ns.map(|end_ns| end_ns.max(last_ns)) } else { frames.last_of_cpus_ns() };
    let mut notes = [meta.notes.clone(), of_companion].concat();
    if let Some(translator) = translator {
        notes.extend(translator.borrow().notes().iter().cloned());
    }
    if let Some((number, tail)) = frames.tail().filter(|_| !finished) {
        notes.push(format!("segment {number}: {tail}; everything before it was read"));
    }
    if let damaged @ 1.. = frames.damaged_domains() {
        notes.push(format!("{damaged} changes of scheduling domains could not be read: those before count on"));
    }
    notes.extend(report.notes());
    let summary = Summary {
        events: report.events,
        start_ns: start_ns.min(first_ns),
        end_ns: if complete { end_ns.unwrap_or(last_ns) } else { last_ns },
        complete,
        end_reason: match &meta.end_reason {
            Some(reason) => reason.clone(),
            None => "crash (recovered)".into(),
        },
        evidence_level: meta.evidence_level.clone(),
        notes,
        snapshot_corrected: frames.snapshot_corrected(),
    };
    for (table, batch) in machine.batches(summary.start_ns) {
        sink.batch(table, batch)?;
    }
    for (table, batch) in changed_domains {
        sink.batch(table, batch)?;
    }
    sink.batch(mask::NAME, ids.masks())?;
    sink.batch(stack::NAME, ids.stacks())?;
    sink.batch(cgroup::NAME, ids.cgroups())?;
    sink.batch(evidence::NAME, meta.recorded().batch(&present))?;
    sink.batch(trace::NAME, trace_row(&meta, &summary))?;
    Ok(summary)
}

/// The row of a trace that goes on; its end is `i64::MAX`.
fn open_trace_row(meta: &Meta, start_ns: i64) -> RecordBatch {
    let summary = Summary {
        events: 0,
        start_ns,
        end_ns: i64::MAX,
        complete: false,
        end_reason: String::new(),
        evidence_level: meta.evidence_level.clone(),
        notes: meta.notes.clone(),
        snapshot_corrected: 0,
    };
    trace_row(meta, &summary)
}

fn trace_row(meta: &Meta, summary: &Summary) -> RecordBatch {
    let notes: Vec<&str> = summary.notes.iter().map(String::as_str).collect();
    let unverified: Vec<&str> = meta.unverified.iter().map(String::as_str).collect();
    let mut rows = trace::Builder::default();
    rows.push(&trace::Row {
        schema_version: SCHEMA_VERSION,
        source: &meta.source,
        recorder: &meta.recorder,
        kernel: Some(&meta.kernel),
        clock: &meta.clock,
        epoch_ns: Some(meta.epoch_ns),
        start_ns: summary.start_ns,
        end_ns: summary.end_ns,
        end_reason: &summary.end_reason,
        complete: summary.complete,
        events: summary.events,
        evidence_level: &summary.evidence_level,
        notes: &notes,
        unverified: &unverified,
        queued_wakings_only: meta.queued_wakings_only.then_some(true),
        command: meta.command.as_deref(),
        options: &serde_json::to_string(&meta.options).expect("options are texts, numbers and lists"),
    });
    rows.finish()
}

fn read_text(part: &Path, name: &str) -> Result<String, DecodeError> {
    let path = part.join(name);
    std::fs::read_to_string(&path).map_err(|cause| DecodeError::Io { path, cause })
}

fn read_machine(part: &Path) -> Result<Machine, DecodeError> {
    Machine::from_json(&read_text(part, "machine.json")?)
        .map_err(|error| DecodeError::Damaged { path: part.join("machine.json"), why: error.to_string() })
}
