//! From rows in any source's order to ordered, numbered event batches.
//!
//! Every source of events (a CPU's recorded segment, a CPU's buffer of a trace file, a text log) is a [`Source`]: it hands
//! out [`Row`]s in its own order of arrival. The [`Assembler`] merges all of them into the one order of the trace, gives
//! dense ids 0..N-1 over all event tables, and passes Arrow batches per table to a [`Sink`]. Sets of CPUs, stacks, cgroups and
//! short texts are interned by the [`Interner`] that every source gets to see.
//!
//! Memory is bounded by the number of sources, the reorder window and one batch per table, never by the trace's length.

mod assembler;
mod event;
mod input;
mod interner;
mod source;
mod strays;
mod tables;
mod ties;
mod tournament;

pub use assembler::{Assembler, Merge, Oddities, Report, SourceReport};
pub use event::Row;
pub use interner::{Cgroup, Interner, Stack};
pub use source::{Error, Progress, Source};
pub use strays::Strays;
pub use wastenot_schemas::events::*;
pub use wastenot_schemas::{BATCH_ROWS, MaskId, Sink, SinkError, StackId, TextId};
