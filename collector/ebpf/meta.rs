//! `meta.json`: what a recording is, written when it begins and again when it ends.

use crate::error::CaptureError;
use crate::options::Options;
use crate::record::LAYOUT;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;
use wastenot_schemas::{evidence_before_version_3, split_excuses};

/// Version of the folder's layout: of `meta.json` and of what it does not say itself, the records (`record::LAYOUT`).
///
/// 1 was written until `recorded_evidence` came. The records grew under it without a change of the number: readings of
/// schedstat (kind 27), kicks (28), and the previous CPU and the flags of a placement (24), which no program wrote before.
/// So records of all of its times read the same, and a folder of format 1 is read.
pub const FORMAT: u32 = 2;

/// Times are nanoseconds of CLOCK_MONOTONIC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// Version of the folder's layout.
    pub format: u32,
    /// [`record::LAYOUT`] of the records in the segments, as hexadecimal digits; empty in format 1.
    #[serde(default)]
    pub layout: String,
    /// Always `ebpf`.
    pub source: String,
    /// Program and version.
    pub recorder: String,
    /// Kernel release.
    pub kernel: String,
    /// Always `monotonic`.
    pub clock: String,
    /// Wall-clock time (Unix) at which the clock was 0.
    pub epoch_ns: i64,
    /// Time that the records count from.
    pub base_ns: u64,
    /// Begin: every event from here on was wanted.
    pub start_ns: u64,
    /// End; absent while it runs, and after a crash.
    pub end_ns: Option<u64>,
    /// Why it ended: command, duration, interrupt, disk_full, error; absent while it runs, and after a crash.
    pub end_reason: Option<String>,
    /// Command that was recorded.
    pub command: Option<String>,
    /// Options it was started with.
    pub options: Options,
    /// tp_btf or raw_tp.
    pub attach: String,
    /// Evidence level: L0 to L3.
    pub evidence: String,
    /// Evidence that could not be recorded, and why.
    pub degraded: Vec<String>,
    /// Ways in which the kernel goes past what the recorder has been verified on.
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
            Some(format) if format == u64::from(FORMAT) && found["layout"] == *layout() => {}
            // Without a number it is not the description of a recording: what follows says so.
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

/// What format 2 says and format 1 did not: it named the excuses that were *not* recorded, and gave the level alone.
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
