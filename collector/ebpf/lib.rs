//! Live capture with eBPF (and tracefs where BPF is not permitted).
//!
//! The door: [`Recorder`] writes a recording into a part folder; [`segment::RecordingReader`] and [`record::read`] read it
//! back. The README tells the folder's layout and the rules that a reader must follow.

mod capture;
mod config;
mod consumer;
mod counters;
pub mod decode;
pub mod doctor;
mod error;
mod kernel;
mod load;
pub mod mask;
mod meta;
mod missing;
mod options;
mod programs;
pub mod record;
mod recorder;
mod ring;
mod schedstat;
pub mod segment;
mod snapshot;
mod stacks;
pub mod tracefs;

pub use capture::Capture;
pub use consumer::Stats;
pub use error::CaptureError;
pub use kernel::Kernel;
pub use meta::Meta;
pub use options::{ALL_GROUPS, Counting, EventGroup, Options, Source};
pub use recorder::Recorder;
