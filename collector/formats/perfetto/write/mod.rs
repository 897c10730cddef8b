//! A trace of ours as a Perfetto trace, for ui.perfetto.dev and the trace processor.
//!
//! Events go out as `FtraceEvent`s, what the checker found as tracks: for other programs. An import reads neither: all rows of all event
//! tables are in fields of our own, which other programs pass over, so that it gives the same trace again.

mod bundles;
mod entities;
mod error;
mod file;
mod merge;
mod tracks;

pub use error::ExportError;

use crate::original::{LAST, WINDOW};
use arrow_array::RecordBatchReader;
use bundles::BundleWriter;
use file::Target;
use merge::Merge;
use std::collections::BTreeMap;
use std::path::Path;
use wastenot_schemas as tables;

/// Batches of one table.
pub type BatchReader = Box<dyn RecordBatchReader + Send>;

/// Entity tables that are used beside the event tables; the order of their rows does not matter.
pub const ENTITIES: &[&str] = &[
    "cgroup",
    "cpu",
    "domain",
    "domain_group",
    "evidence",
    "machine",
    "mask",
    "numa_node",
    "process",
    "stack",
    "thread",
    "trace",
];
/// The checker's tables that are used: `episode` in the order of `episode_id`, `wasted` in that of `start_ns`.
pub const FINDINGS: &[&str] = &["episode", "wasted"];

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportSummary {
    /// Rows of event tables.
    pub events: i64,
    /// Packets.
    pub packets: u64,
    /// Size of the file.
    pub bytes: u64,
}

/// Called now and then with the event id reached; an error text ends the export.
pub type Progress<'a> = dyn FnMut(i64) -> Result<(), String> + 'a;

/// Write a trace to `target`, which is made or replaced, and removed again when that fails.
///
/// `inputs` are batches by table name with the columns of `schemas/`, as `SELECT *` gives them: any of the event tables, each in the
/// order of its ids; [`ENTITIES`], of which `trace` must be there; [`FINDINGS`]. Others are passed over. Memory does not
/// grow with the trace: a window of 65,536 events and a batch per table are held.
pub fn write(
    mut inputs: BTreeMap<String, BatchReader>,
    target: &Path,
    progress: &mut Progress<'_>,
) -> Result<ExportSummary, ExportError> {
    let mut file = Target::create(target)?;
    let written = write_to(&mut inputs, &mut file, progress).and_then(|events| {
        let (packets, bytes) = file.finish()?;
        Ok(ExportSummary { events, packets, bytes })
    });
    if written.is_err() {
        let _ = std::fs::remove_file(target); // it did not exist before, or is of no use now
    }
    written
}

fn write_to(
    inputs: &mut BTreeMap<String, BatchReader>,
    file: &mut Target,
    progress: &mut Progress<'_>,
) -> Result<i64, ExportError> {
    let window = entities::write(inputs, file)?;
    let mut merge = Merge::default();
    for table in tables::EVENT_TABLES {
        if let Some(reader) = inputs.remove(*table) {
            merge.add(table, reader);
        }
    }
    let mut bundles = BundleWriter::default();
    let mut events = 0;
    while let Some(base) = merge.begin_window(WINDOW)? {
        merge.write_rows(file)?;
        events += merge.walk(|table, row| bundles.push(table, row, file))?;
        bundles.flush(file)?;
        file.settled(base.saturating_add(WINDOW))?;
        progress(events).map_err(ExportError::Stopped)?;
    }
    file.settled(LAST)?;
    tracks::findings(inputs, window, file)?;
    Ok(events)
}
