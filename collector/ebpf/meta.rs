//! `meta.json`: the description of a recording, written at its start and completed at its end.

use crate::error::CaptureError;
use crate::options::Options;
use crate::record::LAYOUT;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;
use wastenot_schemas::{evidence_before_version_3, split_excuses};

/// Version of the folder's layout: of `meta.json` and of what it does not say itself, the records (`record::LAYOUT`).
///
/// Format 1 has no `recorded_evidence`. Its records grew without a new number: schedstat readings (kind 27), kicks (28), and
/// the previous CPU and the flags of a placement (24), which no program wrote before. Records of all versions of format 1
/// read the same, so its folders are read.
pub const FORMAT: u32 = 2;

/// Layouts of the same records under older rules for the hash: it included the records' names, one of which was changed.
const EQUAL_LAYOUTS: [&str; 1] = ["61688df87b02aff2"];

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
    /// Why it ended: command, duration, interrupt, disk_full, error; absent while it runs, and after a crash.
    pub end_reason: Option<String>,
    /// Command that was recorded.
    pub command: Option<String>,
    /// Options it was started with.
    pub options: Options,
    /// tp_btf, raw_tp or tracefs.
    pub attach: String,
    /// Evidence level: L0 to L3.
    pub evidence: String,
    /// Evidence that could not be recorded, and why.
    pub degraded: Vec<String>,
    /// Features of the kernel on which the recorder has not been verified.
    #[serde(default)]
    pub unverified: Vec<String>,
    /// `trace.recorded_evidence`.
    pub recorded_evidence: Vec<String>,
    /// `trace.recorded_excuses`.
    pub recorded_excuses: Vec<String>,
    /// Names of the counters, by the number in counter records.
    pub counters: Vec<String>,
    /// Names of the balance functions, by the number in balance records.
    pub functions: Vec<String>,
    /// Rings: highest CPU number + 1.
    pub cpus: u32,
    /// Figures of the recorder itself; absent while it runs.
    pub stats: Option<crate::consumer::Stats>,
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
            end_reason: None,
            command: options.command.clone(),
            options: options.clone(),
            attach: String::new(),
            evidence: "L0".into(),
            degraded: Vec::new(),
            unverified: Vec::new(),
            recorded_evidence: Vec::new(),
            recorded_excuses: Vec::new(),
            counters: Vec::new(),
            functions: vec!["newidle_balance".into(), "load_balance".into()],
            cpus: 0,
            stats: None,
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
            Some(1) => from_format_1(&mut found),
            Some(format) if format == u64::from(FORMAT) && is_known_layout(&found["layout"]) => {}
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
    format!("{LAYOUT:016x}")
}

fn is_known_layout(found: &Value) -> bool {
    *found == *layout() || EQUAL_LAYOUTS.iter().any(|known| found == known)
}

/// Fields of format 2 that format 1 lacks: it named the excuses that were *not* recorded, and the level only.
fn from_format_1(found: &mut Value) {
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
    };
    let unrecorded = texts(&found["unrecorded_excuses"]);
    let (recorded, _) = split_excuses(|excuse| !unrecorded.iter().any(|name| name == excuse.name()));
    let level = found["evidence"].as_str().unwrap_or_default();
    let evidence = evidence_before_version_3(level, &texts(&found["degraded"]));
    if let Some(fields) = found.as_object_mut() {
        fields.insert("recorded_excuses".into(), recorded.into());
        fields.insert("recorded_evidence".into(), evidence.into());
    }
}

/// Write a file under a temporary name and rename it.
pub(crate) fn write_file(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), CaptureError> {
    let (path, temporary) = (folder.join(name), folder.join(format!("{name}.tmp")));
    std::fs::write(&temporary, bytes).map_err(CaptureError::file(&temporary))?;
    std::fs::rename(&temporary, &path).map_err(CaptureError::file(&path))
}

/// Nanoseconds of a clock.
pub(crate) fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: clock_gettime writes one timespec; the clocks used exist on every Linux.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Now, on the clock of the records.
pub(crate) fn now_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}
