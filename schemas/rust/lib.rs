//! The vocabulary of a trace for Rust: one module per table with its Arrow schema, a row, a builder and a view.
//!
//! Generated from the declarations in `schemas/tables`; `generated.rs`, `events.rs` and `event_rows.rs` are not written by hand.

#[rustfmt::skip]
#[allow(clippy::all)]
mod event_rows;
#[rustfmt::skip]
#[allow(clippy::all)]
pub mod events;
#[rustfmt::skip]
#[allow(clippy::all, dead_code, missing_docs, unused_imports)]
mod generated;
mod kernel_threads;
mod recorded_evidence;
mod references;
mod sink;
mod support;

pub use event_rows::{EventBuilders, EventView};
pub use generated::*;
pub use kernel_threads::cpu_of_kernel_thread;
pub use recorded_evidence::{EvidenceLists, PresentEvidence, RecordedEvidence};
pub use references::{Known, MaskId, References, StackId, TextId};
pub use sink::{BATCH_ROWS, BatchCollector, NullSink, Sink, SinkError, TableBuilder, append, flush};
pub use support::SchemaMismatch;

/// `domain.name` of a CPU that has no domain: its row spans only the CPU itself.
pub const NO_DOMAIN: &str = "none";

/// Version of the tables, stored in every trace. `schemas/CHANGES.md` tells what each version changed.
pub const SCHEMA_VERSION: i32 = 10;
