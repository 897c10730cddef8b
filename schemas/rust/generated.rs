//! Generated from schemas/tables and schemas/enums.toml by wastenot.schemas.generate. Do not edit.

use crate::sink::TableBuilder;
use crate::support::*;

/// Event tables, by name.
pub const EVENT_TABLES: &[&str] = &["affinity", "balance_attempt", "balance_kick", "balance_search", "bubble_event", "cgroup_move", "core_cookie", "cpu_frequency", "cpu_hotplug", "cpu_idle", "cpu_load", "cpu_snapshot", "cpus_scanned", "dl_parameters", "event_stack", "ext_access", "ext_counter", "ext_idle", "ext_kick", "ext_of_cgroup", "ext_queue", "ext_scheduler", "ext_search", "ext_state", "idle_exit_late", "irq_span", "lost_events", "migration_disable", "newidle_entry", "nr_running", "perf_counter", "preferred_llc", "process_exec", "process_exit", "process_fork", "process_rank", "region_event", "run_span", "sched_migrate_task", "sched_stat_runtime", "sched_switch", "sched_wakeup", "sched_waking", "schedstat", "thread_name", "thread_snapshot", "throttle"];

/// State a thread is left in at a switch, normalised across kernel releases (the numeric code of 'preempted' was 256, 1024, 2048 and 4096).
pub mod task_state {
    pub const R: u8 = 0;
    pub const R_PREEMPTED: u8 = 1;
    pub const S: u8 = 2;
    pub const D: u8 = 3;
    pub const T: u8 = 4;
    pub const T_TRACED: u8 = 5;
    pub const X: u8 = 6;
    pub const Z: u8 = 7;
    pub const P: u8 = 8;
    pub const I: u8 = 9;
    pub const K: u8 = 10;
    pub const W: u8 = 11;
    pub const N: u8 = 12;
    pub const UNKNOWN: u8 = 13;
    /// Texts by code.
    pub const NAMES: &[&str] = &["R", "R+", "S", "D", "T", "t", "X", "Z", "P", "I", "K", "W", "N", "?"];
}

/// What a thread was doing, as reconstructed.
pub mod thread_phase {
    pub const RUNNING: u8 = 0;
    pub const RUNNABLE: u8 = 1;
    pub const PREEMPTED: u8 = 2;
    pub const SLEEPING: u8 = 3;
    pub const BLOCKED: u8 = 4;
    pub const STOPPED: u8 = 5;
    pub const DEAD: u8 = 6;
    pub const THROTTLED: u8 = 7;
    pub const UNKNOWN: u8 = 8;
    /// Texts by code.
    pub const NAMES: &[&str] = &["running", "runnable", "preempted", "sleeping", "blocked", "stopped", "dead", "throttled", "unknown"];
}

/// Scheduling policy.
pub mod policy {
    pub const NORMAL: u8 = 0;
    pub const FIFO: u8 = 1;
    pub const RR: u8 = 2;
    pub const BATCH: u8 = 3;
    pub const ISO: u8 = 4;
    pub const IDLE: u8 = 5;
    pub const DEADLINE: u8 = 6;
    pub const EXT: u8 = 7;
    /// Texts by code.
    pub const NAMES: &[&str] = &["normal", "fifo", "rr", "batch", "iso", "idle", "deadline", "ext"];
}

/// Where a thread was at the snapshot: running on its CPU, queued there, on no queue, or unknown.
pub mod queue_state {
    pub const RUNNING: u8 = 0;
    pub const QUEUED: u8 = 1;
    pub const OFF: u8 = 2;
    pub const UNKNOWN: u8 = 3;
    /// Texts by code.
    pub const NAMES: &[&str] = &["running", "queued", "off", "unknown"];
}

/// Which interrupt work filled a span.
pub mod irq_kind {
    pub const HARDIRQ: u8 = 0;
    pub const SOFTIRQ: u8 = 1;
    pub const MIXED: u8 = 2;
    /// Texts by code.
    pub const NAMES: &[&str] = &["hardirq", "softirq", "mixed"];
}

/// How an idle CPU was called to balance.
pub mod kick_kind {
    pub const SENT: u8 = 0;
    pub const SOFTIRQ: u8 = 1;
    pub const SENT_TO_BALANCE: u8 = 2;
    pub const SENT_FOR_LOADS: u8 = 3;
    /// Texts by code.
    pub const NAMES: &[&str] = &["sent", "softirq", "sent_to_balance", "sent_for_loads"];
}

/// How an idle CPU was called to balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum KickKind {
    /// Kicked.
    Sent = 0,
    /// Balancing softirq.
    Softirq = 1,
    /// Kicked to balance.
    SentToBalance = 2,
    /// Kicked to update loads.
    SentForLoads = 3,
}
impl KickKind {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 4] = [Self::Sent, Self::Softirq, Self::SentToBalance, Self::SentForLoads];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { kick_kind::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 4] = ["kicked", "balancing softirq", "kicked to balance", "kicked to update loads"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// What a load-balance attempt's search for a busier group returned.
pub mod balance_search_result {
    pub const NOT_MADE: u8 = 0;
    pub const NONE: u8 = 1;
    pub const FOUND: u8 = 2;
    pub const UNKNOWN: u8 = 3;
    /// Texts by code.
    pub const NAMES: &[&str] = &["not_made", "none", "found", "unknown"];
}

/// What a load-balance attempt's search for a busier group returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum BalanceSearchResult {
    /// None was made.
    NotMade = 0,
    /// None found.
    None = 1,
    /// Found.
    Found = 2,
    /// Not recorded.
    Unknown = 3,
}
impl BalanceSearchResult {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 4] = [Self::NotMade, Self::None, Self::Found, Self::Unknown];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { balance_search_result::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 4] = ["none was made", "none found", "found", "not recorded"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// Where a thread of a sched_ext scheduler waits.
pub mod ext_place {
    pub const LOCAL: u8 = 0;
    pub const GLOBAL: u8 = 1;
    pub const SHARED: u8 = 2;
    pub const BYPASS: u8 = 3;
    pub const HELD: u8 = 4;
    pub const KERNEL: u8 = 5;
    /// Texts by code.
    pub const NAMES: &[&str] = &["local", "global", "shared", "bypass", "held", "kernel"];
}

/// Where a thread of a sched_ext scheduler waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ExtPlace {
    /// A CPU's local queue.
    Local = 0,
    /// The global queue.
    Global = 1,
    /// The shared queue.
    Shared = 2,
    /// The queue of bypassed threads.
    Bypass = 3,
    /// The scheduler itself.
    Held = 4,
    /// A queue of the kernel's own (reject, rescue).
    Kernel = 5,
}
impl ExtPlace {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 6] = [Self::Local, Self::Global, Self::Shared, Self::Bypass, Self::Held, Self::Kernel];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { ext_place::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 6] = ["a CPU's local queue", "the global queue", "the shared queue", "the queue of bypassed threads", "the scheduler itself", "a queue of the kernel's own (reject, rescue)"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// Which part of a sched_ext scheduler put a thread where it is.
pub mod ext_step {
    pub const SELECT_CPU: u8 = 0;
    pub const ENQUEUE: u8 = 1;
    pub const DISPATCH: u8 = 2;
    pub const MOVE: u8 = 3;
    /// Texts by code.
    pub const NAMES: &[&str] = &["select_cpu", "enqueue", "dispatch", "move"];
}

/// Which part of a sched_ext scheduler put a thread where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ExtStep {
    /// Select_cpu.
    SelectCpu = 0,
    /// Enqueue.
    Enqueue = 1,
    /// Dispatch, or the kernel.
    Dispatch = 2,
    /// On its way there.
    Move = 3,
}
impl ExtStep {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 4] = [Self::SelectCpu, Self::Enqueue, Self::Dispatch, Self::Move];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { ext_step::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 4] = ["select_cpu", "enqueue", "dispatch, or the kernel", "on its way there"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// What changed about the sched_ext scheduler in charge.
pub mod ext_change {
    pub const DISABLED: u8 = 0;
    pub const ENABLED: u8 = 1;
    pub const BYPASS_BEGIN: u8 = 2;
    pub const BYPASS_END: u8 = 3;
    /// Texts by code.
    pub const NAMES: &[&str] = &["disabled", "enabled", "bypass_begin", "bypass_end"];
}

/// What changed about the sched_ext scheduler in charge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ExtChange {
    /// None in charge.
    Disabled = 0,
    /// In charge.
    Enabled = 1,
    /// Bypassed.
    BypassBegin = 2,
    /// No longer bypassed.
    BypassEnd = 3,
}
impl ExtChange {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 4] = [Self::Disabled, Self::Enabled, Self::BypassBegin, Self::BypassEnd];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { ext_change::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 4] = ["none in charge", "in charge", "bypassed", "no longer bypassed"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// What happened to a sched_ext scheduler.
pub mod ext_scheduler_change {
    pub const LOADED: u8 = 0;
    pub const GONE: u8 = 1;
    pub const BYPASS_BEGIN: u8 = 2;
    pub const BYPASS_END: u8 = 3;
    pub const UNREGISTERED: u8 = 4;
    pub const UNREGISTERED_BY_ITSELF: u8 = 5;
    pub const UNREGISTERED_BY_KERNEL: u8 = 6;
    pub const SYSRQ: u8 = 7;
    pub const PARENT_ENDED: u8 = 8;
    pub const ENDED_BY_PARENT: u8 = 9;
    pub const ERROR: u8 = 10;
    pub const OWN_ERROR: u8 = 11;
    pub const STALL: u8 = 12;
    pub const REENQUEUED: u8 = 13;
    pub const RESCUE: u8 = 14;
    pub const ENDED: u8 = 15;
    /// Texts by code.
    pub const NAMES: &[&str] = &["loaded", "gone", "bypass_begin", "bypass_end", "unregistered", "unregistered_by_itself", "unregistered_by_kernel", "sysrq", "parent_ended", "ended_by_parent", "error", "own_error", "stall", "reenqueued", "rescue", "ended"];
}

/// What happened to a sched_ext scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ExtSchedulerChange {
    /// Is loaded.
    Loaded = 0,
    /// Is gone.
    Gone = 1,
    /// Is bypassed.
    BypassBegin = 2,
    /// Is no longer bypassed.
    BypassEnd = 3,
    /// Ended from user space.
    Unregistered = 4,
    /// Ended by itself.
    UnregisteredByItself = 5,
    /// Ended by the kernel.
    UnregisteredByKernel = 6,
    /// Ended by the SysRq key.
    Sysrq = 7,
    /// Ended with its parent.
    ParentEnded = 8,
    /// Ended by its parent.
    EndedByParent = 9,
    /// Ended: an error.
    Error = 10,
    /// Ended: an error that it reported.
    OwnError = 11,
    /// Ended by the watchdog: a thread that could run did not for too long.
    Stall = 12,
    /// Ended: a thread was queued again too often without running.
    Reenqueued = 13,
    /// Ended: too many threads had to be rescued.
    Rescue = 14,
    /// Ended, for a reason that is not known here.
    Ended = 15,
}
impl ExtSchedulerChange {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 16] = [Self::Loaded, Self::Gone, Self::BypassBegin, Self::BypassEnd, Self::Unregistered, Self::UnregisteredByItself, Self::UnregisteredByKernel, Self::Sysrq, Self::ParentEnded, Self::EndedByParent, Self::Error, Self::OwnError, Self::Stall, Self::Reenqueued, Self::Rescue, Self::Ended];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { ext_scheduler_change::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 16] = ["is loaded", "is gone", "is bypassed", "is no longer bypassed", "ended from user space", "ended by itself", "ended by the kernel", "ended by the SysRq key", "ended with its parent", "ended by its parent", "ended: an error", "ended: an error that it reported", "ended by the watchdog: a thread that could run did not for too long", "ended: a thread was queued again too often without running", "ended: too many threads had to be rescued", "ended, for a reason that is not known here"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// How long waste lasted, measured per idle–waiting pair (an idle CPU and the queue of another CPU).
pub mod grade {
    pub const NOISE: u8 = 0;
    pub const IN_FLIGHT: u8 = 1;
    pub const EXPECTED: u8 = 2;
    pub const LASTING: u8 = 3;
    pub const PERSISTENT: u8 = 4;
    pub const RECURRENT: u8 = 5;
    /// Texts by code.
    pub const NAMES: &[&str] = &["noise", "in_flight", "expected", "lasting", "persistent", "recurrent"];
    pub const WORST_FIRST: [&str; 6] = ["persistent", "lasting", "recurrent", "expected", "in_flight", "noise"];
    pub const TIMED: [&str; 4] = ["in_flight", "expected", "lasting", "persistent"];
    pub const SEVERITIES: [&str; 5] = ["persistent", "lasting", "expected", "in_flight", "noise"];
}

/// How long waste lasted, measured per idle–waiting pair (an idle CPU and the queue of another CPU).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Grade {
    /// Noise.
    Noise = 0,
    /// In flight.
    InFlight = 1,
    /// Expected.
    Expected = 2,
    /// Lasting.
    Lasting = 3,
    /// Persistent.
    Persistent = 4,
    /// Recurrent.
    Recurrent = 5,
}
impl Grade {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 6] = [Self::Noise, Self::InFlight, Self::Expected, Self::Lasting, Self::Persistent, Self::Recurrent];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { grade::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 6] = ["noise", "in flight", "expected", "lasting", "persistent", "recurrent"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// Why a waiting thread could not use an idle CPU, in the order in which the excuses are applied.
pub mod excuse {
    pub const PER_CPU_THREAD: u8 = 0;
    pub const MIGRATION_DISABLED: u8 = 1;
    pub const CPUSET: u8 = 2;
    pub const AFFINITY: u8 = 3;
    pub const THROTTLED: u8 = 4;
    pub const ISOLATED: u8 = 5;
    pub const COOKIE: u8 = 6;
    pub const IRQ_BUSY: u8 = 7;
    /// Texts by code.
    pub const NAMES: &[&str] = &["per_cpu_thread", "migration_disabled", "cpuset", "affinity", "throttled", "isolated", "cookie", "irq_busy"];
}

/// Why a waiting thread could not use an idle CPU, in the order in which the excuses are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Excuse {
    /// Per-CPU kernel thread of another CPU.
    PerCpuThread = 0,
    /// Migration disabled.
    MigrationDisabled = 1,
    /// Outside its cpuset.
    Cpuset = 2,
    /// Outside its affinity mask.
    Affinity = 3,
    /// No quota left.
    Throttled = 4,
    /// CPU outside all scheduling domains.
    Isolated = 5,
    /// Forbidden by core scheduling.
    Cookie = 6,
    /// CPU in interrupt work.
    IrqBusy = 7,
}
impl Excuse {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 8] = [Self::PerCpuThread, Self::MigrationDisabled, Self::Cpuset, Self::Affinity, Self::Throttled, Self::Isolated, Self::Cookie, Self::IrqBusy];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { excuse::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 8] = ["per-CPU kernel thread of another CPU", "migration disabled", "outside its cpuset", "outside its affinity mask", "no quota left", "CPU outside all scheduling domains", "forbidden by core scheduling", "CPU in interrupt work"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// Why a runnable thread did not run. The reasons are tried in this order, and the first that applies holds.
pub mod wait_reason {
    pub const OWN_QUOTA: u8 = 0;
    pub const AVOIDABLE: u8 = 1;
    pub const CONFINED: u8 = 2;
    pub const WAKEUP_LATENCY: u8 = 3;
    pub const INTERRUPTS: u8 = 4;
    pub const RT_DL: u8 = 5;
    pub const KERNEL_THREADS: u8 = 6;
    pub const OWN_THREADS: u8 = 7;
    pub const NEIGHBOUR: u8 = 8;
    pub const UNKNOWN_CGROUP: u8 = 9;
    pub const UNKNOWN: u8 = 10;
    /// Texts by code.
    pub const NAMES: &[&str] = &["own_quota", "avoidable", "confined", "wakeup_latency", "interrupts", "rt_dl", "kernel_threads", "own_threads", "neighbour", "unknown_cgroup", "unknown"];
}

/// Why a runnable thread did not run. The reasons are tried in this order, and the first that applies holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum WaitReason {
    /// Own quota.
    OwnQuota = 0,
    /// Avoidable.
    Avoidable = 1,
    /// Confined.
    Confined = 2,
    /// Wakeup latency.
    WakeupLatency = 3,
    /// Interrupts.
    Interrupts = 4,
    /// RT/DL threads.
    RtDl = 5,
    /// Kernel threads.
    KernelThreads = 6,
    /// Own threads.
    OwnThreads = 7,
    /// Neighbour.
    Neighbour = 8,
    /// Unknown cgroup.
    UnknownCgroup = 9,
    /// Unknown.
    Unknown = 10,
}
impl WaitReason {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 11] = [Self::OwnQuota, Self::Avoidable, Self::Confined, Self::WakeupLatency, Self::Interrupts, Self::RtDl, Self::KernelThreads, Self::OwnThreads, Self::Neighbour, Self::UnknownCgroup, Self::Unknown];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { wait_reason::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 11] = ["own quota", "avoidable", "confined", "wakeup latency", "interrupts", "RT/DL threads", "kernel threads", "own threads", "neighbour", "unknown cgroup", "unknown"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// Path of the kernel that moved a thread to another CPU.
pub mod migration_path {
    pub const WAKEUP: u8 = 0;
    pub const FORK: u8 = 1;
    pub const EXEC: u8 = 2;
    pub const NEWIDLE: u8 = 3;
    pub const PERIODIC: u8 = 4;
    pub const NOHZ: u8 = 5;
    pub const ACTIVE: u8 = 6;
    pub const NUMA: u8 = 7;
    pub const RT_PUSH: u8 = 8;
    pub const RT_PULL: u8 = 9;
    pub const DL_PUSH: u8 = 10;
    pub const DL_PULL: u8 = 11;
    pub const AFFINITY: u8 = 12;
    pub const CGROUP: u8 = 13;
    pub const HOTPLUG: u8 = 14;
    pub const CORE_SCHED: u8 = 15;
    pub const SCHED_EXT: u8 = 16;
    pub const UNKNOWN: u8 = 17;
    /// Texts by code.
    pub const NAMES: &[&str] = &["wakeup", "fork", "exec", "newidle", "periodic", "nohz", "active", "numa", "rt_push", "rt_pull", "dl_push", "dl_pull", "affinity", "cgroup", "hotplug", "core_sched", "sched_ext", "unknown"];
}

/// Path of the kernel that moved a thread to another CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum MigrationPath {
    /// Placed at its wakeup.
    Wakeup = 0,
    /// Placed when it was created.
    Fork = 1,
    /// Placed at an exec.
    Exec = 2,
    /// Pulled by a CPU about to idle.
    Newidle = 3,
    /// Pulled by the periodic balancer.
    Periodic = 4,
    /// Pulled for an idle CPU by another one.
    Nohz = 5,
    /// Pushed by the balancer's stopper.
    Active = 6,
    /// Moved or swapped towards its memory.
    Numa = 7,
    /// Pushed to a CPU of lower real-time priority.
    RtPush = 8,
    /// Pulled by a CPU of lower real-time priority.
    RtPull = 9,
    /// Pushed to a CPU with a later deadline.
    DlPush = 10,
    /// Pulled by a CPU with a later deadline.
    DlPull = 11,
    /// Moved by a change of its allowed CPUs.
    Affinity = 12,
    /// Moved by a change of its cgroup.
    Cgroup = 13,
    /// Moved off a CPU that goes offline.
    Hotplug = 14,
    /// Moved by core scheduling.
    CoreSched = 15,
    /// Moved by a sched_ext scheduler.
    SchedExt = 16,
    /// Unknown.
    Unknown = 17,
}
impl MigrationPath {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 18] = [Self::Wakeup, Self::Fork, Self::Exec, Self::Newidle, Self::Periodic, Self::Nohz, Self::Active, Self::Numa, Self::RtPush, Self::RtPull, Self::DlPush, Self::DlPull, Self::Affinity, Self::Cgroup, Self::Hotplug, Self::CoreSched, Self::SchedExt, Self::Unknown];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { migration_path::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 18] = ["placed at its wakeup", "placed when it was created", "placed at an exec", "pulled by a CPU about to idle", "pulled by the periodic balancer", "pulled for an idle CPU by another one", "pushed by the balancer's stopper", "moved or swapped towards its memory", "pushed to a CPU of lower real-time priority", "pulled by a CPU of lower real-time priority", "pushed to a CPU with a later deadline", "pulled by a CPU with a later deadline", "moved by a change of its allowed CPUs", "moved by a change of its cgroup", "moved off a CPU that goes offline", "moved by core scheduling", "moved by a sched_ext scheduler", "unknown"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// Evidence beyond switches and wakeups that a trace may hold; last, what the excuses rest on.
pub mod evidence_kind {
    pub const MIGRATIONS: u8 = 0;
    pub const MIGRATION_STACKS: u8 = 1;
    pub const LOAD_BALANCE_ATTEMPTS: u8 = 2;
    pub const PLACEMENTS: u8 = 3;
    pub const CPUS_SCANNED: u8 = 4;
    pub const LOAD_BALANCE_KICKS: u8 = 5;
    pub const SCHEDSTAT_COUNTERS: u8 = 6;
    pub const BALANCE_SEARCHES: u8 = 7;
    pub const DOMAINS_BUILT: u8 = 8;
    pub const SCHED_EXT: u8 = 9;
    pub const LATE_IDLE_EXITS: u8 = 10;
    pub const DL_PARAMETERS: u8 = 11;
    pub const PER_CPU_THREAD: u8 = 12;
    pub const MIGRATION_DISABLED: u8 = 13;
    pub const CPUSET: u8 = 14;
    pub const AFFINITY: u8 = 15;
    pub const THROTTLED: u8 = 16;
    pub const ISOLATED: u8 = 17;
    pub const COOKIE: u8 = 18;
    pub const IRQ_BUSY: u8 = 19;
    /// Texts by code.
    pub const NAMES: &[&str] = &["migrations", "migration_stacks", "load_balance_attempts", "placements", "cpus_scanned", "load_balance_kicks", "schedstat_counters", "balance_searches", "domains_built", "sched_ext", "late_idle_exits", "dl_parameters", "per_cpu_thread", "migration_disabled", "cpuset", "affinity", "throttled", "isolated", "cookie", "irq_busy"];
}

/// Evidence beyond switches and wakeups that a trace may hold; last, what the excuses rest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum EvidenceKind {
    /// Moves of threads.
    Migrations = 0,
    /// Kernel stacks of moves.
    MigrationStacks = 1,
    /// Load-balance attempts.
    LoadBalanceAttempts = 2,
    /// Placements of threads.
    Placements = 3,
    /// CPUs scanned at wakeup.
    CpusScanned = 4,
    /// Kicks of idle CPUs.
    LoadBalanceKicks = 5,
    /// The load balancer's counters.
    SchedstatCounters = 6,
    /// What load-balance attempts examined.
    BalanceSearches = 7,
    /// Changes of the scheduling domains.
    DomainsBuilt = 8,
    /// What a sched_ext scheduler decides.
    SchedExt = 9,
    /// CPUs that left idle late.
    LateIdleExits = 10,
    /// Parameters of SCHED_DEADLINE threads.
    DlParameters = 11,
    /// Per-CPU kernel thread of another CPU.
    PerCpuThread = 12,
    /// Migration disabled.
    MigrationDisabled = 13,
    /// Outside its cpuset.
    Cpuset = 14,
    /// Outside its affinity mask.
    Affinity = 15,
    /// No quota left.
    Throttled = 16,
    /// CPU outside all scheduling domains.
    Isolated = 17,
    /// Forbidden by core scheduling.
    Cookie = 18,
    /// CPU in interrupt work.
    IrqBusy = 19,
}
impl EvidenceKind {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 20] = [Self::Migrations, Self::MigrationStacks, Self::LoadBalanceAttempts, Self::Placements, Self::CpusScanned, Self::LoadBalanceKicks, Self::SchedstatCounters, Self::BalanceSearches, Self::DomainsBuilt, Self::SchedExt, Self::LateIdleExits, Self::DlParameters, Self::PerCpuThread, Self::MigrationDisabled, Self::Cpuset, Self::Affinity, Self::Throttled, Self::Isolated, Self::Cookie, Self::IrqBusy];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { evidence_kind::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 20] = ["moves of threads", "kernel stacks of moves", "load-balance attempts", "placements of threads", "CPUs scanned at wakeup", "kicks of idle CPUs", "the load balancer's counters", "what load-balance attempts examined", "changes of the scheduling domains", "what a sched_ext scheduler decides", "CPUs that left idle late", "parameters of SCHED_DEADLINE threads", "per-CPU kernel thread of another CPU", "migration disabled", "outside its cpuset", "outside its affinity mask", "no quota left", "CPU outside all scheduling domains", "forbidden by core scheduling", "CPU in interrupt work"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
    /// What a value of `Excuse` rests on.
    pub const fn of_excuse(excuse: Excuse) -> Self {
        match excuse {
            Excuse::PerCpuThread => Self::PerCpuThread,
            Excuse::MigrationDisabled => Self::MigrationDisabled,
            Excuse::Cpuset => Self::Cpuset,
            Excuse::Affinity => Self::Affinity,
            Excuse::Throttled => Self::Throttled,
            Excuse::Isolated => Self::Isolated,
            Excuse::Cookie => Self::Cookie,
            Excuse::IrqBusy => Self::IrqBusy,
        }
    }
}

/// How much of a kind of evidence was recorded.
pub mod evidence_state {
    pub const RECORDED: u8 = 0;
    pub const PARTIAL: u8 = 1;
    pub const ABSENT: u8 = 2;
    /// Texts by code.
    pub const NAMES: &[&str] = &["recorded", "partial", "absent"];
}

/// How much of a kind of evidence was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum EvidenceState {
    /// Recorded.
    Recorded = 0,
    /// Recorded in part.
    Partial = 1,
    /// Not recorded.
    Absent = 2,
}
impl EvidenceState {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 3] = [Self::Recorded, Self::Partial, Self::Absent];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { evidence_state::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 3] = ["recorded", "recorded in part", "not recorded"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// How much a trace shows of why a core was wasted, in brief; the table `evidence` says it of each kind of evidence.
pub mod evidence_level {
    pub const L0: u8 = 0;
    pub const L1: u8 = 1;
    pub const L2: u8 = 2;
    pub const L3: u8 = 3;
    /// Texts by code.
    pub const NAMES: &[&str] = &["L0", "L1", "L2", "L3"];
}

/// How much a trace shows of why a core was wasted, in brief; the table `evidence` says it of each kind of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum EvidenceLevel {
    /// Switches and wakeups.
    L0 = 0,
    /// Switches, wakeups, and moves with kernel stacks.
    L1 = 1,
    /// L1 and load-balance attempts.
    L2 = 2,
    /// L1 and the load balancer's counters per domain; load-balance attempts where functions can be probed.
    L3 = 3,
}
impl EvidenceLevel {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 4] = [Self::L0, Self::L1, Self::L2, Self::L3];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { evidence_level::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 4] = ["switches and wakeups", "switches, wakeups, and moves with kernel stacks", "L1 and load-balance attempts", "L1 and the load balancer's counters per domain; load-balance attempts where functions can be probed"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// How sure a cause is.
pub mod proof {
    pub const UNKNOWN: u8 = 0;
    pub const CONSISTENT: u8 = 1;
    pub const PROVED: u8 = 2;
    /// Texts by code.
    pub const NAMES: &[&str] = &["unknown", "consistent", "proved"];
}

/// What is to be checked or changed where a rule names the cause.
pub mod repair_kind {
    pub const CHECK: u8 = 0;
    pub const SETTING: u8 = 1;
    pub const SCHEDULER_FEATURE: u8 = 2;
    pub const CPUSET: u8 = 3;
    pub const BOOT_PARAMETER: u8 = 4;
    pub const KERNEL_RELEASE: u8 = 5;
    pub const PROGRAM: u8 = 6;
    pub const REPORT: u8 = 7;
    /// Texts by code.
    pub const NAMES: &[&str] = &["check", "setting", "scheduler_feature", "cpuset", "boot_parameter", "kernel_release", "program", "report"];
}

/// What is to be checked or changed where a rule names the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum RepairKind {
    /// Check.
    Check = 0,
    /// Setting.
    Setting = 1,
    /// Scheduler feature.
    SchedulerFeature = 2,
    /// Cpuset.
    Cpuset = 3,
    /// Boot parameter.
    BootParameter = 4,
    /// Kernel release.
    KernelRelease = 5,
    /// Program.
    Program = 6,
    /// Report.
    Report = 7,
}
impl RepairKind {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 8] = [Self::Check, Self::Setting, Self::SchedulerFeature, Self::Cpuset, Self::BootParameter, Self::KernelRelease, Self::Program, Self::Report];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { repair_kind::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 8] = ["check", "setting", "scheduler feature", "cpuset", "boot parameter", "kernel release", "program", "report"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// What started a job of a deadline task.
pub mod job_activation {
    pub const WAKEUP: u8 = 0;
    pub const REPLENISHMENT: u8 = 1;
    /// Texts by code.
    pub const NAMES: &[&str] = &["wakeup", "replenishment"];
}

/// What ended a job of a deadline task.
pub mod job_ended_by {
    pub const SLEEP: u8 = 0;
    pub const YIELD: u8 = 1;
    pub const EXIT: u8 = 2;
    pub const UNFINISHED: u8 = 3;
    /// Texts by code.
    pub const NAMES: &[&str] = &["sleep", "yield", "exit", "unfinished"];
}

/// What the ranks of a parallel program are.
pub mod app_kind {
    pub const PROCESSES: u8 = 0;
    pub const THREADS: u8 = 1;
    pub const THREADS_OR_PROCESSES: u8 = 2;
    /// Texts by code.
    pub const NAMES: &[&str] = &["processes", "threads", "threads_or_processes"];
}

/// Why threads or processes are taken for the ranks of one parallel program.
pub mod app_found_by {
    pub const LAUNCHER: u8 = 0;
    pub const SIBLINGS: u8 = 1;
    pub const ENVIRONMENT: u8 = 2;
    pub const BUBBLE: u8 = 3;
    /// Texts by code.
    pub const NAMES: &[&str] = &["launcher", "siblings", "environment", "bubble"];
}

/// The variable of its environment that tells a process which rank of a parallel program it is.
pub mod rank_variable {
    pub const OMPI: u8 = 0;
    pub const PMIX: u8 = 1;
    pub const PMI: u8 = 2;
    pub const MVAPICH: u8 = 3;
    pub const SLURM: u8 = 4;
    /// Texts by code.
    pub const NAMES: &[&str] = &["ompi", "pmix", "pmi", "mvapich", "slurm"];
}

/// The variable of its environment that tells a process which rank of a parallel program it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum RankVariable {
    /// OMPI_COMM_WORLD_RANK.
    Ompi = 0,
    /// PMIX_RANK.
    Pmix = 1,
    /// PMI_RANK.
    Pmi = 2,
    /// MV2_COMM_WORLD_RANK.
    Mvapich = 3,
    /// SLURM_PROCID.
    Slurm = 4,
}
impl RankVariable {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 5] = [Self::Ompi, Self::Pmix, Self::Pmi, Self::Mvapich, Self::Slurm];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { rank_variable::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 5] = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// What the balance of a parallel program rests on.
pub mod balance_evidence {
    pub const H0: u8 = 0;
    pub const H1: u8 = 1;
    pub const H2: u8 = 2;
    /// Texts by code.
    pub const NAMES: &[&str] = &["H0", "H1", "H2"];
}

/// What the evidence allows to say of the balance of a parallel program.
pub mod balance_state {
    pub const BALANCED: u8 = 0;
    pub const IMBALANCED: u8 = 1;
    pub const NO_IMBALANCE_SEEN: u8 = 2;
    pub const NOT_VISIBLE: u8 = 3;
    /// Texts by code.
    pub const NAMES: &[&str] = &["balanced", "imbalanced", "no_imbalance_seen", "not_visible"];
}

/// What a window in the time of a parallel program is.
pub mod window_kind {
    pub const ITERATIONS: u8 = 0;
    pub const RELEASES: u8 = 1;
    pub const OUTSIDE: u8 = 2;
    pub const WINDOWS: u8 = 3;
    /// Texts by code.
    pub const NAMES: &[&str] = &["iterations", "releases", "outside", "windows"];
}

/// Whose fault a missed deadline is.
pub mod deadline_fault {
    pub const OWN_OVERRUN: u8 = 0;
    pub const SCHEDULER: u8 = 1;
    pub const INTERFERENCE: u8 = 2;
    pub const OVERLOAD: u8 = 3;
    pub const NOT_GUARANTEED: u8 = 4;
    pub const NOT_VISIBLE: u8 = 5;
    pub const CONTENTION: u8 = 6;
    /// Texts by code.
    pub const NAMES: &[&str] = &["own_overrun", "scheduler", "interference", "overload", "not_guaranteed", "not_visible", "contention"];
}

/// Whose fault a missed deadline is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum DeadlineFault {
    /// Own overrun.
    OwnOverrun = 0,
    /// Scheduler.
    Scheduler = 1,
    /// Interference.
    Interference = 2,
    /// Overload.
    Overload = 3,
    /// Not guaranteed.
    NotGuaranteed = 4,
    /// Not visible.
    NotVisible = 5,
    /// Contention.
    Contention = 6,
}
impl DeadlineFault {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 7] = [Self::OwnOverrun, Self::Scheduler, Self::Interference, Self::Overload, Self::NotGuaranteed, Self::NotVisible, Self::Contention];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { deadline_fault::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 7] = ["own overrun", "scheduler", "interference", "overload", "not guaranteed", "not visible", "contention"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// What is asked of a thread that waited beside an idle CPU.
pub mod question {
    pub const PLACED_BY: u8 = 0;
    pub const NOT_MOVED_BECAUSE: u8 = 1;
    pub const ENDED_BY: u8 = 2;
    /// Texts by code.
    pub const NAMES: &[&str] = &["placed_by", "not_moved_because", "ended_by"];
}

/// What is asked of a thread that waited beside an idle CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Question {
    /// How the thread came to wait there.
    PlacedBy = 0,
    /// Why nothing moved it earlier.
    NotMovedBecause = 1,
    /// What ended it.
    EndedBy = 2,
}
impl Question {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 3] = [Self::PlacedBy, Self::NotMovedBecause, Self::EndedBy];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { question::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 3] = ["how the thread came to wait there", "why nothing moved it earlier", "what ended it"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// How a thread came to wait where it did.
pub mod placed_by {
    pub const UNKNOWN: u8 = 0;
    pub const WAKEUP: u8 = 1;
    pub const WAKEUP_PREV_CPU: u8 = 2;
    pub const WAKE_AFFINE: u8 = 3;
    pub const WAKEUP_ONE_LLC: u8 = 4;
    pub const WAKEUP_SCAN_CUT: u8 = 5;
    pub const FORK_EXEC: u8 = 6;
    pub const PERIODIC: u8 = 7;
    pub const NEWIDLE: u8 = 8;
    pub const NOHZ: u8 = 9;
    pub const ACTIVE: u8 = 10;
    pub const NUMA: u8 = 11;
    pub const RT_DL_PUSH: u8 = 12;
    pub const RT_DL_PULL: u8 = 13;
    pub const AFFINITY_CHANGE: u8 = 14;
    pub const CGROUP_MOVE: u8 = 15;
    pub const HOTPLUG_PUSH: u8 = 16;
    pub const PREEMPTED_IN_PLACE: u8 = 17;
    pub const SCHED_EXT: u8 = 18;
    pub const EXT_SELECT_CPU: u8 = 19;
    pub const EXT_ENQUEUE: u8 = 20;
    /// Texts by code.
    pub const NAMES: &[&str] = &["unknown", "wakeup", "wakeup_prev_cpu", "wake_affine", "wakeup_one_llc", "wakeup_scan_cut", "fork_exec", "periodic", "newidle", "nohz", "active", "numa", "rt_dl_push", "rt_dl_pull", "affinity_change", "cgroup_move", "hotplug_push", "preempted_in_place", "sched_ext", "ext_select_cpu", "ext_enqueue"];
}

/// How a thread came to wait where it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum PlacedBy {
    /// Unknown.
    Unknown = 0,
    /// Wakeup.
    Wakeup = 1,
    /// Wakeup: prev cpu kept.
    WakeupPrevCpu = 2,
    /// Wakeup: wake-affine.
    WakeAffine = 3,
    /// Wakeup: idle-sibling scan limited to one LLC.
    WakeupOneLlc = 4,
    /// Wakeup: idle-sibling scan cut short.
    WakeupScanCut = 5,
    /// Fork/exec.
    ForkExec = 6,
    /// Periodic balance.
    Periodic = 7,
    /// Newidle balance.
    Newidle = 8,
    /// Nohz balance.
    Nohz = 9,
    /// Active balance.
    Active = 10,
    /// NUMA balance.
    Numa = 11,
    /// RT/DL push.
    RtDlPush = 12,
    /// RT/DL pull.
    RtDlPull = 13,
    /// Affinity change.
    AffinityChange = 14,
    /// Cgroup move.
    CgroupMove = 15,
    /// Hotplug push.
    HotplugPush = 16,
    /// Preempted in place.
    PreemptedInPlace = 17,
    /// Sched_ext.
    SchedExt = 18,
    /// Sched_ext: select_cpu missed an idle CPU.
    ExtSelectCpu = 19,
    /// Sched_ext: enqueue to a local queue.
    ExtEnqueue = 20,
}
impl PlacedBy {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 21] = [Self::Unknown, Self::Wakeup, Self::WakeupPrevCpu, Self::WakeAffine, Self::WakeupOneLlc, Self::WakeupScanCut, Self::ForkExec, Self::Periodic, Self::Newidle, Self::Nohz, Self::Active, Self::Numa, Self::RtDlPush, Self::RtDlPull, Self::AffinityChange, Self::CgroupMove, Self::HotplugPush, Self::PreemptedInPlace, Self::SchedExt, Self::ExtSelectCpu, Self::ExtEnqueue];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { placed_by::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 21] = ["unknown", "wakeup", "wakeup: prev cpu kept", "wakeup: wake-affine", "wakeup: idle-sibling scan limited to one LLC", "wakeup: idle-sibling scan cut short", "fork/exec", "periodic balance", "newidle balance", "nohz balance", "active balance", "NUMA balance", "RT/DL push", "RT/DL pull", "affinity change", "cgroup move", "hotplug push", "preempted in place", "sched_ext", "sched_ext: select_cpu missed an idle CPU", "sched_ext: enqueue to a local queue"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// Why no load-balance attempt moved a waiting thread to the idle CPU.
pub mod not_moved_because {
    pub const UNKNOWN: u8 = 0;
    pub const NEWIDLE_CUT_OFF: u8 = 1;
    pub const NEWIDLE_PULLED_NOTHING: u8 = 2;
    pub const GROUP_AVERAGES: u8 = 3;
    pub const ALLOWED_IMBALANCE: u8 = 4;
    pub const ALL_PINNED: u8 = 5;
    pub const ASYMMETRIC_CAPACITY: u8 = 6;
    pub const FOUND_BALANCE: u8 = 7;
    pub const INTERVAL_TOO_LONG: u8 = 8;
    pub const PERIODIC_DID_NOT_RUN: u8 = 9;
    pub const NOHZ_KICK_MISSING: u8 = 10;
    pub const ACTIVE_BALANCE_FAILED: u8 = 11;
    pub const NO_COMMON_DOMAIN: u8 = 12;
    pub const MISBUILT_GROUPS: u8 = 13;
    pub const NUMA_ALLOWANCE: u8 = 14;
    pub const CACHE_HOT: u8 = 15;
    pub const SCHED_EXT: u8 = 16;
    pub const NEWIDLE_WAKEUP_PENDING: u8 = 17;
    pub const NEWIDLE_NONE_OVERLOADED: u8 = 18;
    pub const NEWIDLE_TOO_SHORT: u8 = 19;
    pub const NEWIDLE_DICE: u8 = 20;
    pub const EXT_LOCAL_QUEUE: u8 = 21;
    pub const EXT_BEHIND_REALTIME: u8 = 22;
    pub const EXT_NOT_KICKED: u8 = 23;
    pub const EXT_KICK_LATE: u8 = 24;
    pub const EXT_NOT_DISPATCHED: u8 = 25;
    pub const EXT_HELD: u8 = 26;
    pub const EXT_BYPASS: u8 = 27;
    pub const CACHE_AWARE: u8 = 28;
    pub const NOHZ_KICK_LATE: u8 = 29;
    pub const EXT_CPU_LATE: u8 = 30;
    pub const REALTIME_BEHIND_LOWER: u8 = 31;
    pub const REALTIME_NOT_PUSHED: u8 = 32;
    pub const EXT_NOT_GRANTED: u8 = 33;
    /// Texts by code.
    pub const NAMES: &[&str] = &["unknown", "newidle_cut_off", "newidle_pulled_nothing", "group_averages", "allowed_imbalance", "all_pinned", "asymmetric_capacity", "found_balance", "interval_too_long", "periodic_did_not_run", "nohz_kick_missing", "active_balance_failed", "no_common_domain", "misbuilt_groups", "numa_allowance", "cache_hot", "sched_ext", "newidle_wakeup_pending", "newidle_none_overloaded", "newidle_too_short", "newidle_dice", "ext_local_queue", "ext_behind_realtime", "ext_not_kicked", "ext_kick_late", "ext_not_dispatched", "ext_held", "ext_bypass", "cache_aware", "nohz_kick_late", "ext_cpu_late", "realtime_behind_lower", "realtime_not_pushed", "ext_not_granted"];
}

/// Why no load-balance attempt moved a waiting thread to the idle CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum NotMovedBecause {
    /// Unknown.
    Unknown = 0,
    /// Newidle did not run (cut off).
    NewidleCutOff = 1,
    /// Newidle ran and pulled nothing.
    NewidlePulledNothing = 2,
    /// Periodic ran and found balance: group average hides idle cores.
    GroupAverages = 3,
    /// Periodic ran and found balance: allowed imbalance.
    AllowedImbalance = 4,
    /// Periodic ran and found balance: all pinned.
    AllPinned = 5,
    /// Periodic ran and found balance: asymmetric capacity.
    AsymmetricCapacity = 6,
    /// Periodic ran and found balance.
    FoundBalance = 7,
    /// Periodic did not run: interval too long.
    IntervalTooLong = 8,
    /// Periodic did not run.
    PeriodicDidNotRun = 9,
    /// Nohz kick missing.
    NohzKickMissing = 10,
    /// Active balance failed.
    ActiveBalanceFailed = 11,
    /// Domains missing (no common domain).
    NoCommonDomain = 12,
    /// Groups misbuilt.
    MisbuiltGroups = 13,
    /// NUMA imbalance allowed.
    NumaAllowance = 14,
    /// Cache-hot refusal.
    CacheHot = 15,
    /// Not applicable (sched_ext).
    SchedExt = 16,
    /// Newidle did not run: wakeup pending.
    NewidleWakeupPending = 17,
    /// Newidle did not run: no CPU overloaded.
    NewidleNoneOverloaded = 18,
    /// Newidle did not run: idle too short.
    NewidleTooShort = 19,
    /// Newidle did not run: dice.
    NewidleDice = 20,
    /// Sched_ext: in a busy CPU's local queue.
    ExtLocalQueue = 21,
    /// Sched_ext: behind a real-time thread.
    ExtBehindRealtime = 22,
    /// Sched_ext: idle CPU not kicked.
    ExtNotKicked = 23,
    /// Sched_ext: kick late.
    ExtKickLate = 24,
    /// Sched_ext: dispatch left it.
    ExtNotDispatched = 25,
    /// Sched_ext: held by the scheduler.
    ExtHeld = 26,
    /// Sched_ext: bypassed.
    ExtBypass = 27,
    /// Cache-aware scheduling.
    CacheAware = 28,
    /// Nohz kick late.
    NohzKickLate = 29,
    /// Sched_ext: CPU late after a kick.
    ExtCpuLate = 30,
    /// Real-time: behind a lower class.
    RealtimeBehindLower = 31,
    /// Real-time: not pushed or pulled.
    RealtimeNotPushed = 32,
    /// Sched_ext: CPU not granted.
    ExtNotGranted = 33,
}
impl NotMovedBecause {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 34] = [Self::Unknown, Self::NewidleCutOff, Self::NewidlePulledNothing, Self::GroupAverages, Self::AllowedImbalance, Self::AllPinned, Self::AsymmetricCapacity, Self::FoundBalance, Self::IntervalTooLong, Self::PeriodicDidNotRun, Self::NohzKickMissing, Self::ActiveBalanceFailed, Self::NoCommonDomain, Self::MisbuiltGroups, Self::NumaAllowance, Self::CacheHot, Self::SchedExt, Self::NewidleWakeupPending, Self::NewidleNoneOverloaded, Self::NewidleTooShort, Self::NewidleDice, Self::ExtLocalQueue, Self::ExtBehindRealtime, Self::ExtNotKicked, Self::ExtKickLate, Self::ExtNotDispatched, Self::ExtHeld, Self::ExtBypass, Self::CacheAware, Self::NohzKickLate, Self::ExtCpuLate, Self::RealtimeBehindLower, Self::RealtimeNotPushed, Self::ExtNotGranted];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { not_moved_because::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 34] = ["unknown", "newidle did not run (cut off)", "newidle ran and pulled nothing", "periodic ran and found balance: group average hides idle cores", "periodic ran and found balance: allowed imbalance", "periodic ran and found balance: all pinned", "periodic ran and found balance: asymmetric capacity", "periodic ran and found balance", "periodic did not run: interval too long", "periodic did not run", "nohz kick missing", "active balance failed", "domains missing (no common domain)", "groups misbuilt", "NUMA imbalance allowed", "cache-hot refusal", "not applicable (sched_ext)", "newidle did not run: wakeup pending", "newidle did not run: no CPU overloaded", "newidle did not run: idle too short", "newidle did not run: dice", "sched_ext: in a busy CPU's local queue", "sched_ext: behind a real-time thread", "sched_ext: idle CPU not kicked", "sched_ext: kick late", "sched_ext: dispatch left it", "sched_ext: held by the scheduler", "sched_ext: bypassed", "cache-aware scheduling", "nohz kick late", "sched_ext: CPU late after a kick", "real-time: behind a lower class", "real-time: not pushed or pulled", "sched_ext: CPU not granted"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// What ended a wait beside an idle CPU.
pub mod ended_by {
    pub const UNKNOWN: u8 = 0;
    pub const NEWIDLE: u8 = 1;
    pub const PERIODIC: u8 = 2;
    pub const NOHZ: u8 = 3;
    pub const ACTIVE: u8 = 4;
    pub const NUMA: u8 = 5;
    pub const PUSH_PULL: u8 = 6;
    pub const AFFINITY_CHANGE: u8 = 7;
    pub const WAKEUP_ELSEWHERE: u8 = 8;
    pub const STARTED_IN_PLACE: u8 = 9;
    pub const BLOCKED_OR_EXITED: u8 = 10;
    pub const END_OF_TRACE: u8 = 11;
    pub const INTERRUPT_WORK: u8 = 12;
    pub const SCHED_EXT: u8 = 13;
    /// Texts by code.
    pub const NAMES: &[&str] = &["unknown", "newidle", "periodic", "nohz", "active", "numa", "push_pull", "affinity_change", "wakeup_elsewhere", "started_in_place", "blocked_or_exited", "end_of_trace", "interrupt_work", "sched_ext"];
}

/// What ended a wait beside an idle CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum EndedBy {
    /// Unknown.
    Unknown = 0,
    /// Newidle.
    Newidle = 1,
    /// Periodic.
    Periodic = 2,
    /// Nohz.
    Nohz = 3,
    /// Active.
    Active = 4,
    /// NUMA balance.
    Numa = 5,
    /// Push/pull.
    PushPull = 6,
    /// Affinity change.
    AffinityChange = 7,
    /// Woken elsewhere.
    WakeupElsewhere = 8,
    /// Started running in place.
    StartedInPlace = 9,
    /// Blocked or exited.
    BlockedOrExited = 10,
    /// End of trace.
    EndOfTrace = 11,
    /// Interrupt work.
    InterruptWork = 12,
    /// Sched_ext.
    SchedExt = 13,
}
impl EndedBy {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 14] = [Self::Unknown, Self::Newidle, Self::Periodic, Self::Nohz, Self::Active, Self::Numa, Self::PushPull, Self::AffinityChange, Self::WakeupElsewhere, Self::StartedInPlace, Self::BlockedOrExited, Self::EndOfTrace, Self::InterruptWork, Self::SchedExt];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { ended_by::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 14] = ["unknown", "newidle", "periodic", "nohz", "active", "NUMA balance", "push/pull", "affinity change", "woken elsewhere", "started running in place", "blocked or exited", "end of trace", "interrupt work", "sched_ext"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// Nearest topology level that two CPUs share.
pub mod distance {
    pub const SAME_CPU: u8 = 0;
    pub const SMT: u8 = 1;
    pub const LLC: u8 = 2;
    pub const NODE: u8 = 3;
    pub const ONE_HOP: u8 = 4;
    pub const FAR: u8 = 5;
    pub const UNKNOWN: u8 = 6;
    /// Texts by code.
    pub const NAMES: &[&str] = &["same_cpu", "smt", "llc", "node", "one_hop", "far", "unknown"];
}

/// Nearest topology level that two CPUs share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Distance {
    /// Same CPU.
    SameCpu = 0,
    /// Same core.
    Smt = 1,
    /// Same LLC.
    Llc = 2,
    /// Same node.
    Node = 3,
    /// Nearby nodes.
    OneHop = 4,
    /// Far nodes.
    Far = 5,
    /// Unknown.
    Unknown = 6,
}
impl Distance {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 7] = [Self::SameCpu, Self::Smt, Self::Llc, Self::Node, Self::OneHop, Self::Far, Self::Unknown];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { distance::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 7] = ["same CPU", "same core", "same LLC", "same node", "nearby nodes", "far nodes", "unknown"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// Why a load-balance attempt was made.
pub mod idle_type {
    pub const IDLE: u8 = 0;
    pub const NOT_IDLE: u8 = 1;
    pub const NEWLY_IDLE: u8 = 2;
    pub const UNKNOWN: u8 = 3;
    /// Texts by code.
    pub const NAMES: &[&str] = &["idle", "not_idle", "newly_idle", "unknown"];
}

/// Of which event a kernel stack was recorded: a switch (of the thread that leaves the CPU), or the decision or completion of a wakeup (of the waker, or of the interrupt that completes it).
pub mod stack_event {
    pub const SCHED_SWITCH: u8 = 0;
    pub const SCHED_WAKING: u8 = 1;
    pub const SCHED_WAKEUP: u8 = 2;
    /// Texts by code.
    pub const NAMES: &[&str] = &["sched_switch", "sched_waking", "sched_wakeup"];
}

/// What can hold a thread or a bubble: a bubble, or the runqueue of a part of the machine. 'outside' means that no scheduler holds it (not woken yet, or ended); 'aside' is a runqueue that no CPU searches.
pub mod holder {
    pub const OUTSIDE: u8 = 0;
    pub const BUBBLE: u8 = 1;
    pub const MACHINE: u8 = 2;
    pub const NODE: u8 = 3;
    pub const PACKAGE: u8 = 4;
    pub const LLC: u8 = 5;
    pub const CORE: u8 = 6;
    pub const CPU: u8 = 7;
    pub const ASIDE: u8 = 8;
    /// Texts by code.
    pub const NAMES: &[&str] = &["outside", "bubble", "machine", "node", "package", "llc", "core", "cpu", "aside"];
}

/// What an application or a scheduler did with a bubble; docs/semantics.md says what each does to the model.
pub mod bubble_event_kind {
    pub const INIT: u8 = 0;
    pub const ATTACH: u8 = 1;
    pub const INSERT_THREAD: u8 = 2;
    pub const INSERT_BUBBLE: u8 = 3;
    pub const REMOVE: u8 = 4;
    pub const WAKE: u8 = 5;
    pub const PRIORITY: u8 = 6;
    pub const BURST_LEVEL: u8 = 7;
    pub const SLICE: u8 = 8;
    pub const EXPECT: u8 = 9;
    pub const MOVE: u8 = 10;
    pub const BURST: u8 = 11;
    pub const REGENERATE: u8 = 12;
    pub const CLOSE: u8 = 13;
    pub const DESTROY: u8 = 14;
    /// Texts by code.
    pub const NAMES: &[&str] = &["init", "attach", "insert_thread", "insert_bubble", "remove", "wake", "priority", "burst_level", "slice", "expect", "move", "burst", "regenerate", "close", "destroy"];
}

/// Which hierarchy of bubbles: declared by events; natural (cgroup, session, process); creation (who forked or cloned whom).
pub mod bubble_tree {
    pub const DECLARED: u8 = 0;
    pub const NATURAL: u8 = 1;
    pub const CREATION: u8 = 2;
    /// Texts by code.
    pub const NAMES: &[&str] = &["declared", "natural", "creation"];
}

/// What a bubble represents.
pub mod bubble_kind {
    pub const MACHINE: u8 = 0;
    pub const KERNEL: u8 = 1;
    pub const CGROUP: u8 = 2;
    pub const SESSION: u8 = 3;
    pub const PROCESS: u8 = 4;
    pub const CREATOR: u8 = 5;
    pub const BUBBLE: u8 = 6;
    /// Texts by code.
    pub const NAMES: &[&str] = &["machine", "kernel", "cgroup", "session", "process", "creator", "bubble"];
}

/// Whether a bubble holds its content: closed; burst (released, remembered); regenerating (coming back).
pub mod bubble_state {
    pub const CLOSED: u8 = 0;
    pub const BURST: u8 = 1;
    pub const REGENERATING: u8 = 2;
    /// Texts by code.
    pub const NAMES: &[&str] = &["closed", "burst", "regenerating"];
}

/// What a thread of a parallel program does in a region: it computes in `work`, and waits for other ranks in all others.
pub mod region_kind {
    pub const WORK: u8 = 0;
    pub const PARALLEL: u8 = 1;
    pub const BARRIER: u8 = 2;
    pub const COLLECTIVE: u8 = 3;
    pub const WAIT: u8 = 4;
    pub const RECEIVE: u8 = 5;
    pub const SEND: u8 = 6;
    pub const PROBE: u8 = 7;
    pub const STARTUP: u8 = 8;
    /// Texts by code.
    pub const NAMES: &[&str] = &["work", "parallel", "barrier", "collective", "wait", "receive", "send", "probe", "startup"];
}

/// What a thread of a parallel program does in a region: it computes in `work`, and waits for other ranks in all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum RegionKind {
    /// The body of an OpenMP parallel region or task.
    Work = 0,
    /// An OpenMP parallel region, outside of its body: starting the others and waiting for them.
    Parallel = 1,
    /// A barrier of OpenMP.
    Barrier = 2,
    /// A collective operation.
    Collective = 3,
    /// Completion of requests.
    Wait = 4,
    /// Receiving a message.
    Receive = 5,
    /// Sending a message.
    Send = 6,
    /// Looking for a message.
    Probe = 7,
    /// Start or end of MPI.
    Startup = 8,
}
impl RegionKind {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 9] = [Self::Work, Self::Parallel, Self::Barrier, Self::Collective, Self::Wait, Self::Receive, Self::Send, Self::Probe, Self::Startup];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { region_kind::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 9] = ["the body of an OpenMP parallel region or task", "an OpenMP parallel region, outside of its body: starting the others and waiting for them", "a barrier of OpenMP", "a collective operation", "completion of requests", "receiving a message", "sending a message", "looking for a message", "start or end of MPI"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// What a row of tile_load measures: threads queued beside the running one; the CPU idle and matched to a waiting thread; threads that arrived from other CPUs.
pub mod tile_measure {
    pub const WAITING: u8 = 0;
    pub const WASTED: u8 = 1;
    pub const MIGRATIONS: u8 = 2;
    /// Texts by code.
    pub const NAMES: &[&str] = &["waiting", "wasted", "migrations"];
}

/// Why a verdict is suspect: what the events show that no kernel does, or that the readers do not know.
pub mod suspicion {
    pub const IDLE_WITH_QUEUE: u8 = 0;
    pub const IDLE_PICKED_WITH_QUEUE: u8 = 1;
    pub const QUEUED_BESIDE_IDLE: u8 = 2;
    pub const RAN_ON: u8 = 3;
    pub const SILENCE: u8 = 4;
    pub const QUEUED_FOR_EVER: u8 = 5;
    pub const WOKEN_WHILE_QUEUED: u8 = 6;
    pub const RAN_WITHOUT_WAKEUP: u8 = 7;
    pub const RAN_AFTER_DEATH: u8 = 8;
    pub const WOKEN_NEVER_RAN: u8 = 9;
    pub const UNKNOWN_STATE: u8 = 10;
    pub const NEVER_PREEMPTED: u8 = 11;
    pub const LEFT_OUT: u8 = 12;
    pub const OUT_OF_ORDER: u8 = 13;
    pub const SILENT_CPUS: u8 = 14;
    pub const IDLE_NEVER_LEFT: u8 = 15;
    pub const CONTRADICTORY_EVENTS: u8 = 16;
    pub const NR_RUNNING_DIFFERS: u8 = 17;
    pub const RUNTIME_DIFFERS: u8 = 18;
    pub const TIME_SUMS: u8 = 19;
    pub const UNVERIFIED: u8 = 20;
    /// Texts by code.
    pub const NAMES: &[&str] = &["idle_with_queue", "idle_picked_with_queue", "queued_beside_idle", "ran_on", "silence", "queued_for_ever", "woken_while_queued", "ran_without_wakeup", "ran_after_death", "woken_never_ran", "unknown_state", "never_preempted", "left_out", "out_of_order", "silent_cpus", "idle_never_left", "contradictory_events", "nr_running_differs", "runtime_differs", "time_sums", "unverified"];
}

/// Why a verdict is suspect: what the events show that no kernel does, or that the readers do not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Suspicion {
    /// CPUs ran swapper beside queued threads for {share} of the observed time.
    IdleWithQueue = 0,
    /// CPUs went idle beside queued threads and stayed so for {share} of the observed time.
    IdlePickedWithQueue = 1,
    /// Threads were queued for over a second on CPUs that idled ({share} of the observed time).
    QueuedBesideIdle = 2,
    /// Threads ran on for over 5 s beside queued ones ({share} of the observed time).
    RanOn = 3,
    /// No CPU reported anything for over 3 s while threads were queued ({share} of the recording).
    Silence = 4,
    /// {count} threads were queued up to the end of the recording and never got to run.
    QueuedForEver = 5,
    /// {count} wakeups were of threads already queued ({share} of all wakeups).
    WokenWhileQueued = 6,
    /// Threads that slept ran {count} times without a wakeup ({share} of the runs after none).
    RanWithoutWakeup = 7,
    /// Dead threads ran or were woken {count} times ({share} of the deaths).
    RanAfterDeath = 8,
    /// {count} threads were woken and never ran ({share} of those woken).
    WokenNeverRan = 9,
    /// {count} switches left a thread in a state that this release does not have ({share} of all).
    UnknownState = 10,
    /// {count} switches from one thread to another, and none of them left the first one runnable.
    NeverPreempted = 11,
    /// {count} events of the input could not be used ({share} of all).
    LeftOut = 12,
    /// {count} events are stamped before the one ahead of them ({share} of all).
    OutOfOrder = 13,
    /// {count} CPUs show no switch although they are online ({share} of the CPUs).
    SilentCpus = 14,
    /// {count} switches from swapper are missing ({share} of those expected).
    IdleNeverLeft = 15,
    /// {count} events contradict the events before them ({share} of the switches).
    ContradictoryEvents = 16,
    /// The kernel's nr_running is below the reconstructed queue in {share} of the comparisons.
    NrRunningDiffers = 17,
    /// The reconstructed run times differ from the kernel's accounts by {share} of the accounted time.
    RuntimeDiffers = 18,
    /// The busy, idle and unobserved times of {count} CPUs do not add up to the recording.
    TimeSums = 19,
    /// The input goes past what the readers have been verified on.
    Unverified = 20,
}
impl Suspicion {
    /// All values, in the order of their codes.
    pub const ALL: [Self; 21] = [Self::IdleWithQueue, Self::IdlePickedWithQueue, Self::QueuedBesideIdle, Self::RanOn, Self::Silence, Self::QueuedForEver, Self::WokenWhileQueued, Self::RanWithoutWakeup, Self::RanAfterDeath, Self::WokenNeverRan, Self::UnknownState, Self::NeverPreempted, Self::LeftOut, Self::OutOfOrder, Self::SilentCpus, Self::IdleNeverLeft, Self::ContradictoryEvents, Self::NrRunningDiffers, Self::RuntimeDiffers, Self::TimeSums, Self::Unverified];
    /// Code that tables store.
    pub const fn code(self) -> u8 { self as u8 }
    /// Name in tables and JSON.
    pub const fn name(self) -> &'static str { suspicion::NAMES[self as usize] }
    /// In words, for people.
    pub const fn words(self) -> &'static str {
        const WORDS: [&str; 21] = ["CPUs ran swapper beside queued threads for {share} of the observed time", "CPUs went idle beside queued threads and stayed so for {share} of the observed time", "threads were queued for over a second on CPUs that idled ({share} of the observed time)", "threads ran on for over 5 s beside queued ones ({share} of the observed time)", "no CPU reported anything for over 3 s while threads were queued ({share} of the recording)", "{count} threads were queued up to the end of the recording and never got to run", "{count} wakeups were of threads already queued ({share} of all wakeups)", "threads that slept ran {count} times without a wakeup ({share} of the runs after none)", "dead threads ran or were woken {count} times ({share} of the deaths)", "{count} threads were woken and never ran ({share} of those woken)", "{count} switches left a thread in a state that this release does not have ({share} of all)", "{count} switches from one thread to another, and none of them left the first one runnable", "{count} events of the input could not be used ({share} of all)", "{count} events are stamped before the one ahead of them ({share} of all)", "{count} CPUs show no switch although they are online ({share} of the CPUs)", "{count} switches from swapper are missing ({share} of those expected)", "{count} events contradict the events before them ({share} of the switches)", "the kernel's nr_running is below the reconstructed queue in {share} of the comparisons", "the reconstructed run times differ from the kernel's accounts by {share} of the accounted time", "the busy, idle and unobserved times of {count} CPUs do not add up to the recording", "the input goes past what the readers have been verified on"];
        WORDS[self as usize]
    }
    /// The value called `name`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.name() == name)
    }
}

/// A thread's allowed CPUs, or what they come from, were seen to have changed.
pub mod affinity {
    use super::*;
    pub const NAME: &str = "affinity";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, true),
            Field::new("tid", DataType::Int32, false),
            Field::new("mask_id", DataType::Int32, true),
            Field::new("user_mask_id", DataType::Int32, true),
            Field::new("cpuset_mask_id", DataType::Int32, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU that noticed.
        pub cpu: Option<i16>,
        /// [tid] The thread.
        pub tid: i32,
        /// Allowed CPUs from now on, a row of `mask`; NULL unknown.
        pub mask_id: Option<i32>,
        /// Mask asked for by the user; NULL none or unknown.
        pub user_mask_id: Option<i32>,
        /// Effective CPUs of its cpuset; NULL unknown.
        pub cpuset_mask_id: Option<i32>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
        mask_id: Values<Int32Type>,
        user_mask_id: Values<Int32Type>,
        cpuset_mask_id: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_option(row.cpu);
            self.tid.append_value(row.tid);
            self.mask_id.append_option(row.mask_id);
            self.user_mask_id.append_option(row.user_mask_id);
            self.cpuset_mask_id.append_option(row.cpuset_mask_id);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.mask_id.finish()),
                Arc::new(self.user_mask_id.finish()),
                Arc::new(self.cpuset_mask_id.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
        pub mask_id: Int32Array,
        pub user_mask_id: Int32Array,
        pub cpuset_mask_id: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", true)?,
                tid: column(batch, NAME, "tid", false)?,
                mask_id: column(batch, NAME, "mask_id", true)?,
                user_mask_id: column(batch, NAME, "user_mask_id", true)?,
                cpuset_mask_id: column(batch, NAME, "cpuset_mask_id", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.is_valid(i).then(|| self.cpu.value(i)),
                tid: self.tid.value(i),
                mask_id: self.mask_id.is_valid(i).then(|| self.mask_id.value(i)),
                user_mask_id: self.user_mask_id.is_valid(i).then(|| self.user_mask_id.value(i)),
                cpuset_mask_id: self.cpuset_mask_id.is_valid(i).then(|| self.cpuset_mask_id.value(i)),
            }
        }
    }
}

/// One load-balance attempt over one domain, from the entry and return of the kernel's function.
pub mod balance_attempt {
    use super::*;
    pub const NAME: &str = "balance_attempt";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("dur_ns", DataType::Int64, false),
            Field::new("dst_cpu", DataType::Int16, false),
            Field::new("domain_level", DataType::Int16, true),
            Field::new("idle_type", DataType::UInt8, false),
            Field::new("pulled", DataType::Int32, true),
            Field::new("function", DataType::Utf8, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Entry.
        pub ts_ns: i64,
        /// [cpu] CPU that made the attempt.
        pub cpu: i16,
        /// [ns] Entry to return.
        pub dur_ns: i64,
        /// [cpu] CPU it balanced for.
        pub dst_cpu: i16,
        /// Level of the domain, 0 the smallest; NULL for newidle as a whole.
        pub domain_level: Option<i16>,
        /// Why it ran.
        pub idle_type: u8,
        /// [threads] Return value: threads moved.
        pub pulled: Option<i32>,
        /// Kernel function observed.
        pub function: &'a str,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        dur_ns: Values<Int64Type>,
        dst_cpu: Values<Int16Type>,
        domain_level: Values<Int16Type>,
        idle_type: Values<UInt8Type>,
        pulled: Values<Int32Type>,
        function: StringBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.dur_ns.append_value(row.dur_ns);
            self.dst_cpu.append_value(row.dst_cpu);
            self.domain_level.append_option(row.domain_level);
            self.idle_type.append_value(row.idle_type);
            self.pulled.append_option(row.pulled);
            self.function.append_value(row.function);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.dur_ns.finish()),
                Arc::new(self.dst_cpu.finish()),
                Arc::new(self.domain_level.finish()),
                Arc::new(self.idle_type.finish()),
                Arc::new(self.pulled.finish()),
                Arc::new(self.function.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub dur_ns: Int64Array,
        pub dst_cpu: Int16Array,
        pub domain_level: Int16Array,
        pub idle_type: UInt8Array,
        pub pulled: Int32Array,
        pub function: StringArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                dur_ns: column(batch, NAME, "dur_ns", false)?,
                dst_cpu: column(batch, NAME, "dst_cpu", false)?,
                domain_level: column(batch, NAME, "domain_level", true)?,
                idle_type: column(batch, NAME, "idle_type", false)?,
                pulled: column(batch, NAME, "pulled", true)?,
                function: column(batch, NAME, "function", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                dur_ns: self.dur_ns.value(i),
                dst_cpu: self.dst_cpu.value(i),
                domain_level: self.domain_level.is_valid(i).then(|| self.domain_level.value(i)),
                idle_type: self.idle_type.value(i),
                pulled: self.pulled.is_valid(i).then(|| self.pulled.value(i)),
                function: self.function.value(i),
            }
        }
    }
}

/// A CPU that runs swapper is called to balance: another one sends it the kick of nohz balancing, or the balancer's softirq starts on it (after a kick, or of its own tick).
pub mod balance_kick {
    use super::*;
    pub const NAME: &str = "balance_kick";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("target_cpu", DataType::Int16, false),
            Field::new("kind", DataType::UInt8, false),
            Field::new("next_balance_ns", DataType::Int64, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU that saw it: of a kick the sender.
        pub cpu: i16,
        /// [cpu] CPU that is to balance.
        pub target_cpu: i16,
        /// A kick (`sent`: what for is not recorded), or the softirq.
        pub kind: u8,
        /// [ns] Of a softirq: when the kernel holds the CPU's next periodic attempts due, over whichever domain (rq.next_balance), counted from its end, in whole milliseconds, at least 0; NULL not recorded.
        pub next_balance_ns: Option<i64>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        target_cpu: Values<Int16Type>,
        kind: Values<UInt8Type>,
        next_balance_ns: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.target_cpu.append_value(row.target_cpu);
            self.kind.append_value(row.kind);
            self.next_balance_ns.append_option(row.next_balance_ns);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.target_cpu.finish()),
                Arc::new(self.kind.finish()),
                Arc::new(self.next_balance_ns.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub target_cpu: Int16Array,
        pub kind: UInt8Array,
        pub next_balance_ns: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                target_cpu: column(batch, NAME, "target_cpu", false)?,
                kind: column(batch, NAME, "kind", false)?,
                next_balance_ns: column(batch, NAME, "next_balance_ns", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                target_cpu: self.target_cpu.value(i),
                kind: self.kind.value(i),
                next_balance_ns: self.next_balance_ns.is_valid(i).then(|| self.next_balance_ns.value(i)),
            }
        }
    }
}

/// What a load-balance attempt over a domain that moved no thread found: a group to take from or none, and on the queue that it chose, the threads that it examined and why it left them.
pub mod balance_search {
    use super::*;
    pub const NAME: &str = "balance_search";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("attempt_id", DataType::Int64, true),
            Field::new("result", DataType::UInt8, false),
            Field::new("src_cpu", DataType::Int16, true),
            Field::new("examined", DataType::Int32, true),
            Field::new("not_allowed", DataType::Int32, true),
            Field::new("running", DataType::Int32, true),
            Field::new("hot", DataType::Int32, true),
            Field::new("other", DataType::Int32, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Entry of the attempt.
        pub ts_ns: i64,
        /// [cpu] CPU that made the attempt.
        pub cpu: i16,
        /// Row of `balance_attempt`.
        pub attempt_id: Option<i64>,
        /// What the last search for a group in it returned.
        pub result: u8,
        /// [cpu] CPU whose queue it examined last; NULL where it examined no thread, or that is not recorded.
        pub src_cpu: Option<i16>,
        /// [threads] Threads examined on queues (can_migrate_task); NULL where that is not recorded.
        pub examined: Option<i32>,
        /// [threads] Of these, left since their masks do not have the CPU.
        pub not_allowed: Option<i32>,
        /// [threads] Of these, left since they ran.
        pub running: Option<i32>,
        /// [threads] Of these, left as cache-hot, or since their memory is near (task_hot, migrate_degrades_locality).
        pub hot: Option<i32>,
        /// [threads] Of these, left for another reason: more load than the imbalance, no quota left, not eligible on the CPU (since 6.14).
        pub other: Option<i32>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        attempt_id: Values<Int64Type>,
        result: Values<UInt8Type>,
        src_cpu: Values<Int16Type>,
        examined: Values<Int32Type>,
        not_allowed: Values<Int32Type>,
        running: Values<Int32Type>,
        hot: Values<Int32Type>,
        other: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.attempt_id.append_option(row.attempt_id);
            self.result.append_value(row.result);
            self.src_cpu.append_option(row.src_cpu);
            self.examined.append_option(row.examined);
            self.not_allowed.append_option(row.not_allowed);
            self.running.append_option(row.running);
            self.hot.append_option(row.hot);
            self.other.append_option(row.other);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.attempt_id.finish()),
                Arc::new(self.result.finish()),
                Arc::new(self.src_cpu.finish()),
                Arc::new(self.examined.finish()),
                Arc::new(self.not_allowed.finish()),
                Arc::new(self.running.finish()),
                Arc::new(self.hot.finish()),
                Arc::new(self.other.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub attempt_id: Int64Array,
        pub result: UInt8Array,
        pub src_cpu: Int16Array,
        pub examined: Int32Array,
        pub not_allowed: Int32Array,
        pub running: Int32Array,
        pub hot: Int32Array,
        pub other: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                attempt_id: column(batch, NAME, "attempt_id", true)?,
                result: column(batch, NAME, "result", false)?,
                src_cpu: column(batch, NAME, "src_cpu", true)?,
                examined: column(batch, NAME, "examined", true)?,
                not_allowed: column(batch, NAME, "not_allowed", true)?,
                running: column(batch, NAME, "running", true)?,
                hot: column(batch, NAME, "hot", true)?,
                other: column(batch, NAME, "other", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                attempt_id: self.attempt_id.is_valid(i).then(|| self.attempt_id.value(i)),
                result: self.result.value(i),
                src_cpu: self.src_cpu.is_valid(i).then(|| self.src_cpu.value(i)),
                examined: self.examined.is_valid(i).then(|| self.examined.value(i)),
                not_allowed: self.not_allowed.is_valid(i).then(|| self.not_allowed.value(i)),
                running: self.running.is_valid(i).then(|| self.running.value(i)),
                hot: self.hot.is_valid(i).then(|| self.hot.value(i)),
                other: self.other.is_valid(i).then(|| self.other.value(i)),
            }
        }
    }
}

/// An application or a scheduler did something with a bubble: made it, put threads and bubbles into it, moved, burst or closed it.
pub mod bubble_event {
    use super::*;
    pub const NAME: &str = "bubble_event";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, true),
            Field::new("tid", DataType::Int32, true),
            Field::new("tgid", DataType::Int32, true),
            Field::new("kind", DataType::UInt8, false),
            Field::new("bubble", DataType::Int64, true),
            Field::new("entity_tid", DataType::Int32, true),
            Field::new("holder", DataType::UInt8, true),
            Field::new("holder_id", DataType::Int64, true),
            Field::new("value", DataType::Int64, true),
            Field::new("name", DataType::Utf8, true),
            Field::new("snapshot", DataType::Boolean, false),
            Field::new("status", DataType::Int32, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU that reported it.
        pub cpu: Option<i16>,
        /// [tid] Thread that reported it; NULL for a simulated scheduler.
        pub tid: Option<i32>,
        /// [tgid] Process whose bubbles these are: numbers of bubbles are unique within it. NULL where one source numbers all bubbles.
        pub tgid: Option<i32>,
        /// What was done.
        pub kind: u8,
        /// Number of the bubble that is the entity (init, insert_bubble, wake, move, burst ...); NULL when a thread is.
        pub bubble: Option<i64>,
        /// [tid] The thread that is the entity (attach, insert_thread, and priority, expect, move, remove of a thread).
        pub entity_tid: Option<i32>,
        /// Holder it goes to, or leaves (remove); for burst_level the level. NULL where the event does not name one.
        pub holder: Option<u8>,
        /// Number of the holding bubble, or of the part of the machine as in the columns of `cpu` (machine: 0; aside: a number of the scheduler's own).
        pub holder_id: Option<i64>,
        /// priority: the priority, higher first. slice: time slice (ns). expect: CPU time that the entity is expected to need from its start on (ns).
        pub value: Option<i64>,
        /// init: name of the bubble.
        pub name: Option<&'a str>,
        /// From a state dump: describes the present state.
        pub snapshot: bool,
        /// Negative errno with which the source refused it: nothing changed. NULL it was done.
        pub status: Option<i32>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
        tgid: Values<Int32Type>,
        kind: Values<UInt8Type>,
        bubble: Values<Int64Type>,
        entity_tid: Values<Int32Type>,
        holder: Values<UInt8Type>,
        holder_id: Values<Int64Type>,
        value: Values<Int64Type>,
        name: StringBuilder,
        snapshot: BooleanBuilder,
        status: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_option(row.cpu);
            self.tid.append_option(row.tid);
            self.tgid.append_option(row.tgid);
            self.kind.append_value(row.kind);
            self.bubble.append_option(row.bubble);
            self.entity_tid.append_option(row.entity_tid);
            self.holder.append_option(row.holder);
            self.holder_id.append_option(row.holder_id);
            self.value.append_option(row.value);
            self.name.append_option(row.name);
            self.snapshot.append_value(row.snapshot);
            self.status.append_option(row.status);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.tgid.finish()),
                Arc::new(self.kind.finish()),
                Arc::new(self.bubble.finish()),
                Arc::new(self.entity_tid.finish()),
                Arc::new(self.holder.finish()),
                Arc::new(self.holder_id.finish()),
                Arc::new(self.value.finish()),
                Arc::new(self.name.finish()),
                Arc::new(self.snapshot.finish()),
                Arc::new(self.status.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
        pub tgid: Int32Array,
        pub kind: UInt8Array,
        pub bubble: Int64Array,
        pub entity_tid: Int32Array,
        pub holder: UInt8Array,
        pub holder_id: Int64Array,
        pub value: Int64Array,
        pub name: StringArray,
        pub snapshot: BooleanArray,
        pub status: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", true)?,
                tid: column(batch, NAME, "tid", true)?,
                tgid: column(batch, NAME, "tgid", true)?,
                kind: column(batch, NAME, "kind", false)?,
                bubble: column(batch, NAME, "bubble", true)?,
                entity_tid: column(batch, NAME, "entity_tid", true)?,
                holder: column(batch, NAME, "holder", true)?,
                holder_id: column(batch, NAME, "holder_id", true)?,
                value: column(batch, NAME, "value", true)?,
                name: column(batch, NAME, "name", true)?,
                snapshot: column(batch, NAME, "snapshot", false)?,
                status: column(batch, NAME, "status", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.is_valid(i).then(|| self.cpu.value(i)),
                tid: self.tid.is_valid(i).then(|| self.tid.value(i)),
                tgid: self.tgid.is_valid(i).then(|| self.tgid.value(i)),
                kind: self.kind.value(i),
                bubble: self.bubble.is_valid(i).then(|| self.bubble.value(i)),
                entity_tid: self.entity_tid.is_valid(i).then(|| self.entity_tid.value(i)),
                holder: self.holder.is_valid(i).then(|| self.holder.value(i)),
                holder_id: self.holder_id.is_valid(i).then(|| self.holder_id.value(i)),
                value: self.value.is_valid(i).then(|| self.value.value(i)),
                name: self.name.is_valid(i).then(|| self.name.value(i)),
                snapshot: self.snapshot.value(i),
                status: self.status.is_valid(i).then(|| self.status.value(i)),
            }
        }
    }
}

/// A thread was seen in another cgroup than before.
pub mod cgroup_move {
    use super::*;
    pub const NAME: &str = "cgroup_move";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, true),
            Field::new("tid", DataType::Int32, false),
            Field::new("cgroup_id", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU that noticed.
        pub cpu: Option<i16>,
        /// [tid] The thread.
        pub tid: i32,
        /// The cgroup from now on, a row of `cgroup`.
        pub cgroup_id: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
        cgroup_id: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_option(row.cpu);
            self.tid.append_value(row.tid);
            self.cgroup_id.append_value(row.cgroup_id);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.cgroup_id.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
        pub cgroup_id: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", true)?,
                tid: column(batch, NAME, "tid", false)?,
                cgroup_id: column(batch, NAME, "cgroup_id", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.is_valid(i).then(|| self.cpu.value(i)),
                tid: self.tid.value(i),
                cgroup_id: self.cgroup_id.value(i),
            }
        }
    }
}

/// A thread's core-scheduling cookie changed: SMT siblings may only run threads of one cookie.
pub mod core_cookie {
    use super::*;
    pub const NAME: &str = "core_cookie";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, true),
            Field::new("tid", DataType::Int32, false),
            Field::new("cookie", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU that noticed.
        pub cpu: Option<i16>,
        /// [tid] The thread.
        pub tid: i32,
        /// The cookie; 0 none.
        pub cookie: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
        cookie: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_option(row.cpu);
            self.tid.append_value(row.tid);
            self.cookie.append_value(row.cookie);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.cookie.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
        pub cookie: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", true)?,
                tid: column(batch, NAME, "tid", false)?,
                cookie: column(batch, NAME, "cookie", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.is_valid(i).then(|| self.cpu.value(i)),
                tid: self.tid.value(i),
                cookie: self.cookie.value(i),
            }
        }
    }
}

/// A CPU runs at this frequency from now on, as far as the kernel asked for it. Imports have it where the trace does, recordings of wastenot's own with --power. Kernels may report a frequency anew that did not change.
pub mod cpu_frequency {
    use super::*;
    pub const NAME: &str = "cpu_frequency";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("khz", DataType::Int32, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU that is meant (cpu_id); often another one wrote the event.
        pub cpu: i16,
        /// [kHz] Frequency.
        pub khz: i32,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        khz: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.khz.append_value(row.khz);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.khz.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub khz: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                khz: column(batch, NAME, "khz", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                khz: self.khz.value(i),
            }
        }
    }
}

/// A CPU went offline or came online. Offline is never idle.
pub mod cpu_hotplug {
    use super::*;
    pub const NAME: &str = "cpu_hotplug";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("online", DataType::Boolean, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] The CPU.
        pub cpu: i16,
        /// True: usable by the scheduler from now on.
        pub online: bool,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        online: BooleanBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.online.append_value(row.online);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.online.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub online: BooleanArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                online: column(batch, NAME, "online", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                online: self.online.value(i),
            }
        }
    }
}

/// A CPU enters an idle state of the processor, or leaves it. Imports have it where the trace does, recordings of wastenot's own with --power. Kernels may report a state anew without an exit in between.
pub mod cpu_idle {
    use super::*;
    pub const NAME: &str = "cpu_idle";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("state", DataType::UInt8, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU that is meant (cpu_id), which need not be the one that wrote the event.
        pub cpu: i16,
        /// Number of the state as the kernel has it (cpuidle: 0 the shallowest); NULL: it left its state.
        pub state: Option<u8>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        state: Values<UInt8Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.state.append_option(row.state);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.state.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub state: UInt8Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                state: column(batch, NAME, "state", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                state: self.state.is_valid(i).then(|| self.state.value(i)),
            }
        }
    }
}

/// The load of a CPU beside a load-balance attempt: of simulated and imported traces as the attempt saw it, of recordings as it was when the attempt ended.
pub mod cpu_load {
    use super::*;
    pub const NAME: &str = "cpu_load";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("attempt_id", DataType::Int64, true),
            Field::new("of_cpu", DataType::Int16, false),
            Field::new("load", DataType::Int64, false),
            Field::new("nr_running", DataType::Int32, true),
            Field::new("util", DataType::Int64, true),
            Field::new("runnable", DataType::Int64, true),
            Field::new("capacity", DataType::Int64, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU that made the attempt.
        pub cpu: i16,
        /// Row of `balance_attempt`.
        pub attempt_id: Option<i64>,
        /// [cpu] CPU whose load it is.
        pub of_cpu: i16,
        /// Weighted load it was taken to have.
        pub load: i64,
        /// [threads] Threads counted there.
        pub nr_running: Option<i32>,
        /// [1/1024 CPU] How much fair threads used it (util_avg, or what its queued threads are estimated to use where that is more); NULL where that is not recorded.
        pub util: Option<i64>,
        /// [1/1024 CPU] How much fair threads ran there or waited (runnable_avg, since 5.7); NULL where that is not recorded.
        pub runnable: Option<i64>,
        /// [1/1024 CPU] What interrupts and higher classes leave of it (cpu_capacity); NULL where that is not recorded.
        pub capacity: Option<i64>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        attempt_id: Values<Int64Type>,
        of_cpu: Values<Int16Type>,
        load: Values<Int64Type>,
        nr_running: Values<Int32Type>,
        util: Values<Int64Type>,
        runnable: Values<Int64Type>,
        capacity: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.attempt_id.append_option(row.attempt_id);
            self.of_cpu.append_value(row.of_cpu);
            self.load.append_value(row.load);
            self.nr_running.append_option(row.nr_running);
            self.util.append_option(row.util);
            self.runnable.append_option(row.runnable);
            self.capacity.append_option(row.capacity);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.attempt_id.finish()),
                Arc::new(self.of_cpu.finish()),
                Arc::new(self.load.finish()),
                Arc::new(self.nr_running.finish()),
                Arc::new(self.util.finish()),
                Arc::new(self.runnable.finish()),
                Arc::new(self.capacity.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub attempt_id: Int64Array,
        pub of_cpu: Int16Array,
        pub load: Int64Array,
        pub nr_running: Int32Array,
        pub util: Int64Array,
        pub runnable: Int64Array,
        pub capacity: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                attempt_id: column(batch, NAME, "attempt_id", true)?,
                of_cpu: column(batch, NAME, "of_cpu", false)?,
                load: column(batch, NAME, "load", false)?,
                nr_running: column(batch, NAME, "nr_running", true)?,
                util: column(batch, NAME, "util", true)?,
                runnable: column(batch, NAME, "runnable", true)?,
                capacity: column(batch, NAME, "capacity", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                attempt_id: self.attempt_id.is_valid(i).then(|| self.attempt_id.value(i)),
                of_cpu: self.of_cpu.value(i),
                load: self.load.value(i),
                nr_running: self.nr_running.is_valid(i).then(|| self.nr_running.value(i)),
                util: self.util.is_valid(i).then(|| self.util.value(i)),
                runnable: self.runnable.is_valid(i).then(|| self.runnable.value(i)),
                capacity: self.capacity.is_valid(i).then(|| self.capacity.value(i)),
            }
        }
    }
}

/// The state of a CPU when the recording started, or when it first became known. A CPU without one is unobserved until its first switch.
pub mod cpu_snapshot {
    use super::*;
    pub const NAME: &str = "cpu_snapshot";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("online", DataType::Boolean, false),
            Field::new("current_tid", DataType::Int32, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock at which it was read.
        pub ts_ns: i64,
        /// [cpu] The CPU.
        pub cpu: i16,
        /// Online.
        pub online: bool,
        /// [tid] Thread that runs there (0 swapper); NULL unknown.
        pub current_tid: Option<i32>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        online: BooleanBuilder,
        current_tid: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.online.append_value(row.online);
            self.current_tid.append_option(row.current_tid);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.online.finish()),
                Arc::new(self.current_tid.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub online: BooleanArray,
        pub current_tid: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                online: column(batch, NAME, "online", false)?,
                current_tid: column(batch, NAME, "current_tid", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                online: self.online.value(i),
                current_tid: self.current_tid.is_valid(i).then(|| self.current_tid.value(i)),
            }
        }
    }
}

/// The CPUs that a placement or a load-balance attempt scanned, and the one it chose. A placement is made at a wakeup, fork or exec of the fair class; none is made for a thread that may use only one CPU, or that a wakeup finds still on its queue.
pub mod cpus_scanned {
    use super::*;
    pub const NAME: &str = "cpus_scanned";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("attempt_id", DataType::Int64, true),
            Field::new("tid", DataType::Int32, true),
            Field::new("mask_id", DataType::Int32, true),
            Field::new("chosen_cpu", DataType::Int16, true),
            Field::new("prev_cpu", DataType::Int16, true),
            Field::new("wake_flags", DataType::Int32, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU that decided: of a wakeup the waker's.
        pub cpu: i16,
        /// Row of `balance_attempt`, for a load-balance attempt.
        pub attempt_id: Option<i64>,
        /// [tid] Thread being placed, for a placement.
        pub tid: Option<i32>,
        /// CPUs tested for being idle, a row of `mask`; NULL where that is not recorded.
        pub mask_id: Option<i32>,
        /// [cpu] CPU chosen.
        pub chosen_cpu: Option<i16>,
        /// [cpu] CPU that the thread had before, for a placement.
        pub prev_cpu: Option<i16>,
        /// Flags of the placement (kernel/sched/sched.h: WF_*, as from 5.18 on): 2 exec, 4 fork, 8 wakeup, 16 the waker is about to sleep, 64 the waker's CPU is to be taken.
        pub wake_flags: Option<i32>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        attempt_id: Values<Int64Type>,
        tid: Values<Int32Type>,
        mask_id: Values<Int32Type>,
        chosen_cpu: Values<Int16Type>,
        prev_cpu: Values<Int16Type>,
        wake_flags: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.attempt_id.append_option(row.attempt_id);
            self.tid.append_option(row.tid);
            self.mask_id.append_option(row.mask_id);
            self.chosen_cpu.append_option(row.chosen_cpu);
            self.prev_cpu.append_option(row.prev_cpu);
            self.wake_flags.append_option(row.wake_flags);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.attempt_id.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.mask_id.finish()),
                Arc::new(self.chosen_cpu.finish()),
                Arc::new(self.prev_cpu.finish()),
                Arc::new(self.wake_flags.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub attempt_id: Int64Array,
        pub tid: Int32Array,
        pub mask_id: Int32Array,
        pub chosen_cpu: Int16Array,
        pub prev_cpu: Int16Array,
        pub wake_flags: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                attempt_id: column(batch, NAME, "attempt_id", true)?,
                tid: column(batch, NAME, "tid", true)?,
                mask_id: column(batch, NAME, "mask_id", true)?,
                chosen_cpu: column(batch, NAME, "chosen_cpu", true)?,
                prev_cpu: column(batch, NAME, "prev_cpu", true)?,
                wake_flags: column(batch, NAME, "wake_flags", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                attempt_id: self.attempt_id.is_valid(i).then(|| self.attempt_id.value(i)),
                tid: self.tid.is_valid(i).then(|| self.tid.value(i)),
                mask_id: self.mask_id.is_valid(i).then(|| self.mask_id.value(i)),
                chosen_cpu: self.chosen_cpu.is_valid(i).then(|| self.chosen_cpu.value(i)),
                prev_cpu: self.prev_cpu.is_valid(i).then(|| self.prev_cpu.value(i)),
                wake_flags: self.wake_flags.is_valid(i).then(|| self.wake_flags.value(i)),
            }
        }
    }
}

/// The parameters of a SCHED_DEADLINE thread and the state of its server (constant bandwidth server): as the recording starts, and just before each switch and wakeup of the thread.
pub mod dl_parameters {
    use super::*;
    pub const NAME: &str = "dl_parameters";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, true),
            Field::new("tid", DataType::Int32, false),
            Field::new("runtime_ns", DataType::Int64, false),
            Field::new("deadline_ns", DataType::Int64, false),
            Field::new("period_ns", DataType::Int64, false),
            Field::new("flags", DataType::Int32, false),
            Field::new("until_ns", DataType::Int64, true),
            Field::new("kernel_deadline_ns", DataType::Int64, true),
            Field::new("left_ns", DataType::Int64, true),
            Field::new("throttled", DataType::Boolean, false),
            Field::new("yielded", DataType::Boolean, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU that noticed.
        pub cpu: Option<i16>,
        /// [tid] The thread.
        pub tid: i32,
        /// [ns] Time that it may run until each deadline (dl_runtime); 0 where it is of this class by priority inheritance only.
        pub runtime_ns: i64,
        /// [ns] Its deadline, from its activation (dl_deadline).
        pub deadline_ns: i64,
        /// [ns] Its period (dl_period).
        pub period_ns: i64,
        /// SCHED_FLAG_* of sched_setattr: 1 reset on fork, 2 reclaim, 4 signal overruns, 0x10000000 a thread of schedutil, which precedes all others.
        pub flags: i32,
        /// [ns] The deadline of its server on the trace's clock, late by up to some microseconds; NULL not known.
        pub until_ns: Option<i64>,
        /// [ns] The same as the kernel has it, on the clock of the runqueues: the order of these values is that of the scheduler. NULL not known.
        pub kernel_deadline_ns: Option<i64>,
        /// [ns] Runtime that is left until this deadline; NULL not known.
        pub left_ns: Option<i64>,
        /// It has used its runtime, or yielded, and waits for its next period.
        pub throttled: bool,
        /// It gave up the rest of its runtime (sched_yield).
        pub yielded: bool,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
        runtime_ns: Values<Int64Type>,
        deadline_ns: Values<Int64Type>,
        period_ns: Values<Int64Type>,
        flags: Values<Int32Type>,
        until_ns: Values<Int64Type>,
        kernel_deadline_ns: Values<Int64Type>,
        left_ns: Values<Int64Type>,
        throttled: BooleanBuilder,
        yielded: BooleanBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_option(row.cpu);
            self.tid.append_value(row.tid);
            self.runtime_ns.append_value(row.runtime_ns);
            self.deadline_ns.append_value(row.deadline_ns);
            self.period_ns.append_value(row.period_ns);
            self.flags.append_value(row.flags);
            self.until_ns.append_option(row.until_ns);
            self.kernel_deadline_ns.append_option(row.kernel_deadline_ns);
            self.left_ns.append_option(row.left_ns);
            self.throttled.append_value(row.throttled);
            self.yielded.append_value(row.yielded);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.runtime_ns.finish()),
                Arc::new(self.deadline_ns.finish()),
                Arc::new(self.period_ns.finish()),
                Arc::new(self.flags.finish()),
                Arc::new(self.until_ns.finish()),
                Arc::new(self.kernel_deadline_ns.finish()),
                Arc::new(self.left_ns.finish()),
                Arc::new(self.throttled.finish()),
                Arc::new(self.yielded.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
        pub runtime_ns: Int64Array,
        pub deadline_ns: Int64Array,
        pub period_ns: Int64Array,
        pub flags: Int32Array,
        pub until_ns: Int64Array,
        pub kernel_deadline_ns: Int64Array,
        pub left_ns: Int64Array,
        pub throttled: BooleanArray,
        pub yielded: BooleanArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", true)?,
                tid: column(batch, NAME, "tid", false)?,
                runtime_ns: column(batch, NAME, "runtime_ns", false)?,
                deadline_ns: column(batch, NAME, "deadline_ns", false)?,
                period_ns: column(batch, NAME, "period_ns", false)?,
                flags: column(batch, NAME, "flags", false)?,
                until_ns: column(batch, NAME, "until_ns", true)?,
                kernel_deadline_ns: column(batch, NAME, "kernel_deadline_ns", true)?,
                left_ns: column(batch, NAME, "left_ns", true)?,
                throttled: column(batch, NAME, "throttled", false)?,
                yielded: column(batch, NAME, "yielded", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.is_valid(i).then(|| self.cpu.value(i)),
                tid: self.tid.value(i),
                runtime_ns: self.runtime_ns.value(i),
                deadline_ns: self.deadline_ns.value(i),
                period_ns: self.period_ns.value(i),
                flags: self.flags.value(i),
                until_ns: self.until_ns.is_valid(i).then(|| self.until_ns.value(i)),
                kernel_deadline_ns: self.kernel_deadline_ns.is_valid(i).then(|| self.kernel_deadline_ns.value(i)),
                left_ns: self.left_ns.is_valid(i).then(|| self.left_ns.value(i)),
                throttled: self.throttled.value(i),
                yielded: self.yielded.value(i),
            }
        }
    }
}

/// The kernel stack of a wakeup or switch: that of the event `of` with the same time, CPU and thread. Stacks of moves are in `sched_migrate_task`.
pub mod event_stack {
    use super::*;
    pub const NAME: &str = "event_stack";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("tid", DataType::Int32, false),
            Field::new("of", DataType::UInt8, false),
            Field::new("stack_id", DataType::Int32, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock: that of the event.
        pub ts_ns: i64,
        /// [cpu] CPU that wrote the event.
        pub cpu: i16,
        /// [tid] Thread that leaves the CPU, or is woken.
        pub tid: i32,
        /// Which event.
        pub of: u8,
        /// The stack, a row of `stack` (NULL where an export has it no more): of a switch where the thread called the scheduler or was interrupted, of a wakeup that of the waker.
        pub stack_id: Option<i32>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
        of: Values<UInt8Type>,
        stack_id: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.tid.append_value(row.tid);
            self.of.append_value(row.of);
            self.stack_id.append_option(row.stack_id);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.of.finish()),
                Arc::new(self.stack_id.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
        pub of: UInt8Array,
        pub stack_id: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                tid: column(batch, NAME, "tid", false)?,
                of: column(batch, NAME, "of", false)?,
                stack_id: column(batch, NAME, "stack_id", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                tid: self.tid.value(i),
                of: self.of.value(i),
                stack_id: self.stack_id.is_valid(i).then(|| self.stack_id.value(i)),
            }
        }
    }
}

/// Whether the sched_ext scheduler of a cgroup may use a CPU, as the one above has granted it: of all CPUs when one of its threads is first seen, then of a CPU whenever that found no thread to run.
pub mod ext_access {
    use super::*;
    pub const NAME: &str = "ext_access";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("cgroup_id", DataType::Int64, false),
            Field::new("for_cpu", DataType::Int16, false),
            Field::new("may_use", DataType::Boolean, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] When it was read.
        pub ts_ns: i64,
        /// [cpu] CPU on which it was read.
        pub cpu: i16,
        /// Cgroup whose threads the scheduler schedules, by the kernel's number.
        pub cgroup_id: i64,
        /// [cpu] The CPU.
        pub for_cpu: i16,
        /// It may (SCX_CAP_BASE).
        pub may_use: bool,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        cgroup_id: Values<Int64Type>,
        for_cpu: Values<Int16Type>,
        may_use: BooleanBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.cgroup_id.append_value(row.cgroup_id);
            self.for_cpu.append_value(row.for_cpu);
            self.may_use.append_value(row.may_use);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.cgroup_id.finish()),
                Arc::new(self.for_cpu.finish()),
                Arc::new(self.may_use.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub cgroup_id: Int64Array,
        pub for_cpu: Int16Array,
        pub may_use: BooleanArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                cgroup_id: column(batch, NAME, "cgroup_id", false)?,
                for_cpu: column(batch, NAME, "for_cpu", false)?,
                may_use: column(batch, NAME, "may_use", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                cgroup_id: self.cgroup_id.value(i),
                for_cpu: self.for_cpu.value(i),
                may_use: self.may_use.value(i),
            }
        }
    }
}

/// The kernel's counters of a sched_ext scheduler: each as the recording began, and whenever it was seen to have changed.
pub mod ext_counter {
    use super::*;
    pub const NAME: &str = "ext_counter";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, true),
            Field::new("cgroup_id", DataType::Int64, true),
            Field::new("name", DataType::Utf8, false),
            Field::new("value", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] When the recorder read it, twice a second.
        pub ts_ns: i64,
        /// [cpu] NULL: it is read from sysfs.
        pub cpu: Option<i16>,
        /// Cgroup whose threads the scheduler schedules; NULL: the one of all threads.
        pub cgroup_id: Option<i64>,
        /// Name of the counter (SCX_EV_*).
        pub name: &'a str,
        /// Since the scheduler was loaded.
        pub value: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        cgroup_id: Values<Int64Type>,
        name: StringBuilder,
        value: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_option(row.cpu);
            self.cgroup_id.append_option(row.cgroup_id);
            self.name.append_value(row.name);
            self.value.append_value(row.value);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.cgroup_id.finish()),
                Arc::new(self.name.finish()),
                Arc::new(self.value.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub cgroup_id: Int64Array,
        pub name: StringArray,
        pub value: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", true)?,
                cgroup_id: column(batch, NAME, "cgroup_id", true)?,
                name: column(batch, NAME, "name", false)?,
                value: column(batch, NAME, "value", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.is_valid(i).then(|| self.cpu.value(i)),
                cgroup_id: self.cgroup_id.is_valid(i).then(|| self.cgroup_id.value(i)),
                name: self.name.value(i),
                value: self.value.value(i),
            }
        }
    }
}

/// The CPUs that the kernel showed sched_ext schedulers as idle, as select_cpu had put a thread into a queue. A CPU that idles is missing where it was promised to another thread (scx_bpf_pick_idle_cpu, scx_bpf_test_and_clear_cpu_idle). Empty where the kernel does not keep the mask, or keeps one for each NUMA node.
pub mod ext_idle {
    use super::*;
    pub const NAME: &str = "ext_idle";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("tid", DataType::Int32, false),
            Field::new("mask_id", DataType::Int32, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU on which the thread was placed.
        pub cpu: i16,
        /// [tid] The thread.
        pub tid: i32,
        /// CPUs shown as idle, a row of `mask`; NULL: not known.
        pub mask_id: Option<i32>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
        mask_id: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.tid.append_value(row.tid);
            self.mask_id.append_option(row.mask_id);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.mask_id.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
        pub mask_id: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                tid: column(batch, NAME, "tid", false)?,
                mask_id: column(batch, NAME, "mask_id", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                tid: self.tid.value(i),
                mask_id: self.mask_id.is_valid(i).then(|| self.mask_id.value(i)),
            }
        }
    }
}

/// A sched_ext scheduler asked for a CPU to reschedule, so that it asks for a thread to run.
pub mod ext_kick {
    use super::*;
    pub const NAME: &str = "ext_kick";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("target_cpu", DataType::Int16, false),
            Field::new("flags", DataType::Int32, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU on which the scheduler asked for it.
        pub cpu: i16,
        /// [cpu] CPU that is to reschedule.
        pub target_cpu: i16,
        /// SCX_KICK_*: 1 only if it idles, 2 preempt, 4 wait for it.
        pub flags: i32,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        target_cpu: Values<Int16Type>,
        flags: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.target_cpu.append_value(row.target_cpu);
            self.flags.append_value(row.flags);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.target_cpu.finish()),
                Arc::new(self.flags.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub target_cpu: Int16Array,
        pub flags: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                target_cpu: column(batch, NAME, "target_cpu", false)?,
                flags: column(batch, NAME, "flags", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                target_cpu: self.target_cpu.value(i),
                flags: self.flags.value(i),
            }
        }
    }
}

/// It was the sched_ext scheduler of a cgroup that put a thread into a dispatch queue, or keeps it: what the next row of `ext_queue` about that thread says, which has the same time. Of the scheduler of all threads there is none.
pub mod ext_of_cgroup {
    use super::*;
    pub const NAME: &str = "ext_of_cgroup";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("tid", DataType::Int32, false),
            Field::new("cgroup_id", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock: that of the row of `ext_queue`.
        pub ts_ns: i64,
        /// [cpu] CPU on which that was done.
        pub cpu: i16,
        /// [tid] The thread.
        pub tid: i32,
        /// Cgroup whose threads the scheduler schedules, by the kernel's number.
        pub cgroup_id: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
        cgroup_id: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.tid.append_value(row.tid);
            self.cgroup_id.append_value(row.cgroup_id);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.cgroup_id.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
        pub cgroup_id: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                tid: column(batch, NAME, "tid", false)?,
                cgroup_id: column(batch, NAME, "cgroup_id", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                tid: self.tid.value(i),
                cgroup_id: self.cgroup_id.value(i),
            }
        }
    }
}

/// A thread of a sched_ext scheduler was put into a dispatch queue, or is kept by the scheduler in a structure of its own.
pub mod ext_queue {
    use super::*;
    pub const NAME: &str = "ext_queue";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("tid", DataType::Int32, false),
            Field::new("place", DataType::UInt8, false),
            Field::new("queue_cpu", DataType::Int16, true),
            Field::new("dsq", DataType::Int64, true),
            Field::new("step", DataType::UInt8, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU on which that was done.
        pub cpu: i16,
        /// [tid] The thread.
        pub tid: i32,
        /// Where it is from then on.
        pub place: u8,
        /// [cpu] CPU of the local queue; NULL of any other place.
        pub queue_cpu: Option<i16>,
        /// Number of the dispatch queue, as the kernel has it; NULL where it is in none.
        pub dsq: Option<i64>,
        /// Which part of the scheduler decided that.
        pub step: u8,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
        place: Values<UInt8Type>,
        queue_cpu: Values<Int16Type>,
        dsq: Values<Int64Type>,
        step: Values<UInt8Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.tid.append_value(row.tid);
            self.place.append_value(row.place);
            self.queue_cpu.append_option(row.queue_cpu);
            self.dsq.append_option(row.dsq);
            self.step.append_value(row.step);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.place.finish()),
                Arc::new(self.queue_cpu.finish()),
                Arc::new(self.dsq.finish()),
                Arc::new(self.step.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
        pub place: UInt8Array,
        pub queue_cpu: Int16Array,
        pub dsq: Int64Array,
        pub step: UInt8Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                tid: column(batch, NAME, "tid", false)?,
                place: column(batch, NAME, "place", false)?,
                queue_cpu: column(batch, NAME, "queue_cpu", true)?,
                dsq: column(batch, NAME, "dsq", true)?,
                step: column(batch, NAME, "step", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                tid: self.tid.value(i),
                place: self.place.value(i),
                queue_cpu: self.queue_cpu.is_valid(i).then(|| self.queue_cpu.value(i)),
                dsq: self.dsq.is_valid(i).then(|| self.dsq.value(i)),
                step: self.step.value(i),
            }
        }
    }
}

/// sched_ext schedulers, of all threads or of a cgroup: which were loaded as the recording began, what was loaded or went since, and why the kernel ended one.
pub mod ext_scheduler {
    use super::*;
    pub const NAME: &str = "ext_scheduler";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, true),
            Field::new("cgroup_id", DataType::Int64, true),
            Field::new("change", DataType::UInt8, false),
            Field::new("name", DataType::Utf8, true),
            Field::new("threads_recorded", DataType::Boolean, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Of `loaded` and `gone`: when the recorder saw it, up to half a second late.
        pub ts_ns: i64,
        /// [cpu] CPU on which it was done; NULL where it was read from sysfs.
        pub cpu: Option<i16>,
        /// Cgroup whose threads it schedules, by the kernel's number; NULL: it is the one of all threads.
        pub cgroup_id: Option<i64>,
        /// What happened.
        pub change: u8,
        /// Its name (sched_ext_ops.name), where sysfs had it.
        pub name: Option<&'a str>,
        /// The table `ext_of_cgroup` says which threads schedulers of cgroups have; NULL: the recording is of an earlier version, and it does not.
        pub threads_recorded: Option<bool>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        cgroup_id: Values<Int64Type>,
        change: Values<UInt8Type>,
        name: StringBuilder,
        threads_recorded: BooleanBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_option(row.cpu);
            self.cgroup_id.append_option(row.cgroup_id);
            self.change.append_value(row.change);
            self.name.append_option(row.name);
            self.threads_recorded.append_option(row.threads_recorded);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.cgroup_id.finish()),
                Arc::new(self.change.finish()),
                Arc::new(self.name.finish()),
                Arc::new(self.threads_recorded.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub cgroup_id: Int64Array,
        pub change: UInt8Array,
        pub name: StringArray,
        pub threads_recorded: BooleanArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", true)?,
                cgroup_id: column(batch, NAME, "cgroup_id", true)?,
                change: column(batch, NAME, "change", false)?,
                name: column(batch, NAME, "name", true)?,
                threads_recorded: column(batch, NAME, "threads_recorded", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.is_valid(i).then(|| self.cpu.value(i)),
                cgroup_id: self.cgroup_id.is_valid(i).then(|| self.cgroup_id.value(i)),
                change: self.change.value(i),
                name: self.name.is_valid(i).then(|| self.name.value(i)),
                threads_recorded: self.threads_recorded.is_valid(i).then(|| self.threads_recorded.value(i)),
            }
        }
    }
}

/// A CPU asked its local queue and the sched_ext scheduler (ops.dispatch) for a thread to run, and got none.
pub mod ext_search {
    use super::*;
    pub const NAME: &str = "ext_search";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("dur_ns", DataType::Int64, false),
            Field::new("for_cpu", DataType::Int16, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] When it began to ask.
        pub ts_ns: i64,
        /// [cpu] CPU on which the function ran.
        pub cpu: i16,
        /// [ns] For how long it asked.
        pub dur_ns: i64,
        /// [cpu] CPU for which it asked; another one with core scheduling alone.
        pub for_cpu: i16,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        dur_ns: Values<Int64Type>,
        for_cpu: Values<Int16Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.dur_ns.append_value(row.dur_ns);
            self.for_cpu.append_value(row.for_cpu);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.dur_ns.finish()),
                Arc::new(self.for_cpu.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub dur_ns: Int64Array,
        pub for_cpu: Int16Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                dur_ns: column(batch, NAME, "dur_ns", false)?,
                for_cpu: column(batch, NAME, "for_cpu", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                dur_ns: self.dur_ns.value(i),
                for_cpu: self.for_cpu.value(i),
            }
        }
    }
}

/// Which sched_ext scheduler is in charge: as the recording began and at each change, and when the kernel bypasses it.
pub mod ext_state {
    use super::*;
    pub const NAME: &str = "ext_state";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, true),
            Field::new("change", DataType::UInt8, false),
            Field::new("name", DataType::Utf8, true),
            Field::new("partial", DataType::Boolean, false),
            Field::new("recorded", DataType::Boolean, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Of a change of the scheduler: when the recorder saw it, up to half a second late.
        pub ts_ns: i64,
        /// [cpu] CPU on which it was done; NULL where it was read from sysfs.
        pub cpu: Option<i16>,
        /// What changed.
        pub change: u8,
        /// Name of the scheduler (sched_ext_ops.name).
        pub name: Option<&'a str>,
        /// It runs threads of the policy SCHED_EXT alone (SCX_OPS_SWITCH_PARTIAL).
        pub partial: bool,
        /// The tables `ext_queue`, `ext_search` and `ext_kick` have all that happened.
        pub recorded: bool,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        change: Values<UInt8Type>,
        name: StringBuilder,
        partial: BooleanBuilder,
        recorded: BooleanBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_option(row.cpu);
            self.change.append_value(row.change);
            self.name.append_option(row.name);
            self.partial.append_value(row.partial);
            self.recorded.append_value(row.recorded);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.change.finish()),
                Arc::new(self.name.finish()),
                Arc::new(self.partial.finish()),
                Arc::new(self.recorded.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub change: UInt8Array,
        pub name: StringArray,
        pub partial: BooleanArray,
        pub recorded: BooleanArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", true)?,
                change: column(batch, NAME, "change", false)?,
                name: column(batch, NAME, "name", true)?,
                partial: column(batch, NAME, "partial", false)?,
                recorded: column(batch, NAME, "recorded", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.is_valid(i).then(|| self.cpu.value(i)),
                change: self.change.value(i),
                name: self.name.is_valid(i).then(|| self.name.value(i)),
                partial: self.partial.value(i),
                recorded: self.recorded.value(i),
            }
        }
    }
}

/// A CPU left idle late: so long after the kernel had asked it to reschedule (TIF_NEED_RESCHED) for a thread on its queue, where that took a millisecond or more. It was in a deep idle state, in an interrupt, or a virtual CPU that its host did not run; or the one that queued the thread stood still.
pub mod idle_exit_late {
    use super::*;
    pub const NAME: &str = "idle_exit_late";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("late_ns", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock, as the CPU leaves idle.
        pub ts_ns: i64,
        /// [cpu] CPU that leaves idle.
        pub cpu: i16,
        /// [ns] How long before that it was asked to.
        pub late_ns: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        late_ns: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.late_ns.append_value(row.late_ns);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.late_ns.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub late_ns: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                late_ns: column(batch, NAME, "late_ns", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                late_ns: self.late_ns.value(i),
            }
        }
    }
}

/// Interrupt work of more than 20 us. A CPU that runs swapper meanwhile looks idle and is not; threads on its queue wait for the interrupts. Imports have it of CPUs that run swapper only. ts_ns is the start of the span; the row is there in the order.
pub mod irq_span {
    use super::*;
    pub const NAME: &str = "irq_span";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("dur_ns", DataType::Int64, false),
            Field::new("kind", DataType::UInt8, false),
            Field::new("vector", DataType::Int32, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Start.
        pub ts_ns: i64,
        /// [cpu] The CPU.
        pub cpu: i16,
        /// [ns] Length.
        pub dur_ns: i64,
        /// Hard, soft, or both without a gap.
        pub kind: u8,
        /// irq number or softirq vector of the longest part.
        pub vector: Option<i32>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        dur_ns: Values<Int64Type>,
        kind: Values<UInt8Type>,
        vector: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.dur_ns.append_value(row.dur_ns);
            self.kind.append_value(row.kind);
            self.vector.append_option(row.vector);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.dur_ns.finish()),
                Arc::new(self.kind.finish()),
                Arc::new(self.vector.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub dur_ns: Int64Array,
        pub kind: UInt8Array,
        pub vector: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                dur_ns: column(batch, NAME, "dur_ns", false)?,
                kind: column(batch, NAME, "kind", false)?,
                vector: column(batch, NAME, "vector", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                dur_ns: self.dur_ns.value(i),
                kind: self.kind.value(i),
                vector: self.vector.is_valid(i).then(|| self.vector.value(i)),
            }
        }
    }
}

/// Events the recorder or tracer dropped. Between ts_ns and end_ns what is known of the CPU may be wrong: it counts as unobserved until its next switch.
pub mod lost_events {
    use super::*;
    pub const NAME: &str = "lost_events";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("end_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, true),
            Field::new("count", DataType::Int64, true),
            Field::new("what", DataType::Utf8, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] First instant at which something may be missing.
        pub ts_ns: i64,
        /// [ns] Last instant.
        pub end_ns: i64,
        /// [cpu] CPU whose events were lost; NULL any.
        pub cpu: Option<i16>,
        /// [events] How many; NULL unknown.
        pub count: Option<i64>,
        /// Kind of event lost, or 'any'.
        pub what: &'a str,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        end_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        count: Values<Int64Type>,
        what: StringBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.end_ns.append_value(row.end_ns);
            self.cpu.append_option(row.cpu);
            self.count.append_option(row.count);
            self.what.append_value(row.what);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.end_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.count.finish()),
                Arc::new(self.what.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub end_ns: Int64Array,
        pub cpu: Int16Array,
        pub count: Int64Array,
        pub what: StringArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                end_ns: column(batch, NAME, "end_ns", false)?,
                cpu: column(batch, NAME, "cpu", true)?,
                count: column(batch, NAME, "count", true)?,
                what: column(batch, NAME, "what", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                end_ns: self.end_ns.value(i),
                cpu: self.cpu.is_valid(i).then(|| self.cpu.value(i)),
                count: self.count.is_valid(i).then(|| self.count.value(i)),
                what: self.what.value(i),
            }
        }
    }
}

/// A thread entered or left a section in which it may not be moved. Not the same as being pinned.
pub mod migration_disable {
    use super::*;
    pub const NAME: &str = "migration_disable";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, true),
            Field::new("tid", DataType::Int32, false),
            Field::new("disabled", DataType::Boolean, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU that noticed.
        pub cpu: Option<i16>,
        /// [tid] The thread.
        pub tid: i32,
        /// True from now on, or false.
        pub disabled: bool,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
        disabled: BooleanBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_option(row.cpu);
            self.tid.append_value(row.tid);
            self.disabled.append_value(row.disabled);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.disabled.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
        pub disabled: BooleanArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", true)?,
                tid: column(batch, NAME, "tid", false)?,
                disabled: column(batch, NAME, "disabled", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.is_valid(i).then(|| self.cpu.value(i)),
                tid: self.tid.value(i),
                disabled: self.disabled.value(i),
            }
        }
    }
}

/// What a CPU that was about to idle decided by, in a search for work that moved no thread, as it was when the kernel's function was entered, but for `next_balance_ns`.
pub mod newidle_entry {
    use super::*;
    pub const NAME: &str = "newidle_entry";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("attempt_id", DataType::Int64, true),
            Field::new("avg_idle_ns", DataType::Int64, false),
            Field::new("overloaded", DataType::Boolean, false),
            Field::new("wakeup_pending", DataType::Boolean, false),
            Field::new("too_short_level", DataType::Int16, true),
            Field::new("dice", DataType::Boolean, false),
            Field::new("next_balance_ns", DataType::Int64, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Entry of the function.
        pub ts_ns: i64,
        /// [cpu] CPU that was about to idle.
        pub cpu: i16,
        /// Row of `balance_attempt` of the function as a whole.
        pub attempt_id: Option<i64>,
        /// [ns] How long the CPU expected to idle (rq.avg_idle).
        pub avg_idle_ns: i64,
        /// Some CPU of the root domain counted as overloaded (root_domain.overload).
        pub overloaded: bool,
        /// A wakeup was queued to the CPU (rq.ttwu_pending).
        pub wakeup_pending: bool,
        /// Smallest level whose attempts cost more than the CPU expected to idle (max_newidle_lb_cost); NULL none.
        pub too_short_level: Option<i16>,
        /// The release leaves each attempt to chance by how many succeeded (sched_domain.newidle_ratio).
        pub dice: bool,
        /// [ns] When the kernel holds the CPU's next periodic attempts due, over whichever domain (rq.next_balance), counted from the return of the function, in whole milliseconds, at least 0; NULL not recorded.
        pub next_balance_ns: Option<i64>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        attempt_id: Values<Int64Type>,
        avg_idle_ns: Values<Int64Type>,
        overloaded: BooleanBuilder,
        wakeup_pending: BooleanBuilder,
        too_short_level: Values<Int16Type>,
        dice: BooleanBuilder,
        next_balance_ns: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.attempt_id.append_option(row.attempt_id);
            self.avg_idle_ns.append_value(row.avg_idle_ns);
            self.overloaded.append_value(row.overloaded);
            self.wakeup_pending.append_value(row.wakeup_pending);
            self.too_short_level.append_option(row.too_short_level);
            self.dice.append_value(row.dice);
            self.next_balance_ns.append_option(row.next_balance_ns);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.attempt_id.finish()),
                Arc::new(self.avg_idle_ns.finish()),
                Arc::new(self.overloaded.finish()),
                Arc::new(self.wakeup_pending.finish()),
                Arc::new(self.too_short_level.finish()),
                Arc::new(self.dice.finish()),
                Arc::new(self.next_balance_ns.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub attempt_id: Int64Array,
        pub avg_idle_ns: Int64Array,
        pub overloaded: BooleanArray,
        pub wakeup_pending: BooleanArray,
        pub too_short_level: Int16Array,
        pub dice: BooleanArray,
        pub next_balance_ns: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                attempt_id: column(batch, NAME, "attempt_id", true)?,
                avg_idle_ns: column(batch, NAME, "avg_idle_ns", false)?,
                overloaded: column(batch, NAME, "overloaded", false)?,
                wakeup_pending: column(batch, NAME, "wakeup_pending", false)?,
                too_short_level: column(batch, NAME, "too_short_level", true)?,
                dice: column(batch, NAME, "dice", false)?,
                next_balance_ns: column(batch, NAME, "next_balance_ns", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                attempt_id: self.attempt_id.is_valid(i).then(|| self.attempt_id.value(i)),
                avg_idle_ns: self.avg_idle_ns.value(i),
                overloaded: self.overloaded.value(i),
                wakeup_pending: self.wakeup_pending.value(i),
                too_short_level: self.too_short_level.is_valid(i).then(|| self.too_short_level.value(i)),
                dice: self.dice.value(i),
                next_balance_ns: self.next_balance_ns.is_valid(i).then(|| self.next_balance_ns.value(i)),
            }
        }
    }
}

/// The kernel's own count of a runqueue. A cross-check only: since 6.12 it includes threads whose dequeue is delayed.
pub mod nr_running {
    use super::*;
    pub const NAME: &str = "nr_running";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("nr_running", DataType::Int32, false),
            Field::new("delta", DataType::Int16, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU of the runqueue.
        pub cpu: i16,
        /// [threads] Threads on the queue after the change, the running one included.
        pub nr_running: i32,
        /// [threads] The change.
        pub delta: i16,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        nr_running: Values<Int32Type>,
        delta: Values<Int16Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.nr_running.append_value(row.nr_running);
            self.delta.append_value(row.delta);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.nr_running.finish()),
                Arc::new(self.delta.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub nr_running: Int32Array,
        pub delta: Int16Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                nr_running: column(batch, NAME, "nr_running", false)?,
                delta: column(batch, NAME, "delta", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                nr_running: self.nr_running.value(i),
                delta: self.delta.value(i),
            }
        }
    }
}

/// What a hardware or software counter added while a thread ran, read at the switch that ended the run.
pub mod perf_counter {
    use super::*;
    pub const NAME: &str = "perf_counter";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("tid", DataType::Int32, false),
            Field::new("counter", DataType::Utf8, false),
            Field::new("value", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] The CPU.
        pub cpu: i16,
        /// [tid] Thread that ran.
        pub tid: i32,
        /// Counter: cycles, instructions, cache-misses, task-clock ...
        pub counter: &'a str,
        /// Increase over the run.
        pub value: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
        counter: StringBuilder,
        value: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.tid.append_value(row.tid);
            self.counter.append_value(row.counter);
            self.value.append_value(row.value);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.counter.finish()),
                Arc::new(self.value.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
        pub counter: StringArray,
        pub value: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                tid: column(batch, NAME, "tid", false)?,
                counter: column(batch, NAME, "counter", false)?,
                value: column(batch, NAME, "value", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                tid: self.tid.value(i),
                counter: self.counter.value(i),
                value: self.value.value(i),
            }
        }
    }
}

/// A load-balance attempt that moved no thread left threads in the last-level cache that their process prefers (cache-aware scheduling); they are among those of `balance_search.other`.
pub mod preferred_llc {
    use super::*;
    pub const NAME: &str = "preferred_llc";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("attempt_id", DataType::Int64, true),
            Field::new("src_cpu", DataType::Int16, false),
            Field::new("threads", DataType::Int32, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Entry of the attempt.
        pub ts_ns: i64,
        /// [cpu] CPU that made the attempt.
        pub cpu: i16,
        /// Row of `balance_attempt`.
        pub attempt_id: Option<i64>,
        /// [cpu] CPU on whose queue it found them.
        pub src_cpu: i16,
        /// [threads] How many it left for that.
        pub threads: i32,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        attempt_id: Values<Int64Type>,
        src_cpu: Values<Int16Type>,
        threads: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.attempt_id.append_option(row.attempt_id);
            self.src_cpu.append_value(row.src_cpu);
            self.threads.append_value(row.threads);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.attempt_id.finish()),
                Arc::new(self.src_cpu.finish()),
                Arc::new(self.threads.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub attempt_id: Int64Array,
        pub src_cpu: Int16Array,
        pub threads: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                attempt_id: column(batch, NAME, "attempt_id", true)?,
                src_cpu: column(batch, NAME, "src_cpu", false)?,
                threads: column(batch, NAME, "threads", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                attempt_id: self.attempt_id.is_valid(i).then(|| self.attempt_id.value(i)),
                src_cpu: self.src_cpu.value(i),
                threads: self.threads.value(i),
            }
        }
    }
}

/// A thread runs a new program. When a non-leader execs, it takes the leader's tid: old_tid names it before.
pub mod process_exec {
    use super::*;
    pub const NAME: &str = "process_exec";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("tid", DataType::Int32, false),
            Field::new("old_tid", DataType::Int32, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU it ran on.
        pub cpu: i16,
        /// [tid] tid after the exec.
        pub tid: i32,
        /// [tid] tid before the exec.
        pub old_tid: Option<i32>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
        old_tid: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.tid.append_value(row.tid);
            self.old_tid.append_option(row.old_tid);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.old_tid.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
        pub old_tid: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                tid: column(batch, NAME, "tid", false)?,
                old_tid: column(batch, NAME, "old_tid", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                tid: self.tid.value(i),
                old_tid: self.old_tid.is_valid(i).then(|| self.old_tid.value(i)),
            }
        }
    }
}

/// A thread starts to exit. It still runs; its life ends at its last switch (state X or Z).
pub mod process_exit {
    use super::*;
    pub const NAME: &str = "process_exit";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("tid", DataType::Int32, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU it runs on.
        pub cpu: i16,
        /// [tid] Thread that exits.
        pub tid: i32,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.tid.append_value(row.tid);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                tid: column(batch, NAME, "tid", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                tid: self.tid.value(i),
            }
        }
    }
}

/// A thread was created. The child inherits its parent's mask and cgroup; its placement comes with sched_wakeup_new.
pub mod process_fork {
    use super::*;
    pub const NAME: &str = "process_fork";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("parent_tid", DataType::Int32, false),
            Field::new("child_tid", DataType::Int32, false),
            Field::new("child_tgid", DataType::Int32, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU of the parent.
        pub cpu: i16,
        /// [tid] Thread that forked.
        pub parent_tid: i32,
        /// [tid] Thread that was made.
        pub child_tid: i32,
        /// [tgid] Process the child belongs to.
        pub child_tgid: Option<i32>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        parent_tid: Values<Int32Type>,
        child_tid: Values<Int32Type>,
        child_tgid: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.parent_tid.append_value(row.parent_tid);
            self.child_tid.append_value(row.child_tid);
            self.child_tgid.append_option(row.child_tgid);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.parent_tid.finish()),
                Arc::new(self.child_tid.finish()),
                Arc::new(self.child_tgid.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub parent_tid: Int32Array,
        pub child_tid: Int32Array,
        pub child_tgid: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                parent_tid: column(batch, NAME, "parent_tid", false)?,
                child_tid: column(batch, NAME, "child_tid", false)?,
                child_tgid: column(batch, NAME, "child_tgid", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                parent_tid: self.parent_tid.value(i),
                child_tid: self.child_tid.value(i),
                child_tgid: self.child_tgid.is_valid(i).then(|| self.child_tgid.value(i)),
            }
        }
    }
}

/// Which rank of a parallel program a process is, by its environment, which launchers set. Written as the recorder first sees the process: at the start, or soon after it was started.
pub mod process_rank {
    use super::*;
    pub const NAME: &str = "process_rank";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("tgid", DataType::Int32, false),
            Field::new("rank", DataType::Int32, false),
            Field::new("size", DataType::Int32, true),
            Field::new("variable", DataType::UInt8, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock, as it was read.
        pub ts_ns: i64,
        /// [tgid] The process.
        pub tgid: i32,
        /// Its rank, from 0 on.
        pub rank: i32,
        /// [ranks] Ranks of the whole program, on all machines; NULL not known.
        pub size: Option<i32>,
        /// The variable that tells it.
        pub variable: u8,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        tgid: Values<Int32Type>,
        rank: Values<Int32Type>,
        size: Values<Int32Type>,
        variable: Values<UInt8Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.tgid.append_value(row.tgid);
            self.rank.append_value(row.rank);
            self.size.append_option(row.size);
            self.variable.append_value(row.variable);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.tgid.finish()),
                Arc::new(self.rank.finish()),
                Arc::new(self.size.finish()),
                Arc::new(self.variable.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub tgid: Int32Array,
        pub rank: Int32Array,
        pub size: Int32Array,
        pub variable: UInt8Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                tgid: column(batch, NAME, "tgid", false)?,
                rank: column(batch, NAME, "rank", false)?,
                size: column(batch, NAME, "size", true)?,
                variable: column(batch, NAME, "variable", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                tgid: self.tgid.value(i),
                rank: self.rank.value(i),
                size: self.size.is_valid(i).then(|| self.size.value(i)),
                variable: self.variable.value(i),
            }
        }
    }
}

/// A thread enters or leaves a call in which it waits for other ranks of a parallel program (MPI, OpenMP), or the body of an OpenMP parallel region. Regions of one thread are nested.
pub mod region_event {
    use super::*;
    pub const NAME: &str = "region_event";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, true),
            Field::new("tid", DataType::Int32, false),
            Field::new("kind", DataType::UInt8, false),
            Field::new("enter", DataType::Boolean, false),
            Field::new("peer", DataType::Int32, true),
            Field::new("bytes", DataType::Int64, true),
            Field::new("name", DataType::Utf8, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU on which the thread ran; NULL where the source does not say.
        pub cpu: Option<i16>,
        /// [tid] The thread.
        pub tid: i32,
        /// What the thread does in the region.
        pub kind: u8,
        /// It enters; else it leaves.
        pub enter: bool,
        /// The other rank, or the root of a collective, as the program numbers them in the communicator; below 0 any. NULL where the source does not say.
        pub peer: Option<i32>,
        /// [bytes] Length of the message or of the rank's part of a collective; NULL where the source does not say.
        pub bytes: Option<i64>,
        /// Function, or name of the region.
        pub name: &'a str,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
        kind: Values<UInt8Type>,
        enter: BooleanBuilder,
        peer: Values<Int32Type>,
        bytes: Values<Int64Type>,
        name: StringBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_option(row.cpu);
            self.tid.append_value(row.tid);
            self.kind.append_value(row.kind);
            self.enter.append_value(row.enter);
            self.peer.append_option(row.peer);
            self.bytes.append_option(row.bytes);
            self.name.append_value(row.name);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.kind.finish()),
                Arc::new(self.enter.finish()),
                Arc::new(self.peer.finish()),
                Arc::new(self.bytes.finish()),
                Arc::new(self.name.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
        pub kind: UInt8Array,
        pub enter: BooleanArray,
        pub peer: Int32Array,
        pub bytes: Int64Array,
        pub name: StringArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", true)?,
                tid: column(batch, NAME, "tid", false)?,
                kind: column(batch, NAME, "kind", false)?,
                enter: column(batch, NAME, "enter", false)?,
                peer: column(batch, NAME, "peer", true)?,
                bytes: column(batch, NAME, "bytes", true)?,
                name: column(batch, NAME, "name", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.is_valid(i).then(|| self.cpu.value(i)),
                tid: self.tid.value(i),
                kind: self.kind.value(i),
                enter: self.enter.value(i),
                peer: self.peer.is_valid(i).then(|| self.peer.value(i)),
                bytes: self.bytes.is_valid(i).then(|| self.bytes.value(i)),
                name: self.name.value(i),
            }
        }
    }
}

/// A thread ran, by the kernel's account of its time, on a CPU that runs swapper according to its switches: the switch to it was not reported. ts_ns is the start of the span; the row is there in the order.
pub mod run_span {
    use super::*;
    pub const NAME: &str = "run_span";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("tid", DataType::Int32, false),
            Field::new("dur_ns", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Start; not before the CPU's last switch.
        pub ts_ns: i64,
        /// [cpu] The CPU.
        pub cpu: i16,
        /// [tid] The thread.
        pub tid: i32,
        /// [ns] Length: up to the first time the kernel accounted for the thread there.
        pub dur_ns: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
        dur_ns: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.tid.append_value(row.tid);
            self.dur_ns.append_value(row.dur_ns);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.dur_ns.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
        pub dur_ns: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                tid: column(batch, NAME, "tid", false)?,
                dur_ns: column(batch, NAME, "dur_ns", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                tid: self.tid.value(i),
                dur_ns: self.dur_ns.value(i),
            }
        }
    }
}

/// A thread is moved to another CPU; a queued one changes queue, a blocked one only remembers its destination.
pub mod sched_migrate_task {
    use super::*;
    pub const NAME: &str = "sched_migrate_task";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("tid", DataType::Int32, false),
            Field::new("orig_cpu", DataType::Int16, true),
            Field::new("dest_cpu", DataType::Int16, false),
            Field::new("stack_id", DataType::Int32, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU that did the move.
        pub cpu: i16,
        /// [tid] Thread that is moved.
        pub tid: i32,
        /// [cpu] CPU it leaves; NULL where the source does not say (never 0 for want of knowledge).
        pub orig_cpu: Option<i16>,
        /// [cpu] CPU it goes to.
        pub dest_cpu: i16,
        /// Kernel stack of the move, a row of `stack`.
        pub stack_id: Option<i32>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
        orig_cpu: Values<Int16Type>,
        dest_cpu: Values<Int16Type>,
        stack_id: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.tid.append_value(row.tid);
            self.orig_cpu.append_option(row.orig_cpu);
            self.dest_cpu.append_value(row.dest_cpu);
            self.stack_id.append_option(row.stack_id);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.orig_cpu.finish()),
                Arc::new(self.dest_cpu.finish()),
                Arc::new(self.stack_id.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
        pub orig_cpu: Int16Array,
        pub dest_cpu: Int16Array,
        pub stack_id: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                tid: column(batch, NAME, "tid", false)?,
                orig_cpu: column(batch, NAME, "orig_cpu", true)?,
                dest_cpu: column(batch, NAME, "dest_cpu", false)?,
                stack_id: column(batch, NAME, "stack_id", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                tid: self.tid.value(i),
                orig_cpu: self.orig_cpu.is_valid(i).then(|| self.orig_cpu.value(i)),
                dest_cpu: self.dest_cpu.value(i),
                stack_id: self.stack_id.is_valid(i).then(|| self.stack_id.value(i)),
            }
        }
    }
}

/// The kernel accounted for time that a thread ran: up to now, since the account of it before. Imports keep it; recordings of wastenot's own have none.
pub mod sched_stat_runtime {
    use super::*;
    pub const NAME: &str = "sched_stat_runtime";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("tid", DataType::Int32, false),
            Field::new("runtime_ns", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU that wrote the event: the thread's own, or one that changes its queue from afar.
        pub cpu: i16,
        /// [tid] The thread.
        pub tid: i32,
        /// [ns] Time it ran, by the clock of its runqueue, which leaves out interrupts and stolen time where the kernel accounts for those.
        pub runtime_ns: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
        runtime_ns: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.tid.append_value(row.tid);
            self.runtime_ns.append_value(row.runtime_ns);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.runtime_ns.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
        pub runtime_ns: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                tid: column(batch, NAME, "tid", false)?,
                runtime_ns: column(batch, NAME, "runtime_ns", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                tid: self.tid.value(i),
                runtime_ns: self.runtime_ns.value(i),
            }
        }
    }
}

/// A CPU stops running one thread and starts another. tid 0 is the idle thread (swapper).
pub mod sched_switch {
    use super::*;
    pub const NAME: &str = "sched_switch";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("prev_tid", DataType::Int32, false),
            Field::new("prev_state", DataType::UInt8, false),
            Field::new("prev_prio", DataType::Int16, true),
            Field::new("next_tid", DataType::Int32, false),
            Field::new("next_prio", DataType::Int16, true),
            Field::new("nr_running", DataType::Int32, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace, over all event tables.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU that switches.
        pub cpu: i16,
        /// [tid] Thread that leaves the CPU; 0 is swapper.
        pub prev_tid: i32,
        /// State it is left in; R and R+ stay runnable.
        pub prev_state: u8,
        /// Kernel priority of prev (0-99 real time, 100-139 fair).
        pub prev_prio: Option<i16>,
        /// [tid] Thread that starts to run; 0 is swapper.
        pub next_tid: i32,
        /// Kernel priority of next.
        pub next_prio: Option<i16>,
        /// [threads] The kernel's own count of the CPU's runqueue, next included. Since 6.12 it also counts threads whose dequeue is delayed.
        pub nr_running: Option<i32>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        prev_tid: Values<Int32Type>,
        prev_state: Values<UInt8Type>,
        prev_prio: Values<Int16Type>,
        next_tid: Values<Int32Type>,
        next_prio: Values<Int16Type>,
        nr_running: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.prev_tid.append_value(row.prev_tid);
            self.prev_state.append_value(row.prev_state);
            self.prev_prio.append_option(row.prev_prio);
            self.next_tid.append_value(row.next_tid);
            self.next_prio.append_option(row.next_prio);
            self.nr_running.append_option(row.nr_running);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.prev_tid.finish()),
                Arc::new(self.prev_state.finish()),
                Arc::new(self.prev_prio.finish()),
                Arc::new(self.next_tid.finish()),
                Arc::new(self.next_prio.finish()),
                Arc::new(self.nr_running.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub prev_tid: Int32Array,
        pub prev_state: UInt8Array,
        pub prev_prio: Int16Array,
        pub next_tid: Int32Array,
        pub next_prio: Int16Array,
        pub nr_running: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                prev_tid: column(batch, NAME, "prev_tid", false)?,
                prev_state: column(batch, NAME, "prev_state", false)?,
                prev_prio: column(batch, NAME, "prev_prio", true)?,
                next_tid: column(batch, NAME, "next_tid", false)?,
                next_prio: column(batch, NAME, "next_prio", true)?,
                nr_running: column(batch, NAME, "nr_running", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                prev_tid: self.prev_tid.value(i),
                prev_state: self.prev_state.value(i),
                prev_prio: self.prev_prio.is_valid(i).then(|| self.prev_prio.value(i)),
                next_tid: self.next_tid.value(i),
                next_prio: self.next_prio.is_valid(i).then(|| self.next_prio.value(i)),
                nr_running: self.nr_running.is_valid(i).then(|| self.nr_running.value(i)),
            }
        }
    }
}

/// A thread became runnable and was queued on target_cpu (sched_wakeup, and sched_wakeup_new for a thread that starts its life).
pub mod sched_wakeup {
    use super::*;
    pub const NAME: &str = "sched_wakeup";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("tid", DataType::Int32, false),
            Field::new("target_cpu", DataType::Int16, false),
            Field::new("prio", DataType::Int16, true),
            Field::new("is_new", DataType::Boolean, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU that wrote the event (the target's own when the wakeup was queued to it).
        pub cpu: i16,
        /// [tid] Thread that became runnable.
        pub tid: i32,
        /// [cpu] CPU on whose queue it was put: its placement.
        pub target_cpu: i16,
        /// Kernel priority of the thread.
        pub prio: Option<i16>,
        /// True for sched_wakeup_new.
        pub is_new: bool,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
        target_cpu: Values<Int16Type>,
        prio: Values<Int16Type>,
        is_new: BooleanBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.tid.append_value(row.tid);
            self.target_cpu.append_value(row.target_cpu);
            self.prio.append_option(row.prio);
            self.is_new.append_value(row.is_new);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.target_cpu.finish()),
                Arc::new(self.prio.finish()),
                Arc::new(self.is_new.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
        pub target_cpu: Int16Array,
        pub prio: Int16Array,
        pub is_new: BooleanArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                tid: column(batch, NAME, "tid", false)?,
                target_cpu: column(batch, NAME, "target_cpu", false)?,
                prio: column(batch, NAME, "prio", true)?,
                is_new: column(batch, NAME, "is_new", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                tid: self.tid.value(i),
                target_cpu: self.target_cpu.value(i),
                prio: self.prio.is_valid(i).then(|| self.prio.value(i)),
                is_new: self.is_new.value(i),
            }
        }
    }
}

/// A thread is about to be woken. Its target_cpu is where the thread last ran, not where it goes. Where `trace.queued_wakings_only` is true, only of threads that another CPU than the waker's puts on a queue.
pub mod sched_waking {
    use super::*;
    pub const NAME: &str = "sched_waking";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("tid", DataType::Int32, false),
            Field::new("target_cpu", DataType::Int16, true),
            Field::new("prio", DataType::Int16, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU on which the waker ran.
        pub cpu: i16,
        /// [tid] Thread being woken.
        pub tid: i32,
        /// [cpu] CPU the thread last ran on; NULL where the event is the queueing of a wakeup to another CPU (`trace.queued_wakings_only`).
        pub target_cpu: Option<i16>,
        /// Kernel priority of the thread.
        pub prio: Option<i16>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
        target_cpu: Values<Int16Type>,
        prio: Values<Int16Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.tid.append_value(row.tid);
            self.target_cpu.append_option(row.target_cpu);
            self.prio.append_option(row.prio);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.target_cpu.finish()),
                Arc::new(self.prio.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
        pub target_cpu: Int16Array,
        pub prio: Int16Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                tid: column(batch, NAME, "tid", false)?,
                target_cpu: column(batch, NAME, "target_cpu", true)?,
                prio: column(batch, NAME, "prio", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                tid: self.tid.value(i),
                target_cpu: self.target_cpu.is_valid(i).then(|| self.target_cpu.value(i)),
                prio: self.prio.is_valid(i).then(|| self.prio.value(i)),
            }
        }
    }
}

/// What the kernel's load balancer counted between two readings of /proc/schedstat, per CPU and domain. Each reading is a row whose cpu is NULL, at its end; rows of the domains that counted something follow at the same instant: the others counted nothing. A row counts everything between the end of the reading before and the start of this one, and nothing before the start of the former or after the end of the latter.
pub mod schedstat {
    use super::*;
    pub const NAME: &str = "schedstat";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, true),
            Field::new("level", DataType::Int16, true),
            Field::new("reading_ns", DataType::Int64, false),
            Field::new("interval_ns", DataType::Int64, false),
            Field::new("restarted", DataType::Boolean, false),
            Field::new("busy_lb_count", DataType::Int64, false),
            Field::new("busy_lb_balanced", DataType::Int64, false),
            Field::new("busy_lb_failed", DataType::Int64, false),
            Field::new("busy_lb_imbalance", DataType::Int64, false),
            Field::new("busy_lb_gained", DataType::Int64, false),
            Field::new("busy_lb_hot_gained", DataType::Int64, false),
            Field::new("busy_lb_nobusyq", DataType::Int64, false),
            Field::new("busy_lb_nobusyg", DataType::Int64, false),
            Field::new("idle_lb_count", DataType::Int64, false),
            Field::new("idle_lb_balanced", DataType::Int64, false),
            Field::new("idle_lb_failed", DataType::Int64, false),
            Field::new("idle_lb_imbalance", DataType::Int64, false),
            Field::new("idle_lb_gained", DataType::Int64, false),
            Field::new("idle_lb_hot_gained", DataType::Int64, false),
            Field::new("idle_lb_nobusyq", DataType::Int64, false),
            Field::new("idle_lb_nobusyg", DataType::Int64, false),
            Field::new("newidle_lb_count", DataType::Int64, false),
            Field::new("newidle_lb_balanced", DataType::Int64, false),
            Field::new("newidle_lb_failed", DataType::Int64, false),
            Field::new("newidle_lb_imbalance", DataType::Int64, false),
            Field::new("newidle_lb_gained", DataType::Int64, false),
            Field::new("newidle_lb_hot_gained", DataType::Int64, false),
            Field::new("newidle_lb_nobusyq", DataType::Int64, false),
            Field::new("newidle_lb_nobusyg", DataType::Int64, false),
            Field::new("alb_count", DataType::Int64, false),
            Field::new("alb_failed", DataType::Int64, false),
            Field::new("alb_pushed", DataType::Int64, false),
            Field::new("ttwu_wake_remote", DataType::Int64, false),
            Field::new("ttwu_move_affine", DataType::Int64, false),
            Field::new("ttwu_move_balance", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] End of the reading.
        pub ts_ns: i64,
        /// [cpu] CPU whose domain it is; NULL: the reading itself.
        pub cpu: Option<i16>,
        /// Level of the domain, 0 the smallest; NULL: the reading itself.
        pub level: Option<i16>,
        /// [ns] How long the reading took.
        pub reading_ns: i64,
        /// [ns] From the end of the reading before; 0 for the first, which counts nothing.
        pub interval_ns: i64,
        /// The domain was built anew in the interval: what it counted since.
        pub restarted: bool,
        /// Attempts made, while the CPU ran a thread.
        pub busy_lb_count: i64,
        /// That found nothing to do, or were another CPU's turn, while the CPU ran a thread.
        pub busy_lb_balanced: i64,
        /// That should have moved a thread and moved none, while the CPU ran a thread.
        pub busy_lb_failed: i64,
        /// Sum of the imbalances found, of whatever kind (load, utilisation, tasks), while the CPU ran a thread.
        pub busy_lb_imbalance: i64,
        /// Threads pulled, while the CPU ran a thread.
        pub busy_lb_gained: i64,
        /// Of them cache-hot ones, while the CPU ran a thread.
        pub busy_lb_hot_gained: i64,
        /// That found no busier queue, while the CPU ran a thread.
        pub busy_lb_nobusyq: i64,
        /// That found no busier group, while the CPU ran a thread.
        pub busy_lb_nobusyg: i64,
        /// Attempts made, while it was idle.
        pub idle_lb_count: i64,
        /// That found nothing to do, or were another CPU's turn, while it was idle.
        pub idle_lb_balanced: i64,
        /// That should have moved a thread and moved none, while it was idle.
        pub idle_lb_failed: i64,
        /// Sum of the imbalances found, of whatever kind (load, utilisation, tasks), while it was idle.
        pub idle_lb_imbalance: i64,
        /// Threads pulled, while it was idle.
        pub idle_lb_gained: i64,
        /// Of them cache-hot ones, while it was idle.
        pub idle_lb_hot_gained: i64,
        /// That found no busier queue, while it was idle.
        pub idle_lb_nobusyq: i64,
        /// That found no busier group, while it was idle.
        pub idle_lb_nobusyg: i64,
        /// Attempts made, as it went idle.
        pub newidle_lb_count: i64,
        /// That found nothing to do, or were another CPU's turn, as it went idle.
        pub newidle_lb_balanced: i64,
        /// That should have moved a thread and moved none, as it went idle.
        pub newidle_lb_failed: i64,
        /// Sum of the imbalances found, of whatever kind (load, utilisation, tasks), as it went idle.
        pub newidle_lb_imbalance: i64,
        /// Threads pulled, as it went idle.
        pub newidle_lb_gained: i64,
        /// Of them cache-hot ones, as it went idle.
        pub newidle_lb_hot_gained: i64,
        /// That found no busier queue, as it went idle.
        pub newidle_lb_nobusyq: i64,
        /// That found no busier group, as it went idle.
        pub newidle_lb_nobusyg: i64,
        /// Times the stopper was asked to push the running thread.
        pub alb_count: i64,
        /// Times it pushed none.
        pub alb_failed: i64,
        /// Threads it pushed.
        pub alb_pushed: i64,
        /// Wakeups on this CPU by one of another that the domain spans.
        pub ttwu_wake_remote: i64,
        /// Threads that a wakeup moved to the waking CPU as it was cache-affine.
        pub ttwu_move_affine: i64,
        /// Wakeups that balanced passively.
        pub ttwu_move_balance: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        level: Values<Int16Type>,
        reading_ns: Values<Int64Type>,
        interval_ns: Values<Int64Type>,
        restarted: BooleanBuilder,
        busy_lb_count: Values<Int64Type>,
        busy_lb_balanced: Values<Int64Type>,
        busy_lb_failed: Values<Int64Type>,
        busy_lb_imbalance: Values<Int64Type>,
        busy_lb_gained: Values<Int64Type>,
        busy_lb_hot_gained: Values<Int64Type>,
        busy_lb_nobusyq: Values<Int64Type>,
        busy_lb_nobusyg: Values<Int64Type>,
        idle_lb_count: Values<Int64Type>,
        idle_lb_balanced: Values<Int64Type>,
        idle_lb_failed: Values<Int64Type>,
        idle_lb_imbalance: Values<Int64Type>,
        idle_lb_gained: Values<Int64Type>,
        idle_lb_hot_gained: Values<Int64Type>,
        idle_lb_nobusyq: Values<Int64Type>,
        idle_lb_nobusyg: Values<Int64Type>,
        newidle_lb_count: Values<Int64Type>,
        newidle_lb_balanced: Values<Int64Type>,
        newidle_lb_failed: Values<Int64Type>,
        newidle_lb_imbalance: Values<Int64Type>,
        newidle_lb_gained: Values<Int64Type>,
        newidle_lb_hot_gained: Values<Int64Type>,
        newidle_lb_nobusyq: Values<Int64Type>,
        newidle_lb_nobusyg: Values<Int64Type>,
        alb_count: Values<Int64Type>,
        alb_failed: Values<Int64Type>,
        alb_pushed: Values<Int64Type>,
        ttwu_wake_remote: Values<Int64Type>,
        ttwu_move_affine: Values<Int64Type>,
        ttwu_move_balance: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_option(row.cpu);
            self.level.append_option(row.level);
            self.reading_ns.append_value(row.reading_ns);
            self.interval_ns.append_value(row.interval_ns);
            self.restarted.append_value(row.restarted);
            self.busy_lb_count.append_value(row.busy_lb_count);
            self.busy_lb_balanced.append_value(row.busy_lb_balanced);
            self.busy_lb_failed.append_value(row.busy_lb_failed);
            self.busy_lb_imbalance.append_value(row.busy_lb_imbalance);
            self.busy_lb_gained.append_value(row.busy_lb_gained);
            self.busy_lb_hot_gained.append_value(row.busy_lb_hot_gained);
            self.busy_lb_nobusyq.append_value(row.busy_lb_nobusyq);
            self.busy_lb_nobusyg.append_value(row.busy_lb_nobusyg);
            self.idle_lb_count.append_value(row.idle_lb_count);
            self.idle_lb_balanced.append_value(row.idle_lb_balanced);
            self.idle_lb_failed.append_value(row.idle_lb_failed);
            self.idle_lb_imbalance.append_value(row.idle_lb_imbalance);
            self.idle_lb_gained.append_value(row.idle_lb_gained);
            self.idle_lb_hot_gained.append_value(row.idle_lb_hot_gained);
            self.idle_lb_nobusyq.append_value(row.idle_lb_nobusyq);
            self.idle_lb_nobusyg.append_value(row.idle_lb_nobusyg);
            self.newidle_lb_count.append_value(row.newidle_lb_count);
            self.newidle_lb_balanced.append_value(row.newidle_lb_balanced);
            self.newidle_lb_failed.append_value(row.newidle_lb_failed);
            self.newidle_lb_imbalance.append_value(row.newidle_lb_imbalance);
            self.newidle_lb_gained.append_value(row.newidle_lb_gained);
            self.newidle_lb_hot_gained.append_value(row.newidle_lb_hot_gained);
            self.newidle_lb_nobusyq.append_value(row.newidle_lb_nobusyq);
            self.newidle_lb_nobusyg.append_value(row.newidle_lb_nobusyg);
            self.alb_count.append_value(row.alb_count);
            self.alb_failed.append_value(row.alb_failed);
            self.alb_pushed.append_value(row.alb_pushed);
            self.ttwu_wake_remote.append_value(row.ttwu_wake_remote);
            self.ttwu_move_affine.append_value(row.ttwu_move_affine);
            self.ttwu_move_balance.append_value(row.ttwu_move_balance);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.level.finish()),
                Arc::new(self.reading_ns.finish()),
                Arc::new(self.interval_ns.finish()),
                Arc::new(self.restarted.finish()),
                Arc::new(self.busy_lb_count.finish()),
                Arc::new(self.busy_lb_balanced.finish()),
                Arc::new(self.busy_lb_failed.finish()),
                Arc::new(self.busy_lb_imbalance.finish()),
                Arc::new(self.busy_lb_gained.finish()),
                Arc::new(self.busy_lb_hot_gained.finish()),
                Arc::new(self.busy_lb_nobusyq.finish()),
                Arc::new(self.busy_lb_nobusyg.finish()),
                Arc::new(self.idle_lb_count.finish()),
                Arc::new(self.idle_lb_balanced.finish()),
                Arc::new(self.idle_lb_failed.finish()),
                Arc::new(self.idle_lb_imbalance.finish()),
                Arc::new(self.idle_lb_gained.finish()),
                Arc::new(self.idle_lb_hot_gained.finish()),
                Arc::new(self.idle_lb_nobusyq.finish()),
                Arc::new(self.idle_lb_nobusyg.finish()),
                Arc::new(self.newidle_lb_count.finish()),
                Arc::new(self.newidle_lb_balanced.finish()),
                Arc::new(self.newidle_lb_failed.finish()),
                Arc::new(self.newidle_lb_imbalance.finish()),
                Arc::new(self.newidle_lb_gained.finish()),
                Arc::new(self.newidle_lb_hot_gained.finish()),
                Arc::new(self.newidle_lb_nobusyq.finish()),
                Arc::new(self.newidle_lb_nobusyg.finish()),
                Arc::new(self.alb_count.finish()),
                Arc::new(self.alb_failed.finish()),
                Arc::new(self.alb_pushed.finish()),
                Arc::new(self.ttwu_wake_remote.finish()),
                Arc::new(self.ttwu_move_affine.finish()),
                Arc::new(self.ttwu_move_balance.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub level: Int16Array,
        pub reading_ns: Int64Array,
        pub interval_ns: Int64Array,
        pub restarted: BooleanArray,
        pub busy_lb_count: Int64Array,
        pub busy_lb_balanced: Int64Array,
        pub busy_lb_failed: Int64Array,
        pub busy_lb_imbalance: Int64Array,
        pub busy_lb_gained: Int64Array,
        pub busy_lb_hot_gained: Int64Array,
        pub busy_lb_nobusyq: Int64Array,
        pub busy_lb_nobusyg: Int64Array,
        pub idle_lb_count: Int64Array,
        pub idle_lb_balanced: Int64Array,
        pub idle_lb_failed: Int64Array,
        pub idle_lb_imbalance: Int64Array,
        pub idle_lb_gained: Int64Array,
        pub idle_lb_hot_gained: Int64Array,
        pub idle_lb_nobusyq: Int64Array,
        pub idle_lb_nobusyg: Int64Array,
        pub newidle_lb_count: Int64Array,
        pub newidle_lb_balanced: Int64Array,
        pub newidle_lb_failed: Int64Array,
        pub newidle_lb_imbalance: Int64Array,
        pub newidle_lb_gained: Int64Array,
        pub newidle_lb_hot_gained: Int64Array,
        pub newidle_lb_nobusyq: Int64Array,
        pub newidle_lb_nobusyg: Int64Array,
        pub alb_count: Int64Array,
        pub alb_failed: Int64Array,
        pub alb_pushed: Int64Array,
        pub ttwu_wake_remote: Int64Array,
        pub ttwu_move_affine: Int64Array,
        pub ttwu_move_balance: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", true)?,
                level: column(batch, NAME, "level", true)?,
                reading_ns: column(batch, NAME, "reading_ns", false)?,
                interval_ns: column(batch, NAME, "interval_ns", false)?,
                restarted: column(batch, NAME, "restarted", false)?,
                busy_lb_count: column(batch, NAME, "busy_lb_count", false)?,
                busy_lb_balanced: column(batch, NAME, "busy_lb_balanced", false)?,
                busy_lb_failed: column(batch, NAME, "busy_lb_failed", false)?,
                busy_lb_imbalance: column(batch, NAME, "busy_lb_imbalance", false)?,
                busy_lb_gained: column(batch, NAME, "busy_lb_gained", false)?,
                busy_lb_hot_gained: column(batch, NAME, "busy_lb_hot_gained", false)?,
                busy_lb_nobusyq: column(batch, NAME, "busy_lb_nobusyq", false)?,
                busy_lb_nobusyg: column(batch, NAME, "busy_lb_nobusyg", false)?,
                idle_lb_count: column(batch, NAME, "idle_lb_count", false)?,
                idle_lb_balanced: column(batch, NAME, "idle_lb_balanced", false)?,
                idle_lb_failed: column(batch, NAME, "idle_lb_failed", false)?,
                idle_lb_imbalance: column(batch, NAME, "idle_lb_imbalance", false)?,
                idle_lb_gained: column(batch, NAME, "idle_lb_gained", false)?,
                idle_lb_hot_gained: column(batch, NAME, "idle_lb_hot_gained", false)?,
                idle_lb_nobusyq: column(batch, NAME, "idle_lb_nobusyq", false)?,
                idle_lb_nobusyg: column(batch, NAME, "idle_lb_nobusyg", false)?,
                newidle_lb_count: column(batch, NAME, "newidle_lb_count", false)?,
                newidle_lb_balanced: column(batch, NAME, "newidle_lb_balanced", false)?,
                newidle_lb_failed: column(batch, NAME, "newidle_lb_failed", false)?,
                newidle_lb_imbalance: column(batch, NAME, "newidle_lb_imbalance", false)?,
                newidle_lb_gained: column(batch, NAME, "newidle_lb_gained", false)?,
                newidle_lb_hot_gained: column(batch, NAME, "newidle_lb_hot_gained", false)?,
                newidle_lb_nobusyq: column(batch, NAME, "newidle_lb_nobusyq", false)?,
                newidle_lb_nobusyg: column(batch, NAME, "newidle_lb_nobusyg", false)?,
                alb_count: column(batch, NAME, "alb_count", false)?,
                alb_failed: column(batch, NAME, "alb_failed", false)?,
                alb_pushed: column(batch, NAME, "alb_pushed", false)?,
                ttwu_wake_remote: column(batch, NAME, "ttwu_wake_remote", false)?,
                ttwu_move_affine: column(batch, NAME, "ttwu_move_affine", false)?,
                ttwu_move_balance: column(batch, NAME, "ttwu_move_balance", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.is_valid(i).then(|| self.cpu.value(i)),
                level: self.level.is_valid(i).then(|| self.level.value(i)),
                reading_ns: self.reading_ns.value(i),
                interval_ns: self.interval_ns.value(i),
                restarted: self.restarted.value(i),
                busy_lb_count: self.busy_lb_count.value(i),
                busy_lb_balanced: self.busy_lb_balanced.value(i),
                busy_lb_failed: self.busy_lb_failed.value(i),
                busy_lb_imbalance: self.busy_lb_imbalance.value(i),
                busy_lb_gained: self.busy_lb_gained.value(i),
                busy_lb_hot_gained: self.busy_lb_hot_gained.value(i),
                busy_lb_nobusyq: self.busy_lb_nobusyq.value(i),
                busy_lb_nobusyg: self.busy_lb_nobusyg.value(i),
                idle_lb_count: self.idle_lb_count.value(i),
                idle_lb_balanced: self.idle_lb_balanced.value(i),
                idle_lb_failed: self.idle_lb_failed.value(i),
                idle_lb_imbalance: self.idle_lb_imbalance.value(i),
                idle_lb_gained: self.idle_lb_gained.value(i),
                idle_lb_hot_gained: self.idle_lb_hot_gained.value(i),
                idle_lb_nobusyq: self.idle_lb_nobusyq.value(i),
                idle_lb_nobusyg: self.idle_lb_nobusyg.value(i),
                newidle_lb_count: self.newidle_lb_count.value(i),
                newidle_lb_balanced: self.newidle_lb_balanced.value(i),
                newidle_lb_failed: self.newidle_lb_failed.value(i),
                newidle_lb_imbalance: self.newidle_lb_imbalance.value(i),
                newidle_lb_gained: self.newidle_lb_gained.value(i),
                newidle_lb_hot_gained: self.newidle_lb_hot_gained.value(i),
                newidle_lb_nobusyq: self.newidle_lb_nobusyq.value(i),
                newidle_lb_nobusyg: self.newidle_lb_nobusyg.value(i),
                alb_count: self.alb_count.value(i),
                alb_failed: self.alb_failed.value(i),
                alb_pushed: self.alb_pushed.value(i),
                ttwu_wake_remote: self.ttwu_wake_remote.value(i),
                ttwu_move_affine: self.ttwu_move_affine.value(i),
                ttwu_move_balance: self.ttwu_move_balance.value(i),
            }
        }
    }
}

/// A thread's name (comm) became known or changed.
pub mod thread_name {
    use super::*;
    pub const NAME: &str = "thread_name";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("tid", DataType::Int32, false),
            Field::new("tgid", DataType::Int32, true),
            Field::new("name", DataType::Utf8, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [tid] The thread.
        pub tid: i32,
        /// [tgid] Its process, where known.
        pub tgid: Option<i32>,
        /// The name; may hold spaces, dashes, digits, any byte that is valid UTF-8.
        pub name: &'a str,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        tid: Values<Int32Type>,
        tgid: Values<Int32Type>,
        name: StringBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.tid.append_value(row.tid);
            self.tgid.append_option(row.tgid);
            self.name.append_value(row.name);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.tgid.finish()),
                Arc::new(self.name.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub tid: Int32Array,
        pub tgid: Int32Array,
        pub name: StringArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                tid: column(batch, NAME, "tid", false)?,
                tgid: column(batch, NAME, "tgid", true)?,
                name: column(batch, NAME, "name", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                tid: self.tid.value(i),
                tgid: self.tgid.is_valid(i).then(|| self.tgid.value(i)),
                name: self.name.value(i),
            }
        }
    }
}

/// The state of a thread when the recording started, or when it first became known. Makes the initial state exact.
pub mod thread_snapshot {
    use super::*;
    pub const NAME: &str = "thread_snapshot";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("tid", DataType::Int32, false),
            Field::new("tgid", DataType::Int32, false),
            Field::new("ppid", DataType::Int32, true),
            Field::new("name", DataType::Utf8, false),
            Field::new("state", DataType::UInt8, false),
            Field::new("queue", DataType::UInt8, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("mask_id", DataType::Int32, true),
            Field::new("user_mask_id", DataType::Int32, true),
            Field::new("cpuset_mask_id", DataType::Int32, true),
            Field::new("policy", DataType::UInt8, false),
            Field::new("prio", DataType::Int16, true),
            Field::new("cgroup_id", DataType::Int64, true),
            Field::new("migration_disabled", DataType::Boolean, false),
            Field::new("throttled", DataType::Boolean, false),
            Field::new("cookie", DataType::Int64, false),
            Field::new("is_kernel", DataType::Boolean, false),
            Field::new("per_cpu_thread", DataType::Boolean, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock at which it was read.
        pub ts_ns: i64,
        /// [tid] The thread.
        pub tid: i32,
        /// [tgid] Its process.
        pub tgid: i32,
        /// [tgid] Parent process.
        pub ppid: Option<i32>,
        /// comm.
        pub name: &'a str,
        /// Task state.
        pub state: u8,
        /// Running, queued, off every queue, or unknown.
        pub queue: u8,
        /// [cpu] CPU of its queue, or where it last ran.
        pub cpu: i16,
        /// Allowed CPUs (cpus_ptr: already cut by the cpuset), a row of `mask`; NULL unknown.
        pub mask_id: Option<i32>,
        /// Mask asked for by the user (user_cpus_ptr, >= 6.2); NULL none or unknown.
        pub user_mask_id: Option<i32>,
        /// Effective CPUs of its cpuset; NULL unknown.
        pub cpuset_mask_id: Option<i32>,
        /// Scheduling policy.
        pub policy: u8,
        /// Kernel priority.
        pub prio: Option<i16>,
        /// cgroup that holds its CPU time, a row of `cgroup`.
        pub cgroup_id: Option<i64>,
        /// True while it may not be moved (migrate_disable).
        pub migration_disabled: bool,
        /// True while its cgroup has no quota left.
        pub throttled: bool,
        /// Core-scheduling cookie; 0 none.
        pub cookie: i64,
        /// Kernel thread.
        pub is_kernel: bool,
        /// Per-CPU kernel thread: bound to one CPU by the kernel.
        pub per_cpu_thread: bool,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        tid: Values<Int32Type>,
        tgid: Values<Int32Type>,
        ppid: Values<Int32Type>,
        name: StringBuilder,
        state: Values<UInt8Type>,
        queue: Values<UInt8Type>,
        cpu: Values<Int16Type>,
        mask_id: Values<Int32Type>,
        user_mask_id: Values<Int32Type>,
        cpuset_mask_id: Values<Int32Type>,
        policy: Values<UInt8Type>,
        prio: Values<Int16Type>,
        cgroup_id: Values<Int64Type>,
        migration_disabled: BooleanBuilder,
        throttled: BooleanBuilder,
        cookie: Values<Int64Type>,
        is_kernel: BooleanBuilder,
        per_cpu_thread: BooleanBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.tid.append_value(row.tid);
            self.tgid.append_value(row.tgid);
            self.ppid.append_option(row.ppid);
            self.name.append_value(row.name);
            self.state.append_value(row.state);
            self.queue.append_value(row.queue);
            self.cpu.append_value(row.cpu);
            self.mask_id.append_option(row.mask_id);
            self.user_mask_id.append_option(row.user_mask_id);
            self.cpuset_mask_id.append_option(row.cpuset_mask_id);
            self.policy.append_value(row.policy);
            self.prio.append_option(row.prio);
            self.cgroup_id.append_option(row.cgroup_id);
            self.migration_disabled.append_value(row.migration_disabled);
            self.throttled.append_value(row.throttled);
            self.cookie.append_value(row.cookie);
            self.is_kernel.append_value(row.is_kernel);
            self.per_cpu_thread.append_value(row.per_cpu_thread);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.tgid.finish()),
                Arc::new(self.ppid.finish()),
                Arc::new(self.name.finish()),
                Arc::new(self.state.finish()),
                Arc::new(self.queue.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.mask_id.finish()),
                Arc::new(self.user_mask_id.finish()),
                Arc::new(self.cpuset_mask_id.finish()),
                Arc::new(self.policy.finish()),
                Arc::new(self.prio.finish()),
                Arc::new(self.cgroup_id.finish()),
                Arc::new(self.migration_disabled.finish()),
                Arc::new(self.throttled.finish()),
                Arc::new(self.cookie.finish()),
                Arc::new(self.is_kernel.finish()),
                Arc::new(self.per_cpu_thread.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub tid: Int32Array,
        pub tgid: Int32Array,
        pub ppid: Int32Array,
        pub name: StringArray,
        pub state: UInt8Array,
        pub queue: UInt8Array,
        pub cpu: Int16Array,
        pub mask_id: Int32Array,
        pub user_mask_id: Int32Array,
        pub cpuset_mask_id: Int32Array,
        pub policy: UInt8Array,
        pub prio: Int16Array,
        pub cgroup_id: Int64Array,
        pub migration_disabled: BooleanArray,
        pub throttled: BooleanArray,
        pub cookie: Int64Array,
        pub is_kernel: BooleanArray,
        pub per_cpu_thread: BooleanArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                tid: column(batch, NAME, "tid", false)?,
                tgid: column(batch, NAME, "tgid", false)?,
                ppid: column(batch, NAME, "ppid", true)?,
                name: column(batch, NAME, "name", false)?,
                state: column(batch, NAME, "state", false)?,
                queue: column(batch, NAME, "queue", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                mask_id: column(batch, NAME, "mask_id", true)?,
                user_mask_id: column(batch, NAME, "user_mask_id", true)?,
                cpuset_mask_id: column(batch, NAME, "cpuset_mask_id", true)?,
                policy: column(batch, NAME, "policy", false)?,
                prio: column(batch, NAME, "prio", true)?,
                cgroup_id: column(batch, NAME, "cgroup_id", true)?,
                migration_disabled: column(batch, NAME, "migration_disabled", false)?,
                throttled: column(batch, NAME, "throttled", false)?,
                cookie: column(batch, NAME, "cookie", false)?,
                is_kernel: column(batch, NAME, "is_kernel", false)?,
                per_cpu_thread: column(batch, NAME, "per_cpu_thread", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                tid: self.tid.value(i),
                tgid: self.tgid.value(i),
                ppid: self.ppid.is_valid(i).then(|| self.ppid.value(i)),
                name: self.name.value(i),
                state: self.state.value(i),
                queue: self.queue.value(i),
                cpu: self.cpu.value(i),
                mask_id: self.mask_id.is_valid(i).then(|| self.mask_id.value(i)),
                user_mask_id: self.user_mask_id.is_valid(i).then(|| self.user_mask_id.value(i)),
                cpuset_mask_id: self.cpuset_mask_id.is_valid(i).then(|| self.cpuset_mask_id.value(i)),
                policy: self.policy.value(i),
                prio: self.prio.is_valid(i).then(|| self.prio.value(i)),
                cgroup_id: self.cgroup_id.is_valid(i).then(|| self.cgroup_id.value(i)),
                migration_disabled: self.migration_disabled.value(i),
                throttled: self.throttled.value(i),
                cookie: self.cookie.value(i),
                is_kernel: self.is_kernel.value(i),
                per_cpu_thread: self.per_cpu_thread.value(i),
            }
        }
    }
}

/// A thread lost or regained the quota to run (CFS bandwidth control). From 6.18 a throttled thread leaves the queue though its state reads R.
pub mod throttle {
    use super::*;
    pub const NAME: &str = "throttle";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("tid", DataType::Int32, false),
            Field::new("throttled", DataType::Boolean, false),
            Field::new("error_ns", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Place of the event in the one order of the whole trace.
        pub id: i64,
        /// [ns] Time on the trace's clock.
        pub ts_ns: i64,
        /// [cpu] CPU of the queue.
        pub cpu: i16,
        /// [tid] The thread.
        pub tid: i32,
        /// True: no quota from now on; false: quota again.
        pub throttled: bool,
        /// [ns] The change happened at most this long before ts_ns.
        pub error_ns: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        tid: Values<Int32Type>,
        throttled: BooleanBuilder,
        error_ns: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_value(row.id);
            self.ts_ns.append_value(row.ts_ns);
            self.cpu.append_value(row.cpu);
            self.tid.append_value(row.tid);
            self.throttled.append_value(row.throttled);
            self.error_ns.append_value(row.error_ns);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.throttled.finish()),
                Arc::new(self.error_ns.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub ts_ns: Int64Array,
        pub cpu: Int16Array,
        pub tid: Int32Array,
        pub throttled: BooleanArray,
        pub error_ns: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                tid: column(batch, NAME, "tid", false)?,
                throttled: column(batch, NAME, "throttled", false)?,
                error_ns: column(batch, NAME, "error_ns", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.value(i),
                ts_ns: self.ts_ns.value(i),
                cpu: self.cpu.value(i),
                tid: self.tid.value(i),
                throttled: self.throttled.value(i),
                error_ns: self.error_ns.value(i),
            }
        }
    }
}

/// A bubble of one of the three trees. Numbers rise from parents to children within natural and creation trees.
pub mod bubble {
    use super::*;
    pub const NAME: &str = "bubble";
    /// It can be made without the tables that have every detail.
    pub const IN_OVERVIEW: bool = false;
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("bubble_id", DataType::Int32, false),
            Field::new("tree", DataType::UInt8, false),
            Field::new("kind", DataType::UInt8, false),
            Field::new("parent_id", DataType::Int32, true),
            Field::new("depth", DataType::Int32, false),
            Field::new("name", DataType::Utf8, true),
            Field::new("number", DataType::Int64, true),
            Field::new("tgid", DataType::Int32, true),
            Field::new("cgroup_id", DataType::Int64, true),
            Field::new("utid", DataType::Int32, true),
            Field::new("priority", DataType::Int32, true),
            Field::new("burst_level", DataType::UInt8, true),
            Field::new("slice_ns", DataType::Int64, true),
            Field::new("start_ns", DataType::Int64, false),
            Field::new("end_ns", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// [bubble] The bubble, unique per trace over all trees.
        pub bubble_id: i32,
        /// Tree it belongs to.
        pub tree: u8,
        /// What it represents.
        pub kind: u8,
        /// [bubble] Bubble it belongs to, the last one where it changed (`bubble_member` has them all); NULL for a root.
        pub parent_id: Option<i32>,
        /// Bubbles above it, by `parent_id`.
        pub depth: i32,
        /// Name given, or of the process, cgroup folder or thread it represents.
        pub name: Option<&'a str>,
        /// Declared: number in the events.
        pub number: Option<i64>,
        /// [tgid] Process that declared it, or that it represents.
        pub tgid: Option<i32>,
        /// Cgroup that it or its process is in, where known.
        pub cgroup_id: Option<i64>,
        /// [utid] Creation: the thread that created the members.
        pub utid: Option<i32>,
        /// Declared: last priority.
        pub priority: Option<i32>,
        /// Declared: last bursting level.
        pub burst_level: Option<u8>,
        /// [ns] Declared: last time slice.
        pub slice_ns: Option<i64>,
        /// [ns] First known; start of the trace where it existed before.
        pub start_ns: i64,
        /// [ns] Destroyed, or its last member ended; end of the trace where it lived on.
        pub end_ns: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        bubble_id: Values<Int32Type>,
        tree: Values<UInt8Type>,
        kind: Values<UInt8Type>,
        parent_id: Values<Int32Type>,
        depth: Values<Int32Type>,
        name: StringBuilder,
        number: Values<Int64Type>,
        tgid: Values<Int32Type>,
        cgroup_id: Values<Int64Type>,
        utid: Values<Int32Type>,
        priority: Values<Int32Type>,
        burst_level: Values<UInt8Type>,
        slice_ns: Values<Int64Type>,
        start_ns: Values<Int64Type>,
        end_ns: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.bubble_id.append_value(row.bubble_id);
            self.tree.append_value(row.tree);
            self.kind.append_value(row.kind);
            self.parent_id.append_option(row.parent_id);
            self.depth.append_value(row.depth);
            self.name.append_option(row.name);
            self.number.append_option(row.number);
            self.tgid.append_option(row.tgid);
            self.cgroup_id.append_option(row.cgroup_id);
            self.utid.append_option(row.utid);
            self.priority.append_option(row.priority);
            self.burst_level.append_option(row.burst_level);
            self.slice_ns.append_option(row.slice_ns);
            self.start_ns.append_value(row.start_ns);
            self.end_ns.append_value(row.end_ns);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.bubble_id.finish()),
                Arc::new(self.tree.finish()),
                Arc::new(self.kind.finish()),
                Arc::new(self.parent_id.finish()),
                Arc::new(self.depth.finish()),
                Arc::new(self.name.finish()),
                Arc::new(self.number.finish()),
                Arc::new(self.tgid.finish()),
                Arc::new(self.cgroup_id.finish()),
                Arc::new(self.utid.finish()),
                Arc::new(self.priority.finish()),
                Arc::new(self.burst_level.finish()),
                Arc::new(self.slice_ns.finish()),
                Arc::new(self.start_ns.finish()),
                Arc::new(self.end_ns.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub bubble_id: Int32Array,
        pub tree: UInt8Array,
        pub kind: UInt8Array,
        pub parent_id: Int32Array,
        pub depth: Int32Array,
        pub name: StringArray,
        pub number: Int64Array,
        pub tgid: Int32Array,
        pub cgroup_id: Int64Array,
        pub utid: Int32Array,
        pub priority: Int32Array,
        pub burst_level: UInt8Array,
        pub slice_ns: Int64Array,
        pub start_ns: Int64Array,
        pub end_ns: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                bubble_id: column(batch, NAME, "bubble_id", false)?,
                tree: column(batch, NAME, "tree", false)?,
                kind: column(batch, NAME, "kind", false)?,
                parent_id: column(batch, NAME, "parent_id", true)?,
                depth: column(batch, NAME, "depth", false)?,
                name: column(batch, NAME, "name", true)?,
                number: column(batch, NAME, "number", true)?,
                tgid: column(batch, NAME, "tgid", true)?,
                cgroup_id: column(batch, NAME, "cgroup_id", true)?,
                utid: column(batch, NAME, "utid", true)?,
                priority: column(batch, NAME, "priority", true)?,
                burst_level: column(batch, NAME, "burst_level", true)?,
                slice_ns: column(batch, NAME, "slice_ns", true)?,
                start_ns: column(batch, NAME, "start_ns", false)?,
                end_ns: column(batch, NAME, "end_ns", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                bubble_id: self.bubble_id.value(i),
                tree: self.tree.value(i),
                kind: self.kind.value(i),
                parent_id: self.parent_id.is_valid(i).then(|| self.parent_id.value(i)),
                depth: self.depth.value(i),
                name: self.name.is_valid(i).then(|| self.name.value(i)),
                number: self.number.is_valid(i).then(|| self.number.value(i)),
                tgid: self.tgid.is_valid(i).then(|| self.tgid.value(i)),
                cgroup_id: self.cgroup_id.is_valid(i).then(|| self.cgroup_id.value(i)),
                utid: self.utid.is_valid(i).then(|| self.utid.value(i)),
                priority: self.priority.is_valid(i).then(|| self.priority.value(i)),
                burst_level: self.burst_level.is_valid(i).then(|| self.burst_level.value(i)),
                slice_ns: self.slice_ns.is_valid(i).then(|| self.slice_ns.value(i)),
                start_ns: self.start_ns.value(i),
                end_ns: self.end_ns.value(i),
            }
        }
    }
}

/// A cgroup seen in the trace.
pub mod cgroup {
    use super::*;
    pub const NAME: &str = "cgroup";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("cgroup_id", DataType::Int64, false),
            Field::new("path", DataType::Utf8, false),
            Field::new("quota_ns", DataType::Int64, true),
            Field::new("period_ns", DataType::Int64, true),
            Field::new("weight", DataType::Int32, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// kernfs inode number.
        pub cgroup_id: i64,
        /// Path within its hierarchy.
        pub path: &'a str,
        /// [ns] CPU quota per period; NULL none or unknown.
        pub quota_ns: Option<i64>,
        /// [ns] Quota period.
        pub period_ns: Option<i64>,
        /// CPU weight (cpu.weight or cpu.shares).
        pub weight: Option<i32>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        cgroup_id: Values<Int64Type>,
        path: StringBuilder,
        quota_ns: Values<Int64Type>,
        period_ns: Values<Int64Type>,
        weight: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.cgroup_id.append_value(row.cgroup_id);
            self.path.append_value(row.path);
            self.quota_ns.append_option(row.quota_ns);
            self.period_ns.append_option(row.period_ns);
            self.weight.append_option(row.weight);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.cgroup_id.finish()),
                Arc::new(self.path.finish()),
                Arc::new(self.quota_ns.finish()),
                Arc::new(self.period_ns.finish()),
                Arc::new(self.weight.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub cgroup_id: Int64Array,
        pub path: StringArray,
        pub quota_ns: Int64Array,
        pub period_ns: Int64Array,
        pub weight: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                cgroup_id: column(batch, NAME, "cgroup_id", false)?,
                path: column(batch, NAME, "path", false)?,
                quota_ns: column(batch, NAME, "quota_ns", true)?,
                period_ns: column(batch, NAME, "period_ns", true)?,
                weight: column(batch, NAME, "weight", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                cgroup_id: self.cgroup_id.value(i),
                path: self.path.value(i),
                quota_ns: self.quota_ns.is_valid(i).then(|| self.quota_ns.value(i)),
                period_ns: self.period_ns.is_valid(i).then(|| self.period_ns.value(i)),
                weight: self.weight.is_valid(i).then(|| self.weight.value(i)),
            }
        }
    }
}

/// A CPU and its place in the machine.
pub mod cpu {
    use super::*;
    pub const NAME: &str = "cpu";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("cpu", DataType::Int16, false),
            Field::new("online", DataType::Boolean, false),
            Field::new("node", DataType::Int16, false),
            Field::new("package", DataType::Int32, false),
            Field::new("llc", DataType::Int32, false),
            Field::new("core", DataType::Int32, false),
            Field::new("smt", DataType::Int16, false),
            Field::new("capacity", DataType::Int32, false),
            Field::new("isolated", DataType::Boolean, false),
            Field::new("nohz_full", DataType::Boolean, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [cpu] The CPU's number (numbers may have holes).
        pub cpu: i16,
        /// Online at the start.
        pub online: bool,
        /// NUMA node; -1 unknown.
        pub node: i16,
        /// Physical package; -1 unknown.
        pub package: i32,
        /// Last-level cache, numbered by its first CPU; -1 unknown.
        pub llc: i32,
        /// Core, numbered by its first CPU; -1 unknown.
        pub core: i32,
        /// Hardware thread within the core, from 0.
        pub smt: i16,
        /// Relative capacity, 1024 the largest.
        pub capacity: i32,
        /// Outside all scheduling domains by configuration (isolcpus, isolated cpuset partition).
        pub isolated: bool,
        /// Runs without the tick when it has one thread.
        pub nohz_full: bool,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        cpu: Values<Int16Type>,
        online: BooleanBuilder,
        node: Values<Int16Type>,
        package: Values<Int32Type>,
        llc: Values<Int32Type>,
        core: Values<Int32Type>,
        smt: Values<Int16Type>,
        capacity: Values<Int32Type>,
        isolated: BooleanBuilder,
        nohz_full: BooleanBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.cpu.append_value(row.cpu);
            self.online.append_value(row.online);
            self.node.append_value(row.node);
            self.package.append_value(row.package);
            self.llc.append_value(row.llc);
            self.core.append_value(row.core);
            self.smt.append_value(row.smt);
            self.capacity.append_value(row.capacity);
            self.isolated.append_value(row.isolated);
            self.nohz_full.append_value(row.nohz_full);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.cpu.finish()),
                Arc::new(self.online.finish()),
                Arc::new(self.node.finish()),
                Arc::new(self.package.finish()),
                Arc::new(self.llc.finish()),
                Arc::new(self.core.finish()),
                Arc::new(self.smt.finish()),
                Arc::new(self.capacity.finish()),
                Arc::new(self.isolated.finish()),
                Arc::new(self.nohz_full.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub cpu: Int16Array,
        pub online: BooleanArray,
        pub node: Int16Array,
        pub package: Int32Array,
        pub llc: Int32Array,
        pub core: Int32Array,
        pub smt: Int16Array,
        pub capacity: Int32Array,
        pub isolated: BooleanArray,
        pub nohz_full: BooleanArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                cpu: column(batch, NAME, "cpu", false)?,
                online: column(batch, NAME, "online", false)?,
                node: column(batch, NAME, "node", false)?,
                package: column(batch, NAME, "package", false)?,
                llc: column(batch, NAME, "llc", false)?,
                core: column(batch, NAME, "core", false)?,
                smt: column(batch, NAME, "smt", false)?,
                capacity: column(batch, NAME, "capacity", false)?,
                isolated: column(batch, NAME, "isolated", false)?,
                nohz_full: column(batch, NAME, "nohz_full", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                cpu: self.cpu.value(i),
                online: self.online.value(i),
                node: self.node.value(i),
                package: self.package.value(i),
                llc: self.llc.value(i),
                core: self.core.value(i),
                smt: self.smt.value(i),
                capacity: self.capacity.value(i),
                isolated: self.isolated.value(i),
                nohz_full: self.nohz_full.value(i),
            }
        }
    }
}

/// A scheduling domain as one CPU sees it: a set of rows from the start of the recording (or as the machine is declared) and, where wastenot recorded with eBPF, one each time the kernel built its domains anew (cpusets, CPUs that go offline and online). Where no CPU has a domain any more, each has a row named `none` over itself. Its groups are the table `domain_group`.
pub mod domain {
    use super::*;
    pub const NAME: &str = "domain";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("since_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("level", DataType::Int16, false),
            Field::new("name", DataType::Utf8, false),
            Field::new("span", list(DataType::Int16), false),
            Field::new("flags", DataType::Utf8, true),
            Field::new("min_interval_ns", DataType::Int64, true),
            Field::new("max_interval_ns", DataType::Int64, true),
            Field::new("busy_factor", DataType::Int32, true),
            Field::new("imbalance_pct", DataType::Int32, true),
            Field::new("exact", DataType::Boolean, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// [ns] Instant from which it holds, until that of the next set.
        pub since_ns: i64,
        /// [cpu] CPU whose domain it is.
        pub cpu: i16,
        /// 0 the smallest.
        pub level: i16,
        /// SMT, CLS, MC, PKG, NUMA ...
        pub name: &'a str,
        /// [cpus] CPUs it spans.
        pub span: &'a [i16],
        /// SD_* flags.
        pub flags: Option<&'a str>,
        /// [ns] Shortest balance interval.
        pub min_interval_ns: Option<i64>,
        /// [ns] Longest balance interval.
        pub max_interval_ns: Option<i64>,
        /// Interval multiplier on a busy CPU.
        pub busy_factor: Option<i32>,
        /// [percent] Imbalance from which it acts.
        pub imbalance_pct: Option<i32>,
        /// True when read from the kernel; false when derived from the topology.
        pub exact: bool,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        since_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        level: Values<Int16Type>,
        name: StringBuilder,
        span: ListBuilder<Int16Builder>,
        flags: StringBuilder,
        min_interval_ns: Values<Int64Type>,
        max_interval_ns: Values<Int64Type>,
        busy_factor: Values<Int32Type>,
        imbalance_pct: Values<Int32Type>,
        exact: BooleanBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.since_ns.append_value(row.since_ns);
            self.cpu.append_value(row.cpu);
            self.level.append_value(row.level);
            self.name.append_value(row.name);
            self.span.append_option(Some(row.span.iter().copied().map(Some)));
            self.flags.append_option(row.flags);
            self.min_interval_ns.append_option(row.min_interval_ns);
            self.max_interval_ns.append_option(row.max_interval_ns);
            self.busy_factor.append_option(row.busy_factor);
            self.imbalance_pct.append_option(row.imbalance_pct);
            self.exact.append_value(row.exact);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.since_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.level.finish()),
                Arc::new(self.name.finish()),
                Arc::new(self.span.finish()),
                Arc::new(self.flags.finish()),
                Arc::new(self.min_interval_ns.finish()),
                Arc::new(self.max_interval_ns.finish()),
                Arc::new(self.busy_factor.finish()),
                Arc::new(self.imbalance_pct.finish()),
                Arc::new(self.exact.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub since_ns: Int64Array,
        pub cpu: Int16Array,
        pub level: Int16Array,
        pub name: StringArray,
        pub span: ListArray,
        pub flags: StringArray,
        pub min_interval_ns: Int64Array,
        pub max_interval_ns: Int64Array,
        pub busy_factor: Int32Array,
        pub imbalance_pct: Int32Array,
        pub exact: BooleanArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                since_ns: column(batch, NAME, "since_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                level: column(batch, NAME, "level", false)?,
                name: column(batch, NAME, "name", false)?,
                span: column(batch, NAME, "span", false)?,
                flags: column(batch, NAME, "flags", true)?,
                min_interval_ns: column(batch, NAME, "min_interval_ns", true)?,
                max_interval_ns: column(batch, NAME, "max_interval_ns", true)?,
                busy_factor: column(batch, NAME, "busy_factor", true)?,
                imbalance_pct: column(batch, NAME, "imbalance_pct", true)?,
                exact: column(batch, NAME, "exact", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                since_ns: self.since_ns.value(i),
                cpu: self.cpu.value(i),
                level: self.level.value(i),
                name: self.name.value(i),
                span: list_i16(&self.span, i),
                flags: self.flags.is_valid(i).then(|| self.flags.value(i)),
                min_interval_ns: self.min_interval_ns.is_valid(i).then(|| self.min_interval_ns.value(i)),
                max_interval_ns: self.max_interval_ns.is_valid(i).then(|| self.max_interval_ns.value(i)),
                busy_factor: self.busy_factor.is_valid(i).then(|| self.busy_factor.value(i)),
                imbalance_pct: self.imbalance_pct.is_valid(i).then(|| self.imbalance_pct.value(i)),
                exact: self.exact.value(i),
            }
        }
    }
}

/// A group of a scheduling domain as one CPU has it. In an attempt over the domain the CPU balances for the first of its groups that has it (`own`), and takes threads out of those that do not have it. A domain of which no group is here has groups that were not read.
pub mod domain_group {
    use super::*;
    pub const NAME: &str = "domain_group";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("since_ns", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("level", DataType::Int16, false),
            Field::new("place", DataType::Int16, false),
            Field::new("own", DataType::Boolean, false),
            Field::new("cpus", list(DataType::Int16), false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// [ns] Instant from which it holds, that of the rows of `domain`.
        pub since_ns: i64,
        /// [cpu] CPU whose domain it is.
        pub cpu: i16,
        /// Level of the domain, 0 the smallest.
        pub level: i16,
        /// Its place among the domain's groups, from 0 on: as the kernel has them from the CPU's own on where they overlap, else in the order of their CPUs.
        pub place: i16,
        /// The CPU balances for it.
        pub own: bool,
        /// [cpus] CPUs of the group.
        pub cpus: &'a [i16],
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        since_ns: Values<Int64Type>,
        cpu: Values<Int16Type>,
        level: Values<Int16Type>,
        place: Values<Int16Type>,
        own: BooleanBuilder,
        cpus: ListBuilder<Int16Builder>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.since_ns.append_value(row.since_ns);
            self.cpu.append_value(row.cpu);
            self.level.append_value(row.level);
            self.place.append_value(row.place);
            self.own.append_value(row.own);
            self.cpus.append_option(Some(row.cpus.iter().copied().map(Some)));
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.since_ns.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.level.finish()),
                Arc::new(self.place.finish()),
                Arc::new(self.own.finish()),
                Arc::new(self.cpus.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub since_ns: Int64Array,
        pub cpu: Int16Array,
        pub level: Int16Array,
        pub place: Int16Array,
        pub own: BooleanArray,
        pub cpus: ListArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                since_ns: column(batch, NAME, "since_ns", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                level: column(batch, NAME, "level", false)?,
                place: column(batch, NAME, "place", false)?,
                own: column(batch, NAME, "own", false)?,
                cpus: column(batch, NAME, "cpus", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                since_ns: self.since_ns.value(i),
                cpu: self.cpu.value(i),
                level: self.level.value(i),
                place: self.place.value(i),
                own: self.own.value(i),
                cpus: list_i16(&self.cpus, i),
            }
        }
    }
}

/// What was recorded beyond switches and wakeups: one row for each kind of evidence and each excuse.
pub mod evidence {
    use super::*;
    pub const NAME: &str = "evidence";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("kind", DataType::Utf8, false),
            Field::new("state", DataType::Utf8, false),
            Field::new("why", DataType::Utf8, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// Kind of evidence, or the excuse that the trace can show.
        pub kind: &'a str,
        /// Through the whole recording, in part, or not.
        pub state: &'a str,
        /// Why it was not recorded throughout, for people; NULL where it was, and where a recording of an earlier version does not say it.
        pub why: Option<&'a str>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        kind: StringBuilder,
        state: StringBuilder,
        why: StringBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.kind.append_value(row.kind);
            self.state.append_value(row.state);
            self.why.append_option(row.why);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.kind.finish()),
                Arc::new(self.state.finish()),
                Arc::new(self.why.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub kind: StringArray,
        pub state: StringArray,
        pub why: StringArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                kind: column(batch, NAME, "kind", false)?,
                state: column(batch, NAME, "state", false)?,
                why: column(batch, NAME, "why", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                kind: self.kind.value(i),
                state: self.state.value(i),
                why: self.why.is_valid(i).then(|| self.why.value(i)),
            }
        }
    }
}

/// One row: the machine the trace was taken on.
pub mod machine {
    use super::*;
    pub const NAME: &str = "machine";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("arch", DataType::Utf8, true),
            Field::new("model", DataType::Utf8, true),
            Field::new("kernel", DataType::Utf8, true),
            Field::new("cmdline", DataType::Utf8, true),
            Field::new("tick_ns", DataType::Int64, false),
            Field::new("cpus_online", DataType::Int32, false),
            Field::new("cpus_possible", DataType::Int32, false),
            Field::new("snapshot", DataType::Utf8, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// Architecture.
        pub arch: Option<&'a str>,
        /// Processor model.
        pub model: Option<&'a str>,
        /// Kernel release.
        pub kernel: Option<&'a str>,
        /// Kernel command line.
        pub cmdline: Option<&'a str>,
        /// [ns] Scheduler tick (1 / HZ).
        pub tick_ns: i64,
        /// [cpus] CPUs online at the start.
        pub cpus_online: i32,
        /// [cpus] CPUs the kernel could bring online.
        pub cpus_possible: i32,
        /// The whole snapshot as JSON, as `wastenot import --machine` reads it.
        pub snapshot: &'a str,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        arch: StringBuilder,
        model: StringBuilder,
        kernel: StringBuilder,
        cmdline: StringBuilder,
        tick_ns: Values<Int64Type>,
        cpus_online: Values<Int32Type>,
        cpus_possible: Values<Int32Type>,
        snapshot: StringBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.arch.append_option(row.arch);
            self.model.append_option(row.model);
            self.kernel.append_option(row.kernel);
            self.cmdline.append_option(row.cmdline);
            self.tick_ns.append_value(row.tick_ns);
            self.cpus_online.append_value(row.cpus_online);
            self.cpus_possible.append_value(row.cpus_possible);
            self.snapshot.append_value(row.snapshot);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.arch.finish()),
                Arc::new(self.model.finish()),
                Arc::new(self.kernel.finish()),
                Arc::new(self.cmdline.finish()),
                Arc::new(self.tick_ns.finish()),
                Arc::new(self.cpus_online.finish()),
                Arc::new(self.cpus_possible.finish()),
                Arc::new(self.snapshot.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub arch: StringArray,
        pub model: StringArray,
        pub kernel: StringArray,
        pub cmdline: StringArray,
        pub tick_ns: Int64Array,
        pub cpus_online: Int32Array,
        pub cpus_possible: Int32Array,
        pub snapshot: StringArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                arch: column(batch, NAME, "arch", true)?,
                model: column(batch, NAME, "model", true)?,
                kernel: column(batch, NAME, "kernel", true)?,
                cmdline: column(batch, NAME, "cmdline", true)?,
                tick_ns: column(batch, NAME, "tick_ns", false)?,
                cpus_online: column(batch, NAME, "cpus_online", false)?,
                cpus_possible: column(batch, NAME, "cpus_possible", false)?,
                snapshot: column(batch, NAME, "snapshot", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                arch: self.arch.is_valid(i).then(|| self.arch.value(i)),
                model: self.model.is_valid(i).then(|| self.model.value(i)),
                kernel: self.kernel.is_valid(i).then(|| self.kernel.value(i)),
                cmdline: self.cmdline.is_valid(i).then(|| self.cmdline.value(i)),
                tick_ns: self.tick_ns.value(i),
                cpus_online: self.cpus_online.value(i),
                cpus_possible: self.cpus_possible.value(i),
                snapshot: self.snapshot.value(i),
            }
        }
    }
}

/// A set of CPUs, each distinct set once.
pub mod mask {
    use super::*;
    pub const NAME: &str = "mask";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("mask_id", DataType::Int32, false),
            Field::new("cpus", list(DataType::Int16), false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// The set.
        pub mask_id: i32,
        /// [cpus] Its CPUs, ascending.
        pub cpus: &'a [i16],
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        mask_id: Values<Int32Type>,
        cpus: ListBuilder<Int16Builder>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.mask_id.append_value(row.mask_id);
            self.cpus.append_option(Some(row.cpus.iter().copied().map(Some)));
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.mask_id.finish()),
                Arc::new(self.cpus.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub mask_id: Int32Array,
        pub cpus: ListArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                mask_id: column(batch, NAME, "mask_id", false)?,
                cpus: column(batch, NAME, "cpus", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                mask_id: self.mask_id.value(i),
                cpus: list_i16(&self.cpus, i),
            }
        }
    }
}

/// A NUMA node and its distances.
pub mod numa_node {
    use super::*;
    pub const NAME: &str = "numa_node";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("node", DataType::Int16, false),
            Field::new("cpus", list(DataType::Int16), false),
            Field::new("distances", list(DataType::Int32), false),
            Field::new("memory_bytes", DataType::Int64, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// The node.
        pub node: i16,
        /// [cpus] Its CPUs.
        pub cpus: &'a [i16],
        /// Distance to every node in the order of `node` (10 is itself).
        pub distances: &'a [i32],
        /// [bytes] Memory of the node.
        pub memory_bytes: Option<i64>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        node: Values<Int16Type>,
        cpus: ListBuilder<Int16Builder>,
        distances: ListBuilder<Int32Builder>,
        memory_bytes: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.node.append_value(row.node);
            self.cpus.append_option(Some(row.cpus.iter().copied().map(Some)));
            self.distances.append_option(Some(row.distances.iter().copied().map(Some)));
            self.memory_bytes.append_option(row.memory_bytes);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.node.finish()),
                Arc::new(self.cpus.finish()),
                Arc::new(self.distances.finish()),
                Arc::new(self.memory_bytes.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub node: Int16Array,
        pub cpus: ListArray,
        pub distances: ListArray,
        pub memory_bytes: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                node: column(batch, NAME, "node", false)?,
                cpus: column(batch, NAME, "cpus", false)?,
                distances: column(batch, NAME, "distances", false)?,
                memory_bytes: column(batch, NAME, "memory_bytes", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                node: self.node.value(i),
                cpus: list_i16(&self.cpus, i),
                distances: list_i32(&self.distances, i),
                memory_bytes: self.memory_bytes.is_valid(i).then(|| self.memory_bytes.value(i)),
            }
        }
    }
}

/// A process: the threads of one tgid.
pub mod process {
    use super::*;
    pub const NAME: &str = "process";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("upid", DataType::Int32, false),
            Field::new("tgid", DataType::Int32, false),
            Field::new("name", DataType::Utf8, true),
            Field::new("parent_upid", DataType::Int32, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// [upid] The process, unique per trace.
        pub upid: i32,
        /// [tgid] Kernel process id.
        pub tgid: i32,
        /// Name of its leader, else of its first thread.
        pub name: Option<&'a str>,
        /// [upid] Parent process.
        pub parent_upid: Option<i32>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        upid: Values<Int32Type>,
        tgid: Values<Int32Type>,
        name: StringBuilder,
        parent_upid: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.upid.append_value(row.upid);
            self.tgid.append_value(row.tgid);
            self.name.append_option(row.name);
            self.parent_upid.append_option(row.parent_upid);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.upid.finish()),
                Arc::new(self.tgid.finish()),
                Arc::new(self.name.finish()),
                Arc::new(self.parent_upid.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub upid: Int32Array,
        pub tgid: Int32Array,
        pub name: StringArray,
        pub parent_upid: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                upid: column(batch, NAME, "upid", false)?,
                tgid: column(batch, NAME, "tgid", false)?,
                name: column(batch, NAME, "name", true)?,
                parent_upid: column(batch, NAME, "parent_upid", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                upid: self.upid.value(i),
                tgid: self.tgid.value(i),
                name: self.name.is_valid(i).then(|| self.name.value(i)),
                parent_upid: self.parent_upid.is_valid(i).then(|| self.parent_upid.value(i)),
            }
        }
    }
}

/// A kernel call stack, innermost frame first, the tracer's own frames stripped.
pub mod stack {
    use super::*;
    pub const NAME: &str = "stack";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("stack_id", DataType::Int32, false),
            Field::new("addresses", list(DataType::Int64), false),
            Field::new("symbols", list(DataType::Utf8), false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// The stack.
        pub stack_id: i32,
        /// Return addresses.
        pub addresses: &'a [i64],
        /// function+0xoffset per frame; the address in hex where no symbol is known.
        pub symbols: &'a [&'a str],
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        stack_id: Values<Int32Type>,
        addresses: ListBuilder<Int64Builder>,
        symbols: ListBuilder<StringBuilder>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.stack_id.append_value(row.stack_id);
            self.addresses.append_option(Some(row.addresses.iter().copied().map(Some)));
            self.symbols.append_option(Some(row.symbols.iter().copied().map(Some)));
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.stack_id.finish()),
                Arc::new(self.addresses.finish()),
                Arc::new(self.symbols.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub stack_id: Int32Array,
        pub addresses: ListArray,
        pub symbols: ListArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                stack_id: column(batch, NAME, "stack_id", false)?,
                addresses: column(batch, NAME, "addresses", false)?,
                symbols: column(batch, NAME, "symbols", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        pub fn symbols(&self, i: usize) -> Vec<String> { texts(&self.symbols, i) }
    }
}

/// A thread's life. utid is unique per trace: a tid used again is another utid, a tid renamed by exec the same.
pub mod thread {
    use super::*;
    pub const NAME: &str = "thread";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("utid", DataType::Int32, false),
            Field::new("tid", DataType::Int32, false),
            Field::new("tgid", DataType::Int32, true),
            Field::new("upid", DataType::Int32, true),
            Field::new("name", DataType::Utf8, true),
            Field::new("parent_utid", DataType::Int32, true),
            Field::new("cgroup_id", DataType::Int64, true),
            Field::new("start_ns", DataType::Int64, true),
            Field::new("end_ns", DataType::Int64, true),
            Field::new("is_kernel", DataType::Boolean, true),
            Field::new("per_cpu_thread", DataType::Boolean, false),
            Field::new("mask_known", DataType::Boolean, false),
            Field::new("run_ns", DataType::Int64, false),
            Field::new("wait_wakeup_ns", DataType::Int64, false),
            Field::new("wait_preempted_ns", DataType::Int64, false),
            Field::new("sleep_ns", DataType::Int64, false),
            Field::new("blocked_ns", DataType::Int64, false),
            Field::new("throttled_ns", DataType::Int64, false),
            Field::new("avoidable_wait_ns", DataType::Int64, false),
            Field::new("wakeups", DataType::Int64, false),
            Field::new("switches", DataType::Int64, false),
            Field::new("migrations", DataType::Int64, false),
            Field::new("needless_migrations", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// [utid] The thread.
        pub utid: i32,
        /// [tid] Kernel tid (the last, where an exec renamed it).
        pub tid: i32,
        /// [tgid] Process id.
        pub tgid: Option<i32>,
        /// [upid] Its process, a row of `process`.
        pub upid: Option<i32>,
        /// Last name.
        pub name: Option<&'a str>,
        /// [utid] Thread that created it.
        pub parent_utid: Option<i32>,
        /// Last cgroup, a row of `cgroup`.
        pub cgroup_id: Option<i64>,
        /// [ns] Creation; NULL when it existed before.
        pub start_ns: Option<i64>,
        /// [ns] Last switch; NULL when it was alive at the end.
        pub end_ns: Option<i64>,
        /// Kernel thread.
        pub is_kernel: Option<bool>,
        /// Per-CPU kernel thread.
        pub per_cpu_thread: bool,
        /// Its allowed CPUs were known throughout.
        pub mask_known: bool,
        /// [ns] Time on a CPU.
        pub run_ns: i64,
        /// [ns] Runnable and queued after a wakeup (or creation).
        pub wait_wakeup_ns: i64,
        /// [ns] Runnable and queued after a preemption.
        pub wait_preempted_ns: i64,
        /// [ns] Interruptible sleep.
        pub sleep_ns: i64,
        /// [ns] Uninterruptible or other blocked state.
        pub blocked_ns: i64,
        /// [ns] Runnable but without quota.
        pub throttled_ns: i64,
        /// [ns] Waited while matched to an idle CPU it may use (canonical matching).
        pub avoidable_wait_ns: i64,
        /// Times woken.
        pub wakeups: i64,
        /// Times it started to run.
        pub switches: i64,
        /// Moves to another CPU (migrate events, and wakeups on another CPU than before).
        pub migrations: i64,
        /// Moves to a CPU no less loaded, or farther than an idle one it could use.
        pub needless_migrations: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        utid: Values<Int32Type>,
        tid: Values<Int32Type>,
        tgid: Values<Int32Type>,
        upid: Values<Int32Type>,
        name: StringBuilder,
        parent_utid: Values<Int32Type>,
        cgroup_id: Values<Int64Type>,
        start_ns: Values<Int64Type>,
        end_ns: Values<Int64Type>,
        is_kernel: BooleanBuilder,
        per_cpu_thread: BooleanBuilder,
        mask_known: BooleanBuilder,
        run_ns: Values<Int64Type>,
        wait_wakeup_ns: Values<Int64Type>,
        wait_preempted_ns: Values<Int64Type>,
        sleep_ns: Values<Int64Type>,
        blocked_ns: Values<Int64Type>,
        throttled_ns: Values<Int64Type>,
        avoidable_wait_ns: Values<Int64Type>,
        wakeups: Values<Int64Type>,
        switches: Values<Int64Type>,
        migrations: Values<Int64Type>,
        needless_migrations: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.utid.append_value(row.utid);
            self.tid.append_value(row.tid);
            self.tgid.append_option(row.tgid);
            self.upid.append_option(row.upid);
            self.name.append_option(row.name);
            self.parent_utid.append_option(row.parent_utid);
            self.cgroup_id.append_option(row.cgroup_id);
            self.start_ns.append_option(row.start_ns);
            self.end_ns.append_option(row.end_ns);
            self.is_kernel.append_option(row.is_kernel);
            self.per_cpu_thread.append_value(row.per_cpu_thread);
            self.mask_known.append_value(row.mask_known);
            self.run_ns.append_value(row.run_ns);
            self.wait_wakeup_ns.append_value(row.wait_wakeup_ns);
            self.wait_preempted_ns.append_value(row.wait_preempted_ns);
            self.sleep_ns.append_value(row.sleep_ns);
            self.blocked_ns.append_value(row.blocked_ns);
            self.throttled_ns.append_value(row.throttled_ns);
            self.avoidable_wait_ns.append_value(row.avoidable_wait_ns);
            self.wakeups.append_value(row.wakeups);
            self.switches.append_value(row.switches);
            self.migrations.append_value(row.migrations);
            self.needless_migrations.append_value(row.needless_migrations);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.utid.finish()),
                Arc::new(self.tid.finish()),
                Arc::new(self.tgid.finish()),
                Arc::new(self.upid.finish()),
                Arc::new(self.name.finish()),
                Arc::new(self.parent_utid.finish()),
                Arc::new(self.cgroup_id.finish()),
                Arc::new(self.start_ns.finish()),
                Arc::new(self.end_ns.finish()),
                Arc::new(self.is_kernel.finish()),
                Arc::new(self.per_cpu_thread.finish()),
                Arc::new(self.mask_known.finish()),
                Arc::new(self.run_ns.finish()),
                Arc::new(self.wait_wakeup_ns.finish()),
                Arc::new(self.wait_preempted_ns.finish()),
                Arc::new(self.sleep_ns.finish()),
                Arc::new(self.blocked_ns.finish()),
                Arc::new(self.throttled_ns.finish()),
                Arc::new(self.avoidable_wait_ns.finish()),
                Arc::new(self.wakeups.finish()),
                Arc::new(self.switches.finish()),
                Arc::new(self.migrations.finish()),
                Arc::new(self.needless_migrations.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub utid: Int32Array,
        pub tid: Int32Array,
        pub tgid: Int32Array,
        pub upid: Int32Array,
        pub name: StringArray,
        pub parent_utid: Int32Array,
        pub cgroup_id: Int64Array,
        pub start_ns: Int64Array,
        pub end_ns: Int64Array,
        pub is_kernel: BooleanArray,
        pub per_cpu_thread: BooleanArray,
        pub mask_known: BooleanArray,
        pub run_ns: Int64Array,
        pub wait_wakeup_ns: Int64Array,
        pub wait_preempted_ns: Int64Array,
        pub sleep_ns: Int64Array,
        pub blocked_ns: Int64Array,
        pub throttled_ns: Int64Array,
        pub avoidable_wait_ns: Int64Array,
        pub wakeups: Int64Array,
        pub switches: Int64Array,
        pub migrations: Int64Array,
        pub needless_migrations: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                utid: column(batch, NAME, "utid", false)?,
                tid: column(batch, NAME, "tid", false)?,
                tgid: column(batch, NAME, "tgid", true)?,
                upid: column(batch, NAME, "upid", true)?,
                name: column(batch, NAME, "name", true)?,
                parent_utid: column(batch, NAME, "parent_utid", true)?,
                cgroup_id: column(batch, NAME, "cgroup_id", true)?,
                start_ns: column(batch, NAME, "start_ns", true)?,
                end_ns: column(batch, NAME, "end_ns", true)?,
                is_kernel: column(batch, NAME, "is_kernel", true)?,
                per_cpu_thread: column(batch, NAME, "per_cpu_thread", false)?,
                mask_known: column(batch, NAME, "mask_known", false)?,
                run_ns: column(batch, NAME, "run_ns", false)?,
                wait_wakeup_ns: column(batch, NAME, "wait_wakeup_ns", false)?,
                wait_preempted_ns: column(batch, NAME, "wait_preempted_ns", false)?,
                sleep_ns: column(batch, NAME, "sleep_ns", false)?,
                blocked_ns: column(batch, NAME, "blocked_ns", false)?,
                throttled_ns: column(batch, NAME, "throttled_ns", false)?,
                avoidable_wait_ns: column(batch, NAME, "avoidable_wait_ns", false)?,
                wakeups: column(batch, NAME, "wakeups", false)?,
                switches: column(batch, NAME, "switches", false)?,
                migrations: column(batch, NAME, "migrations", false)?,
                needless_migrations: column(batch, NAME, "needless_migrations", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                utid: self.utid.value(i),
                tid: self.tid.value(i),
                tgid: self.tgid.is_valid(i).then(|| self.tgid.value(i)),
                upid: self.upid.is_valid(i).then(|| self.upid.value(i)),
                name: self.name.is_valid(i).then(|| self.name.value(i)),
                parent_utid: self.parent_utid.is_valid(i).then(|| self.parent_utid.value(i)),
                cgroup_id: self.cgroup_id.is_valid(i).then(|| self.cgroup_id.value(i)),
                start_ns: self.start_ns.is_valid(i).then(|| self.start_ns.value(i)),
                end_ns: self.end_ns.is_valid(i).then(|| self.end_ns.value(i)),
                is_kernel: self.is_kernel.is_valid(i).then(|| self.is_kernel.value(i)),
                per_cpu_thread: self.per_cpu_thread.value(i),
                mask_known: self.mask_known.value(i),
                run_ns: self.run_ns.value(i),
                wait_wakeup_ns: self.wait_wakeup_ns.value(i),
                wait_preempted_ns: self.wait_preempted_ns.value(i),
                sleep_ns: self.sleep_ns.value(i),
                blocked_ns: self.blocked_ns.value(i),
                throttled_ns: self.throttled_ns.value(i),
                avoidable_wait_ns: self.avoidable_wait_ns.value(i),
                wakeups: self.wakeups.value(i),
                switches: self.switches.value(i),
                migrations: self.migrations.value(i),
                needless_migrations: self.needless_migrations.value(i),
            }
        }
    }
}

/// One row: where this trace comes from and how far it reaches.
pub mod trace {
    use super::*;
    pub const NAME: &str = "trace";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("schema_version", DataType::Int32, false),
            Field::new("source", DataType::Utf8, false),
            Field::new("recorder", DataType::Utf8, false),
            Field::new("kernel", DataType::Utf8, true),
            Field::new("clock", DataType::Utf8, false),
            Field::new("epoch_ns", DataType::Int64, true),
            Field::new("start_ns", DataType::Int64, false),
            Field::new("end_ns", DataType::Int64, false),
            Field::new("end_reason", DataType::Utf8, false),
            Field::new("complete", DataType::Boolean, false),
            Field::new("events", DataType::Int64, false),
            Field::new("evidence_level", DataType::Utf8, false),
            Field::new("notes", list(DataType::Utf8), false),
            Field::new("unverified", list(DataType::Utf8), false),
            Field::new("queued_wakings_only", DataType::Boolean, true),
            Field::new("command", DataType::Utf8, true),
            Field::new("options", DataType::Utf8, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// Version of these tables; `CHANGES.md` lists them.
        pub schema_version: i32,
        /// ebpf, tracefs, ctf, trace.dat, ftrace, perf, perfetto, paraver, otf2, parquet, simulation or drawn.
        pub source: &'a str,
        /// Program and version that wrote the events.
        pub recorder: &'a str,
        /// Kernel release.
        pub kernel: Option<&'a str>,
        /// Clock of every ts_ns: monotonic, boottime, tsc, trace ...
        pub clock: &'a str,
        /// [ns] Wall-clock time (Unix) of ts_ns = 0; NULL unknown.
        pub epoch_ns: Option<i64>,
        /// [ns] Start of the recording.
        pub start_ns: i64,
        /// [ns] End of what is known.
        pub end_ns: i64,
        /// command, duration, interrupt, crash (recovered), disk_full, source.
        pub end_reason: &'a str,
        /// False when the recorder did not stop by itself.
        pub complete: bool,
        /// [events] Rows in all event tables.
        pub events: i64,
        /// How much the trace shows of causes, in brief; the table `evidence` says it of each kind of evidence.
        pub evidence_level: &'a str,
        /// What else limits the trace, for people; what was recorded is in the table `evidence`.
        pub notes: &'a [&'a str],
        /// Ways in which the input goes past what the readers have been verified on.
        pub unverified: &'a [&'a str],
        /// True: `sched_waking` holds only wakeups that were queued to another CPU; the waker of every other wakeup ran on the CPU of its `sched_wakeup`. Else NULL.
        pub queued_wakings_only: Option<bool>,
        /// Command that was recorded, or command line of the import.
        pub command: Option<&'a str>,
        /// Recorder or importer options as JSON.
        pub options: &'a str,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        schema_version: Values<Int32Type>,
        source: StringBuilder,
        recorder: StringBuilder,
        kernel: StringBuilder,
        clock: StringBuilder,
        epoch_ns: Values<Int64Type>,
        start_ns: Values<Int64Type>,
        end_ns: Values<Int64Type>,
        end_reason: StringBuilder,
        complete: BooleanBuilder,
        events: Values<Int64Type>,
        evidence_level: StringBuilder,
        notes: ListBuilder<StringBuilder>,
        unverified: ListBuilder<StringBuilder>,
        queued_wakings_only: BooleanBuilder,
        command: StringBuilder,
        options: StringBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.schema_version.append_value(row.schema_version);
            self.source.append_value(row.source);
            self.recorder.append_value(row.recorder);
            self.kernel.append_option(row.kernel);
            self.clock.append_value(row.clock);
            self.epoch_ns.append_option(row.epoch_ns);
            self.start_ns.append_value(row.start_ns);
            self.end_ns.append_value(row.end_ns);
            self.end_reason.append_value(row.end_reason);
            self.complete.append_value(row.complete);
            self.events.append_value(row.events);
            self.evidence_level.append_value(row.evidence_level);
            self.notes.append_option(Some(row.notes.iter().copied().map(Some)));
            self.unverified.append_option(Some(row.unverified.iter().copied().map(Some)));
            self.queued_wakings_only.append_option(row.queued_wakings_only);
            self.command.append_option(row.command);
            self.options.append_value(row.options);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.schema_version.finish()),
                Arc::new(self.source.finish()),
                Arc::new(self.recorder.finish()),
                Arc::new(self.kernel.finish()),
                Arc::new(self.clock.finish()),
                Arc::new(self.epoch_ns.finish()),
                Arc::new(self.start_ns.finish()),
                Arc::new(self.end_ns.finish()),
                Arc::new(self.end_reason.finish()),
                Arc::new(self.complete.finish()),
                Arc::new(self.events.finish()),
                Arc::new(self.evidence_level.finish()),
                Arc::new(self.notes.finish()),
                Arc::new(self.unverified.finish()),
                Arc::new(self.queued_wakings_only.finish()),
                Arc::new(self.command.finish()),
                Arc::new(self.options.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub schema_version: Int32Array,
        pub source: StringArray,
        pub recorder: StringArray,
        pub kernel: StringArray,
        pub clock: StringArray,
        pub epoch_ns: Int64Array,
        pub start_ns: Int64Array,
        pub end_ns: Int64Array,
        pub end_reason: StringArray,
        pub complete: BooleanArray,
        pub events: Int64Array,
        pub evidence_level: StringArray,
        pub notes: ListArray,
        pub unverified: ListArray,
        pub queued_wakings_only: BooleanArray,
        pub command: StringArray,
        pub options: StringArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                schema_version: column(batch, NAME, "schema_version", false)?,
                source: column(batch, NAME, "source", false)?,
                recorder: column(batch, NAME, "recorder", false)?,
                kernel: column(batch, NAME, "kernel", true)?,
                clock: column(batch, NAME, "clock", false)?,
                epoch_ns: column(batch, NAME, "epoch_ns", true)?,
                start_ns: column(batch, NAME, "start_ns", false)?,
                end_ns: column(batch, NAME, "end_ns", false)?,
                end_reason: column(batch, NAME, "end_reason", false)?,
                complete: column(batch, NAME, "complete", false)?,
                events: column(batch, NAME, "events", false)?,
                evidence_level: column(batch, NAME, "evidence_level", false)?,
                notes: column(batch, NAME, "notes", false)?,
                unverified: column(batch, NAME, "unverified", false)?,
                queued_wakings_only: column(batch, NAME, "queued_wakings_only", true)?,
                command: column(batch, NAME, "command", true)?,
                options: column(batch, NAME, "options", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        pub fn notes(&self, i: usize) -> Vec<String> { texts(&self.notes, i) }
        pub fn unverified(&self, i: usize) -> Vec<String> { texts(&self.unverified, i) }
    }
}

/// Parallel programs that `wastenot balance` finds without options, and their balance. What --app, --cgroup and --bubble name is not here. Shares are quotients: load balance is compute_ns / ranks / max_compute_ns, communication efficiency max_compute_ns / length_ns.
pub mod app {
    use super::*;
    pub const NAME: &str = "app";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("app", DataType::Int32, false),
            Field::new("name", DataType::Utf8, false),
            Field::new("kind", DataType::Utf8, false),
            Field::new("found_by", DataType::Utf8, false),
            Field::new("launcher", DataType::Utf8, true),
            Field::new("evidence", DataType::Utf8, false),
            Field::new("state", DataType::Utf8, false),
            Field::new("ranks", DataType::Int32, false),
            Field::new("start_ns", DataType::Int64, false),
            Field::new("end_ns", DataType::Int64, false),
            Field::new("length_ns", DataType::Int64, false),
            Field::new("compute_ns", DataType::Int64, true),
            Field::new("max_compute_ns", DataType::Int64, true),
            Field::new("lost_ns", DataType::Int64, true),
            Field::new("intrinsic_ns", DataType::Int64, true),
            Field::new("extrinsic_ns", DataType::Int64, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// Its number, from 1 on.
        pub app: i32,
        /// The name of its ranks.
        pub name: &'a str,
        /// What its ranks are.
        pub kind: &'a str,
        /// Why its ranks are taken for one program.
        pub found_by: &'a str,
        /// What started them; NULL where no launcher did.
        pub launcher: Option<&'a str>,
        /// What the figures rest on.
        pub evidence: &'a str,
        /// What the evidence allows to say.
        pub state: &'a str,
        /// [ranks] Number of ranks.
        pub ranks: i32,
        /// [ns] From when on all ranks were alive.
        pub start_ns: i64,
        /// [ns] The first end of one.
        pub end_ns: i64,
        /// [ns] Of this the windows in which the state of every rank is known; the columns below are of these.
        pub length_ns: i64,
        /// [ns] Computing of all ranks together; NULL, like those below, where the balance is not visible.
        pub compute_ns: Option<i64>,
        /// [ns] Computing of the rank that has most.
        pub max_compute_ns: Option<i64>,
        /// [ns] How much sooner the windows would have ended with equal ranks, rounded.
        pub lost_ns: Option<i64>,
        /// [ns] The part that the ranks' own computing explains.
        pub intrinsic_ns: Option<i64>,
        /// [ns] The part that the machine added; below 0 where it made the ranks more even.
        pub extrinsic_ns: Option<i64>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        app: Values<Int32Type>,
        name: StringBuilder,
        kind: StringBuilder,
        found_by: StringBuilder,
        launcher: StringBuilder,
        evidence: StringBuilder,
        state: StringBuilder,
        ranks: Values<Int32Type>,
        start_ns: Values<Int64Type>,
        end_ns: Values<Int64Type>,
        length_ns: Values<Int64Type>,
        compute_ns: Values<Int64Type>,
        max_compute_ns: Values<Int64Type>,
        lost_ns: Values<Int64Type>,
        intrinsic_ns: Values<Int64Type>,
        extrinsic_ns: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.app.append_value(row.app);
            self.name.append_value(row.name);
            self.kind.append_value(row.kind);
            self.found_by.append_value(row.found_by);
            self.launcher.append_option(row.launcher);
            self.evidence.append_value(row.evidence);
            self.state.append_value(row.state);
            self.ranks.append_value(row.ranks);
            self.start_ns.append_value(row.start_ns);
            self.end_ns.append_value(row.end_ns);
            self.length_ns.append_value(row.length_ns);
            self.compute_ns.append_option(row.compute_ns);
            self.max_compute_ns.append_option(row.max_compute_ns);
            self.lost_ns.append_option(row.lost_ns);
            self.intrinsic_ns.append_option(row.intrinsic_ns);
            self.extrinsic_ns.append_option(row.extrinsic_ns);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.app.finish()),
                Arc::new(self.name.finish()),
                Arc::new(self.kind.finish()),
                Arc::new(self.found_by.finish()),
                Arc::new(self.launcher.finish()),
                Arc::new(self.evidence.finish()),
                Arc::new(self.state.finish()),
                Arc::new(self.ranks.finish()),
                Arc::new(self.start_ns.finish()),
                Arc::new(self.end_ns.finish()),
                Arc::new(self.length_ns.finish()),
                Arc::new(self.compute_ns.finish()),
                Arc::new(self.max_compute_ns.finish()),
                Arc::new(self.lost_ns.finish()),
                Arc::new(self.intrinsic_ns.finish()),
                Arc::new(self.extrinsic_ns.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub app: Int32Array,
        pub name: StringArray,
        pub kind: StringArray,
        pub found_by: StringArray,
        pub launcher: StringArray,
        pub evidence: StringArray,
        pub state: StringArray,
        pub ranks: Int32Array,
        pub start_ns: Int64Array,
        pub end_ns: Int64Array,
        pub length_ns: Int64Array,
        pub compute_ns: Int64Array,
        pub max_compute_ns: Int64Array,
        pub lost_ns: Int64Array,
        pub intrinsic_ns: Int64Array,
        pub extrinsic_ns: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                app: column(batch, NAME, "app", false)?,
                name: column(batch, NAME, "name", false)?,
                kind: column(batch, NAME, "kind", false)?,
                found_by: column(batch, NAME, "found_by", false)?,
                launcher: column(batch, NAME, "launcher", true)?,
                evidence: column(batch, NAME, "evidence", false)?,
                state: column(batch, NAME, "state", false)?,
                ranks: column(batch, NAME, "ranks", false)?,
                start_ns: column(batch, NAME, "start_ns", false)?,
                end_ns: column(batch, NAME, "end_ns", false)?,
                length_ns: column(batch, NAME, "length_ns", false)?,
                compute_ns: column(batch, NAME, "compute_ns", true)?,
                max_compute_ns: column(batch, NAME, "max_compute_ns", true)?,
                lost_ns: column(batch, NAME, "lost_ns", true)?,
                intrinsic_ns: column(batch, NAME, "intrinsic_ns", true)?,
                extrinsic_ns: column(batch, NAME, "extrinsic_ns", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                app: self.app.value(i),
                name: self.name.value(i),
                kind: self.kind.value(i),
                found_by: self.found_by.value(i),
                launcher: self.launcher.is_valid(i).then(|| self.launcher.value(i)),
                evidence: self.evidence.value(i),
                state: self.state.value(i),
                ranks: self.ranks.value(i),
                start_ns: self.start_ns.value(i),
                end_ns: self.end_ns.value(i),
                length_ns: self.length_ns.value(i),
                compute_ns: self.compute_ns.is_valid(i).then(|| self.compute_ns.value(i)),
                max_compute_ns: self.max_compute_ns.is_valid(i).then(|| self.max_compute_ns.value(i)),
                lost_ns: self.lost_ns.is_valid(i).then(|| self.lost_ns.value(i)),
                intrinsic_ns: self.intrinsic_ns.is_valid(i).then(|| self.intrinsic_ns.value(i)),
                extrinsic_ns: self.extrinsic_ns.is_valid(i).then(|| self.extrinsic_ns.value(i)),
            }
        }
    }
}

/// Answers to the three questions about a pair of an episode (see `episode_pair`), each with its proof and what it rests on. Per pair and question the weights of the chosen rows add up to the pair's `core_ns`; the answer with most of it stands in `episode_pair`. At most four chosen answers and four alternatives each are kept.
pub mod attribution {
    use super::*;
    pub const NAME: &str = "attribution";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("episode_id", DataType::Int32, false),
            Field::new("utid", DataType::Int32, false),
            Field::new("waited_on", DataType::Int16, false),
            Field::new("idle_cpu", DataType::Int16, false),
            Field::new("question", DataType::UInt8, false),
            Field::new("answer", DataType::Utf8, false),
            Field::new("proof", DataType::UInt8, false),
            Field::new("rule", DataType::Utf8, true),
            Field::new("kernels", DataType::Utf8, true),
            Field::new("weight_ns", DataType::Int64, false),
            Field::new("chosen", DataType::Boolean, false),
            Field::new("decisive", DataType::Boolean, false),
            Field::new("event_ids", list(DataType::Int64), false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// The episode.
        pub episode_id: i32,
        /// [utid] Thread that waited.
        pub utid: i32,
        /// [cpu] CPU on whose queue it waited.
        pub waited_on: i16,
        /// [cpu] Idle CPU it was matched to.
        pub idle_cpu: i16,
        /// placed_by, not_moved_because or ended_by.
        pub question: u8,
        /// The answer: a value of the enumeration that `question` names.
        pub answer: &'a str,
        /// How sure it is.
        pub proof: u8,
        /// Rule that says so, a page of docs/causes; NULL when none does.
        pub rule: Option<&'a str>,
        /// Kernel releases for which the rule holds.
        pub kernels: Option<&'a str>,
        /// [core-ns] Waste of the pair for which the rule says so.
        pub weight_ns: i64,
        /// It is the answer for that time; false: an alternative that also fits.
        pub chosen: bool,
        /// Another decision there and then would have spared the thread its wait; never of a thread whose allowed CPUs were not known when its wait began.
        pub decisive: bool,
        /// [event id] Events it rests on, at most eight.
        pub event_ids: &'a [i64],
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        episode_id: Values<Int32Type>,
        utid: Values<Int32Type>,
        waited_on: Values<Int16Type>,
        idle_cpu: Values<Int16Type>,
        question: Values<UInt8Type>,
        answer: StringBuilder,
        proof: Values<UInt8Type>,
        rule: StringBuilder,
        kernels: StringBuilder,
        weight_ns: Values<Int64Type>,
        chosen: BooleanBuilder,
        decisive: BooleanBuilder,
        event_ids: ListBuilder<Int64Builder>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.episode_id.append_value(row.episode_id);
            self.utid.append_value(row.utid);
            self.waited_on.append_value(row.waited_on);
            self.idle_cpu.append_value(row.idle_cpu);
            self.question.append_value(row.question);
            self.answer.append_value(row.answer);
            self.proof.append_value(row.proof);
            self.rule.append_option(row.rule);
            self.kernels.append_option(row.kernels);
            self.weight_ns.append_value(row.weight_ns);
            self.chosen.append_value(row.chosen);
            self.decisive.append_value(row.decisive);
            self.event_ids.append_option(Some(row.event_ids.iter().copied().map(Some)));
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.episode_id.finish()),
                Arc::new(self.utid.finish()),
                Arc::new(self.waited_on.finish()),
                Arc::new(self.idle_cpu.finish()),
                Arc::new(self.question.finish()),
                Arc::new(self.answer.finish()),
                Arc::new(self.proof.finish()),
                Arc::new(self.rule.finish()),
                Arc::new(self.kernels.finish()),
                Arc::new(self.weight_ns.finish()),
                Arc::new(self.chosen.finish()),
                Arc::new(self.decisive.finish()),
                Arc::new(self.event_ids.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub episode_id: Int32Array,
        pub utid: Int32Array,
        pub waited_on: Int16Array,
        pub idle_cpu: Int16Array,
        pub question: UInt8Array,
        pub answer: StringArray,
        pub proof: UInt8Array,
        pub rule: StringArray,
        pub kernels: StringArray,
        pub weight_ns: Int64Array,
        pub chosen: BooleanArray,
        pub decisive: BooleanArray,
        pub event_ids: ListArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                episode_id: column(batch, NAME, "episode_id", false)?,
                utid: column(batch, NAME, "utid", false)?,
                waited_on: column(batch, NAME, "waited_on", false)?,
                idle_cpu: column(batch, NAME, "idle_cpu", false)?,
                question: column(batch, NAME, "question", false)?,
                answer: column(batch, NAME, "answer", false)?,
                proof: column(batch, NAME, "proof", false)?,
                rule: column(batch, NAME, "rule", true)?,
                kernels: column(batch, NAME, "kernels", true)?,
                weight_ns: column(batch, NAME, "weight_ns", false)?,
                chosen: column(batch, NAME, "chosen", false)?,
                decisive: column(batch, NAME, "decisive", false)?,
                event_ids: column(batch, NAME, "event_ids", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                episode_id: self.episode_id.value(i),
                utid: self.utid.value(i),
                waited_on: self.waited_on.value(i),
                idle_cpu: self.idle_cpu.value(i),
                question: self.question.value(i),
                answer: self.answer.value(i),
                proof: self.proof.value(i),
                rule: self.rule.is_valid(i).then(|| self.rule.value(i)),
                kernels: self.kernels.is_valid(i).then(|| self.kernels.value(i)),
                weight_ns: self.weight_ns.value(i),
                chosen: self.chosen.value(i),
                decisive: self.decisive.value(i),
                event_ids: list_i64(&self.event_ids, i),
            }
        }
    }
}

/// When threads waited beside an idle CPU that they could use: in the matched set of the canonical matching, while an idle CPU that the thread may use was there for it. Over all rows the lengths sum exactly to the waste, per thread to its avoidable wait.
pub mod avoidable_wait {
    use super::*;
    pub const NAME: &str = "avoidable_wait";
    /// It can be made without the tables that have every detail.
    pub const IN_OVERVIEW: bool = false;
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("utid", DataType::Int32, false),
            Field::new("waited_on", DataType::Int16, false),
            Field::new("start_ns", DataType::Int64, false),
            Field::new("dur_ns", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [utid] Thread that waited.
        pub utid: i32,
        /// [cpu] CPU on whose queue it waited.
        pub waited_on: i16,
        /// [ns] Start.
        pub start_ns: i64,
        /// [ns] Length, > 0.
        pub dur_ns: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        utid: Values<Int32Type>,
        waited_on: Values<Int16Type>,
        start_ns: Values<Int64Type>,
        dur_ns: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.utid.append_value(row.utid);
            self.waited_on.append_value(row.waited_on);
            self.start_ns.append_value(row.start_ns);
            self.dur_ns.append_value(row.dur_ns);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.utid.finish()),
                Arc::new(self.waited_on.finish()),
                Arc::new(self.start_ns.finish()),
                Arc::new(self.dur_ns.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub utid: Int32Array,
        pub waited_on: Int16Array,
        pub start_ns: Int64Array,
        pub dur_ns: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                utid: column(batch, NAME, "utid", false)?,
                waited_on: column(batch, NAME, "waited_on", false)?,
                start_ns: column(batch, NAME, "start_ns", false)?,
                dur_ns: column(batch, NAME, "dur_ns", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                utid: self.utid.value(i),
                waited_on: self.waited_on.value(i),
                start_ns: self.start_ns.value(i),
                dur_ns: self.dur_ns.value(i),
            }
        }
    }
}

/// What belongs to a bubble directly, and when. Belonging outlasts a burst: `entity_holder` has what holds each entity.
pub mod bubble_member {
    use super::*;
    pub const NAME: &str = "bubble_member";
    /// It can be made without the tables that have every detail.
    pub const IN_OVERVIEW: bool = false;
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("bubble_id", DataType::Int32, false),
            Field::new("utid", DataType::Int32, true),
            Field::new("member_id", DataType::Int32, true),
            Field::new("start_ns", DataType::Int64, false),
            Field::new("end_ns", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [bubble] The bubble.
        pub bubble_id: i32,
        /// [utid] The thread that belongs to it; NULL when a bubble does.
        pub utid: Option<i32>,
        /// [bubble] The bubble that belongs to it; NULL when a thread does.
        pub member_id: Option<i32>,
        /// [ns] Start.
        pub start_ns: i64,
        /// [ns] End, >= start.
        pub end_ns: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        bubble_id: Values<Int32Type>,
        utid: Values<Int32Type>,
        member_id: Values<Int32Type>,
        start_ns: Values<Int64Type>,
        end_ns: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.bubble_id.append_value(row.bubble_id);
            self.utid.append_option(row.utid);
            self.member_id.append_option(row.member_id);
            self.start_ns.append_value(row.start_ns);
            self.end_ns.append_value(row.end_ns);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.bubble_id.finish()),
                Arc::new(self.utid.finish()),
                Arc::new(self.member_id.finish()),
                Arc::new(self.start_ns.finish()),
                Arc::new(self.end_ns.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub bubble_id: Int32Array,
        pub utid: Int32Array,
        pub member_id: Int32Array,
        pub start_ns: Int64Array,
        pub end_ns: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                bubble_id: column(batch, NAME, "bubble_id", false)?,
                utid: column(batch, NAME, "utid", true)?,
                member_id: column(batch, NAME, "member_id", true)?,
                start_ns: column(batch, NAME, "start_ns", false)?,
                end_ns: column(batch, NAME, "end_ns", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                bubble_id: self.bubble_id.value(i),
                utid: self.utid.is_valid(i).then(|| self.utid.value(i)),
                member_id: self.member_id.is_valid(i).then(|| self.member_id.value(i)),
                start_ns: self.start_ns.value(i),
                end_ns: self.end_ns.value(i),
            }
        }
    }
}

/// What the threads of a bubble and of the bubbles in it did while they belonged to it.
pub mod bubble_stat {
    use super::*;
    pub const NAME: &str = "bubble_stat";
    /// It can be made without the tables that have every detail.
    pub const IN_OVERVIEW: bool = false;
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("bubble_id", DataType::Int32, false),
            Field::new("threads", DataType::Int32, false),
            Field::new("peak_threads", DataType::Int32, false),
            Field::new("run_ns", DataType::Int64, false),
            Field::new("active_ns", DataType::Int64, false),
            Field::new("wait_ns", DataType::Int64, false),
            Field::new("avoidable_wait_ns", DataType::Int64, false),
            Field::new("expected_ns", DataType::Int64, true),
            Field::new("cache_misses", DataType::Int64, true),
            Field::new("migrations", DataType::Int64, false),
            Field::new("llc_migrations", DataType::Int64, false),
            Field::new("cpus", DataType::Int32, false),
            Field::new("llcs", DataType::Int32, false),
            Field::new("nodes", DataType::Int32, false),
            Field::new("main_llc", DataType::Int32, true),
            Field::new("main_llc_ns", DataType::Int64, false),
            Field::new("main_node", DataType::Int16, true),
            Field::new("main_node_ns", DataType::Int64, false),
            Field::new("spread", DataType::Int32, true),
            Field::new("held_ns", DataType::Int64, true),
            Field::new("bursts", DataType::Int64, false),
            Field::new("regenerations", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [bubble] The bubble.
        pub bubble_id: i32,
        /// Threads that ever belonged.
        pub threads: i32,
        /// Most that ran at once.
        pub peak_threads: i32,
        /// [ns] CPU time accumulated.
        pub run_ns: i64,
        /// [ns] Time in which at least one ran.
        pub active_ns: i64,
        /// [ns] Runnable and queued.
        pub wait_ns: i64,
        /// [ns] Avoidable wait; that of a thread which changed bubbles counts, whole, where it was last.
        pub avoidable_wait_ns: i64,
        /// [ns] CPU time that its threads (or it) were declared to need; NULL none declared.
        pub expected_ns: Option<i64>,
        /// Counter cache-misses summed; NULL where it was not recorded.
        pub cache_misses: Option<i64>,
        /// Moves to another CPU.
        pub migrations: i64,
        /// Of these, moves to another last-level cache.
        pub llc_migrations: i64,
        /// CPUs it ran on.
        pub cpus: i32,
        /// Last-level caches it ran in.
        pub llcs: i32,
        /// NUMA nodes it ran on.
        pub nodes: i32,
        /// Last-level cache in which it ran longest; NULL when it never ran.
        pub main_llc: Option<i32>,
        /// [ns] CPU time there: over `run_ns` the affinity kept.
        pub main_llc_ns: i64,
        /// NUMA node on which it ran longest.
        pub main_node: Option<i16>,
        /// [ns] CPU time there.
        pub main_node_ns: i64,
        /// [1/1000] Last-level caches in use at once, mean over `active_ns`, in thousandths; NULL when it never ran.
        pub spread: Option<i32>,
        /// [ns] Declared: CPU time on a CPU that the runqueue holding the thread (or its bubble) spans; NULL for other trees.
        pub held_ns: Option<i64>,
        /// Times it burst.
        pub bursts: i64,
        /// Times it was closed again after a burst.
        pub regenerations: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        bubble_id: Values<Int32Type>,
        threads: Values<Int32Type>,
        peak_threads: Values<Int32Type>,
        run_ns: Values<Int64Type>,
        active_ns: Values<Int64Type>,
        wait_ns: Values<Int64Type>,
        avoidable_wait_ns: Values<Int64Type>,
        expected_ns: Values<Int64Type>,
        cache_misses: Values<Int64Type>,
        migrations: Values<Int64Type>,
        llc_migrations: Values<Int64Type>,
        cpus: Values<Int32Type>,
        llcs: Values<Int32Type>,
        nodes: Values<Int32Type>,
        main_llc: Values<Int32Type>,
        main_llc_ns: Values<Int64Type>,
        main_node: Values<Int16Type>,
        main_node_ns: Values<Int64Type>,
        spread: Values<Int32Type>,
        held_ns: Values<Int64Type>,
        bursts: Values<Int64Type>,
        regenerations: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.bubble_id.append_value(row.bubble_id);
            self.threads.append_value(row.threads);
            self.peak_threads.append_value(row.peak_threads);
            self.run_ns.append_value(row.run_ns);
            self.active_ns.append_value(row.active_ns);
            self.wait_ns.append_value(row.wait_ns);
            self.avoidable_wait_ns.append_value(row.avoidable_wait_ns);
            self.expected_ns.append_option(row.expected_ns);
            self.cache_misses.append_option(row.cache_misses);
            self.migrations.append_value(row.migrations);
            self.llc_migrations.append_value(row.llc_migrations);
            self.cpus.append_value(row.cpus);
            self.llcs.append_value(row.llcs);
            self.nodes.append_value(row.nodes);
            self.main_llc.append_option(row.main_llc);
            self.main_llc_ns.append_value(row.main_llc_ns);
            self.main_node.append_option(row.main_node);
            self.main_node_ns.append_value(row.main_node_ns);
            self.spread.append_option(row.spread);
            self.held_ns.append_option(row.held_ns);
            self.bursts.append_value(row.bursts);
            self.regenerations.append_value(row.regenerations);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.bubble_id.finish()),
                Arc::new(self.threads.finish()),
                Arc::new(self.peak_threads.finish()),
                Arc::new(self.run_ns.finish()),
                Arc::new(self.active_ns.finish()),
                Arc::new(self.wait_ns.finish()),
                Arc::new(self.avoidable_wait_ns.finish()),
                Arc::new(self.expected_ns.finish()),
                Arc::new(self.cache_misses.finish()),
                Arc::new(self.migrations.finish()),
                Arc::new(self.llc_migrations.finish()),
                Arc::new(self.cpus.finish()),
                Arc::new(self.llcs.finish()),
                Arc::new(self.nodes.finish()),
                Arc::new(self.main_llc.finish()),
                Arc::new(self.main_llc_ns.finish()),
                Arc::new(self.main_node.finish()),
                Arc::new(self.main_node_ns.finish()),
                Arc::new(self.spread.finish()),
                Arc::new(self.held_ns.finish()),
                Arc::new(self.bursts.finish()),
                Arc::new(self.regenerations.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub bubble_id: Int32Array,
        pub threads: Int32Array,
        pub peak_threads: Int32Array,
        pub run_ns: Int64Array,
        pub active_ns: Int64Array,
        pub wait_ns: Int64Array,
        pub avoidable_wait_ns: Int64Array,
        pub expected_ns: Int64Array,
        pub cache_misses: Int64Array,
        pub migrations: Int64Array,
        pub llc_migrations: Int64Array,
        pub cpus: Int32Array,
        pub llcs: Int32Array,
        pub nodes: Int32Array,
        pub main_llc: Int32Array,
        pub main_llc_ns: Int64Array,
        pub main_node: Int16Array,
        pub main_node_ns: Int64Array,
        pub spread: Int32Array,
        pub held_ns: Int64Array,
        pub bursts: Int64Array,
        pub regenerations: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                bubble_id: column(batch, NAME, "bubble_id", false)?,
                threads: column(batch, NAME, "threads", false)?,
                peak_threads: column(batch, NAME, "peak_threads", false)?,
                run_ns: column(batch, NAME, "run_ns", false)?,
                active_ns: column(batch, NAME, "active_ns", false)?,
                wait_ns: column(batch, NAME, "wait_ns", false)?,
                avoidable_wait_ns: column(batch, NAME, "avoidable_wait_ns", false)?,
                expected_ns: column(batch, NAME, "expected_ns", true)?,
                cache_misses: column(batch, NAME, "cache_misses", true)?,
                migrations: column(batch, NAME, "migrations", false)?,
                llc_migrations: column(batch, NAME, "llc_migrations", false)?,
                cpus: column(batch, NAME, "cpus", false)?,
                llcs: column(batch, NAME, "llcs", false)?,
                nodes: column(batch, NAME, "nodes", false)?,
                main_llc: column(batch, NAME, "main_llc", true)?,
                main_llc_ns: column(batch, NAME, "main_llc_ns", false)?,
                main_node: column(batch, NAME, "main_node", true)?,
                main_node_ns: column(batch, NAME, "main_node_ns", false)?,
                spread: column(batch, NAME, "spread", true)?,
                held_ns: column(batch, NAME, "held_ns", true)?,
                bursts: column(batch, NAME, "bursts", false)?,
                regenerations: column(batch, NAME, "regenerations", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                bubble_id: self.bubble_id.value(i),
                threads: self.threads.value(i),
                peak_threads: self.peak_threads.value(i),
                run_ns: self.run_ns.value(i),
                active_ns: self.active_ns.value(i),
                wait_ns: self.wait_ns.value(i),
                avoidable_wait_ns: self.avoidable_wait_ns.value(i),
                expected_ns: self.expected_ns.is_valid(i).then(|| self.expected_ns.value(i)),
                cache_misses: self.cache_misses.is_valid(i).then(|| self.cache_misses.value(i)),
                migrations: self.migrations.value(i),
                llc_migrations: self.llc_migrations.value(i),
                cpus: self.cpus.value(i),
                llcs: self.llcs.value(i),
                nodes: self.nodes.value(i),
                main_llc: self.main_llc.is_valid(i).then(|| self.main_llc.value(i)),
                main_llc_ns: self.main_llc_ns.value(i),
                main_node: self.main_node.is_valid(i).then(|| self.main_node.value(i)),
                main_node_ns: self.main_node_ns.value(i),
                spread: self.spread.is_valid(i).then(|| self.spread.value(i)),
                held_ns: self.held_ns.is_valid(i).then(|| self.held_ns.value(i)),
                bursts: self.bursts.value(i),
                regenerations: self.regenerations.value(i),
            }
        }
    }
}

/// The wait ledger: how long threads of a cgroup were runnable and did not run, and why. The times sum exactly to the waits of all threads (wait_wakeup_ns, wait_preempted_ns, throttled_ns), and refuted_wait_ns in data_quality.
pub mod cgroup_wait {
    use super::*;
    pub const NAME: &str = "cgroup_wait";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("cgroup_id", DataType::Int64, true),
            Field::new("reason", DataType::UInt8, false),
            Field::new("excuse", DataType::UInt8, true),
            Field::new("culprit_cgroup_id", DataType::Int64, true),
            Field::new("wait_ns", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// cgroup of the threads that waited, as of then, a row of `cgroup`; NULL not recorded.
        pub cgroup_id: Option<i64>,
        /// Why they did not run.
        pub reason: u8,
        /// What kept them from the idle CPUs, where the reason is confined; else NULL.
        pub excuse: Option<u8>,
        /// cgroup of the thread that ran, where the reason is neighbour or rt_dl; NULL also where it is not recorded, and for the lightest of more than 65,536 rows.
        pub culprit_cgroup_id: Option<i64>,
        /// [ns] Time, > 0, summed over the threads.
        pub wait_ns: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        cgroup_id: Values<Int64Type>,
        reason: Values<UInt8Type>,
        excuse: Values<UInt8Type>,
        culprit_cgroup_id: Values<Int64Type>,
        wait_ns: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.cgroup_id.append_option(row.cgroup_id);
            self.reason.append_value(row.reason);
            self.excuse.append_option(row.excuse);
            self.culprit_cgroup_id.append_option(row.culprit_cgroup_id);
            self.wait_ns.append_value(row.wait_ns);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.cgroup_id.finish()),
                Arc::new(self.reason.finish()),
                Arc::new(self.excuse.finish()),
                Arc::new(self.culprit_cgroup_id.finish()),
                Arc::new(self.wait_ns.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub cgroup_id: Int64Array,
        pub reason: UInt8Array,
        pub excuse: UInt8Array,
        pub culprit_cgroup_id: Int64Array,
        pub wait_ns: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                cgroup_id: column(batch, NAME, "cgroup_id", true)?,
                reason: column(batch, NAME, "reason", false)?,
                excuse: column(batch, NAME, "excuse", true)?,
                culprit_cgroup_id: column(batch, NAME, "culprit_cgroup_id", true)?,
                wait_ns: column(batch, NAME, "wait_ns", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                cgroup_id: self.cgroup_id.is_valid(i).then(|| self.cgroup_id.value(i)),
                reason: self.reason.value(i),
                excuse: self.excuse.is_valid(i).then(|| self.excuse.value(i)),
                culprit_cgroup_id: self.culprit_cgroup_id.is_valid(i).then(|| self.culprit_cgroup_id.value(i)),
                wait_ns: self.wait_ns.value(i),
            }
        }
    }
}

/// From where the walk over the events can be restarted to make the rows of a window.
pub mod checkpoint {
    use super::*;
    pub const NAME: &str = "checkpoint";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("event_id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("state", DataType::Binary, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// [event] All events before this id were walked over.
        pub event_id: i64,
        /// [ns] Time that the walk had reached.
        pub ts_ns: i64,
        /// Its state, in an encoding of the checker's own; another version cannot read it.
        pub state: &'a [u8],
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        event_id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        state: BinaryBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.event_id.append_value(row.event_id);
            self.ts_ns.append_value(row.ts_ns);
            self.state.append_value(row.state);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.event_id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.state.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub event_id: Int64Array,
        pub ts_ns: Int64Array,
        pub state: BinaryArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                event_id: column(batch, NAME, "event_id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                state: column(batch, NAME, "state", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                event_id: self.event_id.value(i),
                ts_ns: self.ts_ns.value(i),
                state: self.state.value(i),
            }
        }
    }
}

/// Rows of tables made on demand that span a checkpoint: a walk that stops at one does not see how these end.
pub mod checkpoint_interval {
    use super::*;
    pub const NAME: &str = "checkpoint_interval";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("table_name", DataType::Utf8, false),
            Field::new("checkpoint_id", DataType::Int64, false),
            Field::new("start_ns", DataType::Int64, false),
            Field::new("dur_ns", DataType::Int64, false),
            Field::new("utid", DataType::Int32, true),
            Field::new("cpu", DataType::Int16, true),
            Field::new("waited_on", DataType::Int16, true),
            Field::new("phase", DataType::UInt8, true),
            Field::new("end_state", DataType::UInt8, true),
            Field::new("observed", DataType::Boolean, true),
            Field::new("queued", DataType::Int32, true),
            Field::new("running", DataType::Boolean, true),
            Field::new("wasted", DataType::Int32, true),
            Field::new("certain", DataType::Int32, true),
            Field::new("idle_while_waiting", DataType::Int32, true),
            Field::new("idle_cpus", DataType::Int32, true),
            Field::new("waiting", DataType::Int32, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// Table that has the row; other columns than its own are NULL.
        pub table_name: &'a str,
        /// [event] `event_id` of the last checkpoint that it spans.
        pub checkpoint_id: i64,
        /// [ns] Start.
        pub start_ns: i64,
        /// [ns] Length, > 0.
        pub dur_ns: i64,
        /// [utid] The thread.
        pub utid: Option<i32>,
        /// [cpu] The CPU.
        pub cpu: Option<i16>,
        /// [cpu] As in `avoidable_wait`.
        pub waited_on: Option<i16>,
        /// As in `thread_state`.
        pub phase: Option<u8>,
        /// As in `cpu_slice`.
        pub end_state: Option<u8>,
        /// As in `cpu_slice`.
        pub observed: Option<bool>,
        /// [threads] As in `runqueue`.
        pub queued: Option<i32>,
        /// As in `runqueue`.
        pub running: Option<bool>,
        /// [cores] As in `wasted`.
        pub wasted: Option<i32>,
        /// [cores] As in `wasted`.
        pub certain: Option<i32>,
        /// [cores] As in `wasted`.
        pub idle_while_waiting: Option<i32>,
        /// [cpus] As in `wasted`.
        pub idle_cpus: Option<i32>,
        /// [threads] As in `wasted`.
        pub waiting: Option<i32>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        table_name: StringBuilder,
        checkpoint_id: Values<Int64Type>,
        start_ns: Values<Int64Type>,
        dur_ns: Values<Int64Type>,
        utid: Values<Int32Type>,
        cpu: Values<Int16Type>,
        waited_on: Values<Int16Type>,
        phase: Values<UInt8Type>,
        end_state: Values<UInt8Type>,
        observed: BooleanBuilder,
        queued: Values<Int32Type>,
        running: BooleanBuilder,
        wasted: Values<Int32Type>,
        certain: Values<Int32Type>,
        idle_while_waiting: Values<Int32Type>,
        idle_cpus: Values<Int32Type>,
        waiting: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.table_name.append_value(row.table_name);
            self.checkpoint_id.append_value(row.checkpoint_id);
            self.start_ns.append_value(row.start_ns);
            self.dur_ns.append_value(row.dur_ns);
            self.utid.append_option(row.utid);
            self.cpu.append_option(row.cpu);
            self.waited_on.append_option(row.waited_on);
            self.phase.append_option(row.phase);
            self.end_state.append_option(row.end_state);
            self.observed.append_option(row.observed);
            self.queued.append_option(row.queued);
            self.running.append_option(row.running);
            self.wasted.append_option(row.wasted);
            self.certain.append_option(row.certain);
            self.idle_while_waiting.append_option(row.idle_while_waiting);
            self.idle_cpus.append_option(row.idle_cpus);
            self.waiting.append_option(row.waiting);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.table_name.finish()),
                Arc::new(self.checkpoint_id.finish()),
                Arc::new(self.start_ns.finish()),
                Arc::new(self.dur_ns.finish()),
                Arc::new(self.utid.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.waited_on.finish()),
                Arc::new(self.phase.finish()),
                Arc::new(self.end_state.finish()),
                Arc::new(self.observed.finish()),
                Arc::new(self.queued.finish()),
                Arc::new(self.running.finish()),
                Arc::new(self.wasted.finish()),
                Arc::new(self.certain.finish()),
                Arc::new(self.idle_while_waiting.finish()),
                Arc::new(self.idle_cpus.finish()),
                Arc::new(self.waiting.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub table_name: StringArray,
        pub checkpoint_id: Int64Array,
        pub start_ns: Int64Array,
        pub dur_ns: Int64Array,
        pub utid: Int32Array,
        pub cpu: Int16Array,
        pub waited_on: Int16Array,
        pub phase: UInt8Array,
        pub end_state: UInt8Array,
        pub observed: BooleanArray,
        pub queued: Int32Array,
        pub running: BooleanArray,
        pub wasted: Int32Array,
        pub certain: Int32Array,
        pub idle_while_waiting: Int32Array,
        pub idle_cpus: Int32Array,
        pub waiting: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                table_name: column(batch, NAME, "table_name", false)?,
                checkpoint_id: column(batch, NAME, "checkpoint_id", false)?,
                start_ns: column(batch, NAME, "start_ns", false)?,
                dur_ns: column(batch, NAME, "dur_ns", false)?,
                utid: column(batch, NAME, "utid", true)?,
                cpu: column(batch, NAME, "cpu", true)?,
                waited_on: column(batch, NAME, "waited_on", true)?,
                phase: column(batch, NAME, "phase", true)?,
                end_state: column(batch, NAME, "end_state", true)?,
                observed: column(batch, NAME, "observed", true)?,
                queued: column(batch, NAME, "queued", true)?,
                running: column(batch, NAME, "running", true)?,
                wasted: column(batch, NAME, "wasted", true)?,
                certain: column(batch, NAME, "certain", true)?,
                idle_while_waiting: column(batch, NAME, "idle_while_waiting", true)?,
                idle_cpus: column(batch, NAME, "idle_cpus", true)?,
                waiting: column(batch, NAME, "waiting", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                table_name: self.table_name.value(i),
                checkpoint_id: self.checkpoint_id.value(i),
                start_ns: self.start_ns.value(i),
                dur_ns: self.dur_ns.value(i),
                utid: self.utid.is_valid(i).then(|| self.utid.value(i)),
                cpu: self.cpu.is_valid(i).then(|| self.cpu.value(i)),
                waited_on: self.waited_on.is_valid(i).then(|| self.waited_on.value(i)),
                phase: self.phase.is_valid(i).then(|| self.phase.value(i)),
                end_state: self.end_state.is_valid(i).then(|| self.end_state.value(i)),
                observed: self.observed.is_valid(i).then(|| self.observed.value(i)),
                queued: self.queued.is_valid(i).then(|| self.queued.value(i)),
                running: self.running.is_valid(i).then(|| self.running.value(i)),
                wasted: self.wasted.is_valid(i).then(|| self.wasted.value(i)),
                certain: self.certain.is_valid(i).then(|| self.certain.value(i)),
                idle_while_waiting: self.idle_while_waiting.is_valid(i).then(|| self.idle_while_waiting.value(i)),
                idle_cpus: self.idle_cpus.is_valid(i).then(|| self.idle_cpus.value(i)),
                waiting: self.waiting.is_valid(i).then(|| self.waiting.value(i)),
            }
        }
    }
}

/// What a CPU did, without gaps and without overlaps, from its first knowledge to the end.
pub mod cpu_slice {
    use super::*;
    pub const NAME: &str = "cpu_slice";
    /// It can be made without the tables that have every detail.
    pub const IN_OVERVIEW: bool = false;
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("cpu", DataType::Int16, false),
            Field::new("start_ns", DataType::Int64, false),
            Field::new("dur_ns", DataType::Int64, false),
            Field::new("utid", DataType::Int32, true),
            Field::new("end_state", DataType::UInt8, true),
            Field::new("observed", DataType::Boolean, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [cpu] The CPU.
        pub cpu: i16,
        /// [ns] Start.
        pub start_ns: i64,
        /// [ns] Length, > 0.
        pub dur_ns: i64,
        /// [utid] Thread that ran; 0 swapper (idle); NULL unobserved or offline.
        pub utid: Option<i32>,
        /// State the thread was left in.
        pub end_state: Option<u8>,
        /// False: unobserved or offline.
        pub observed: bool,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        cpu: Values<Int16Type>,
        start_ns: Values<Int64Type>,
        dur_ns: Values<Int64Type>,
        utid: Values<Int32Type>,
        end_state: Values<UInt8Type>,
        observed: BooleanBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.cpu.append_value(row.cpu);
            self.start_ns.append_value(row.start_ns);
            self.dur_ns.append_value(row.dur_ns);
            self.utid.append_option(row.utid);
            self.end_state.append_option(row.end_state);
            self.observed.append_value(row.observed);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.cpu.finish()),
                Arc::new(self.start_ns.finish()),
                Arc::new(self.dur_ns.finish()),
                Arc::new(self.utid.finish()),
                Arc::new(self.end_state.finish()),
                Arc::new(self.observed.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub cpu: Int16Array,
        pub start_ns: Int64Array,
        pub dur_ns: Int64Array,
        pub utid: Int32Array,
        pub end_state: UInt8Array,
        pub observed: BooleanArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                cpu: column(batch, NAME, "cpu", false)?,
                start_ns: column(batch, NAME, "start_ns", false)?,
                dur_ns: column(batch, NAME, "dur_ns", false)?,
                utid: column(batch, NAME, "utid", true)?,
                end_state: column(batch, NAME, "end_state", true)?,
                observed: column(batch, NAME, "observed", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                cpu: self.cpu.value(i),
                start_ns: self.start_ns.value(i),
                dur_ns: self.dur_ns.value(i),
                utid: self.utid.is_valid(i).then(|| self.utid.value(i)),
                end_state: self.end_state.is_valid(i).then(|| self.end_state.value(i)),
                observed: self.observed.value(i),
            }
        }
    }
}

/// How far the results can be relied on: counts, time ranges, per CPU where it applies.
pub mod data_quality {
    use super::*;
    pub const NAME: &str = "data_quality";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("what", DataType::Utf8, false),
            Field::new("detail", DataType::Utf8, true),
            Field::new("cpu", DataType::Int16, true),
            Field::new("start_ns", DataType::Int64, true),
            Field::new("end_ns", DataType::Int64, true),
            Field::new("value", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// events_read, events_applied, rejected, contradiction (not repaired), repaired, lost, unobserved_ns, doubtful_idle_ns, doubtful_wait_ns, unknown_mask_threads, placements_inferred, late_idle_exit_ns, clock_steps, migrate_mismatch, donor_moves, nr_running_compared, nr_running_differs, nr_running_ghost, self_check (per CPU), self_check_total, self_check_ppm, suspect ...
        pub what: &'a str,
        /// Reason, where the count is by reason; the check, of self-checks (`suspicion`).
        pub detail: Option<&'a str>,
        /// [cpu] CPU concerned.
        pub cpu: Option<i16>,
        /// [ns] Start of the time concerned.
        pub start_ns: Option<i64>,
        /// [ns] End.
        pub end_ns: Option<i64>,
        /// The count, or nanoseconds where the name says so; shares of self-checks (self_check_ppm, suspect) in millionths.
        pub value: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        what: StringBuilder,
        detail: StringBuilder,
        cpu: Values<Int16Type>,
        start_ns: Values<Int64Type>,
        end_ns: Values<Int64Type>,
        value: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.what.append_value(row.what);
            self.detail.append_option(row.detail);
            self.cpu.append_option(row.cpu);
            self.start_ns.append_option(row.start_ns);
            self.end_ns.append_option(row.end_ns);
            self.value.append_value(row.value);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.what.finish()),
                Arc::new(self.detail.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.start_ns.finish()),
                Arc::new(self.end_ns.finish()),
                Arc::new(self.value.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub what: StringArray,
        pub detail: StringArray,
        pub cpu: Int16Array,
        pub start_ns: Int64Array,
        pub end_ns: Int64Array,
        pub value: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                what: column(batch, NAME, "what", false)?,
                detail: column(batch, NAME, "detail", true)?,
                cpu: column(batch, NAME, "cpu", true)?,
                start_ns: column(batch, NAME, "start_ns", true)?,
                end_ns: column(batch, NAME, "end_ns", true)?,
                value: column(batch, NAME, "value", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                what: self.what.value(i),
                detail: self.detail.is_valid(i).then(|| self.detail.value(i)),
                cpu: self.cpu.is_valid(i).then(|| self.cpu.value(i)),
                start_ns: self.start_ns.is_valid(i).then(|| self.start_ns.value(i)),
                end_ns: self.end_ns.is_valid(i).then(|| self.end_ns.value(i)),
                value: self.value.value(i),
            }
        }
    }
}

/// Jobs of the SCHED_DEADLINE threads whose parameters were recorded: which missed their deadlines, whose fault that is, what their time went to. Empty where no parameters were recorded (kind of evidence `dl_parameters`); jobs of declared tasks are not here: `wastenot deadlines --task … --jobs FILE` writes them.
pub mod dl_job {
    use super::*;
    pub const NAME: &str = "dl_job";
    /// It can be made without the tables that have every detail.
    pub const IN_OVERVIEW: bool = false;
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("utid", DataType::Int32, false),
            Field::new("activation_ns", DataType::Int64, false),
            Field::new("activated_by", DataType::UInt8, false),
            Field::new("deadline_ns", DataType::Int64, false),
            Field::new("end_ns", DataType::Int64, true),
            Field::new("ended_by", DataType::UInt8, false),
            Field::new("missed", DataType::Boolean, false),
            Field::new("tardiness_ns", DataType::Int64, false),
            Field::new("overrun_ns", DataType::Int64, false),
            Field::new("laxity_min_ns", DataType::Int64, false),
            Field::new("throttles", DataType::Int32, false),
            Field::new("fault", DataType::UInt8, true),
            Field::new("run_ns", DataType::Int64, false),
            Field::new("passed_over_ns", DataType::Int64, false),
            Field::new("late_wake_ns", DataType::Int64, false),
            Field::new("earlier_deadlines_ns", DataType::Int64, false),
            Field::new("confined_ns", DataType::Int64, false),
            Field::new("interference_ns", DataType::Int64, false),
            Field::new("blocked_ns", DataType::Int64, false),
            Field::new("throttled_ns", DataType::Int64, false),
            Field::new("unknown_ns", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [utid] The thread.
        pub utid: i32,
        /// [ns] Start of the job.
        pub activation_ns: i64,
        /// What started it.
        pub activated_by: u8,
        /// [ns] Until when it had to be done.
        pub deadline_ns: i64,
        /// [ns] Its end; NULL under way as the recording ended.
        pub end_ns: Option<i64>,
        /// What ended it.
        pub ended_by: u8,
        /// It ended after its deadline, or was under way then as the recording ended.
        pub missed: bool,
        /// [ns] By how much it was late; 0 where it was not.
        pub tardiness_ns: i64,
        /// [ns] For how long it ran beyond its runtime.
        pub overrun_ns: i64,
        /// [ns] The least time that was left beside what it might still have run; negative where it was late.
        pub laxity_min_ns: i64,
        /// How often its server was throttled.
        pub throttles: i32,
        /// Whose fault a miss is; NULL where it met its deadline.
        pub fault: Option<u8>,
        /// [ns] It ran. This and the columns below add up to the time from activation to end.
        pub run_ns: i64,
        /// [ns] It waited although a CPU that it may use idled, or ran a lower class or a later deadline.
        pub passed_over_ns: i64,
        /// [ns] Its own CPU was slow to leave idle.
        pub late_wake_ns: i64,
        /// [ns] All CPUs that it may use ran earlier deadlines.
        pub earlier_deadlines_ns: i64,
        /// [ns] The same, while a CPU that it may not use ran less than that.
        pub confined_ns: i64,
        /// [ns] Interrupts, the stop class or a deadline server had its CPU.
        pub interference_ns: i64,
        /// [ns] It was blocked.
        pub blocked_ns: i64,
        /// [ns] Its server was throttled, or its cgroup had no quota.
        pub throttled_ns: i64,
        /// [ns] What its CPUs did is not known.
        pub unknown_ns: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        utid: Values<Int32Type>,
        activation_ns: Values<Int64Type>,
        activated_by: Values<UInt8Type>,
        deadline_ns: Values<Int64Type>,
        end_ns: Values<Int64Type>,
        ended_by: Values<UInt8Type>,
        missed: BooleanBuilder,
        tardiness_ns: Values<Int64Type>,
        overrun_ns: Values<Int64Type>,
        laxity_min_ns: Values<Int64Type>,
        throttles: Values<Int32Type>,
        fault: Values<UInt8Type>,
        run_ns: Values<Int64Type>,
        passed_over_ns: Values<Int64Type>,
        late_wake_ns: Values<Int64Type>,
        earlier_deadlines_ns: Values<Int64Type>,
        confined_ns: Values<Int64Type>,
        interference_ns: Values<Int64Type>,
        blocked_ns: Values<Int64Type>,
        throttled_ns: Values<Int64Type>,
        unknown_ns: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.utid.append_value(row.utid);
            self.activation_ns.append_value(row.activation_ns);
            self.activated_by.append_value(row.activated_by);
            self.deadline_ns.append_value(row.deadline_ns);
            self.end_ns.append_option(row.end_ns);
            self.ended_by.append_value(row.ended_by);
            self.missed.append_value(row.missed);
            self.tardiness_ns.append_value(row.tardiness_ns);
            self.overrun_ns.append_value(row.overrun_ns);
            self.laxity_min_ns.append_value(row.laxity_min_ns);
            self.throttles.append_value(row.throttles);
            self.fault.append_option(row.fault);
            self.run_ns.append_value(row.run_ns);
            self.passed_over_ns.append_value(row.passed_over_ns);
            self.late_wake_ns.append_value(row.late_wake_ns);
            self.earlier_deadlines_ns.append_value(row.earlier_deadlines_ns);
            self.confined_ns.append_value(row.confined_ns);
            self.interference_ns.append_value(row.interference_ns);
            self.blocked_ns.append_value(row.blocked_ns);
            self.throttled_ns.append_value(row.throttled_ns);
            self.unknown_ns.append_value(row.unknown_ns);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.utid.finish()),
                Arc::new(self.activation_ns.finish()),
                Arc::new(self.activated_by.finish()),
                Arc::new(self.deadline_ns.finish()),
                Arc::new(self.end_ns.finish()),
                Arc::new(self.ended_by.finish()),
                Arc::new(self.missed.finish()),
                Arc::new(self.tardiness_ns.finish()),
                Arc::new(self.overrun_ns.finish()),
                Arc::new(self.laxity_min_ns.finish()),
                Arc::new(self.throttles.finish()),
                Arc::new(self.fault.finish()),
                Arc::new(self.run_ns.finish()),
                Arc::new(self.passed_over_ns.finish()),
                Arc::new(self.late_wake_ns.finish()),
                Arc::new(self.earlier_deadlines_ns.finish()),
                Arc::new(self.confined_ns.finish()),
                Arc::new(self.interference_ns.finish()),
                Arc::new(self.blocked_ns.finish()),
                Arc::new(self.throttled_ns.finish()),
                Arc::new(self.unknown_ns.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub utid: Int32Array,
        pub activation_ns: Int64Array,
        pub activated_by: UInt8Array,
        pub deadline_ns: Int64Array,
        pub end_ns: Int64Array,
        pub ended_by: UInt8Array,
        pub missed: BooleanArray,
        pub tardiness_ns: Int64Array,
        pub overrun_ns: Int64Array,
        pub laxity_min_ns: Int64Array,
        pub throttles: Int32Array,
        pub fault: UInt8Array,
        pub run_ns: Int64Array,
        pub passed_over_ns: Int64Array,
        pub late_wake_ns: Int64Array,
        pub earlier_deadlines_ns: Int64Array,
        pub confined_ns: Int64Array,
        pub interference_ns: Int64Array,
        pub blocked_ns: Int64Array,
        pub throttled_ns: Int64Array,
        pub unknown_ns: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                utid: column(batch, NAME, "utid", false)?,
                activation_ns: column(batch, NAME, "activation_ns", false)?,
                activated_by: column(batch, NAME, "activated_by", false)?,
                deadline_ns: column(batch, NAME, "deadline_ns", false)?,
                end_ns: column(batch, NAME, "end_ns", true)?,
                ended_by: column(batch, NAME, "ended_by", false)?,
                missed: column(batch, NAME, "missed", false)?,
                tardiness_ns: column(batch, NAME, "tardiness_ns", false)?,
                overrun_ns: column(batch, NAME, "overrun_ns", false)?,
                laxity_min_ns: column(batch, NAME, "laxity_min_ns", false)?,
                throttles: column(batch, NAME, "throttles", false)?,
                fault: column(batch, NAME, "fault", true)?,
                run_ns: column(batch, NAME, "run_ns", false)?,
                passed_over_ns: column(batch, NAME, "passed_over_ns", false)?,
                late_wake_ns: column(batch, NAME, "late_wake_ns", false)?,
                earlier_deadlines_ns: column(batch, NAME, "earlier_deadlines_ns", false)?,
                confined_ns: column(batch, NAME, "confined_ns", false)?,
                interference_ns: column(batch, NAME, "interference_ns", false)?,
                blocked_ns: column(batch, NAME, "blocked_ns", false)?,
                throttled_ns: column(batch, NAME, "throttled_ns", false)?,
                unknown_ns: column(batch, NAME, "unknown_ns", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                utid: self.utid.value(i),
                activation_ns: self.activation_ns.value(i),
                activated_by: self.activated_by.value(i),
                deadline_ns: self.deadline_ns.value(i),
                end_ns: self.end_ns.is_valid(i).then(|| self.end_ns.value(i)),
                ended_by: self.ended_by.value(i),
                missed: self.missed.value(i),
                tardiness_ns: self.tardiness_ns.value(i),
                overrun_ns: self.overrun_ns.value(i),
                laxity_min_ns: self.laxity_min_ns.value(i),
                throttles: self.throttles.value(i),
                fault: self.fault.is_valid(i).then(|| self.fault.value(i)),
                run_ns: self.run_ns.value(i),
                passed_over_ns: self.passed_over_ns.value(i),
                late_wake_ns: self.late_wake_ns.value(i),
                earlier_deadlines_ns: self.earlier_deadlines_ns.value(i),
                confined_ns: self.confined_ns.value(i),
                interference_ns: self.interference_ns.value(i),
                blocked_ns: self.blocked_ns.value(i),
                throttled_ns: self.throttled_ns.value(i),
                unknown_ns: self.unknown_ns.value(i),
            }
        }
    }
}

/// Where each thread and bubble of the declared tree is: rows of one entity follow each other without a gap from its first event to its end, a row per change, in the order of the changes.
pub mod entity_holder {
    use super::*;
    pub const NAME: &str = "entity_holder";
    /// It can be made without the tables that have every detail.
    pub const IN_OVERVIEW: bool = false;
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, true),
            Field::new("utid", DataType::Int32, true),
            Field::new("bubble_id", DataType::Int32, true),
            Field::new("holder", DataType::UInt8, false),
            Field::new("holder_id", DataType::Int32, true),
            Field::new("state", DataType::UInt8, true),
            Field::new("priority", DataType::Int32, true),
            Field::new("start_ns", DataType::Int64, false),
            Field::new("dur_ns", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] Event that began it, a row of `bubble_event`; NULL for the end of a thread or process.
        pub id: Option<i64>,
        /// [utid] The thread; NULL when the entity is a bubble.
        pub utid: Option<i32>,
        /// [bubble] The bubble; NULL when the entity is a thread.
        pub bubble_id: Option<i32>,
        /// What holds it.
        pub holder: u8,
        /// `bubble_id`, or the part of the machine as in the columns of `cpu`; NULL outside.
        pub holder_id: Option<i32>,
        /// Of a bubble: closed, burst, regenerating. NULL for a thread.
        pub state: Option<u8>,
        /// Its priority then; NULL none was given.
        pub priority: Option<i32>,
        /// [ns] Start.
        pub start_ns: i64,
        /// [ns] Length, >= 0: two changes at one instant leave a row of no length.
        pub dur_ns: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        id: Values<Int64Type>,
        utid: Values<Int32Type>,
        bubble_id: Values<Int32Type>,
        holder: Values<UInt8Type>,
        holder_id: Values<Int32Type>,
        state: Values<UInt8Type>,
        priority: Values<Int32Type>,
        start_ns: Values<Int64Type>,
        dur_ns: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.id.append_option(row.id);
            self.utid.append_option(row.utid);
            self.bubble_id.append_option(row.bubble_id);
            self.holder.append_value(row.holder);
            self.holder_id.append_option(row.holder_id);
            self.state.append_option(row.state);
            self.priority.append_option(row.priority);
            self.start_ns.append_value(row.start_ns);
            self.dur_ns.append_value(row.dur_ns);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.id.finish()),
                Arc::new(self.utid.finish()),
                Arc::new(self.bubble_id.finish()),
                Arc::new(self.holder.finish()),
                Arc::new(self.holder_id.finish()),
                Arc::new(self.state.finish()),
                Arc::new(self.priority.finish()),
                Arc::new(self.start_ns.finish()),
                Arc::new(self.dur_ns.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub id: Int64Array,
        pub utid: Int32Array,
        pub bubble_id: Int32Array,
        pub holder: UInt8Array,
        pub holder_id: Int32Array,
        pub state: UInt8Array,
        pub priority: Int32Array,
        pub start_ns: Int64Array,
        pub dur_ns: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                id: column(batch, NAME, "id", true)?,
                utid: column(batch, NAME, "utid", true)?,
                bubble_id: column(batch, NAME, "bubble_id", true)?,
                holder: column(batch, NAME, "holder", false)?,
                holder_id: column(batch, NAME, "holder_id", true)?,
                state: column(batch, NAME, "state", true)?,
                priority: column(batch, NAME, "priority", true)?,
                start_ns: column(batch, NAME, "start_ns", false)?,
                dur_ns: column(batch, NAME, "dur_ns", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                id: self.id.is_valid(i).then(|| self.id.value(i)),
                utid: self.utid.is_valid(i).then(|| self.utid.value(i)),
                bubble_id: self.bubble_id.is_valid(i).then(|| self.bubble_id.value(i)),
                holder: self.holder.value(i),
                holder_id: self.holder_id.is_valid(i).then(|| self.holder_id.value(i)),
                state: self.state.is_valid(i).then(|| self.state.value(i)),
                priority: self.priority.is_valid(i).then(|| self.priority.value(i)),
                start_ns: self.start_ns.value(i),
                dur_ns: self.dur_ns.value(i),
            }
        }
    }
}

/// A maximal interval in which waste of a grade was present. An episode whose time belongs wholly to a higher grade is not listed again at the lower one.
pub mod episode {
    use super::*;
    pub const NAME: &str = "episode";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("episode_id", DataType::Int32, false),
            Field::new("grade", DataType::UInt8, false),
            Field::new("severity", DataType::UInt8, false),
            Field::new("part_of", DataType::Int32, true),
            Field::new("start_ns", DataType::Int64, false),
            Field::new("end_ns", DataType::Int64, false),
            Field::new("core_ns", DataType::Int64, false),
            Field::new("total_core_ns", DataType::Int64, false),
            Field::new("peak", DataType::Int32, false),
            Field::new("idle_cpus", list(DataType::Int16), false),
            Field::new("overloaded_cpus", list(DataType::Int16), false),
            Field::new("threads", DataType::Int32, false),
            Field::new("distance", DataType::UInt8, false),
            Field::new("domain", DataType::Utf8, true),
            Field::new("placed_by", DataType::UInt8, false),
            Field::new("not_moved_because", DataType::UInt8, false),
            Field::new("ended_by", DataType::UInt8, false),
            Field::new("proof", DataType::UInt8, false),
            Field::new("placed_by_proof", DataType::UInt8, false),
            Field::new("not_moved_because_proof", DataType::UInt8, false),
            Field::new("ended_by_proof", DataType::UInt8, false),
            Field::new("placement_core_ns", DataType::Int64, false),
            Field::new("balancing_core_ns", DataType::Int64, false),
            Field::new("either_core_ns", DataType::Int64, false),
            Field::new("excused_core_ns", DataType::Int64, false),
            Field::new("first_event", DataType::Int64, true),
            Field::new("last_event", DataType::Int64, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// Number of the episode, by grade (worst grade first), then start.
        pub episode_id: i32,
        /// Its grade.
        pub grade: u8,
        /// How much it wasted, whatever its shape: the highest grade whose threshold one idle core reaches with that core-time (total_core_ns); of an episode with parts, at least that of its parts. Never recurrent.
        pub severity: u8,
        /// The episode of a lower grade that is the same waste: it contains this one, which makes up at least half of it. A list of wastes leaves out the parts. NULL: part of none.
        pub part_of: Option<i32>,
        /// [ns] Start.
        pub start_ns: i64,
        /// [ns] End.
        pub end_ns: i64,
        /// [core-ns] Waste of exactly this grade in the interval; sums over a grade's episodes to the grade's total. For recurrent episodes: the waste of the short intervals, counted in their own grades as well.
        pub core_ns: i64,
        /// [core-ns] Waste of this grade or a higher one in the interval.
        pub total_core_ns: i64,
        /// [cores] Largest number of cores wasted at once at this grade or higher; for recurrent episodes the number of idle CPUs that took part.
        pub peak: i32,
        /// [cpus] Idle CPUs of the idle–waiting pairs that lasted as long as the grade asks.
        pub idle_cpus: &'a [i16],
        /// [cpus] CPUs on which the threads waited.
        pub overloaded_cpus: &'a [i16],
        /// [threads] Threads that waited beside an idle CPU in it.
        pub threads: i32,
        /// Nearest level shared by the pair with most waste.
        pub distance: u8,
        /// Lowest common scheduling domain of that pair; NULL none or unknown.
        pub domain: Option<&'a str>,
        /// How the threads came to wait there.
        pub placed_by: u8,
        /// Why nothing moved them earlier.
        pub not_moved_because: u8,
        /// What ended it.
        pub ended_by: u8,
        /// How sure the cause is: that of `not_moved_because`; of `placed_by` where waste is recurrent.
        pub proof: u8,
        /// How sure `placed_by` is: what holds for most of its waste here.
        pub placed_by_proof: u8,
        /// How sure `not_moved_because` is: what holds for most of its waste here.
        pub not_moved_because_proof: u8,
        /// How sure `ended_by` is: what holds for most of its waste here.
        pub ended_by_proof: u8,
        /// [core-ns] Waste of its pairs that another placement of the thread would have prevented: the answer to placed_by is decisive (see `attribution`).
        pub placement_core_ns: i64,
        /// [core-ns] Waste of its pairs that another decision of the balancer would have prevented: the answer to not_moved_because is decisive.
        pub balancing_core_ns: i64,
        /// [core-ns] Waste, in both of these, that either one would have prevented: at least so much.
        pub either_core_ns: i64,
        /// [core-ns] Waste that excuses took away inside the interval.
        pub excused_core_ns: i64,
        /// [event id] Event at which it began.
        pub first_event: Option<i64>,
        /// [event id] Event at which it ended.
        pub last_event: Option<i64>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        episode_id: Values<Int32Type>,
        grade: Values<UInt8Type>,
        severity: Values<UInt8Type>,
        part_of: Values<Int32Type>,
        start_ns: Values<Int64Type>,
        end_ns: Values<Int64Type>,
        core_ns: Values<Int64Type>,
        total_core_ns: Values<Int64Type>,
        peak: Values<Int32Type>,
        idle_cpus: ListBuilder<Int16Builder>,
        overloaded_cpus: ListBuilder<Int16Builder>,
        threads: Values<Int32Type>,
        distance: Values<UInt8Type>,
        domain: StringBuilder,
        placed_by: Values<UInt8Type>,
        not_moved_because: Values<UInt8Type>,
        ended_by: Values<UInt8Type>,
        proof: Values<UInt8Type>,
        placed_by_proof: Values<UInt8Type>,
        not_moved_because_proof: Values<UInt8Type>,
        ended_by_proof: Values<UInt8Type>,
        placement_core_ns: Values<Int64Type>,
        balancing_core_ns: Values<Int64Type>,
        either_core_ns: Values<Int64Type>,
        excused_core_ns: Values<Int64Type>,
        first_event: Values<Int64Type>,
        last_event: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.episode_id.append_value(row.episode_id);
            self.grade.append_value(row.grade);
            self.severity.append_value(row.severity);
            self.part_of.append_option(row.part_of);
            self.start_ns.append_value(row.start_ns);
            self.end_ns.append_value(row.end_ns);
            self.core_ns.append_value(row.core_ns);
            self.total_core_ns.append_value(row.total_core_ns);
            self.peak.append_value(row.peak);
            self.idle_cpus.append_option(Some(row.idle_cpus.iter().copied().map(Some)));
            self.overloaded_cpus.append_option(Some(row.overloaded_cpus.iter().copied().map(Some)));
            self.threads.append_value(row.threads);
            self.distance.append_value(row.distance);
            self.domain.append_option(row.domain);
            self.placed_by.append_value(row.placed_by);
            self.not_moved_because.append_value(row.not_moved_because);
            self.ended_by.append_value(row.ended_by);
            self.proof.append_value(row.proof);
            self.placed_by_proof.append_value(row.placed_by_proof);
            self.not_moved_because_proof.append_value(row.not_moved_because_proof);
            self.ended_by_proof.append_value(row.ended_by_proof);
            self.placement_core_ns.append_value(row.placement_core_ns);
            self.balancing_core_ns.append_value(row.balancing_core_ns);
            self.either_core_ns.append_value(row.either_core_ns);
            self.excused_core_ns.append_value(row.excused_core_ns);
            self.first_event.append_option(row.first_event);
            self.last_event.append_option(row.last_event);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.episode_id.finish()),
                Arc::new(self.grade.finish()),
                Arc::new(self.severity.finish()),
                Arc::new(self.part_of.finish()),
                Arc::new(self.start_ns.finish()),
                Arc::new(self.end_ns.finish()),
                Arc::new(self.core_ns.finish()),
                Arc::new(self.total_core_ns.finish()),
                Arc::new(self.peak.finish()),
                Arc::new(self.idle_cpus.finish()),
                Arc::new(self.overloaded_cpus.finish()),
                Arc::new(self.threads.finish()),
                Arc::new(self.distance.finish()),
                Arc::new(self.domain.finish()),
                Arc::new(self.placed_by.finish()),
                Arc::new(self.not_moved_because.finish()),
                Arc::new(self.ended_by.finish()),
                Arc::new(self.proof.finish()),
                Arc::new(self.placed_by_proof.finish()),
                Arc::new(self.not_moved_because_proof.finish()),
                Arc::new(self.ended_by_proof.finish()),
                Arc::new(self.placement_core_ns.finish()),
                Arc::new(self.balancing_core_ns.finish()),
                Arc::new(self.either_core_ns.finish()),
                Arc::new(self.excused_core_ns.finish()),
                Arc::new(self.first_event.finish()),
                Arc::new(self.last_event.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub episode_id: Int32Array,
        pub grade: UInt8Array,
        pub severity: UInt8Array,
        pub part_of: Int32Array,
        pub start_ns: Int64Array,
        pub end_ns: Int64Array,
        pub core_ns: Int64Array,
        pub total_core_ns: Int64Array,
        pub peak: Int32Array,
        pub idle_cpus: ListArray,
        pub overloaded_cpus: ListArray,
        pub threads: Int32Array,
        pub distance: UInt8Array,
        pub domain: StringArray,
        pub placed_by: UInt8Array,
        pub not_moved_because: UInt8Array,
        pub ended_by: UInt8Array,
        pub proof: UInt8Array,
        pub placed_by_proof: UInt8Array,
        pub not_moved_because_proof: UInt8Array,
        pub ended_by_proof: UInt8Array,
        pub placement_core_ns: Int64Array,
        pub balancing_core_ns: Int64Array,
        pub either_core_ns: Int64Array,
        pub excused_core_ns: Int64Array,
        pub first_event: Int64Array,
        pub last_event: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                episode_id: column(batch, NAME, "episode_id", false)?,
                grade: column(batch, NAME, "grade", false)?,
                severity: column(batch, NAME, "severity", false)?,
                part_of: column(batch, NAME, "part_of", true)?,
                start_ns: column(batch, NAME, "start_ns", false)?,
                end_ns: column(batch, NAME, "end_ns", false)?,
                core_ns: column(batch, NAME, "core_ns", false)?,
                total_core_ns: column(batch, NAME, "total_core_ns", false)?,
                peak: column(batch, NAME, "peak", false)?,
                idle_cpus: column(batch, NAME, "idle_cpus", false)?,
                overloaded_cpus: column(batch, NAME, "overloaded_cpus", false)?,
                threads: column(batch, NAME, "threads", false)?,
                distance: column(batch, NAME, "distance", false)?,
                domain: column(batch, NAME, "domain", true)?,
                placed_by: column(batch, NAME, "placed_by", false)?,
                not_moved_because: column(batch, NAME, "not_moved_because", false)?,
                ended_by: column(batch, NAME, "ended_by", false)?,
                proof: column(batch, NAME, "proof", false)?,
                placed_by_proof: column(batch, NAME, "placed_by_proof", false)?,
                not_moved_because_proof: column(batch, NAME, "not_moved_because_proof", false)?,
                ended_by_proof: column(batch, NAME, "ended_by_proof", false)?,
                placement_core_ns: column(batch, NAME, "placement_core_ns", false)?,
                balancing_core_ns: column(batch, NAME, "balancing_core_ns", false)?,
                either_core_ns: column(batch, NAME, "either_core_ns", false)?,
                excused_core_ns: column(batch, NAME, "excused_core_ns", false)?,
                first_event: column(batch, NAME, "first_event", true)?,
                last_event: column(batch, NAME, "last_event", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                episode_id: self.episode_id.value(i),
                grade: self.grade.value(i),
                severity: self.severity.value(i),
                part_of: self.part_of.is_valid(i).then(|| self.part_of.value(i)),
                start_ns: self.start_ns.value(i),
                end_ns: self.end_ns.value(i),
                core_ns: self.core_ns.value(i),
                total_core_ns: self.total_core_ns.value(i),
                peak: self.peak.value(i),
                idle_cpus: list_i16(&self.idle_cpus, i),
                overloaded_cpus: list_i16(&self.overloaded_cpus, i),
                threads: self.threads.value(i),
                distance: self.distance.value(i),
                domain: self.domain.is_valid(i).then(|| self.domain.value(i)),
                placed_by: self.placed_by.value(i),
                not_moved_because: self.not_moved_because.value(i),
                ended_by: self.ended_by.value(i),
                proof: self.proof.value(i),
                placed_by_proof: self.placed_by_proof.value(i),
                not_moved_because_proof: self.not_moved_because_proof.value(i),
                ended_by_proof: self.ended_by_proof.value(i),
                placement_core_ns: self.placement_core_ns.value(i),
                balancing_core_ns: self.balancing_core_ns.value(i),
                either_core_ns: self.either_core_ns.value(i),
                excused_core_ns: self.excused_core_ns.value(i),
                first_event: self.first_event.is_valid(i).then(|| self.first_event.value(i)),
                last_event: self.last_event.is_valid(i).then(|| self.last_event.value(i)),
            }
        }
    }
}

/// Which thread waited for which idle CPU in an episode (canonical matching), for episodes of grade expected and above and recurrent ones.
pub mod episode_pair {
    use super::*;
    pub const NAME: &str = "episode_pair";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("episode_id", DataType::Int32, false),
            Field::new("utid", DataType::Int32, false),
            Field::new("waited_on", DataType::Int16, false),
            Field::new("idle_cpu", DataType::Int16, false),
            Field::new("core_ns", DataType::Int64, false),
            Field::new("distance", DataType::UInt8, false),
            Field::new("placed_by", DataType::UInt8, false),
            Field::new("not_moved_because", DataType::UInt8, false),
            Field::new("ended_by", DataType::UInt8, false),
            Field::new("proof", DataType::UInt8, false),
            Field::new("placed_by_proof", DataType::UInt8, false),
            Field::new("not_moved_because_proof", DataType::UInt8, false),
            Field::new("ended_by_proof", DataType::UInt8, false),
            Field::new("event_ids", list(DataType::Int64), false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// The episode.
        pub episode_id: i32,
        /// [utid] Thread that waited.
        pub utid: i32,
        /// [cpu] CPU on whose queue it waited.
        pub waited_on: i16,
        /// [cpu] Idle CPU it was matched to.
        pub idle_cpu: i16,
        /// [core-ns] Time for which this pair was matched.
        pub core_ns: i64,
        /// Nearest level the two CPUs share.
        pub distance: u8,
        /// How the thread came to wait there.
        pub placed_by: u8,
        /// Why nothing moved it earlier.
        pub not_moved_because: u8,
        /// What ended it.
        pub ended_by: u8,
        /// How sure the cause is: that of `not_moved_because`; of `placed_by` where waste is recurrent.
        pub proof: u8,
        /// How sure `placed_by` is: what holds for most of its waste here.
        pub placed_by_proof: u8,
        /// How sure `not_moved_because` is: what holds for most of its waste here.
        pub not_moved_because_proof: u8,
        /// How sure `ended_by` is: what holds for most of its waste here.
        pub ended_by_proof: u8,
        /// [event id] Events the cause rests on.
        pub event_ids: &'a [i64],
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        episode_id: Values<Int32Type>,
        utid: Values<Int32Type>,
        waited_on: Values<Int16Type>,
        idle_cpu: Values<Int16Type>,
        core_ns: Values<Int64Type>,
        distance: Values<UInt8Type>,
        placed_by: Values<UInt8Type>,
        not_moved_because: Values<UInt8Type>,
        ended_by: Values<UInt8Type>,
        proof: Values<UInt8Type>,
        placed_by_proof: Values<UInt8Type>,
        not_moved_because_proof: Values<UInt8Type>,
        ended_by_proof: Values<UInt8Type>,
        event_ids: ListBuilder<Int64Builder>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.episode_id.append_value(row.episode_id);
            self.utid.append_value(row.utid);
            self.waited_on.append_value(row.waited_on);
            self.idle_cpu.append_value(row.idle_cpu);
            self.core_ns.append_value(row.core_ns);
            self.distance.append_value(row.distance);
            self.placed_by.append_value(row.placed_by);
            self.not_moved_because.append_value(row.not_moved_because);
            self.ended_by.append_value(row.ended_by);
            self.proof.append_value(row.proof);
            self.placed_by_proof.append_value(row.placed_by_proof);
            self.not_moved_because_proof.append_value(row.not_moved_because_proof);
            self.ended_by_proof.append_value(row.ended_by_proof);
            self.event_ids.append_option(Some(row.event_ids.iter().copied().map(Some)));
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.episode_id.finish()),
                Arc::new(self.utid.finish()),
                Arc::new(self.waited_on.finish()),
                Arc::new(self.idle_cpu.finish()),
                Arc::new(self.core_ns.finish()),
                Arc::new(self.distance.finish()),
                Arc::new(self.placed_by.finish()),
                Arc::new(self.not_moved_because.finish()),
                Arc::new(self.ended_by.finish()),
                Arc::new(self.proof.finish()),
                Arc::new(self.placed_by_proof.finish()),
                Arc::new(self.not_moved_because_proof.finish()),
                Arc::new(self.ended_by_proof.finish()),
                Arc::new(self.event_ids.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub episode_id: Int32Array,
        pub utid: Int32Array,
        pub waited_on: Int16Array,
        pub idle_cpu: Int16Array,
        pub core_ns: Int64Array,
        pub distance: UInt8Array,
        pub placed_by: UInt8Array,
        pub not_moved_because: UInt8Array,
        pub ended_by: UInt8Array,
        pub proof: UInt8Array,
        pub placed_by_proof: UInt8Array,
        pub not_moved_because_proof: UInt8Array,
        pub ended_by_proof: UInt8Array,
        pub event_ids: ListArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                episode_id: column(batch, NAME, "episode_id", false)?,
                utid: column(batch, NAME, "utid", false)?,
                waited_on: column(batch, NAME, "waited_on", false)?,
                idle_cpu: column(batch, NAME, "idle_cpu", false)?,
                core_ns: column(batch, NAME, "core_ns", false)?,
                distance: column(batch, NAME, "distance", false)?,
                placed_by: column(batch, NAME, "placed_by", false)?,
                not_moved_because: column(batch, NAME, "not_moved_because", false)?,
                ended_by: column(batch, NAME, "ended_by", false)?,
                proof: column(batch, NAME, "proof", false)?,
                placed_by_proof: column(batch, NAME, "placed_by_proof", false)?,
                not_moved_because_proof: column(batch, NAME, "not_moved_because_proof", false)?,
                ended_by_proof: column(batch, NAME, "ended_by_proof", false)?,
                event_ids: column(batch, NAME, "event_ids", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                episode_id: self.episode_id.value(i),
                utid: self.utid.value(i),
                waited_on: self.waited_on.value(i),
                idle_cpu: self.idle_cpu.value(i),
                core_ns: self.core_ns.value(i),
                distance: self.distance.value(i),
                placed_by: self.placed_by.value(i),
                not_moved_because: self.not_moved_because.value(i),
                ended_by: self.ended_by.value(i),
                proof: self.proof.value(i),
                placed_by_proof: self.placed_by_proof.value(i),
                not_moved_because_proof: self.not_moved_because_proof.value(i),
                ended_by_proof: self.ended_by_proof.value(i),
                event_ids: list_i64(&self.event_ids, i),
            }
        }
    }
}

/// The excuse ledger: what each excuse, applied after the ones before it, took off the waste. Sums exactly to idle_while_waiting - wasted.
pub mod excuse_ledger {
    use super::*;
    pub const NAME: &str = "excuse_ledger";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("position", DataType::Int32, false),
            Field::new("excuse", DataType::UInt8, false),
            Field::new("core_ns", DataType::Int64, false),
            Field::new("recorded", DataType::Boolean, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// Order of application, from 1.
        pub position: i32,
        /// The excuse.
        pub excuse: u8,
        /// [core-ns] Integral of the drop of the matching it caused.
        pub core_ns: i64,
        /// The trace can show this excuse.
        pub recorded: bool,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        position: Values<Int32Type>,
        excuse: Values<UInt8Type>,
        core_ns: Values<Int64Type>,
        recorded: BooleanBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.position.append_value(row.position);
            self.excuse.append_value(row.excuse);
            self.core_ns.append_value(row.core_ns);
            self.recorded.append_value(row.recorded);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.position.finish()),
                Arc::new(self.excuse.finish()),
                Arc::new(self.core_ns.finish()),
                Arc::new(self.recorded.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub position: Int32Array,
        pub excuse: UInt8Array,
        pub core_ns: Int64Array,
        pub recorded: BooleanArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                position: column(batch, NAME, "position", false)?,
                excuse: column(batch, NAME, "excuse", false)?,
                core_ns: column(batch, NAME, "core_ns", false)?,
                recorded: column(batch, NAME, "recorded", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                position: self.position.value(i),
                excuse: self.excuse.value(i),
                core_ns: self.core_ns.value(i),
                recorded: self.recorded.value(i),
            }
        }
    }
}

/// Windows of the parallel programs in `app`, which fill the time in which all ranks were alive: iterations, and what lies before, between and after them.
pub mod iteration {
    use super::*;
    pub const NAME: &str = "iteration";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("app", DataType::Int32, false),
            Field::new("iteration", DataType::Int32, false),
            Field::new("segment", DataType::Int32, false),
            Field::new("kind", DataType::Utf8, false),
            Field::new("start_ns", DataType::Int64, false),
            Field::new("end_ns", DataType::Int64, false),
            Field::new("observed", DataType::Boolean, false),
            Field::new("compute_ns", DataType::Int64, true),
            Field::new("max_compute_ns", DataType::Int64, true),
            Field::new("lost_ns", DataType::Int64, true),
            Field::new("intrinsic_ns", DataType::Int64, true),
            Field::new("extrinsic_ns", DataType::Int64, true),
            Field::new("last_rank", DataType::Int32, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// The program: number in `app`.
        pub app: i32,
        /// Its number, from 1 on.
        pub iteration: i32,
        /// Number of the segment, a stretch of windows of one kind and period.
        pub segment: i32,
        /// What the segment is.
        pub kind: &'a str,
        /// [ns] Its start.
        pub start_ns: i64,
        /// [ns] Its end.
        pub end_ns: i64,
        /// The state of every rank is known; if not, it is left out of all figures.
        pub observed: bool,
        /// [ns] Computing of all ranks together; NULL, like those below, where it was not observed or the balance is not visible.
        pub compute_ns: Option<i64>,
        /// [ns] Computing of the rank that has most.
        pub max_compute_ns: Option<i64>,
        /// [ns] How much sooner it would have ended with equal ranks, rounded.
        pub lost_ns: Option<i64>,
        /// [ns] The part that the ranks' own computing explains.
        pub intrinsic_ns: Option<i64>,
        /// [ns] The part that the machine added.
        pub extrinsic_ns: Option<i64>,
        /// The rank that ended last.
        pub last_rank: Option<i32>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        app: Values<Int32Type>,
        iteration: Values<Int32Type>,
        segment: Values<Int32Type>,
        kind: StringBuilder,
        start_ns: Values<Int64Type>,
        end_ns: Values<Int64Type>,
        observed: BooleanBuilder,
        compute_ns: Values<Int64Type>,
        max_compute_ns: Values<Int64Type>,
        lost_ns: Values<Int64Type>,
        intrinsic_ns: Values<Int64Type>,
        extrinsic_ns: Values<Int64Type>,
        last_rank: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.app.append_value(row.app);
            self.iteration.append_value(row.iteration);
            self.segment.append_value(row.segment);
            self.kind.append_value(row.kind);
            self.start_ns.append_value(row.start_ns);
            self.end_ns.append_value(row.end_ns);
            self.observed.append_value(row.observed);
            self.compute_ns.append_option(row.compute_ns);
            self.max_compute_ns.append_option(row.max_compute_ns);
            self.lost_ns.append_option(row.lost_ns);
            self.intrinsic_ns.append_option(row.intrinsic_ns);
            self.extrinsic_ns.append_option(row.extrinsic_ns);
            self.last_rank.append_option(row.last_rank);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.app.finish()),
                Arc::new(self.iteration.finish()),
                Arc::new(self.segment.finish()),
                Arc::new(self.kind.finish()),
                Arc::new(self.start_ns.finish()),
                Arc::new(self.end_ns.finish()),
                Arc::new(self.observed.finish()),
                Arc::new(self.compute_ns.finish()),
                Arc::new(self.max_compute_ns.finish()),
                Arc::new(self.lost_ns.finish()),
                Arc::new(self.intrinsic_ns.finish()),
                Arc::new(self.extrinsic_ns.finish()),
                Arc::new(self.last_rank.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub app: Int32Array,
        pub iteration: Int32Array,
        pub segment: Int32Array,
        pub kind: StringArray,
        pub start_ns: Int64Array,
        pub end_ns: Int64Array,
        pub observed: BooleanArray,
        pub compute_ns: Int64Array,
        pub max_compute_ns: Int64Array,
        pub lost_ns: Int64Array,
        pub intrinsic_ns: Int64Array,
        pub extrinsic_ns: Int64Array,
        pub last_rank: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                app: column(batch, NAME, "app", false)?,
                iteration: column(batch, NAME, "iteration", false)?,
                segment: column(batch, NAME, "segment", false)?,
                kind: column(batch, NAME, "kind", false)?,
                start_ns: column(batch, NAME, "start_ns", false)?,
                end_ns: column(batch, NAME, "end_ns", false)?,
                observed: column(batch, NAME, "observed", false)?,
                compute_ns: column(batch, NAME, "compute_ns", true)?,
                max_compute_ns: column(batch, NAME, "max_compute_ns", true)?,
                lost_ns: column(batch, NAME, "lost_ns", true)?,
                intrinsic_ns: column(batch, NAME, "intrinsic_ns", true)?,
                extrinsic_ns: column(batch, NAME, "extrinsic_ns", true)?,
                last_rank: column(batch, NAME, "last_rank", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                app: self.app.value(i),
                iteration: self.iteration.value(i),
                segment: self.segment.value(i),
                kind: self.kind.value(i),
                start_ns: self.start_ns.value(i),
                end_ns: self.end_ns.value(i),
                observed: self.observed.value(i),
                compute_ns: self.compute_ns.is_valid(i).then(|| self.compute_ns.value(i)),
                max_compute_ns: self.max_compute_ns.is_valid(i).then(|| self.max_compute_ns.value(i)),
                lost_ns: self.lost_ns.is_valid(i).then(|| self.lost_ns.value(i)),
                intrinsic_ns: self.intrinsic_ns.is_valid(i).then(|| self.intrinsic_ns.value(i)),
                extrinsic_ns: self.extrinsic_ns.is_valid(i).then(|| self.extrinsic_ns.value(i)),
                last_rank: self.last_rank.is_valid(i).then(|| self.last_rank.value(i)),
            }
        }
    }
}

/// A move of a thread between CPUs, with its path and whether it was needless.
pub mod migration {
    use super::*;
    pub const NAME: &str = "migration";
    /// It can be made without the tables that have every detail.
    pub const IN_OVERVIEW: bool = true;
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("event_id", DataType::Int64, false),
            Field::new("ts_ns", DataType::Int64, false),
            Field::new("utid", DataType::Int32, false),
            Field::new("orig_cpu", DataType::Int16, false),
            Field::new("dest_cpu", DataType::Int16, false),
            Field::new("distance", DataType::UInt8, false),
            Field::new("queued", DataType::Boolean, false),
            Field::new("orig_runnable", DataType::Int32, false),
            Field::new("dest_runnable", DataType::Int32, false),
            Field::new("needless", DataType::Boolean, false),
            Field::new("stack_id", DataType::Int32, true),
            Field::new("path", DataType::UInt8, false),
            Field::new("path_proof", DataType::UInt8, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [event id] The migrate or wakeup event.
        pub event_id: i64,
        /// [ns] When.
        pub ts_ns: i64,
        /// [utid] Thread that moved.
        pub utid: i32,
        /// [cpu] From.
        pub orig_cpu: i16,
        /// [cpu] To.
        pub dest_cpu: i16,
        /// Nearest level the two share.
        pub distance: u8,
        /// It was runnable when moved; false: moved in its sleep or at its wakeup.
        pub queued: bool,
        /// [threads] Runnable threads where it left, itself not counted.
        pub orig_runnable: i32,
        /// [threads] Runnable threads where it went, itself not counted.
        pub dest_runnable: i32,
        /// The move made nothing better (see semantics).
        pub needless: bool,
        /// Kernel stack of the move.
        pub stack_id: Option<i32>,
        /// Path of the kernel that moved it; unknown where neither stack nor events show it.
        pub path: u8,
        /// proved by its stack; consistent with the events around it; unknown.
        pub path_proof: u8,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        event_id: Values<Int64Type>,
        ts_ns: Values<Int64Type>,
        utid: Values<Int32Type>,
        orig_cpu: Values<Int16Type>,
        dest_cpu: Values<Int16Type>,
        distance: Values<UInt8Type>,
        queued: BooleanBuilder,
        orig_runnable: Values<Int32Type>,
        dest_runnable: Values<Int32Type>,
        needless: BooleanBuilder,
        stack_id: Values<Int32Type>,
        path: Values<UInt8Type>,
        path_proof: Values<UInt8Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.event_id.append_value(row.event_id);
            self.ts_ns.append_value(row.ts_ns);
            self.utid.append_value(row.utid);
            self.orig_cpu.append_value(row.orig_cpu);
            self.dest_cpu.append_value(row.dest_cpu);
            self.distance.append_value(row.distance);
            self.queued.append_value(row.queued);
            self.orig_runnable.append_value(row.orig_runnable);
            self.dest_runnable.append_value(row.dest_runnable);
            self.needless.append_value(row.needless);
            self.stack_id.append_option(row.stack_id);
            self.path.append_value(row.path);
            self.path_proof.append_value(row.path_proof);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.event_id.finish()),
                Arc::new(self.ts_ns.finish()),
                Arc::new(self.utid.finish()),
                Arc::new(self.orig_cpu.finish()),
                Arc::new(self.dest_cpu.finish()),
                Arc::new(self.distance.finish()),
                Arc::new(self.queued.finish()),
                Arc::new(self.orig_runnable.finish()),
                Arc::new(self.dest_runnable.finish()),
                Arc::new(self.needless.finish()),
                Arc::new(self.stack_id.finish()),
                Arc::new(self.path.finish()),
                Arc::new(self.path_proof.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub event_id: Int64Array,
        pub ts_ns: Int64Array,
        pub utid: Int32Array,
        pub orig_cpu: Int16Array,
        pub dest_cpu: Int16Array,
        pub distance: UInt8Array,
        pub queued: BooleanArray,
        pub orig_runnable: Int32Array,
        pub dest_runnable: Int32Array,
        pub needless: BooleanArray,
        pub stack_id: Int32Array,
        pub path: UInt8Array,
        pub path_proof: UInt8Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                event_id: column(batch, NAME, "event_id", false)?,
                ts_ns: column(batch, NAME, "ts_ns", false)?,
                utid: column(batch, NAME, "utid", false)?,
                orig_cpu: column(batch, NAME, "orig_cpu", false)?,
                dest_cpu: column(batch, NAME, "dest_cpu", false)?,
                distance: column(batch, NAME, "distance", false)?,
                queued: column(batch, NAME, "queued", false)?,
                orig_runnable: column(batch, NAME, "orig_runnable", false)?,
                dest_runnable: column(batch, NAME, "dest_runnable", false)?,
                needless: column(batch, NAME, "needless", false)?,
                stack_id: column(batch, NAME, "stack_id", true)?,
                path: column(batch, NAME, "path", false)?,
                path_proof: column(batch, NAME, "path_proof", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                event_id: self.event_id.value(i),
                ts_ns: self.ts_ns.value(i),
                utid: self.utid.value(i),
                orig_cpu: self.orig_cpu.value(i),
                dest_cpu: self.dest_cpu.value(i),
                distance: self.distance.value(i),
                queued: self.queued.value(i),
                orig_runnable: self.orig_runnable.value(i),
                dest_runnable: self.dest_runnable.value(i),
                needless: self.needless.value(i),
                stack_id: self.stack_id.is_valid(i).then(|| self.stack_id.value(i)),
                path: self.path.value(i),
                path_proof: self.path_proof.value(i),
            }
        }
    }
}

/// Ranks of the parallel programs in `app`, and what the time in which all were alive went to. U is (compute_ns + preempted_ns + queued_ns + irq_ns + throttled_ns) by all but other_ns.
pub mod rank {
    use super::*;
    pub const NAME: &str = "rank";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("app", DataType::Int32, false),
            Field::new("rank", DataType::Int32, false),
            Field::new("utid", DataType::Int32, false),
            Field::new("compute_ns", DataType::Int64, false),
            Field::new("spin_ns", DataType::Int64, false),
            Field::new("wait_ns", DataType::Int64, false),
            Field::new("preempted_ns", DataType::Int64, false),
            Field::new("queued_ns", DataType::Int64, false),
            Field::new("irq_ns", DataType::Int64, false),
            Field::new("blocked_ns", DataType::Int64, false),
            Field::new("throttled_ns", DataType::Int64, false),
            Field::new("other_ns", DataType::Int64, false),
            Field::new("avoidable_wait_ns", DataType::Int64, false),
            Field::new("helpers_run_ns", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// The program: number in `app`.
        pub app: i32,
        /// Its number: by its environment (`process_rank`), else in the order of creation from 0 on.
        pub rank: i32,
        /// [utid] Its thread; of a process the one that ran longest.
        pub utid: i32,
        /// [ns] On a CPU, outside of calls that wait. This and the columns down to other_ns add up to the whole time.
        pub compute_ns: i64,
        /// [ns] On a CPU, inside a call that waits.
        pub spin_ns: i64,
        /// [ns] Asleep; inside a call that waits also preempted, blocked or without quota.
        pub wait_ns: i64,
        /// [ns] Runnable after a preemption.
        pub preempted_ns: i64,
        /// [ns] Runnable after a wakeup.
        pub queued_ns: i64,
        /// [ns] Its CPU did interrupt work, outside of calls that wait.
        pub irq_ns: i64,
        /// [ns] Uninterruptible sleep outside of calls that wait.
        pub blocked_ns: i64,
        /// [ns] Its cgroup had no quota.
        pub throttled_ns: i64,
        /// [ns] Stopped, not alive, or not known.
        pub other_ns: i64,
        /// [ns] It waited beside an idle CPU that it may use.
        pub avoidable_wait_ns: i64,
        /// [ns] Further threads of its process ran.
        pub helpers_run_ns: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        app: Values<Int32Type>,
        rank: Values<Int32Type>,
        utid: Values<Int32Type>,
        compute_ns: Values<Int64Type>,
        spin_ns: Values<Int64Type>,
        wait_ns: Values<Int64Type>,
        preempted_ns: Values<Int64Type>,
        queued_ns: Values<Int64Type>,
        irq_ns: Values<Int64Type>,
        blocked_ns: Values<Int64Type>,
        throttled_ns: Values<Int64Type>,
        other_ns: Values<Int64Type>,
        avoidable_wait_ns: Values<Int64Type>,
        helpers_run_ns: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.app.append_value(row.app);
            self.rank.append_value(row.rank);
            self.utid.append_value(row.utid);
            self.compute_ns.append_value(row.compute_ns);
            self.spin_ns.append_value(row.spin_ns);
            self.wait_ns.append_value(row.wait_ns);
            self.preempted_ns.append_value(row.preempted_ns);
            self.queued_ns.append_value(row.queued_ns);
            self.irq_ns.append_value(row.irq_ns);
            self.blocked_ns.append_value(row.blocked_ns);
            self.throttled_ns.append_value(row.throttled_ns);
            self.other_ns.append_value(row.other_ns);
            self.avoidable_wait_ns.append_value(row.avoidable_wait_ns);
            self.helpers_run_ns.append_value(row.helpers_run_ns);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.app.finish()),
                Arc::new(self.rank.finish()),
                Arc::new(self.utid.finish()),
                Arc::new(self.compute_ns.finish()),
                Arc::new(self.spin_ns.finish()),
                Arc::new(self.wait_ns.finish()),
                Arc::new(self.preempted_ns.finish()),
                Arc::new(self.queued_ns.finish()),
                Arc::new(self.irq_ns.finish()),
                Arc::new(self.blocked_ns.finish()),
                Arc::new(self.throttled_ns.finish()),
                Arc::new(self.other_ns.finish()),
                Arc::new(self.avoidable_wait_ns.finish()),
                Arc::new(self.helpers_run_ns.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub app: Int32Array,
        pub rank: Int32Array,
        pub utid: Int32Array,
        pub compute_ns: Int64Array,
        pub spin_ns: Int64Array,
        pub wait_ns: Int64Array,
        pub preempted_ns: Int64Array,
        pub queued_ns: Int64Array,
        pub irq_ns: Int64Array,
        pub blocked_ns: Int64Array,
        pub throttled_ns: Int64Array,
        pub other_ns: Int64Array,
        pub avoidable_wait_ns: Int64Array,
        pub helpers_run_ns: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                app: column(batch, NAME, "app", false)?,
                rank: column(batch, NAME, "rank", false)?,
                utid: column(batch, NAME, "utid", false)?,
                compute_ns: column(batch, NAME, "compute_ns", false)?,
                spin_ns: column(batch, NAME, "spin_ns", false)?,
                wait_ns: column(batch, NAME, "wait_ns", false)?,
                preempted_ns: column(batch, NAME, "preempted_ns", false)?,
                queued_ns: column(batch, NAME, "queued_ns", false)?,
                irq_ns: column(batch, NAME, "irq_ns", false)?,
                blocked_ns: column(batch, NAME, "blocked_ns", false)?,
                throttled_ns: column(batch, NAME, "throttled_ns", false)?,
                other_ns: column(batch, NAME, "other_ns", false)?,
                avoidable_wait_ns: column(batch, NAME, "avoidable_wait_ns", false)?,
                helpers_run_ns: column(batch, NAME, "helpers_run_ns", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                app: self.app.value(i),
                rank: self.rank.value(i),
                utid: self.utid.value(i),
                compute_ns: self.compute_ns.value(i),
                spin_ns: self.spin_ns.value(i),
                wait_ns: self.wait_ns.value(i),
                preempted_ns: self.preempted_ns.value(i),
                queued_ns: self.queued_ns.value(i),
                irq_ns: self.irq_ns.value(i),
                blocked_ns: self.blocked_ns.value(i),
                throttled_ns: self.throttled_ns.value(i),
                other_ns: self.other_ns.value(i),
                avoidable_wait_ns: self.avoidable_wait_ns.value(i),
                helpers_run_ns: self.helpers_run_ns.value(i),
            }
        }
    }
}

/// What each rank did in each row of `iteration`. Without rows of a program with too many (4 million numbers: ranks times windows times parts).
pub mod rank_iteration {
    use super::*;
    pub const NAME: &str = "rank_iteration";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("app", DataType::Int32, false),
            Field::new("rank", DataType::Int32, false),
            Field::new("iteration", DataType::Int32, false),
            Field::new("compute_ns", DataType::Int64, false),
            Field::new("spin_ns", DataType::Int64, false),
            Field::new("wait_ns", DataType::Int64, false),
            Field::new("preempted_ns", DataType::Int64, false),
            Field::new("queued_ns", DataType::Int64, false),
            Field::new("irq_ns", DataType::Int64, false),
            Field::new("blocked_ns", DataType::Int64, false),
            Field::new("throttled_ns", DataType::Int64, false),
            Field::new("other_ns", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// The program: number in `app`.
        pub app: i32,
        /// The rank: number in `rank`.
        pub rank: i32,
        /// The window: number in `iteration`.
        pub iteration: i32,
        /// [ns] On a CPU, outside of calls that wait. This and the columns down to other_ns add up to the whole time.
        pub compute_ns: i64,
        /// [ns] On a CPU, inside a call that waits.
        pub spin_ns: i64,
        /// [ns] Asleep; inside a call that waits also preempted, blocked or without quota.
        pub wait_ns: i64,
        /// [ns] Runnable after a preemption.
        pub preempted_ns: i64,
        /// [ns] Runnable after a wakeup.
        pub queued_ns: i64,
        /// [ns] Its CPU did interrupt work, outside of calls that wait.
        pub irq_ns: i64,
        /// [ns] Uninterruptible sleep outside of calls that wait.
        pub blocked_ns: i64,
        /// [ns] Its cgroup had no quota.
        pub throttled_ns: i64,
        /// [ns] Stopped, not alive, or not known.
        pub other_ns: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        app: Values<Int32Type>,
        rank: Values<Int32Type>,
        iteration: Values<Int32Type>,
        compute_ns: Values<Int64Type>,
        spin_ns: Values<Int64Type>,
        wait_ns: Values<Int64Type>,
        preempted_ns: Values<Int64Type>,
        queued_ns: Values<Int64Type>,
        irq_ns: Values<Int64Type>,
        blocked_ns: Values<Int64Type>,
        throttled_ns: Values<Int64Type>,
        other_ns: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.app.append_value(row.app);
            self.rank.append_value(row.rank);
            self.iteration.append_value(row.iteration);
            self.compute_ns.append_value(row.compute_ns);
            self.spin_ns.append_value(row.spin_ns);
            self.wait_ns.append_value(row.wait_ns);
            self.preempted_ns.append_value(row.preempted_ns);
            self.queued_ns.append_value(row.queued_ns);
            self.irq_ns.append_value(row.irq_ns);
            self.blocked_ns.append_value(row.blocked_ns);
            self.throttled_ns.append_value(row.throttled_ns);
            self.other_ns.append_value(row.other_ns);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.app.finish()),
                Arc::new(self.rank.finish()),
                Arc::new(self.iteration.finish()),
                Arc::new(self.compute_ns.finish()),
                Arc::new(self.spin_ns.finish()),
                Arc::new(self.wait_ns.finish()),
                Arc::new(self.preempted_ns.finish()),
                Arc::new(self.queued_ns.finish()),
                Arc::new(self.irq_ns.finish()),
                Arc::new(self.blocked_ns.finish()),
                Arc::new(self.throttled_ns.finish()),
                Arc::new(self.other_ns.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub app: Int32Array,
        pub rank: Int32Array,
        pub iteration: Int32Array,
        pub compute_ns: Int64Array,
        pub spin_ns: Int64Array,
        pub wait_ns: Int64Array,
        pub preempted_ns: Int64Array,
        pub queued_ns: Int64Array,
        pub irq_ns: Int64Array,
        pub blocked_ns: Int64Array,
        pub throttled_ns: Int64Array,
        pub other_ns: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                app: column(batch, NAME, "app", false)?,
                rank: column(batch, NAME, "rank", false)?,
                iteration: column(batch, NAME, "iteration", false)?,
                compute_ns: column(batch, NAME, "compute_ns", false)?,
                spin_ns: column(batch, NAME, "spin_ns", false)?,
                wait_ns: column(batch, NAME, "wait_ns", false)?,
                preempted_ns: column(batch, NAME, "preempted_ns", false)?,
                queued_ns: column(batch, NAME, "queued_ns", false)?,
                irq_ns: column(batch, NAME, "irq_ns", false)?,
                blocked_ns: column(batch, NAME, "blocked_ns", false)?,
                throttled_ns: column(batch, NAME, "throttled_ns", false)?,
                other_ns: column(batch, NAME, "other_ns", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                app: self.app.value(i),
                rank: self.rank.value(i),
                iteration: self.iteration.value(i),
                compute_ns: self.compute_ns.value(i),
                spin_ns: self.spin_ns.value(i),
                wait_ns: self.wait_ns.value(i),
                preempted_ns: self.preempted_ns.value(i),
                queued_ns: self.queued_ns.value(i),
                irq_ns: self.irq_ns.value(i),
                blocked_ns: self.blocked_ns.value(i),
                throttled_ns: self.throttled_ns.value(i),
                other_ns: self.other_ns.value(i),
            }
        }
    }
}

/// Length of a CPU's runqueue as reconstructed, a row per change.
pub mod runqueue {
    use super::*;
    pub const NAME: &str = "runqueue";
    /// It can be made without the tables that have every detail.
    pub const IN_OVERVIEW: bool = false;
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("cpu", DataType::Int16, false),
            Field::new("start_ns", DataType::Int64, false),
            Field::new("dur_ns", DataType::Int64, false),
            Field::new("queued", DataType::Int32, false),
            Field::new("running", DataType::Boolean, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [cpu] The CPU.
        pub cpu: i16,
        /// [ns] Start.
        pub start_ns: i64,
        /// [ns] Length, > 0.
        pub dur_ns: i64,
        /// [threads] Runnable threads queued there, the running one not counted.
        pub queued: i32,
        /// A thread other than swapper runs.
        pub running: bool,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        cpu: Values<Int16Type>,
        start_ns: Values<Int64Type>,
        dur_ns: Values<Int64Type>,
        queued: Values<Int32Type>,
        running: BooleanBuilder,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.cpu.append_value(row.cpu);
            self.start_ns.append_value(row.start_ns);
            self.dur_ns.append_value(row.dur_ns);
            self.queued.append_value(row.queued);
            self.running.append_value(row.running);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.cpu.finish()),
                Arc::new(self.start_ns.finish()),
                Arc::new(self.dur_ns.finish()),
                Arc::new(self.queued.finish()),
                Arc::new(self.running.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub cpu: Int16Array,
        pub start_ns: Int64Array,
        pub dur_ns: Int64Array,
        pub queued: Int32Array,
        pub running: BooleanArray,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                cpu: column(batch, NAME, "cpu", false)?,
                start_ns: column(batch, NAME, "start_ns", false)?,
                dur_ns: column(batch, NAME, "dur_ns", false)?,
                queued: column(batch, NAME, "queued", false)?,
                running: column(batch, NAME, "running", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                cpu: self.cpu.value(i),
                start_ns: self.start_ns.value(i),
                dur_ns: self.dur_ns.value(i),
                queued: self.queued.value(i),
                running: self.running.value(i),
            }
        }
    }
}

/// How long each thread ran on each CPU. The times sum exactly to those of `cpu_slice`, where a CPU was observed.
pub mod thread_cpu {
    use super::*;
    pub const NAME: &str = "thread_cpu";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("utid", DataType::Int32, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("run_ns", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [utid] The thread; 0 swapper (idle).
        pub utid: i32,
        /// [cpu] The CPU.
        pub cpu: i16,
        /// [ns] Time, > 0.
        pub run_ns: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        utid: Values<Int32Type>,
        cpu: Values<Int16Type>,
        run_ns: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.utid.append_value(row.utid);
            self.cpu.append_value(row.cpu);
            self.run_ns.append_value(row.run_ns);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.utid.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.run_ns.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub utid: Int32Array,
        pub cpu: Int16Array,
        pub run_ns: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                utid: column(batch, NAME, "utid", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                run_ns: column(batch, NAME, "run_ns", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                utid: self.utid.value(i),
                cpu: self.cpu.value(i),
                run_ns: self.run_ns.value(i),
            }
        }
    }
}

/// What a thread did, in order, while its state is known.
pub mod thread_state {
    use super::*;
    pub const NAME: &str = "thread_state";
    /// It can be made without the tables that have every detail.
    pub const IN_OVERVIEW: bool = false;
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("utid", DataType::Int32, false),
            Field::new("start_ns", DataType::Int64, false),
            Field::new("dur_ns", DataType::Int64, false),
            Field::new("phase", DataType::UInt8, false),
            Field::new("cpu", DataType::Int16, true),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [utid] The thread.
        pub utid: i32,
        /// [ns] Start.
        pub start_ns: i64,
        /// [ns] Length, > 0.
        pub dur_ns: i64,
        /// running, runnable (after a wakeup), preempted (runnable after a preemption), sleeping ...
        pub phase: u8,
        /// [cpu] CPU it ran or was queued on.
        pub cpu: Option<i16>,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        utid: Values<Int32Type>,
        start_ns: Values<Int64Type>,
        dur_ns: Values<Int64Type>,
        phase: Values<UInt8Type>,
        cpu: Values<Int16Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.utid.append_value(row.utid);
            self.start_ns.append_value(row.start_ns);
            self.dur_ns.append_value(row.dur_ns);
            self.phase.append_value(row.phase);
            self.cpu.append_option(row.cpu);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.utid.finish()),
                Arc::new(self.start_ns.finish()),
                Arc::new(self.dur_ns.finish()),
                Arc::new(self.phase.finish()),
                Arc::new(self.cpu.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub utid: Int32Array,
        pub start_ns: Int64Array,
        pub dur_ns: Int64Array,
        pub phase: UInt8Array,
        pub cpu: Int16Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                utid: column(batch, NAME, "utid", false)?,
                start_ns: column(batch, NAME, "start_ns", false)?,
                dur_ns: column(batch, NAME, "dur_ns", false)?,
                phase: column(batch, NAME, "phase", false)?,
                cpu: column(batch, NAME, "cpu", true)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                utid: self.utid.value(i),
                start_ns: self.start_ns.value(i),
                dur_ns: self.dur_ns.value(i),
                phase: self.phase.value(i),
                cpu: self.cpu.is_valid(i).then(|| self.cpu.value(i)),
            }
        }
    }
}

/// How the levels of detail lie: bins of level L are 1024 << L ns wide and counted from the first row's start_ns. A row says which levels are stored from start_ns on: this one and all above it. Levels below are read from the slices.
pub mod tile_base {
    use super::*;
    pub const NAME: &str = "tile_base";
    /// It can be made without the tables that have every detail.
    pub const IN_OVERVIEW: bool = true;
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("start_ns", DataType::Int64, false),
            Field::new("level", DataType::UInt8, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [ns] From when on; a boundary of 64 bins of the coarser of the two levels around it.
        pub start_ns: i64,
        /// Lowest level that is stored.
        pub level: u8,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        start_ns: Values<Int64Type>,
        level: Values<UInt8Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.start_ns.append_value(row.start_ns);
            self.level.append_value(row.level);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.start_ns.finish()),
                Arc::new(self.level.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub start_ns: Int64Array,
        pub level: UInt8Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                start_ns: column(batch, NAME, "start_ns", false)?,
                level: column(batch, NAME, "level", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                start_ns: self.start_ns.value(i),
                level: self.level.value(i),
            }
        }
    }
}

/// Levels of detail of what loads a CPU, in the same bins as tile_run; bins with nothing are left out. Exact.
pub mod tile_load {
    use super::*;
    pub const NAME: &str = "tile_load";
    /// It can be made without the tables that have every detail.
    pub const IN_OVERVIEW: bool = true;
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("level", DataType::UInt8, false),
            Field::new("tile", DataType::Int64, false),
            Field::new("bin", DataType::UInt8, false),
            Field::new("bins", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("measure", DataType::UInt8, false),
            Field::new("value", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// Level: bins are 1024 << level ns wide.
        pub level: u8,
        /// Which 64 bins.
        pub tile: i64,
        /// Bin within them.
        pub bin: u8,
        /// How many bins, from this one on, are the same: up to the end of this tile, or all of so many tiles (a multiple of 64).
        pub bins: i64,
        /// [cpu] The CPU.
        pub cpu: i16,
        /// What is measured.
        pub measure: u8,
        /// In each of the bins: queued threads times ns (waiting), ns (wasted), or arrivals (migrations).
        pub value: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        level: Values<UInt8Type>,
        tile: Values<Int64Type>,
        bin: Values<UInt8Type>,
        bins: Values<Int64Type>,
        cpu: Values<Int16Type>,
        measure: Values<UInt8Type>,
        value: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.level.append_value(row.level);
            self.tile.append_value(row.tile);
            self.bin.append_value(row.bin);
            self.bins.append_value(row.bins);
            self.cpu.append_value(row.cpu);
            self.measure.append_value(row.measure);
            self.value.append_value(row.value);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.level.finish()),
                Arc::new(self.tile.finish()),
                Arc::new(self.bin.finish()),
                Arc::new(self.bins.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.measure.finish()),
                Arc::new(self.value.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub level: UInt8Array,
        pub tile: Int64Array,
        pub bin: UInt8Array,
        pub bins: Int64Array,
        pub cpu: Int16Array,
        pub measure: UInt8Array,
        pub value: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                level: column(batch, NAME, "level", false)?,
                tile: column(batch, NAME, "tile", false)?,
                bin: column(batch, NAME, "bin", false)?,
                bins: column(batch, NAME, "bins", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                measure: column(batch, NAME, "measure", false)?,
                value: column(batch, NAME, "value", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                level: self.level.value(i),
                tile: self.tile.value(i),
                bin: self.bin.value(i),
                bins: self.bins.value(i),
                cpu: self.cpu.value(i),
                measure: self.measure.value(i),
                value: self.value.value(i),
            }
        }
    }
}

/// Levels of detail of cpu_slice: what a CPU did in a bin of time. Bins that one thread or idleness fills follow each other in one row. Sums are exact; a thread's time is at most busy_ns / 17 too low, and exact where up to 16 threads ran.
pub mod tile_run {
    use super::*;
    pub const NAME: &str = "tile_run";
    /// It can be made without the tables that have every detail.
    pub const IN_OVERVIEW: bool = true;
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("level", DataType::UInt8, false),
            Field::new("tile", DataType::Int64, false),
            Field::new("bin", DataType::UInt8, false),
            Field::new("bins", DataType::Int64, false),
            Field::new("cpu", DataType::Int16, false),
            Field::new("busy_ns", DataType::Int64, false),
            Field::new("idle_ns", DataType::Int64, false),
            Field::new("unobserved_ns", DataType::Int64, false),
            Field::new("utid1", DataType::Int32, true),
            Field::new("ns1", DataType::Int64, false),
            Field::new("utid2", DataType::Int32, true),
            Field::new("ns2", DataType::Int64, false),
            Field::new("utid3", DataType::Int32, true),
            Field::new("ns3", DataType::Int64, false),
            Field::new("utid4", DataType::Int32, true),
            Field::new("ns4", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// Level: bins are 1024 << level ns wide.
        pub level: u8,
        /// Which 64 bins.
        pub tile: i64,
        /// Bin within them.
        pub bin: u8,
        /// How many bins, from this one on, are the same: up to the end of this tile, or all of so many tiles (a multiple of 64).
        pub bins: i64,
        /// [cpu] The CPU.
        pub cpu: i16,
        /// [ns] Threads ran, in each of the bins.
        pub busy_ns: i64,
        /// [ns] Swapper ran.
        pub idle_ns: i64,
        /// [ns] Not observed, or offline.
        pub unobserved_ns: i64,
        /// [utid] Thread that ran longest.
        pub utid1: Option<i32>,
        /// [ns] For how long.
        pub ns1: i64,
        /// [utid] Second.
        pub utid2: Option<i32>,
        /// [ns] For how long.
        pub ns2: i64,
        /// [utid] Third.
        pub utid3: Option<i32>,
        /// [ns] For how long.
        pub ns3: i64,
        /// [utid] Fourth.
        pub utid4: Option<i32>,
        /// [ns] For how long. What is left of busy_ns is the others' time.
        pub ns4: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        level: Values<UInt8Type>,
        tile: Values<Int64Type>,
        bin: Values<UInt8Type>,
        bins: Values<Int64Type>,
        cpu: Values<Int16Type>,
        busy_ns: Values<Int64Type>,
        idle_ns: Values<Int64Type>,
        unobserved_ns: Values<Int64Type>,
        utid1: Values<Int32Type>,
        ns1: Values<Int64Type>,
        utid2: Values<Int32Type>,
        ns2: Values<Int64Type>,
        utid3: Values<Int32Type>,
        ns3: Values<Int64Type>,
        utid4: Values<Int32Type>,
        ns4: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.level.append_value(row.level);
            self.tile.append_value(row.tile);
            self.bin.append_value(row.bin);
            self.bins.append_value(row.bins);
            self.cpu.append_value(row.cpu);
            self.busy_ns.append_value(row.busy_ns);
            self.idle_ns.append_value(row.idle_ns);
            self.unobserved_ns.append_value(row.unobserved_ns);
            self.utid1.append_option(row.utid1);
            self.ns1.append_value(row.ns1);
            self.utid2.append_option(row.utid2);
            self.ns2.append_value(row.ns2);
            self.utid3.append_option(row.utid3);
            self.ns3.append_value(row.ns3);
            self.utid4.append_option(row.utid4);
            self.ns4.append_value(row.ns4);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.level.finish()),
                Arc::new(self.tile.finish()),
                Arc::new(self.bin.finish()),
                Arc::new(self.bins.finish()),
                Arc::new(self.cpu.finish()),
                Arc::new(self.busy_ns.finish()),
                Arc::new(self.idle_ns.finish()),
                Arc::new(self.unobserved_ns.finish()),
                Arc::new(self.utid1.finish()),
                Arc::new(self.ns1.finish()),
                Arc::new(self.utid2.finish()),
                Arc::new(self.ns2.finish()),
                Arc::new(self.utid3.finish()),
                Arc::new(self.ns3.finish()),
                Arc::new(self.utid4.finish()),
                Arc::new(self.ns4.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub level: UInt8Array,
        pub tile: Int64Array,
        pub bin: UInt8Array,
        pub bins: Int64Array,
        pub cpu: Int16Array,
        pub busy_ns: Int64Array,
        pub idle_ns: Int64Array,
        pub unobserved_ns: Int64Array,
        pub utid1: Int32Array,
        pub ns1: Int64Array,
        pub utid2: Int32Array,
        pub ns2: Int64Array,
        pub utid3: Int32Array,
        pub ns3: Int64Array,
        pub utid4: Int32Array,
        pub ns4: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                level: column(batch, NAME, "level", false)?,
                tile: column(batch, NAME, "tile", false)?,
                bin: column(batch, NAME, "bin", false)?,
                bins: column(batch, NAME, "bins", false)?,
                cpu: column(batch, NAME, "cpu", false)?,
                busy_ns: column(batch, NAME, "busy_ns", false)?,
                idle_ns: column(batch, NAME, "idle_ns", false)?,
                unobserved_ns: column(batch, NAME, "unobserved_ns", false)?,
                utid1: column(batch, NAME, "utid1", true)?,
                ns1: column(batch, NAME, "ns1", false)?,
                utid2: column(batch, NAME, "utid2", true)?,
                ns2: column(batch, NAME, "ns2", false)?,
                utid3: column(batch, NAME, "utid3", true)?,
                ns3: column(batch, NAME, "ns3", false)?,
                utid4: column(batch, NAME, "utid4", true)?,
                ns4: column(batch, NAME, "ns4", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                level: self.level.value(i),
                tile: self.tile.value(i),
                bin: self.bin.value(i),
                bins: self.bins.value(i),
                cpu: self.cpu.value(i),
                busy_ns: self.busy_ns.value(i),
                idle_ns: self.idle_ns.value(i),
                unobserved_ns: self.unobserved_ns.value(i),
                utid1: self.utid1.is_valid(i).then(|| self.utid1.value(i)),
                ns1: self.ns1.value(i),
                utid2: self.utid2.is_valid(i).then(|| self.utid2.value(i)),
                ns2: self.ns2.value(i),
                utid3: self.utid3.is_valid(i).then(|| self.utid3.value(i)),
                ns3: self.ns3.value(i),
                utid4: self.utid4.is_valid(i).then(|| self.utid4.value(i)),
                ns4: self.ns4.value(i),
            }
        }
    }
}

/// One row: the verdict's figures and how they were made.
pub mod verdict {
    use super::*;
    pub const NAME: &str = "verdict";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("checker_version", DataType::Utf8, false),
            Field::new("options", DataType::Utf8, false),
            Field::new("start_ns", DataType::Int64, false),
            Field::new("end_ns", DataType::Int64, false),
            Field::new("online_ns", DataType::Int64, false),
            Field::new("observed_ns", DataType::Int64, false),
            Field::new("busy_ns", DataType::Int64, false),
            Field::new("idle_ns", DataType::Int64, false),
            Field::new("wasted_ns", DataType::Int64, false),
            Field::new("certain_ns", DataType::Int64, false),
            Field::new("idle_while_waiting_ns", DataType::Int64, false),
            Field::new("wall_wasted_ns", DataType::Int64, false),
            Field::new("wall_certain_ns", DataType::Int64, false),
            Field::new("wall_idle_while_waiting_ns", DataType::Int64, false),
            Field::new("peak_wasted", DataType::Int32, false),
            Field::new("late_wakes", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row<'a> {
        /// Version of the checker.
        pub checker_version: &'a str,
        /// Options of the check as JSON.
        pub options: &'a str,
        /// [ns] Start of the window.
        pub start_ns: i64,
        /// [ns] End of the window.
        pub end_ns: i64,
        /// [cpu-ns] Time summed over online CPUs.
        pub online_ns: i64,
        /// [cpu-ns] Of it, observed.
        pub observed_ns: i64,
        /// [cpu-ns] Of it, running threads.
        pub busy_ns: i64,
        /// [cpu-ns] Of it, idle (swapper and an empty queue).
        pub idle_ns: i64,
        /// [core-ns] Integral of wasted.
        pub wasted_ns: i64,
        /// [core-ns] Integral of certain.
        pub certain_ns: i64,
        /// [core-ns] Integral of `idle_while_waiting`.
        pub idle_while_waiting_ns: i64,
        /// [ns] Time in which at least one core was wasted.
        pub wall_wasted_ns: i64,
        /// [ns] Time in which at least one core was wasted for certain.
        pub wall_certain_ns: i64,
        /// [ns] Time in which at least one CPU was idle while a thread waited.
        pub wall_idle_while_waiting_ns: i64,
        /// [cores] Most cores wasted at once.
        pub peak_wasted: i32,
        /// Times a thread about to run on an idle CPU took more than a tick.
        pub late_wakes: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        checker_version: StringBuilder,
        options: StringBuilder,
        start_ns: Values<Int64Type>,
        end_ns: Values<Int64Type>,
        online_ns: Values<Int64Type>,
        observed_ns: Values<Int64Type>,
        busy_ns: Values<Int64Type>,
        idle_ns: Values<Int64Type>,
        wasted_ns: Values<Int64Type>,
        certain_ns: Values<Int64Type>,
        idle_while_waiting_ns: Values<Int64Type>,
        wall_wasted_ns: Values<Int64Type>,
        wall_certain_ns: Values<Int64Type>,
        wall_idle_while_waiting_ns: Values<Int64Type>,
        peak_wasted: Values<Int32Type>,
        late_wakes: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row<'_>) {
            self.rows += 1;
            self.checker_version.append_value(row.checker_version);
            self.options.append_value(row.options);
            self.start_ns.append_value(row.start_ns);
            self.end_ns.append_value(row.end_ns);
            self.online_ns.append_value(row.online_ns);
            self.observed_ns.append_value(row.observed_ns);
            self.busy_ns.append_value(row.busy_ns);
            self.idle_ns.append_value(row.idle_ns);
            self.wasted_ns.append_value(row.wasted_ns);
            self.certain_ns.append_value(row.certain_ns);
            self.idle_while_waiting_ns.append_value(row.idle_while_waiting_ns);
            self.wall_wasted_ns.append_value(row.wall_wasted_ns);
            self.wall_certain_ns.append_value(row.wall_certain_ns);
            self.wall_idle_while_waiting_ns.append_value(row.wall_idle_while_waiting_ns);
            self.peak_wasted.append_value(row.peak_wasted);
            self.late_wakes.append_value(row.late_wakes);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.checker_version.finish()),
                Arc::new(self.options.finish()),
                Arc::new(self.start_ns.finish()),
                Arc::new(self.end_ns.finish()),
                Arc::new(self.online_ns.finish()),
                Arc::new(self.observed_ns.finish()),
                Arc::new(self.busy_ns.finish()),
                Arc::new(self.idle_ns.finish()),
                Arc::new(self.wasted_ns.finish()),
                Arc::new(self.certain_ns.finish()),
                Arc::new(self.idle_while_waiting_ns.finish()),
                Arc::new(self.wall_wasted_ns.finish()),
                Arc::new(self.wall_certain_ns.finish()),
                Arc::new(self.wall_idle_while_waiting_ns.finish()),
                Arc::new(self.peak_wasted.finish()),
                Arc::new(self.late_wakes.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row<'a>;
        #[inline]
        fn push(&mut self, row: &Row<'_>) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub checker_version: StringArray,
        pub options: StringArray,
        pub start_ns: Int64Array,
        pub end_ns: Int64Array,
        pub online_ns: Int64Array,
        pub observed_ns: Int64Array,
        pub busy_ns: Int64Array,
        pub idle_ns: Int64Array,
        pub wasted_ns: Int64Array,
        pub certain_ns: Int64Array,
        pub idle_while_waiting_ns: Int64Array,
        pub wall_wasted_ns: Int64Array,
        pub wall_certain_ns: Int64Array,
        pub wall_idle_while_waiting_ns: Int64Array,
        pub peak_wasted: Int32Array,
        pub late_wakes: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                checker_version: column(batch, NAME, "checker_version", false)?,
                options: column(batch, NAME, "options", false)?,
                start_ns: column(batch, NAME, "start_ns", false)?,
                end_ns: column(batch, NAME, "end_ns", false)?,
                online_ns: column(batch, NAME, "online_ns", false)?,
                observed_ns: column(batch, NAME, "observed_ns", false)?,
                busy_ns: column(batch, NAME, "busy_ns", false)?,
                idle_ns: column(batch, NAME, "idle_ns", false)?,
                wasted_ns: column(batch, NAME, "wasted_ns", false)?,
                certain_ns: column(batch, NAME, "certain_ns", false)?,
                idle_while_waiting_ns: column(batch, NAME, "idle_while_waiting_ns", false)?,
                wall_wasted_ns: column(batch, NAME, "wall_wasted_ns", false)?,
                wall_certain_ns: column(batch, NAME, "wall_certain_ns", false)?,
                wall_idle_while_waiting_ns: column(batch, NAME, "wall_idle_while_waiting_ns", false)?,
                peak_wasted: column(batch, NAME, "peak_wasted", false)?,
                late_wakes: column(batch, NAME, "late_wakes", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row<'_> {
            Row {
                checker_version: self.checker_version.value(i),
                options: self.options.value(i),
                start_ns: self.start_ns.value(i),
                end_ns: self.end_ns.value(i),
                online_ns: self.online_ns.value(i),
                observed_ns: self.observed_ns.value(i),
                busy_ns: self.busy_ns.value(i),
                idle_ns: self.idle_ns.value(i),
                wasted_ns: self.wasted_ns.value(i),
                certain_ns: self.certain_ns.value(i),
                idle_while_waiting_ns: self.idle_while_waiting_ns.value(i),
                wall_wasted_ns: self.wall_wasted_ns.value(i),
                wall_certain_ns: self.wall_certain_ns.value(i),
                wall_idle_while_waiting_ns: self.wall_idle_while_waiting_ns.value(i),
                peak_wasted: self.peak_wasted.value(i),
                late_wakes: self.late_wakes.value(i),
            }
        }
    }
}

/// Waste by grade. The grades but recurrent sum exactly to the whole waste.
pub mod verdict_grade {
    use super::*;
    pub const NAME: &str = "verdict_grade";
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("grade", DataType::UInt8, false),
            Field::new("episodes", DataType::Int64, false),
            Field::new("core_ns", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// The grade.
        pub grade: u8,
        /// Episodes of the grade.
        pub episodes: i64,
        /// [core-ns] Waste of exactly this grade.
        pub core_ns: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        grade: Values<UInt8Type>,
        episodes: Values<Int64Type>,
        core_ns: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.grade.append_value(row.grade);
            self.episodes.append_value(row.episodes);
            self.core_ns.append_value(row.core_ns);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.grade.finish()),
                Arc::new(self.episodes.finish()),
                Arc::new(self.core_ns.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub grade: UInt8Array,
        pub episodes: Int64Array,
        pub core_ns: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                grade: column(batch, NAME, "grade", false)?,
                episodes: column(batch, NAME, "episodes", false)?,
                core_ns: column(batch, NAME, "core_ns", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                grade: self.grade.value(i),
                episodes: self.episodes.value(i),
                core_ns: self.core_ns.value(i),
            }
        }
    }
}

/// The invariant over time, a row for each interval with constant figures in which a core was idle beside a waiting thread (idle_while_waiting > 0).
pub mod wasted {
    use super::*;
    pub const NAME: &str = "wasted";
    /// It can be made without the tables that have every detail.
    pub const IN_OVERVIEW: bool = true;
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("start_ns", DataType::Int64, false),
            Field::new("dur_ns", DataType::Int64, false),
            Field::new("wasted", DataType::Int32, false),
            Field::new("certain", DataType::Int32, false),
            Field::new("idle_while_waiting", DataType::Int32, false),
            Field::new("idle_cpus", DataType::Int32, false),
            Field::new("waiting", DataType::Int32, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [ns] Start.
        pub start_ns: i64,
        /// [ns] Length, > 0.
        pub dur_ns: i64,
        /// [cores] Cores wasted: maximum matching with every excuse applied.
        pub wasted: i32,
        /// [cores] The same over threads whose mask is known.
        pub certain: i32,
        /// [cores] min(idle, waiting), before any excuse.
        pub idle_while_waiting: i32,
        /// [cpus] Idle CPUs.
        pub idle_cpus: i32,
        /// [threads] Waiting threads.
        pub waiting: i32,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        start_ns: Values<Int64Type>,
        dur_ns: Values<Int64Type>,
        wasted: Values<Int32Type>,
        certain: Values<Int32Type>,
        idle_while_waiting: Values<Int32Type>,
        idle_cpus: Values<Int32Type>,
        waiting: Values<Int32Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.start_ns.append_value(row.start_ns);
            self.dur_ns.append_value(row.dur_ns);
            self.wasted.append_value(row.wasted);
            self.certain.append_value(row.certain);
            self.idle_while_waiting.append_value(row.idle_while_waiting);
            self.idle_cpus.append_value(row.idle_cpus);
            self.waiting.append_value(row.waiting);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.start_ns.finish()),
                Arc::new(self.dur_ns.finish()),
                Arc::new(self.wasted.finish()),
                Arc::new(self.certain.finish()),
                Arc::new(self.idle_while_waiting.finish()),
                Arc::new(self.idle_cpus.finish()),
                Arc::new(self.waiting.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub start_ns: Int64Array,
        pub dur_ns: Int64Array,
        pub wasted: Int32Array,
        pub certain: Int32Array,
        pub idle_while_waiting: Int32Array,
        pub idle_cpus: Int32Array,
        pub waiting: Int32Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                start_ns: column(batch, NAME, "start_ns", false)?,
                dur_ns: column(batch, NAME, "dur_ns", false)?,
                wasted: column(batch, NAME, "wasted", false)?,
                certain: column(batch, NAME, "certain", false)?,
                idle_while_waiting: column(batch, NAME, "idle_while_waiting", false)?,
                idle_cpus: column(batch, NAME, "idle_cpus", false)?,
                waiting: column(batch, NAME, "waiting", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                start_ns: self.start_ns.value(i),
                dur_ns: self.dur_ns.value(i),
                wasted: self.wasted.value(i),
                certain: self.certain.value(i),
                idle_while_waiting: self.idle_while_waiting.value(i),
                idle_cpus: self.idle_cpus.value(i),
                waiting: self.waiting.value(i),
            }
        }
    }
}

/// When each CPU was wasted: idle, and the match of a waiting thread that may use it. The lengths sum exactly to the waste.
pub mod wasted_cpu {
    use super::*;
    pub const NAME: &str = "wasted_cpu";
    /// It can be made without the tables that have every detail.
    pub const IN_OVERVIEW: bool = true;
    /// Arrow schema.
    pub fn schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("cpu", DataType::Int16, false),
            Field::new("start_ns", DataType::Int64, false),
            Field::new("dur_ns", DataType::Int64, false),
        ]))
    }
    /// One row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Row {
        /// [cpu] The idle CPU.
        pub cpu: i16,
        /// [ns] Start.
        pub start_ns: i64,
        /// [ns] Length, > 0.
        pub dur_ns: i64,
    }
    /// Columns under construction.
    #[derive(Default)]
    pub struct Builder {
        rows: usize,
        cpu: Values<Int16Type>,
        start_ns: Values<Int64Type>,
        dur_ns: Values<Int64Type>,
    }
    impl Builder {
        #[inline]
        pub fn push(&mut self, row: &Row) {
            self.rows += 1;
            self.cpu.append_value(row.cpu);
            self.start_ns.append_value(row.start_ns);
            self.dur_ns.append_value(row.dur_ns);
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        /// The rows so far as a batch; the builder is empty afterwards.
        pub fn finish(&mut self) -> RecordBatch {
            self.rows = 0;
            RecordBatch::try_new(schema(), vec![
                Arc::new(self.cpu.finish()),
                Arc::new(self.start_ns.finish()),
                Arc::new(self.dur_ns.finish()),
            ]).expect("columns follow the declared schema")
        }
    }
    impl TableBuilder for Builder {
        const NAME: &'static str = NAME;
        type Row<'a> = Row;
        #[inline]
        fn push(&mut self, row: &Row) { Builder::push(self, row) }
        fn len(&self) -> usize { self.rows }
        fn finish(&mut self) -> RecordBatch { Builder::finish(self) }
    }
    /// A batch read back, checked against the schema.
    #[derive(Clone)]
    pub struct View {
        rows: usize,
        pub cpu: Int16Array,
        pub start_ns: Int64Array,
        pub dur_ns: Int64Array,
    }
    impl View {
        pub fn try_new(batch: &RecordBatch) -> Result<Self, SchemaMismatch> {
            Ok(Self {
                rows: batch.num_rows(),
                cpu: column(batch, NAME, "cpu", false)?,
                start_ns: column(batch, NAME, "start_ns", false)?,
                dur_ns: column(batch, NAME, "dur_ns", false)?,
            })
        }
        pub fn len(&self) -> usize { self.rows }
        pub fn is_empty(&self) -> bool { self.rows == 0 }
        #[inline]
        pub fn row(&self, i: usize) -> Row {
            Row {
                cpu: self.cpu.value(i),
                start_ns: self.start_ns.value(i),
                dur_ns: self.dur_ns.value(i),
            }
        }
    }
}

/// Arrow schema of a table by name; None when there is no such table.
pub fn schema_of(table: &str) -> Option<SchemaRef> {
    Some(match table {
        "affinity" => affinity::schema(),
        "balance_attempt" => balance_attempt::schema(),
        "balance_kick" => balance_kick::schema(),
        "balance_search" => balance_search::schema(),
        "bubble_event" => bubble_event::schema(),
        "cgroup_move" => cgroup_move::schema(),
        "core_cookie" => core_cookie::schema(),
        "cpu_frequency" => cpu_frequency::schema(),
        "cpu_hotplug" => cpu_hotplug::schema(),
        "cpu_idle" => cpu_idle::schema(),
        "cpu_load" => cpu_load::schema(),
        "cpu_snapshot" => cpu_snapshot::schema(),
        "cpus_scanned" => cpus_scanned::schema(),
        "dl_parameters" => dl_parameters::schema(),
        "event_stack" => event_stack::schema(),
        "ext_access" => ext_access::schema(),
        "ext_counter" => ext_counter::schema(),
        "ext_idle" => ext_idle::schema(),
        "ext_kick" => ext_kick::schema(),
        "ext_of_cgroup" => ext_of_cgroup::schema(),
        "ext_queue" => ext_queue::schema(),
        "ext_scheduler" => ext_scheduler::schema(),
        "ext_search" => ext_search::schema(),
        "ext_state" => ext_state::schema(),
        "idle_exit_late" => idle_exit_late::schema(),
        "irq_span" => irq_span::schema(),
        "lost_events" => lost_events::schema(),
        "migration_disable" => migration_disable::schema(),
        "newidle_entry" => newidle_entry::schema(),
        "nr_running" => nr_running::schema(),
        "perf_counter" => perf_counter::schema(),
        "preferred_llc" => preferred_llc::schema(),
        "process_exec" => process_exec::schema(),
        "process_exit" => process_exit::schema(),
        "process_fork" => process_fork::schema(),
        "process_rank" => process_rank::schema(),
        "region_event" => region_event::schema(),
        "run_span" => run_span::schema(),
        "sched_migrate_task" => sched_migrate_task::schema(),
        "sched_stat_runtime" => sched_stat_runtime::schema(),
        "sched_switch" => sched_switch::schema(),
        "sched_wakeup" => sched_wakeup::schema(),
        "sched_waking" => sched_waking::schema(),
        "schedstat" => schedstat::schema(),
        "thread_name" => thread_name::schema(),
        "thread_snapshot" => thread_snapshot::schema(),
        "throttle" => throttle::schema(),
        "bubble" => bubble::schema(),
        "cgroup" => cgroup::schema(),
        "cpu" => cpu::schema(),
        "domain" => domain::schema(),
        "domain_group" => domain_group::schema(),
        "evidence" => evidence::schema(),
        "machine" => machine::schema(),
        "mask" => mask::schema(),
        "numa_node" => numa_node::schema(),
        "process" => process::schema(),
        "stack" => stack::schema(),
        "thread" => thread::schema(),
        "trace" => trace::schema(),
        "app" => app::schema(),
        "attribution" => attribution::schema(),
        "avoidable_wait" => avoidable_wait::schema(),
        "bubble_member" => bubble_member::schema(),
        "bubble_stat" => bubble_stat::schema(),
        "cgroup_wait" => cgroup_wait::schema(),
        "checkpoint" => checkpoint::schema(),
        "checkpoint_interval" => checkpoint_interval::schema(),
        "cpu_slice" => cpu_slice::schema(),
        "data_quality" => data_quality::schema(),
        "dl_job" => dl_job::schema(),
        "entity_holder" => entity_holder::schema(),
        "episode" => episode::schema(),
        "episode_pair" => episode_pair::schema(),
        "excuse_ledger" => excuse_ledger::schema(),
        "iteration" => iteration::schema(),
        "migration" => migration::schema(),
        "rank" => rank::schema(),
        "rank_iteration" => rank_iteration::schema(),
        "runqueue" => runqueue::schema(),
        "thread_cpu" => thread_cpu::schema(),
        "thread_state" => thread_state::schema(),
        "tile_base" => tile_base::schema(),
        "tile_load" => tile_load::schema(),
        "tile_run" => tile_run::schema(),
        "verdict" => verdict::schema(),
        "verdict_grade" => verdict_grade::schema(),
        "wasted" => wasted::schema(),
        "wasted_cpu" => wasted_cpu::schema(),
        _ => return None,
    })
}
