//! `meta.json`: the description of a recording, written at its start and completed at its end.

use crate::clock::{clock_ns, now_ns};
use crate::error::CaptureError;
use crate::format::FORMAT;
use crate::options::Options;
use crate::record::{LAYOUT, LAYOUTS};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;
use wastenot_schemas::{EvidenceKind, EvidenceLevel, EvidenceLists, RecordedEvidence};

/// Layouts that are read as the present ones: the first under an older rule for the hash, which included the records' names, one
/// of which was changed; in the second `IdleExitLate` had the lower half of its time, and zeros.
const EQUAL_LAYOUTS: [&str; 2] = ["61688df87b02aff2", "9aa4e9f9cf48bec9"];

/// What is recorded of one kind of evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindRecorded {
    /// Name of the [`EvidenceKind`].
    pub kind: String,
    /// Throughout.
    pub recorded: bool,
    /// Why not, for people.
    pub why: Option<String>,
}

impl KindRecorded {
    /// Of every kind, in the order of the enumeration.
    pub fn of_all(recorded: &RecordedEvidence) -> Vec<Self> {
        let of = |kind: EvidenceKind| Self {
            kind: kind.name().into(),
            recorded: recorded.is_recorded(kind),
            why: recorded.why_not(kind).map(str::to_owned),
        };
        EvidenceKind::ALL.map(of).into()
    }
}

/// Times are nanoseconds of CLOCK_MONOTONIC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// Version of the folder's layout.
    pub format: u32,
    /// [`record::LAYOUT`] of the records in the segments, as hexadecimal digits; empty in format 1.
    #[serde(default)]
    pub layout: String,
    /// `ebpf` or `tracefs`.
    pub source: String,
    /// Program and version.
    pub recorder: String,
    /// Kernel release.
    pub kernel: String,
    /// Always `monotonic`.
    pub clock: String,
    /// Wall-clock time (Unix) at which the recording's clock was 0.
    pub epoch_ns: i64,
    /// Time that the records count from.
    pub base_ns: u64,
    /// Start: all events from here on are recorded.
    pub start_ns: u64,
    /// End; absent while it runs, and after a crash.
    pub end_ns: Option<u64>,
    /// That is when the programs were switched off. Recorders before wrote when they had been detached, up to a second later.
    #[serde(default)]
    pub ends_at_stop: bool,
    /// Why it ended: command, duration, interrupt, disk_full, error; absent while it runs, and after a crash.
    pub end_reason: Option<String>,
    /// Command that was recorded.
    pub command: Option<String>,
    /// Options it was started with.
    pub options: Options,
    /// Of wakings only those are recorded that were queued to another CPU (`trace.queued_wakings_only`).
    #[serde(default)]
    pub queued_wakings_only: bool,
    /// tp_btf, raw_tp or tracefs.
    pub attach: String,
    /// Evidence level; under its name in `meta.json` since the first format.
    #[serde(rename = "evidence")]
    pub evidence_level: String,
    /// `trace.notes`: what else could not be recorded, and why.
    pub notes: Vec<String>,
    /// Features of the kernel on which the recorder has not been verified.
    #[serde(default)]
    pub unverified: Vec<String>,
    /// What is recorded of every kind of evidence.
    pub kinds: Vec<KindRecorded>,
    /// Names of the counters, by the number in counter records.
    pub counters: Vec<String>,
    /// Names of the balance functions, by the number in balance records.
    pub functions: Vec<String>,
    /// Rings: highest CPU number + 1.
    pub cpus: u32,
    /// Figures of the recorder itself; absent while it runs.
    pub stats: Option<crate::stats::Stats>,
}

impl Meta {
    /// The description of a recording by `source` that starts now: nothing recorded yet.
    pub(crate) fn at_start(source: &str, options: &Options) -> Self {
        let now = now_ns();
        Self {
            format: FORMAT,
            layout: layout(),
            source: source.into(),
            recorder: options.recorder.clone(),
            kernel: std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().into(),
            clock: "monotonic".into(),
            epoch_ns: clock_ns(libc::CLOCK_REALTIME) as i64 - now as i64,
            base_ns: now,
            start_ns: now,
            end_ns: None,
            ends_at_stop: true,
            end_reason: None,
            command: options.command.clone(),
            options: options.clone(),
            queued_wakings_only: false,
            attach: String::new(),
            evidence_level: EvidenceLevel::L0.name().into(),
            notes: Vec::new(),
            unverified: Vec::new(),
            kinds: Vec::new(),
            counters: Vec::new(),
            functions: vec!["newidle_balance".into(), "load_balance".into()],
            cpus: 0,
            stats: None,
        }
    }

    /// What is recorded of every kind of evidence.
    pub fn recorded(&self) -> RecordedEvidence {
        RecordedEvidence::read_back(|kind| {
            let found = self.kinds.iter().find(|found| found.kind == kind.name())?;
            Some((found.recorded, found.why.clone()))
        })
    }

    /// A line for each thing that is not recorded; kinds of evidence that lack for one reason are one line.
    pub fn not_recorded(&self) -> Vec<String> {
        let recorded = self.recorded();
        let mut by_reason: Vec<(&str, Vec<&str>)> = Vec::new();
        for kind in EvidenceKind::ALL {
            // Late exits explain idle CPUs, and tell nothing of waste.
            let Some(why) = recorded.why_not(kind).filter(|_| kind != EvidenceKind::LateIdleExits) else { continue };
            match by_reason.iter_mut().find(|(reason, _)| *reason == why) {
                Some((_, kinds)) => kinds.push(kind.words()),
                None => by_reason.push((why, vec![kind.words()])),
            }
        }
        let kinds = by_reason.into_iter().map(|(why, kinds)| format!("not recorded: {} ({why})", kinds.join(", ")));
        self.notes.iter().cloned().chain(kinds).collect()
    }

    pub(crate) fn set_recorded(&mut self, recorded: &RecordedEvidence) {
        self.kinds = KindRecorded::of_all(recorded);
    }

    /// A kind of evidence is not recorded throughout after all. (The evidence level does not rest on it.)
    pub(crate) fn lack(&mut self, kind: EvidenceKind, why: &str) {
        for found in self.kinds.iter_mut().filter(|found| found.kind == kind.name() && found.recorded) {
            (found.recorded, found.why) = (false, Some(why.into()));
        }
    }

    /// Write `meta.json` of a part folder: whole or not at all.
    pub fn write(&self, folder: &Path) -> Result<(), CaptureError> {
        write_file(folder, "meta.json", &serde_json::to_vec_pretty(self).expect("texts and numbers only"))
    }

    /// Read `meta.json` of a part folder. [`CaptureError::Format`] where another version wrote what this one cannot read.
    pub fn read(folder: &Path) -> Result<Self, CaptureError> {
        let path = folder.join("meta.json");
        let text = std::fs::read(&path).map_err(CaptureError::file(&path))?;
        let bad = |e: serde_json::Error| CaptureError::Option {
            why: format!("{}: not the description of a recording: {e}", path.display()),
        };
        let mut found: Value = serde_json::from_slice(&text).map_err(bad)?;
        match found["format"].as_u64() {
            Some(1) => from_lists(&mut found),
            Some(2) if is_known_layout(&found["layout"]) => from_lists(&mut found),
            Some(format) if (3..=u64::from(FORMAT)).contains(&format) && is_known_layout(&found["layout"]) => {}
            // Without a number it is not the description of a recording: the error below reports that.
            None => {}
            Some(format) => {
                let recorder = found["recorder"].as_str().unwrap_or("another version").to_owned();
                return Err(CaptureError::Format { folder: folder.to_owned(), format, recorder });
            }
        }
        serde_json::from_value(found).map_err(bad)
    }
}

/// The layout of the records that this version writes, as `meta.json` has it.
pub fn layout() -> String {
    text_of(LAYOUT)
}

fn text_of(layout: u64) -> String {
    format!("{layout:016x}")
}

fn is_known_layout(found: &Value) -> bool {
    LAYOUTS.iter().any(|known| *found == text_of(*known)) || EQUAL_LAYOUTS.iter().any(|known| found == known)
}

/// Fields of format 3 from the lists of formats 1 and 2. Format 1 named the excuses that were *not* recorded, and the level
/// only.
fn from_lists(found: &mut Value) {
    let texts = |value: &Value| -> Option<Vec<String>> {
        Some(value.as_array()?.iter().filter_map(|text| text.as_str().map(str::to_owned)).collect())
    };
    let lists = EvidenceLists {
        recorded_evidence: texts(&found["recorded_evidence"]),
        recorded_excuses: texts(&found["recorded_excuses"]),
        unrecorded_excuses: texts(&found["unrecorded_excuses"]).unwrap_or_default(),
        notes: texts(&found["degraded"]).unwrap_or_default(),
    };
    let kinds = KindRecorded::of_all(&lists.recorded(found["evidence"].as_str().unwrap_or_default()));
    if let Some(fields) = found.as_object_mut() {
        fields.insert("kinds".into(), serde_json::to_value(kinds).expect("texts and booleans only"));
        fields.insert("notes".into(), lists.other_notes().cloned().collect());
    }
}

/// Write a file under a temporary name and rename it.
pub(crate) fn write_file(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), CaptureError> {
    let (path, temporary) = (folder.join(name), folder.join(format!("{name}.tmp")));
    std::fs::write(&temporary, bytes).map_err(CaptureError::file(&temporary))?;
    std::fs::rename(&temporary, &path).map_err(CaptureError::file(&path))
}
