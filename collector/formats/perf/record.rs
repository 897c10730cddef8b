//! Kinds of records (`perf_event_header.type`).
//!
//! Source: include/uapi/linux/perf_event.h for the kernel's, tools/lib/perf/include/perf/event.h for perf's own.

/// Size of a record's header: kind (32 bits), misc (16), size with the header (16).
pub const HEADER: usize = 8;

pub const LOST: u32 = 2;
pub const COMM: u32 = 3;
pub const MMAP: u32 = 1;
pub const EXIT: u32 = 4;
pub const FORK: u32 = 7;
pub const SAMPLE: u32 = 9;
pub const LOST_SAMPLES: u32 = 13;
/// From here on perf's own.
pub const HEADER_ATTR: u32 = 64;
pub const HEADER_TRACING_DATA: u32 = 66;
pub const FINISHED_ROUND: u32 = 68;
pub const ID_INDEX: u32 = 69;
pub const AUXTRACE: u32 = 71;
pub const HEADER_FEATURE: u32 = 80;
pub const COMPRESSED: u32 = 81;
pub const COMPRESSED2: u32 = 83;

/// `misc` of a COMM record: the name changed by exec.
pub const MISC_COMM_EXEC: u16 = 1 << 13;
/// `misc` of a LOST_SAMPLES record: dropped by a filter that was asked for.
pub const MISC_LOST_SAMPLES_BPF: u16 = 1 << 15;
