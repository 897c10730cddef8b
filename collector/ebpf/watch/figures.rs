//! What a flight recorder reports, as JSON.

use crate::consumer::Stats;
use crate::meta::KindRecorded;
use serde::Serialize;
use std::path::PathBuf;

/// A violation that lasted for `hit_ns` without a break: a CPU ran swapper while a thread that may run there waited on another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hit {
    /// 1, 2, 3, ...
    pub number: u64,
    /// When it had lasted for `hit_ns`, on CLOCK_MONOTONIC.
    pub time_ns: u64,
    /// When it was first seen.
    pub start_ns: u64,
    /// How long it has lasted, at the last look at which it did.
    pub age_ns: u64,
    /// The idle CPU.
    pub idle_cpu: u32,
    /// The CPU on whose queue threads waited.
    pub overloaded_cpu: u32,
    /// A thread that waited at `time_ns`.
    pub tid: i32,
    /// Its name.
    pub comm: String,
}

/// A CPU as the sentinel sees it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CpuFigures {
    /// Its number.
    pub cpu: u32,
    /// Online at the last look.
    pub online: bool,
    /// Looks at it.
    pub looks: u64,
    /// Looks at which it ran swapper with an empty queue.
    pub looks_idle: u64,
    /// `looks_idle / looks`.
    pub idle_share: f64,
    /// Runnable threads at the last look, the running one included.
    pub nr_running: u32,
    /// Most runnable threads at any look.
    pub longest_queue: u32,
}

/// The black box at this moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BoxFigures {
    /// A box saved now would begin so long ago, at most `keep_ns` and the time between two snapshots.
    pub kept_ns: u64,
    /// When it would begin, on CLOCK_MONOTONIC.
    pub oldest_ns: u64,
    /// Bytes of records written since the start, by all CPUs.
    pub bytes_written: u64,
    /// Bytes of the rings of all CPUs.
    pub ring_bytes: u64,
    /// Snapshots of all threads since the start; a box begins at one.
    pub snapshots: u64,
    /// What the last one cost: CPU time of the watcher's thread, the kernel's iterator included.
    pub snapshot_cpu_ns: u64,
    /// Records that did not fit into a ring while a box was saved.
    pub lost: u64,
    /// A box is being saved.
    pub saving: bool,
}

/// What a flight recorder has seen so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WatchStatus {
    /// When this was read, on CLOCK_MONOTONIC.
    pub now_ns: u64,
    /// Looks of the sentinel.
    pub looks: u64,
    /// Looks that came so late that others were left out.
    pub missed_looks: u64,
    /// Looks at which a CPU idled beside a thread that may run there.
    pub looks_with_waste: u64,
    /// A sample: at each look, the CPUs idle beside a waiting thread, times the time since the look before.
    pub sampled_wasted_ns: u64,
    /// The part of it that is certain: nothing changed since the look before.
    pub certain_wasted_ns: u64,
    /// Age of the longest violation without a break at the last look; 0 without one.
    pub longest_ns: u64,
    /// Hits since the start.
    pub hits_total: u64,
    /// The last of them, at most 64, in their order.
    pub hits: Vec<Hit>,
    /// Every CPU that has a runqueue.
    pub cpus: Vec<CpuFigures>,
    /// The black box; null without one.
    pub black_box: Option<BoxFigures>,
    /// Time that the sentinel's looks took.
    pub sentinel_ns: u64,
    /// Run time of the recorder's programs as the kernel counts it; null unless `kernel.bpf_stats_enabled` is 1.
    pub bpf_run_ns: Option<u64>,
    /// How often they ran.
    pub bpf_runs: Option<u64>,
    /// CPU time of the watcher's thread.
    pub user_cpu_ns: u64,
    /// Why watching has ended by itself; null while it goes on.
    pub ended: Option<String>,
}

/// The sentinel that was started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SentinelStarted {
    /// `bpf_timer` or `perf_event`.
    pub clock: String,
    /// Nanoseconds between two looks.
    pub look_ns: u64,
    /// Nanoseconds after which a violation is a hit.
    pub hit_ns: u64,
    /// CPUs whose runqueues it looks at.
    pub cpus: u32,
    /// CPUs that the load balancer does not use; their idleness does not count.
    pub isolated: Vec<u32>,
}

/// What a flight recorder does after its start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WatchStarted {
    /// The sentinel; null where there is none.
    pub sentinel: Option<SentinelStarted>,
    /// Why there is no sentinel.
    pub no_sentinel: Option<String>,
    /// Bytes of the ring of one CPU; null without a black box.
    pub ring_bytes: Option<u64>,
    /// Why there is no black box.
    pub no_black_box: Option<String>,
    /// How the black box's programs are attached.
    pub attach: String,
    /// Possible CPUs: the highest number + 1.
    pub cpus: u32,
    /// What the black box records of every kind of evidence.
    pub kinds: Vec<KindRecorded>,
    /// A line for each thing that is not recorded, with the reason.
    pub not_recorded: Vec<String>,
    /// When the black box began, on CLOCK_MONOTONIC.
    pub start_ns: u64,
}

/// A black box that was saved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SavedBox {
    /// The part folder.
    pub folder: PathBuf,
    /// When it was asked for, on CLOCK_MONOTONIC.
    pub asked_ns: u64,
    /// Start of the part.
    pub start_ns: u64,
    /// End of the part.
    pub end_ns: u64,
    /// Time before `asked_ns` that it holds.
    pub kept_ns: u64,
    /// It holds at least `keep_ns`, or everything since the start.
    pub whole: bool,
    /// Records of the scheduler in it.
    pub events: u64,
    /// Records that did not fit into a ring while it was saved.
    pub lost: u64,
    /// From the end of the part until everything was written.
    pub write_ns: u64,
    /// `end_reason` of the part.
    pub end_reason: String,
    /// Figures of the part, as its `meta.json` has them.
    pub stats: Stats,
}
