//! Formats of events from elsewhere, for a file that has lost its own: `perf record` writes them last.

use crate::attr::{Attr, TYPE_TRACEPOINT};
use crate::features::Features;
use crate::file;
use crate::stream::Stream;
use crate::tracing::Tracing;
use std::io;
use std::path::{Path, PathBuf};
use wastenot_import::{Endian, ImportError};

/// Where the running kernel shows its files.
const RUNNING: &str = "/sys/kernel";
const RELEASE: &str = "/proc/sys/kernel/osrelease";

/// What was found at the place that the user named.
pub struct Borrowed {
    pub tracing: Tracing,
    /// What another file of perf says of the machine.
    pub features: Option<Features>,
    /// The kernel's release, of tracefs of the running one.
    pub release: Option<String>,
}

/// The formats at `from`: tracefs or a copy of it, or a perf.data file of the same kernel.
pub fn borrow(from: &Path, endian: Endian) -> Result<Borrowed, ImportError> {
    let of_perf = from.join("data"); // of a folder that `perf record --threads` wrote
    match from.is_dir() && !of_perf.is_file() {
        true => of_folder(from, endian),
        false => of_recording(if from.is_dir() { &of_perf } else { from }, endian),
    }
}

fn of_recording(from: &Path, endian: Endian) -> Result<Borrowed, ImportError> {
    let mut other = Stream::new(file::open(from)?);
    // In a pipe the formats come as records before the samples.
    while other.tracing.ids.is_empty() && other.order.is_empty() && !other.is_at_end() {
        other.step().map_err(|cause| ImportError::io(from, cause))?;
    }
    if other.tracing.ids.is_empty() {
        return Err(ImportError::damaged(from, "it has no formats of events either"));
    }
    if other.endian != endian {
        return Err(ImportError::damaged(from, "the formats in it are of a machine of the other byte order"));
    }
    Ok(Borrowed { tracing: other.tracing, features: Some(other.features), release: None })
}

fn of_folder(from: &Path, endian: Endian) -> Result<Borrowed, ImportError> {
    let events = Some(from.join("events")).filter(|events| events.is_dir()).unwrap_or_else(|| from.to_owned());
    let mut tracing = Tracing::default();
    for system in folders(&events).map_err(|cause| ImportError::io(&events, cause))? {
        for event in folders(&system).map_err(|cause| ImportError::io(&system, cause))? {
            match std::fs::read(event.join("format")) {
                Ok(text) => tracing.format(&text, endian),
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                Err(cause) => return Err(ImportError::io(&event, cause)),
            }
        }
    }
    if tracing.points.is_empty() {
        let why =
            "no formats of scheduler events in it; give tracefs, as /sys/kernel/tracing, or a copy of its `events`";
        return Err(ImportError::damaged(from, why));
    }
    let is_running = from.canonicalize().is_ok_and(|place| place.starts_with(RUNNING));
    let release = is_running.then(|| std::fs::read_to_string(RELEASE).ok()).flatten();
    Ok(Borrowed { tracing, features: None, release: release.map(|text| text.trim().to_owned()) })
}

fn folders(at: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(at)? {
        let path = entry?.path();
        if path.is_dir() {
            found.push(path);
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Why these formats cannot be those of a file with these attributes, or are too few.
pub fn misfit(found: &Borrowed, attrs: &[Attr]) -> Option<String> {
    let Borrowed { tracing, features, .. } = found;
    let recorded: Vec<u64> = attrs.iter().filter(|attr| attr.kind == TYPE_TRACEPOINT).map(|attr| attr.config).collect();
    let is_known = |id: u64| tracing.ids.iter().any(|known| u64::from(*known) == id);
    let is_read = |id: u64| tracing.points.iter().any(|point| u64::from(point.id) == id);
    if let Some(id) = recorded.iter().find(|id| !is_known(**id)) {
        return Some(match features {
            // A recording has the formats of its own events only.
            Some(_) => format!(
                "it has no format of event {id}, which was recorded; give a recording of the same events, or tracefs"
            ),
            None => format!("no event in it has the number {id}, which was recorded: it is that of another kernel"),
        });
    }
    (!recorded.iter().any(|id| is_read(*id))).then(|| {
        "none of the events that were recorded is a scheduler's by these formats: they are those of another kernel"
            .to_owned()
    })
}
