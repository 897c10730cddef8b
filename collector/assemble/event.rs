//! Typed rows of the event tables, as sources give them: without ids, with interned references.
//!
//! Columns mean what `schemas/tables/<name>.toml` says; `cpu` is the CPU that wrote the event.

use std::num::NonZeroU32;

/// One event: its time on the trace's clock and what happened. Small and without heap parts for the frequent kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Time on the trace's clock (ns). For spans (irq span, run span, balance attempt, loss)
    /// the begin, though they arrive later.
    pub ts_ns: i64,
    /// What happened.
    pub event: Event,
}

const _: () = assert!(size_of::<Row>() <= 40, "rows of the frequent kinds must stay small");

macro_rules! reference {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(crate) NonZeroU32);

        impl $name {
            pub(crate) fn nth(index: usize) -> Self {
                let number = u32::try_from(index + 1).expect("fewer than 4 G interned values");
                Self(NonZeroU32::new(number).expect("index + 1 > 0"))
            }

            /// The value as stored in a column; ids begin at 1.
            pub fn column(self) -> i32 {
                self.0.get() as i32
            }
        }
    };
}

reference!(
    /// A row of `mask`: a set of CPUs, by [`Interner::mask`](crate::Interner::mask).
    MaskId
);
reference!(
    /// A row of `stack`, by [`Interner::stack`](crate::Interner::stack).
    StackId
);
reference!(
    /// A text of a small closed set (counter, function, kind of loss), by [`Interner::text`](crate::Interner::text).
    TextId
);

/// What happened. One variant per event table.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the fields are the columns of the table of the same name, documented there
pub enum Event {
    /// `sched_switch`
    Switch { cpu: i16, prev_tid: i32, prev_state: u8, prev_prio: Option<i16>, next_tid: i32, next_prio: Option<i16> },
    /// `sched_waking`
    Waking { cpu: i16, tid: i32, target_cpu: Option<i16>, prio: Option<i16> },
    /// `sched_wakeup`
    Wakeup { cpu: i16, tid: i32, target_cpu: i16, prio: Option<i16>, is_new: bool },
    /// `sched_migrate_task`
    Migrate { cpu: i16, tid: i32, orig_cpu: Option<i16>, dest_cpu: i16, stack: Option<StackId> },
    /// `nr_running`
    NrRunning { cpu: i16, nr_running: i32, delta: i16 },
    /// `process_fork`
    Fork { cpu: i16, parent_tid: i32, child_tid: i32, child_tgid: Option<i32> },
    /// `process_exec`
    Exec { cpu: i16, tid: i32, old_tid: Option<i32> },
    /// `process_exit`
    Exit { cpu: i16, tid: i32 },
    /// `thread_name`
    Name { tid: i32, tgid: Option<i32>, name: Box<str> },
    /// `affinity`
    Affinity { cpu: Option<i16>, tid: i32, mask: Option<MaskId>, user: Option<MaskId>, cpuset: Option<MaskId> },
    /// `migration_disable`
    MigrationDisable { cpu: Option<i16>, tid: i32, disabled: bool },
    /// `cgroup_move`
    CgroupMove { cpu: Option<i16>, tid: i32, cgroup_id: i64 },
    /// `throttle`
    Throttle { cpu: i16, tid: i32, throttled: bool, error_ns: i64 },
    /// `core_cookie`
    CoreCookie { cpu: Option<i16>, tid: i32, cookie: i64 },
    /// `cpu_hotplug`
    Hotplug { cpu: i16, online: bool },
    /// `irq_span`
    IrqSpan { cpu: i16, dur_ns: i64, kind: u8, vector: Option<i32> },
    /// `run_span`
    RunSpan { cpu: i16, tid: i32, dur_ns: i64 },
    /// `sched_stat_runtime`
    Runtime { cpu: i16, tid: i32, runtime_ns: i64 },
    /// `balance_attempt`
    BalanceAttempt(Box<BalanceAttempt>),
    /// `cpus_scanned`; `attempt` is the source's own number of the attempt, see [`BalanceAttempt::number`]
    CpusScanned {
        cpu: i16,
        attempt: Option<NonZeroU32>,
        tid: Option<i32>,
        mask: Option<MaskId>,
        chosen_cpu: Option<i16>,
        prev_cpu: Option<i16>,
        wake_flags: Option<u16>,
    },
    /// `balance_kick`
    Kick { cpu: i16, target_cpu: i16, kind: u8 },
    /// `cpu_load`; `attempt` as for `CpusScanned`
    CpuLoad { cpu: i16, attempt: Option<NonZeroU32>, of_cpu: i16, load: i64, nr_running: Option<i32> },
    /// `perf_counter`
    Counter { cpu: i16, tid: i32, counter: TextId, value: i64 },
    /// `lost_events`
    Lost(Box<LostEvents>),
    /// `bubble_event`
    Bubble(Box<BubbleEvent>),
    /// `schedstat`
    Schedstat(Box<Schedstat>),
    /// `cpu_snapshot`
    CpuSnapshot { cpu: i16, online: bool, current_tid: Option<i32> },
    /// `thread_snapshot`
    ThreadSnapshot(Box<ThreadSnapshot>),
}

/// A row of `schedstat`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Schedstat {
    pub cpu: Option<i16>,
    pub level: Option<i16>,
    pub reading_ns: i64,
    pub interval_ns: i64,
    pub restarted: bool,
    /// The counters, in the order of the table's columns.
    pub counters: [i64; 30],
}

/// A row of `balance_attempt`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct BalanceAttempt {
    pub cpu: i16,
    pub dur_ns: i64,
    pub dst_cpu: i16,
    pub domain_level: Option<i16>,
    pub idle_type: u8,
    pub pulled: Option<i32>,
    pub function: TextId,
    /// The source's own number of this attempt, by which its `cpus_scanned` and `cpu_load` rows name it; unique among the
    /// attempts of the source that are near in time.
    pub number: NonZeroU32,
}

/// A row of `bubble_event`.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct BubbleEvent {
    pub cpu: Option<i16>,
    pub tid: Option<i32>,
    pub tgid: Option<i32>,
    pub kind: u8,
    pub bubble: Option<i64>,
    pub entity_tid: Option<i32>,
    pub holder: Option<u8>,
    pub holder_id: Option<i64>,
    pub value: Option<i64>,
    pub name: Option<Box<str>>,
    pub snapshot: bool,
    pub status: Option<i32>,
}

/// A row of `lost_events`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct LostEvents {
    pub end_ns: i64,
    pub cpu: Option<i16>,
    pub count: Option<i64>,
    pub what: TextId,
}

/// A row of `thread_snapshot`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct ThreadSnapshot {
    pub tid: i32,
    pub tgid: i32,
    pub ppid: Option<i32>,
    pub name: Box<str>,
    pub state: u8,
    pub queue: u8,
    pub cpu: i16,
    pub mask: Option<MaskId>,
    pub user_mask: Option<MaskId>,
    pub cpuset_mask: Option<MaskId>,
    pub policy: u8,
    pub prio: Option<i16>,
    pub cgroup_id: Option<i64>,
    pub migration_disabled: bool,
    pub throttled: bool,
    pub cookie: i64,
    pub is_kernel: bool,
    pub per_cpu_thread: bool,
}

impl Row {
    /// The row says something of a thread that holds whenever it was said: its name, or the mask that was declared for it.
    pub(crate) fn holds_for_good(&self) -> bool {
        matches!(self.event, Event::Name { .. } | Event::Affinity { .. })
    }

    /// The row stands at a begin that lies before the instant at which its source came to know of it.
    #[inline]
    pub fn is_span(&self) -> bool {
        matches!(self.event, Event::IrqSpan { .. } | Event::RunSpan { .. } | Event::BalanceAttempt(_) | Event::Lost(_))
    }
}
