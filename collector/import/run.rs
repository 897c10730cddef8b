//! An opened trace through the assembler into every table.

use crate::cpus::Cpus;
use crate::report::Counts;
use crate::{DeclaredAffinity, ImportError, LazySymbols, SharedTranslator, Translator};
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use serde::Serialize;
use std::path::PathBuf;
use wastenot_assemble::{Assembler, Interner, Sink, Source, Strays};
use wastenot_machine::Machine;
use wastenot_schemas::{
    EvidenceKind, PresentEvidence, RecordedEvidence, SCHEMA_VERSION, cgroup, cpu_frequency, cpu_idle, evidence, mask,
    stack, trace,
};

/// What the user says about a trace.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `--affinity`, in order; later ones win.
    pub affinity: Vec<DeclaredAffinity>,
    /// `--machine` or `--topology`: the machine it was taken on; better than what the trace says.
    pub machine: Option<Machine>,
    /// A file with the symbols of its kernel; see [`symbols`](Self::symbols).
    pub kallsyms: Option<PathBuf>,
    /// The formats of its kernel's events, where the trace has lost them: tracefs, or another trace of that kernel.
    pub formats: Option<PathBuf>,
    /// The command line of the import.
    pub command: Option<String>,
    /// Few events far away in time from all others are rows like any other (docs/semantics.md: strays).
    pub keep_strays: bool,
    /// Leave out the name of the machine.
    pub no_host: bool,
}

impl Options {
    /// From texts as the command line has them.
    pub fn new(affinity: &[String], machine: Option<&str>, kallsyms: Option<PathBuf>) -> Result<Self, ImportError> {
        let affinity = affinity.iter().map(|text| DeclaredAffinity::parse(text)).collect::<Result<_, _>>()?;
        let machine = machine.map(Machine::from_json).transpose().map_err(|e| ImportError::Option(e.to_string()))?;
        Ok(Self { affinity, machine, kallsyms, ..Self::default() })
    }

    /// Symbols for stacks of which the trace has addresses only: of the file that was given; else what the trace has `stored` of
    /// /proc/kallsyms; else of a `kallsyms` or `kallsyms.gz` [near](crate::find_nearby) one of its parts.
    pub fn symbols(&self, traces: &[PathBuf], stored: impl FnOnce() -> Option<String> + 'static) -> LazySymbols {
        crate::nearby::symbols(self.kallsyms.as_deref(), stored, traces)
    }
}

/// What a trace says about itself before its events.
#[derive(Clone, Debug, Default)]
pub struct TraceInfo {
    /// `trace.source`: ctf, trace.dat, ftrace, perf, perfetto.
    pub source: &'static str,
    /// Program and version that wrote it.
    pub recorder: String,
    /// Name of the machine.
    pub host: Option<String>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// Architecture as `uname -m` names it.
    pub arch: Option<String>,
    /// Clock of the stamps.
    pub clock: String,
    /// Wall-clock time (ns since 1970) of stamp 0.
    pub epoch_ns: Option<i64>,
    /// CPUs of the machine, where read.
    pub cpus: Option<u32>,
    /// The machine, where the trace has it whole.
    pub machine: Option<Machine>,
    /// Start and end of the recording (ns), where the trace has them apart from its events.
    pub span_ns: Option<(i64, i64)>,
    /// Command that was recorded.
    pub command: Option<String>,
}

/// What an export of ours has of the trace it was made from, beside its events.
#[derive(Clone, Debug, Default)]
pub struct OriginalTrace {
    /// Rows of `machine`, `cpu`, `numa_node`, `domain` and `domain_group`.
    pub machine: Vec<(&'static str, RecordBatch)>,
    /// `trace.evidence_level`.
    pub evidence_level: String,
    /// Table `evidence`.
    pub recorded: RecordedEvidence,
    /// `trace.queued_wakings_only`.
    pub queued_wakings_only: Option<bool>,
}

/// A trace whose events can be read.
pub struct OpenTrace {
    /// What it says about itself.
    pub about: TraceInfo,
    /// Its events: a source for each stream that has an order of its own.
    pub sources: Vec<Box<dyn Source>>,
    /// What the sources share.
    pub translator: SharedTranslator,
}

/// What was read. Serialises to the JSON that the import reports.
#[derive(Clone, Debug, Serialize)]
pub struct ImportSummary {
    /// `trace.source`.
    pub source: String,
    /// Rows in all event tables.
    pub events: i64,
    /// Start of the trace (ns).
    pub start_ns: i64,
    /// End (ns).
    pub end_ns: i64,
    /// The trace has its end.
    pub complete: bool,
    /// Evidence level.
    pub evidence_level: String,
    /// `trace.notes`: what is missing or odd.
    pub notes: Vec<String>,
    /// Ways in which the input goes past what the readers have been verified on.
    pub unverified: Vec<String>,
    /// Events set aside because they are few and far away in time from all others.
    pub strays: usize,
    /// Rows left out because their stamps lie far ahead of those beside them.
    pub wrong_stamps: u64,
    /// Events stamped before the one ahead of them, taken for simultaneous with it.
    pub out_of_order: u64,
    /// Events by what became of them.
    #[serde(flatten)]
    pub counts: Counts,
}

impl ImportSummary {
    /// As JSON, one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a summary has only texts, numbers and lists")
    }
}

/// Called from time to time with the rows so far and the share of the input that has been read.
pub type Progress<'a> = dyn FnMut(i64, f64) + 'a;

/// Read the whole trace: every event table in order of ids, then machine, cpu, numa_node, domain, domain_group, mask, stack, cgroup, trace.
pub fn run(
    opened: OpenTrace,
    options: &Options,
    sink: &mut dyn Sink,
    progress: &mut Progress<'_>,
) -> Result<ImportSummary, ImportError> {
    let OpenTrace { about, sources, translator } = opened;
    let mut events = 0;
    let mut present = PresentEvidence::default();
    let mut span_ns: Option<(i64, i64)> = None;
    let mut counting = |table: &'static str, batch: RecordBatch| {
        events += batch.num_rows() as i64;
        present.add(table, &batch);
        if let Some((first, last)) = span_of(table, &batch) {
            span_ns = Some(span_ns.map_or((first, last), |span| (span.0.min(first), span.1.max(last))));
        }
        progress(events, translator.borrow().done().clamp(0.0, 1.0));
        sink.batch(table, batch)
    };
    // What an export of ours holds was imported before, and is the same again.
    let sets_aside = !options.keep_strays && translator.borrow().original().is_none();
    let assembler = Assembler::new(sources, Interner::default()).setting_strays_aside(sets_aside);
    let (report, ids) = assembler.run(&mut counting)?;

    let read = translator.borrow();
    let mut notes = read.notes().to_vec();
    notes.extend(read.states_note());
    // An export of ours lists what its original lacked.
    notes.extend(read.wakeups_note().filter(|_| read.original().is_none()).map(String::from));
    notes.extend(report.notes());
    notes.extend(report.strays.iter().map(set_aside));
    let original = read.original();
    let machine = match original.filter(|_| options.machine.is_none()) {
        Some(_) => None,
        None => Some(machine_of(&about, options, read.cpus(), &mut notes)?),
    };
    let (first_ns, last_ns) = span_ns.or(report.span_ns).or(about.span_ns).unwrap_or((0, 0));
    let (start_ns, end_ns) = about.span_ns.unwrap_or((first_ns, last_ns));
    let summary = ImportSummary {
        source: about.source.into(),
        events: report.events,
        start_ns: start_ns.min(first_ns),
        end_ns: end_ns.max(last_ns),
        complete: read.is_complete(),
        evidence_level: original.map_or(read.evidence_level().name(), |original| &original.evidence_level).into(),
        notes,
        unverified: read.unverified_statements(),
        strays: report.strays.iter().map(|strays| strays.events).sum(),
        wrong_stamps: report.odd_sources.iter().map(|odd| odd.oddities.outliers).sum(),
        out_of_order: report.odd_sources.iter().map(|odd| odd.oddities.clock_steps).sum(),
        counts: read.counts(),
    };
    let described = machine.map(|machine| machine.batches(summary.start_ns));
    for (table, batch) in described.or(original.map(|original| original.machine.clone())).unwrap_or_default() {
        sink.batch(table, batch)?;
    }
    sink.batch(mask::NAME, ids.masks())?;
    sink.batch(stack::NAME, ids.stacks())?;
    sink.batch(cgroup::NAME, ids.cgroups())?;
    // The machine in a trace may lack which CPUs are isolated; the kernel's command line has it.
    let isolation =
        options.machine.is_some() || about.machine.as_ref().is_some_and(|machine| machine.cmdline.is_some());
    let recorded = match original {
        Some(original) => original.recorded.clone(),
        None => RecordedEvidence::new(|kind| why_not_recorded(kind, &read, &present, isolation)),
    };
    sink.batch(evidence::NAME, recorded.batch(&present))?;
    let queued_wakings_only = original.and_then(|original| original.queued_wakings_only);
    sink.batch(trace::NAME, trace_row(&about, options, &summary, queued_wakings_only))?;
    Ok(summary)
}

/// The first and the last stamp of events, which are in order. None: the check takes no notice of such events, so that a trace is as
/// long with them as without.
fn span_of(table: &str, batch: &RecordBatch) -> Option<(i64, i64)> {
    if matches!(table, cpu_idle::NAME | cpu_frequency::NAME) {
        return None;
    }
    let stamps = batch.column_by_name("ts_ns")?.as_primitive::<Int64Type>().values();
    stamps.first().copied().zip(stamps.last().copied())
}

/// Why another tool's trace does not show a kind of evidence throughout; None where it does.
fn why_not_recorded(
    kind: EvidenceKind,
    read: &Translator,
    present: &PresentEvidence,
    knows_isolated: bool,
) -> Option<String> {
    use EvidenceKind as Kind;
    let unless = |is_recorded: bool, why: &'static str| (!is_recorded).then_some(why);
    match kind {
        Kind::Migrations | Kind::MigrationStacks | Kind::LoadBalanceAttempts => unless(false, events_of(kind, present)),
        Kind::Placements | Kind::CpusScanned | Kind::LoadBalanceKicks => unless(false, events_of(kind, present)),
        Kind::SchedstatCounters => unless(false, events_of(kind, present)),
        Kind::PerCpuThread => None, // known by its name
        Kind::Affinity => unless(read.masks_declared(), "not declared with --affinity for every thread"),
        Kind::Isolated => unless(knows_isolated, "the trace does not have the kernel's command line"),
        Kind::IrqBusy => unless(read.has_interrupts(), "the trace does not have both irq and softirq events"),
        _ => unless(false, "traces of other tools do not show it"),
    }
    .map(str::to_owned)
}

/// Another tool's trace does not say whether it holds all events of a kind.
fn events_of(kind: EvidenceKind, present: &PresentEvidence) -> &'static str {
    if present.has(kind) { "whether the trace holds all of them is not known" } else { "the trace has none" }
}

/// The note on events that were set aside.
fn set_aside(strays: &Strays) -> String {
    let (first, last) = strays.span_ns;
    let (is, gap_s) = (if strays.events == 1 { "event is" } else { "events are" }, strays.gap_ns / 1_000_000_000);
    let side = if strays.before { "before" } else { "after" };
    format!(
        "set aside: {} {is} stamped {} to {} s, {gap_s} s {side} all others; --keep-strays keeps them",
        strays.events,
        seconds(first),
        seconds(last)
    )
}

/// A stamp as tracers print it.
fn seconds(ns: i64) -> String {
    let (sign, ns) = (if ns < 0 { "-" } else { "" }, ns.unsigned_abs());
    format!("{sign}{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
}

/// The machine that was declared, or the one in the trace, or as many CPUs as occur; with its name, unless that is to be left out.
fn machine_of(
    about: &TraceInfo,
    options: &Options,
    cpus: Cpus,
    notes: &mut Vec<String>,
) -> Result<Machine, ImportError> {
    let mut machine = described_machine(about, options, cpus, notes)?;
    machine.host = machine.host.or_else(|| about.host.clone()).filter(|_| !options.no_host);
    Ok(machine)
}

fn described_machine(
    about: &TraceInfo,
    options: &Options,
    cpus: Cpus,
    notes: &mut Vec<String>,
) -> Result<Machine, ImportError> {
    let known = options.machine.as_ref().or(about.machine.as_ref());
    let Some(machine) = known else {
        notes
            .push("topology and scheduling domains are not in the trace; --machine or --topology declares them".into());
        let mut cpus = cpus;
        cpus.at_least(about.cpus.unwrap_or(0).max(1));
        notes.extend(damaged_cpus(&cpus.strays));
        return Ok(Machine::of_listed_cpus(&cpus.exist, about.kernel.clone(), about.arch.clone()));
    };
    let described = machine.possible.last().map_or(0, |cpu| cpu + 1);
    let highest = cpus.exist.last().copied().unwrap_or(0);
    if described <= highest && !cpus.exist.is_empty() {
        return Err(ImportError::Option(format!(
            "the machine that was declared has CPUs up to {}, but the trace has CPU {highest}; declare the machine it was taken on",
            described.saturating_sub(1),
        )));
    }
    let strays: Vec<u32> = cpus.strays.into_iter().filter(|&cpu| !machine.possible.contains(cpu)).collect();
    notes.extend(damaged_cpus(&strays));
    Ok(machine.clone())
}

/// The note on CPU numbers that are taken for damage; the check rejects their events, as it does those of any CPU that the machine
/// does not have.
fn damaged_cpus(strays: &[u32]) -> Option<String> {
    let shown: Vec<String> = strays.iter().take(8).map(u32::to_string).collect();
    let more = if strays.len() > shown.len() { ", ..." } else { "" };
    let what = "taken for damage: far above all others and named by one event";
    (!strays.is_empty()).then(|| format!("CPU {}{more}: {what}", shown.join(", ")))
}

fn trace_row(
    about: &TraceInfo,
    options: &Options,
    summary: &ImportSummary,
    queued_wakings_only: Option<bool>,
) -> RecordBatch {
    #[derive(Serialize)]
    struct Stored<'a> {
        affinity: Vec<String>,
        machine_declared: bool,
        strays: usize,
        wrong_stamps: u64,
        out_of_order: u64,
        #[serde(flatten)]
        counts: &'a Counts,
    }
    let stored = Stored {
        affinity: options.affinity.iter().map(ToString::to_string).collect(),
        machine_declared: options.machine.is_some(),
        strays: summary.strays,
        wrong_stamps: summary.wrong_stamps,
        out_of_order: summary.out_of_order,
        counts: &summary.counts,
    };
    let notes: Vec<&str> = summary.notes.iter().map(String::as_str).collect();
    let unverified: Vec<&str> = summary.unverified.iter().map(String::as_str).collect();
    let mut rows = trace::Builder::default();
    rows.push(&trace::Row {
        schema_version: SCHEMA_VERSION,
        source: about.source,
        recorder: &about.recorder,
        kernel: about.kernel.as_deref(),
        clock: &about.clock,
        epoch_ns: about.epoch_ns,
        start_ns: summary.start_ns,
        end_ns: summary.end_ns,
        end_reason: "source",
        complete: summary.complete,
        events: summary.events,
        evidence_level: &summary.evidence_level,
        notes: &notes,
        unverified: &unverified,
        queued_wakings_only,
        command: about.command.as_deref().or(options.command.as_deref()),
        options: &serde_json::to_string(&stored).expect("options are texts, numbers and lists"),
    });
    rows.finish()
}
