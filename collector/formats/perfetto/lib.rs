//! Reads and writes Perfetto traces.
//!
//! - [`open`] reads the scheduler's events of a trace that Perfetto recorded: `FtraceEvent`s and compact ones, compressed
//!   packets, several clocks, losses, process trees; and bubbles that applications declare by track events;
//! - [`write`] makes a Perfetto trace of ours, which ui.perfetto.dev shows with what the checker found, and which `open` turns
//!   into the same trace again.

#![warn(missing_docs)]

mod bubbles;
mod clocks;
mod columns;
mod cpu;
mod events;
#[allow(missing_docs)] // the names are those of the fields in Perfetto's definitions
mod fields;
mod names;
mod open;
mod original;
mod packets;
mod recognise;
mod restore;
mod scan;
mod version_1;
mod wire;
mod write;

pub use open::open;
pub use recognise::recognises;
pub use write::{BatchReader, ENTITIES, ExportError, ExportSummary, FINDINGS, Progress, write};
