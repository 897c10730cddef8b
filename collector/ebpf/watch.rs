//! Watching a machine without recording it: a sentinel that looks at the runqueues, and a black box that holds the events of the
//! last seconds.
//!
//! API: [`FlightRecorder`]. The sentinel (`bpf/sentinel.bpf.c`) slows nothing down and sees what lasts; the black box runs the
//! recorder's programs, which overwrite their oldest records, and is saved as an ordinary part folder.

mod black_box;
mod epoch;
mod figures;
mod flight_recorder;
mod grace;
mod options;
mod run_time;
mod saved_box;
mod sentinel;
mod sentinel_view;
mod snapshot_rows;
mod watcher;

pub use figures::{BoxFigures, CpuFigures, Hit, SavedBox, SentinelStarted, WatchStarted, WatchStatus};
pub use flight_recorder::FlightRecorder;
pub use options::{LookClock, WatchOptions};
