//! `meta.json`: what a recording is, written when it begins and again when it ends.

use crate::error::CaptureError;
use crate::options::Options;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Version of the folder's layout.
pub const FORMAT: u32 = 1;

/// Times are nanoseconds of CLOCK_MONOTONIC.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// Version of the folder's layout.
    pub format: u32,
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
    /// Excuses that the trace cannot show.
    pub unrecorded_excuses: Vec<String>,
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

    /// Read `meta.json` of a part folder.
    pub fn read(folder: &Path) -> Result<Self, CaptureError> {
        let path = folder.join("meta.json");
        let text = std::fs::read(&path).map_err(CaptureError::file(&path))?;
        serde_json::from_slice(&text).map_err(|e| CaptureError::Option {
            why: format!("{}: not the description of a recording: {e}", path.display()),
        })
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
