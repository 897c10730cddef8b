//! The checker on the stream of events: a recording is decoded and walked over while it goes on, and its figures are counters.
//!
//! The collector records and draws no conclusions, the checker opens no file; this crate joins the two. [`ExactWatch`] watches
//! this machine, [`replay_part`] goes through a recorded part folder in the same way.

mod error;
mod exact_watch;
mod json;
mod options;
mod recording_walk;
mod replay;
mod thread_time;

pub use error::WatchError;
pub use exact_watch::{ExactWatch, WatchFigures};
pub use json::{counters_to_json, episode_to_json};
pub use options::WatchOptions;
pub use recording_walk::RecordingWalk;
pub use replay::replay_part;
