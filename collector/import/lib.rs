//! What every trace format has in common on its way into the tables.
//!
//! A format's reader finds events and their fields; what they mean is decided here, once for all formats:
//! - `events` declares each event: the names its fields go by in the tracing systems, and their types ([`KernelEvent`]);
//! - [`Tracepoint`] reads the raw records of ftrace and perf by the text of their formats;
//! - [`Translator`] turns a [`KernelEvent`] into rows, with a tracker per subject: threads, CPUs, interrupts, ...;
//! - [`parallel`] makes rows of what a trace of one program says of its threads;
//! - [`run`] merges the sources, writes every table and returns what was read ([`ImportSummary`]).
//!
//! A reader is a function `open(path, &Options) -> Result<OpenTrace, ImportError>`.

#![warn(missing_docs)]

mod cpus;
mod declared_affinity;
mod error;
mod events;
mod isolated;
mod nearby;
pub mod parallel;
mod priorities;
mod report;
mod run;
mod tracepoint;
mod trackers;
mod translator;

pub use declared_affinity::DeclaredAffinity;
pub use error::ImportError;
pub use events::*;
pub use isolated::{PipeRead, ReadingChild};
pub use nearby::{LazySymbols, find_nearby};
pub use run::{ImportSummary, OpenTrace, Options, OriginalTrace, Progress, TraceInfo, run};
pub use tracepoint::{Endian, Tracepoint};
pub use translator::{EventOrigin, SharedTranslator, Translator, has_stack, stack_row};
