//! Live capture with eBPF (and tracefs where BPF is not permitted).
//!
//! API: [`EbpfRecorder`] and [`TracefsRecorder`] write a recording into a part folder; [`segment::RecordingReader`] and
//! [`record::read`] read it back. The README has the folder's layout and the rules for readers.

mod cgroup_records;
mod clock;
mod config;
mod consumer;
mod counters;
pub mod decode;
pub mod doctor;
mod domains;
mod ebpf_recorder;
mod error;
mod evidence;
mod format;
mod frame_sink;
mod kernel;
mod live_frames;
mod load;
mod mapped;
pub mod mask;
mod meta;
mod missing;
mod mounts;
mod options;
mod prepared;
mod priority;
mod programs;
mod rank_records;
pub mod record;
mod recorder_thread;
mod regions;
mod ring;
mod sched_ext;
mod schedstat;
pub mod segment;
mod snapshot;
mod stacks;
mod stats;
pub mod tracefs;
pub mod watch;

pub use ebpf_recorder::EbpfRecorder;
pub use error::CaptureError;
pub use kernel::Kernel;
pub use live_frames::{Arrived, LiveFrames};
pub use meta::{KindRecorded, Meta};
pub use options::{ALL_GROUPS, EventGroup, Options, SchedstatMode, Source};
pub use stats::Stats;
pub use tracefs::TracefsRecorder;
