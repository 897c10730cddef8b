//! Numbers of the fields that are read or written, by message, as Perfetto's public definitions give them.
//!
//! Sources in the Perfetto repository: protos/perfetto/trace/{trace,trace_packet,clock_snapshot}.proto,
//! trace/ftrace/{ftrace_event_bundle,ftrace_event,ftrace_stats}.proto, trace/ps/process_tree.proto,
//! trace/system_info/cpu_info.proto, common/{system_info,trace_stats,builtin_clock}.proto,
//! trace/track_event/{track_event,track_descriptor,counter_descriptor,debug_annotation}.proto.

/// `Trace`.
pub mod trace {
    pub const PACKET: u32 = 1;
}

/// `TracePacket`.
pub mod packet {
    pub const FTRACE_EVENTS: u32 = 1;
    pub const PROCESS_TREE: u32 = 2;
    pub const CLOCK_SNAPSHOT: u32 = 6;
    pub const TIMESTAMP: u32 = 8;
    pub const TRUSTED_PACKET_SEQUENCE_ID: u32 = 10;
    pub const TRACK_EVENT: u32 = 11;
    pub const INTERNED_DATA: u32 = 12;
    pub const SEQUENCE_FLAGS: u32 = 13;
    pub const FTRACE_STATS: u32 = 34;
    pub const TRACE_STATS: u32 = 35;
    pub const PREVIOUS_PACKET_DROPPED: u32 = 42;
    pub const SYSTEM_INFO: u32 = 45;
    pub const COMPRESSED_PACKETS: u32 = 50;
    pub const TIMESTAMP_CLOCK_ID: u32 = 58;
    pub const TRACE_PACKET_DEFAULTS: u32 = 59;
    pub const TRACK_DESCRIPTOR: u32 = 60;
    pub const CPU_INFO: u32 = 67;
    pub const MACHINE_ID: u32 = 98;
    pub const ZSTD_COMPRESSED_PACKETS: u32 = 133;

    /// Ours: this file was written by wastenot; see the README.
    pub const HEADER: u32 = 5000;
    /// Ours: rows of a table.
    pub const ROWS: u32 = 5001;
    /// Ours: all events with ids below this have been written.
    pub const SETTLED: u32 = 5002;
}

/// `FtraceEventBundle`.
pub mod bundle {
    pub const CPU: u32 = 1;
    pub const EVENT: u32 = 2;
    pub const LOST_EVENTS: u32 = 3;
    pub const COMPACT_SCHED: u32 = 4;
    pub const FTRACE_CLOCK: u32 = 5;
    pub const FTRACE_TIMESTAMP: u32 = 6;
    pub const BOOT_TIMESTAMP: u32 = 7;
    pub const ERROR: u32 = 8;
}

/// `FtraceEventBundle.CompactSched`.
pub mod compact {
    pub const SWITCH_TIMESTAMP: u32 = 1;
    pub const SWITCH_PREV_STATE: u32 = 2;
    pub const SWITCH_NEXT_PID: u32 = 3;
    pub const SWITCH_NEXT_PRIO: u32 = 4;
    pub const INTERN_TABLE: u32 = 5;
    pub const SWITCH_NEXT_COMM_INDEX: u32 = 6;
    pub const WAKING_TIMESTAMP: u32 = 7;
    pub const WAKING_PID: u32 = 8;
    pub const WAKING_TARGET_CPU: u32 = 9;
    pub const WAKING_PRIO: u32 = 10;
    pub const WAKING_COMM_INDEX: u32 = 11;
}

/// `FtraceEvent`: the kinds that mean something here.
pub mod event {
    pub const TIMESTAMP: u32 = 1;
    pub const PID: u32 = 2;
    pub const SCHED_SWITCH: u32 = 4;
    pub const CPU_FREQUENCY: u32 = 11;
    pub const CPU_IDLE: u32 = 13;
    pub const SCHED_WAKEUP: u32 = 17;
    pub const SCHED_CPU_HOTPLUG: u32 = 19;
    pub const SCHED_WAKING: u32 = 20;
    pub const SOFTIRQ_ENTRY: u32 = 24;
    pub const SOFTIRQ_EXIT: u32 = 25;
    pub const IRQ_HANDLER_ENTRY: u32 = 36;
    pub const IRQ_HANDLER_EXIT: u32 = 37;
    pub const CGROUP_ATTACH_TASK: u32 = 67;
    pub const SCHED_WAKEUP_NEW: u32 = 114;
    pub const TASK_NEWTASK: u32 = 235;
    pub const TASK_RENAME: u32 = 236;
    pub const SCHED_PROCESS_EXEC: u32 = 237;
    pub const SCHED_PROCESS_EXIT: u32 = 238;
    pub const SCHED_PROCESS_FORK: u32 = 239;
    pub const CPUHP_ENTER: u32 = 345;
    pub const SCHED_MIGRATE_TASK: u32 = 491;
}

/// `ClockSnapshot` and its `Clock`.
pub mod clock {
    pub const CLOCKS: u32 = 1;
    pub const PRIMARY_TRACE_CLOCK: u32 = 2;
    pub const CLOCK_ID: u32 = 1;
    pub const TIMESTAMP: u32 = 2;
    pub const IS_INCREMENTAL: u32 = 3;
    pub const UNIT_MULTIPLIER_NS: u32 = 4;
}

/// `TracePacketDefaults`.
pub mod defaults {
    pub const TRACK_EVENT_DEFAULTS: u32 = 11;
}

/// `InternedData`; `EventCategory`, `EventName` and `DebugAnnotationName` are alike.
pub mod interned {
    pub const EVENT_CATEGORIES: u32 = 1;
    pub const EVENT_NAMES: u32 = 2;
    pub const DEBUG_ANNOTATION_NAMES: u32 = 3;
    pub const IID: u32 = 1;
    pub const NAME: u32 = 2;
}

/// `TrackEvent`, as it is read.
pub mod track_event {
    pub const CATEGORY_IIDS: u32 = 3;
    pub const DEBUG_ANNOTATIONS: u32 = 4;
    pub const NAME_IID: u32 = 10;
    pub const TRACK_UUID: u32 = 11;
    pub const CATEGORIES: u32 = 22;
    pub const NAME: u32 = 23;
}

/// `DebugAnnotation`, as it is read.
pub mod annotation {
    pub const NAME_IID: u32 = 1;
    pub const UINT: u32 = 3;
    pub const INT: u32 = 4;
    pub const STRING: u32 = 6;
    pub const NAME: u32 = 10;
}

/// `TrackDescriptor` and its `ThreadDescriptor`, as they are read.
pub mod descriptor {
    pub const UUID: u32 = 1;
    pub const THREAD: u32 = 4;
    pub const THREAD_TID: u32 = 2;
}

/// `ProcessTree`, its `Process` and `Thread`.
pub mod tree {
    pub const PROCESSES: u32 = 1;
    pub const THREADS: u32 = 2;
    pub const PROCESS_PID: u32 = 1;
    pub const PROCESS_PPID: u32 = 2;
    pub const PROCESS_CMDLINE: u32 = 3;
    pub const PROCESS_CMDLINE_IS_COMM: u32 = 9;
    pub const THREAD_TID: u32 = 1;
    pub const THREAD_NAME: u32 = 2;
    pub const THREAD_TGID: u32 = 3;
}

/// `SystemInfo` and its `Utsname`.
pub mod system {
    pub const UTSNAME: u32 = 1;
    pub const HZ: u32 = 3;
    pub const TRACING_SERVICE_VERSION: u32 = 4;
    pub const NUM_CPUS: u32 = 8;
    pub const SYSNAME: u32 = 1;
    pub const RELEASE: u32 = 3;
    pub const MACHINE: u32 = 4;
}

/// `CpuInfo` and its `Cpu`.
pub mod cpus {
    pub const CPUS: u32 = 1;
    pub const PROCESSOR: u32 = 1;
    pub const CAPACITY: u32 = 3;
}

/// `FtraceStats` and its `FtraceCpuStats`.
pub mod ftrace_stats {
    pub const PHASE: u32 = 1;
    pub const CPU_STATS: u32 = 2;
    pub const CPU: u32 = 1;
    pub const OVERRUN: u32 = 3;
    /// `Phase.END_OF_TRACE`.
    pub const END_OF_TRACE: u64 = 2;
}

/// `TraceStats` and its `BufferStats`.
pub mod trace_stats {
    pub const BUFFER_STATS: u32 = 1;
    pub const CHUNKS_OVERWRITTEN: u32 = 3;
    pub const CHUNKS_DISCARDED: u32 = 18;
    pub const TRACE_WRITER_PACKET_LOSS: u32 = 19;
}

/// `TrackDescriptor`, `CounterDescriptor`, `TrackEvent`, `DebugAnnotation`.
pub mod track {
    pub const UUID: u32 = 1;
    pub const NAME: u32 = 2;
    pub const PARENT_UUID: u32 = 5;
    pub const COUNTER: u32 = 8;
    pub const CHILD_ORDERING: u32 = 11;
    pub const SIBLING_ORDER_RANK: u32 = 12;
    pub const COUNTER_UNIT_NAME: u32 = 6;
    /// `ChildTracksOrdering.EXPLICIT`.
    pub const EXPLICIT: u64 = 3;

    pub const EVENT_ANNOTATIONS: u32 = 4;
    pub const EVENT_TYPE: u32 = 9;
    pub const EVENT_TRACK_UUID: u32 = 11;
    pub const EVENT_NAME: u32 = 23;
    pub const EVENT_COUNTER_VALUE: u32 = 30;
    pub const SLICE_BEGIN: u64 = 1;
    pub const SLICE_END: u64 = 2;
    pub const COUNTER_VALUE: u64 = 4;

    pub const ANNOTATION_INT: u32 = 4;
    pub const ANNOTATION_TEXT: u32 = 6;
    pub const ANNOTATION_NAME: u32 = 10;
}
