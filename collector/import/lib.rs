//! What every trace format has in common on its way into the tables.
//!
//! A format's reader finds events and their fields; what they mean is decided here, once for all formats:
//! - [`shape_of`] says which fields of an event matter and by which names they go in the tracing systems;
//! - [`States`] turns a `prev_state` (number, letters) into the tables' code, by the kernel's release, the tracer and the format;
//! - [`Tracepoint`] reads the raw records of ftrace and perf by the text of their formats;
//! - [`Translator`] turns an event with its [`Fields`] into rows: names, processes, declared masks, interrupt spans, counts;
//! - [`run`] merges the sources, writes every table and says what was read ([`Summary`]).
//!
//! A reader is a function `open(path, &Options) -> Result<Opened, ImportError>`.

#![warn(missing_docs)]

mod beside;
mod cpus;
mod declared;
mod error;
mod priorities;
mod release;
mod run;
mod shapes;
mod states;
mod tracepoint;
mod translator;

pub use beside::{LazySymbols, beside};
pub use declared::Declared;
pub use error::ImportError;
pub(crate) use release::Release;
pub use run::{About, Opened, Options, Original, Progress, Summary, run};
pub use shapes::{Kind, MAX_NUMBERS, MAX_TEXTS, Places, Shape, Wanted, shape_of};
pub use states::{PrevState, States, Tracer};
pub use tracepoint::{Endian, Tracepoint};
pub use translator::{Fields, Shared, Translator};
