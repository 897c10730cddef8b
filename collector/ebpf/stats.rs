//! What a recorder has done, as `meta.json` has it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Figures of a recorder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// Records taken from the rings, by kind.
    pub records: BTreeMap<String, u64>,
    /// Records that did not fit into a ring.
    pub lost: u64,
    /// Bytes of records.
    pub record_bytes: u64,
    /// Bytes written to the segments.
    pub stored_bytes: u64,
    /// CPU time of the consumer since the snapshot, in nanoseconds.
    pub consumer_cpu_ns: u64,
    /// Polls of the rings.
    pub polls: u64,
    /// Polls that took nothing because what takes the frames had fallen behind.
    #[serde(default)]
    pub waits: u64,
    /// Largest share of a ring that was in use at a poll, in percent.
    pub fullest_percent: u64,
    /// Why recording ended by itself (disk_full ...); absent while it runs.
    pub ended: Option<String>,
}
