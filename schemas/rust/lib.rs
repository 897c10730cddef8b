//! The vocabulary of a trace for Rust: one module per table with its Arrow schema, a row, a builder and a view.
//!
//! Generated from the declarations in `schemas/tables`; `generated.rs` and `events.rs` are not written by hand.

#[rustfmt::skip]
#[allow(clippy::all)]
pub mod events;
#[rustfmt::skip]
#[allow(clippy::all, dead_code, missing_docs, unused_imports)]
mod generated;
mod kernel_threads;
mod references;
mod sink;
mod support;

pub use generated::*;
pub use kernel_threads::cpu_of_kernel_thread;
pub use references::{Known, MaskId, References, StackId, TextId};
pub use sink::{BATCH_ROWS, BatchCollector, NullSink, Sink, SinkError, TableBuilder, append, flush};
pub use support::SchemaMismatch;

/// Version of the tables, stored in every trace. `schemas/CHANGES.md` tells what each version changed.
pub const SCHEMA_VERSION: i32 = 4;

/// The excuses for which `holds`, and the others, as `trace.recorded_excuses` and `trace.unrecorded_excuses` name them.
/// With a `match` over [`Excuse`] in `holds`, an excuse that a recorder forgets does not compile.
pub fn split_excuses(holds: impl Fn(Excuse) -> bool) -> (Vec<&'static str>, Vec<&'static str>) {
    let (recorded, others): (Vec<Excuse>, Vec<Excuse>) = Excuse::ALL.into_iter().partition(|&excuse| holds(excuse));
    let names = |excuses: Vec<Excuse>| excuses.into_iter().map(Excuse::name).collect();
    (names(recorded), names(others))
}

/// What `trace.recorded_evidence` would name of a trace from before version 3, which had its level and notes only.
pub fn evidence_before_version_3(level: &str, notes: &[String]) -> Vec<&'static str> {
    // The one sentence that code read: it stood where a trace of L2 or L3 does not hold every attempt.
    let lacks_attempts = notes.iter().any(|note| note.starts_with("passes of the load balancer"));
    evidence_names(|kind| match kind {
        EvidenceKind::Migrations | EvidenceKind::MigrationStacks => matches!(level, "L1" | "L2" | "L3"),
        EvidenceKind::LoadBalanceAttempts => matches!(level, "L2" | "L3") && !lacks_attempts,
        EvidenceKind::SchedstatCounters => level == "L3",
        EvidenceKind::Placements | EvidenceKind::CpusScanned | EvidenceKind::LoadBalanceKicks => false,
    })
}

/// The kinds of evidence for which `holds`, as `trace.recorded_evidence` names them.
pub fn evidence_names(holds: impl Fn(EvidenceKind) -> bool) -> Vec<&'static str> {
    EvidenceKind::ALL.into_iter().filter(|&kind| holds(kind)).map(EvidenceKind::name).collect()
}
