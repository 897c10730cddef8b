// Generated from schemas/records.toml by wastenot.schemas.generate. Do not edit.

records! {
    /// `sched_switch`. `prev_state`: `__state | exit_state` as the kernel has it, bit 31 set when prev was preempted (see [`task_state`]).
    Switch = 1, 24 {
        prev_tid: i32,
        next_tid: i32,
        prev_prio: i16,
        next_prio: i16,
        prev_state: u32,
    }
    /// `sched_waking`: `cpu` is where the thread last ran.
    Waking = 2, 16 {
        tid: i32,
        cpu: u16,
        prio: i16,
    }
    /// `sched_wakeup`: `cpu` is the queue it was put on.
    Wakeup = 3, 16 {
        tid: i32,
        cpu: u16,
        prio: i16,
    }
    /// `sched_wakeup_new`: `cpu` is the queue a new thread was put on.
    WakeupNew = 4, 16 {
        tid: i32,
        cpu: u16,
        prio: i16,
    }
    /// `sched_migrate_task`. `stack_id` is negative where no stack was taken.
    Migrate = 5, 24 {
        tid: i32,
        stack_id: i32,
        orig_cpu: u16,
        dest_cpu: u16,
        prio: i16,
    }
    /// `sched_update_nr_running_tp`: the runqueue's count after the change, and the change.
    NrRunning = 6, 16 {
        cpu: u16,
        delta: i16,
        nr_running: u32,
    }
    /// `sched_process_fork`. `comm` is the child's first name; `flags` are [`flag`] bits.
    Fork = 7, 40 {
        parent_tid: i32,
        child_tid: i32,
        child_tgid: i32,
        flags: u32,
        comm: [u8; 16],
    }
    /// `sched_process_exec`.
    Exec = 8, 24 {
        tid: i32,
        old_tid: i32,
        tgid: i32,
    }
    /// `sched_process_exit`.
    Exit = 9, 16 {
        tid: i32,
    }
    /// `task_rename`: the new name.
    Rename = 10, 32 {
        tid: i32,
        tgid: i32,
        comm: [u8; 16],
    }
    /// Fixed part of [`Affinity`].
    AffinityHead = 11, 16 {
        tid: i32,
        words: u16,
        masks: u16,
    }
    /// Migration became disabled (1) or enabled (0) for the thread.
    MigrationDisable = 12, 16 {
        tid: i32,
        disabled: u32,
    }
    /// The thread's core-scheduling cookie changed.
    Cookie = 13, 24 {
        tid: i32,
        reserved: u32,
        cookie: u64,
    }
    /// The thread is in another cgroup of the cpu controller.
    Cgroup = 14, 24 {
        tid: i32,
        reserved: u32,
        cgroup_id: u64,
    }
    /// The thread lost (1) or regained (0) quota; the change happened at most `error_ns` before the record's time.
    Throttle = 15, 24 {
        tid: i32,
        cpu: u16,
        throttled: u16,
        error_ns: u64,
    }
    /// A CPU went offline (0) or came online (1).
    Hotplug = 16, 16 {
        cpu: u16,
        online: u16,
    }
    /// Interrupt work on a CPU that runs swapper. The record's time is its start, so it comes after later records in its ring. `kind`: 0 hard, 1 soft, 2 both; `vector` of the longest part. Spans longer than 10 ms come in pieces.
    IrqSpan = 17, 16 {
        dur_ns: u32,
        vector: u16,
        kind: u16,
    }
    /// Increase of a counter over the run that ends at this switch; `counter` indexes `meta.json`'s `counters`.
    PerfCounter = 18, 24 {
        tid: i32,
        counter: u32,
        value: u64,
    }
    /// Records of `kind` that did not fit into the ring of `cpu`, between the record's time and `to` (same base).
    Lost = 19, 32 {
        cpu: u16,
        kind: u16,
        reserved: u32,
        to: u64,
        count: u64,
    }
    /// A CPU at the start. `current` is the running thread, -1 unknown.
    CpuSnapshot = 20, 16 {
        cpu: u16,
        online: u16,
        current: i32,
    }
    /// Fixed part of [`ThreadSnapshot`].
    ThreadHead = 21, 72 {
        tid: i32,
        tgid: i32,
        ppid: i32,
        /// As `Switch::prev_state`, without bit 31.
        state: u32,
        cgroup_id: u64,
        cookie: u64,
        cpu: u16,
        prio: i16,
        words: u16,
        /// Scheduling policy as in uapi/linux/sched.h.
        policy: u8,
        /// 0 running on `cpu`, 1 queued there, 2 off every queue, 3 unknown (enum queue_state).
        queue: u8,
        flags: u32,
        masks: u32,
        comm: [u8; 16],
    }
    /// One load-balance attempt; the record's time is its start, so it comes after later records in its ring. `level` -1: newidle as a whole. `function` indexes `meta.json`'s `functions`.
    Balance = 22, 32 {
        dur_ns: u64,
        dst_cpu: u16,
        level: i16,
        idle_type: u16,
        function: u16,
        pulled: i32,
        attempt: u32,
    }
    /// The load of `of_cpu` as attempt `attempt` (numbered per CPU, 0 none) read it.
    CpuLoad = 23, 32 {
        of_cpu: u16,
        reserved: u16,
        attempt: u32,
        load: u64,
        nr_running: u32,
    }
    /// Fixed part of [`CpusScanned`](Record::CpusScanned).
    CpusScannedHead = 24, 24 {
        tid: i32,
        attempt: u32,
        chosen_cpu: i16,
        words: u16,
        prev_cpu: i16,
        wake_flags: u16,
    }
    /// Fixed part of [`Stack`].
    StackHead = 25, 16 {
        stack_id: i32,
        frames: u16,
        text_len: u16,
    }
    /// Fixed part of [`CgroupInfo`].
    CgroupInfoHead = 26, 40 {
        cgroup_id: u64,
        quota_ns: i64,
        period_ns: i64,
        weight: i32,
        text_len: u16,
    }
    /// Fixed part of [`Schedstat`].
    SchedstatHead = 27, 32 {
        cpu: u16,
        level: u16,
        restarted: u16,
        counters: u16,
        reading_ns: u64,
        interval_ns: u64,
    }
    /// A CPU that runs swapper is asked to balance; `kind` as in enum kick_kind.
    Kick = 28, 16 {
        target_cpu: u16,
        kind: u16,
        reserved: u32,
    }
}

const _: () = assert!(8 + size_of::<i32>() + size_of::<i32>() + size_of::<i16>() + size_of::<i16>() + size_of::<u32>() == 24 && Switch::SIZE == 24);
const _: () = assert!(8 + size_of::<i32>() + size_of::<u16>() + size_of::<i16>() == 16 && Waking::SIZE == 16);
const _: () = assert!(8 + size_of::<i32>() + size_of::<u16>() + size_of::<i16>() == 16 && Wakeup::SIZE == 16);
const _: () = assert!(8 + size_of::<i32>() + size_of::<u16>() + size_of::<i16>() == 16 && WakeupNew::SIZE == 16);
const _: () = assert!(8 + size_of::<i32>() + size_of::<i32>() + size_of::<u16>() + size_of::<u16>() + size_of::<i16>() == 22 && Migrate::SIZE == 24);
const _: () = assert!(8 + size_of::<u16>() + size_of::<i16>() + size_of::<u32>() == 16 && NrRunning::SIZE == 16);
const _: () = assert!(8 + size_of::<i32>() + size_of::<i32>() + size_of::<i32>() + size_of::<u32>() + size_of::<[u8; 16]>() == 40 && Fork::SIZE == 40);
const _: () = assert!(8 + size_of::<i32>() + size_of::<i32>() + size_of::<i32>() == 20 && Exec::SIZE == 24);
const _: () = assert!(8 + size_of::<i32>() == 12 && Exit::SIZE == 16);
const _: () = assert!(8 + size_of::<i32>() + size_of::<i32>() + size_of::<[u8; 16]>() == 32 && Rename::SIZE == 32);
const _: () = assert!(8 + size_of::<i32>() + size_of::<u16>() + size_of::<u16>() == 16 && AffinityHead::SIZE == 16);
const _: () = assert!(8 + size_of::<i32>() + size_of::<u32>() == 16 && MigrationDisable::SIZE == 16);
const _: () = assert!(8 + size_of::<i32>() + size_of::<u32>() + size_of::<u64>() == 24 && Cookie::SIZE == 24);
const _: () = assert!(8 + size_of::<i32>() + size_of::<u32>() + size_of::<u64>() == 24 && Cgroup::SIZE == 24);
const _: () = assert!(8 + size_of::<i32>() + size_of::<u16>() + size_of::<u16>() + size_of::<u64>() == 24 && Throttle::SIZE == 24);
const _: () = assert!(8 + size_of::<u16>() + size_of::<u16>() == 12 && Hotplug::SIZE == 16);
const _: () = assert!(8 + size_of::<u32>() + size_of::<u16>() + size_of::<u16>() == 16 && IrqSpan::SIZE == 16);
const _: () = assert!(8 + size_of::<i32>() + size_of::<u32>() + size_of::<u64>() == 24 && PerfCounter::SIZE == 24);
const _: () = assert!(8 + size_of::<u16>() + size_of::<u16>() + size_of::<u32>() + size_of::<u64>() + size_of::<u64>() == 32 && Lost::SIZE == 32);
const _: () = assert!(8 + size_of::<u16>() + size_of::<u16>() + size_of::<i32>() == 16 && CpuSnapshot::SIZE == 16);
const _: () = assert!(8 + size_of::<i32>() + size_of::<i32>() + size_of::<i32>() + size_of::<u32>() + size_of::<u64>() + size_of::<u64>() + size_of::<u16>() + size_of::<i16>() + size_of::<u16>() + size_of::<u8>() + size_of::<u8>() + size_of::<u32>() + size_of::<u32>() + size_of::<[u8; 16]>() == 72 && ThreadHead::SIZE == 72);
const _: () = assert!(8 + size_of::<u64>() + size_of::<u16>() + size_of::<i16>() + size_of::<u16>() + size_of::<u16>() + size_of::<i32>() + size_of::<u32>() == 32 && Balance::SIZE == 32);
const _: () = assert!(8 + size_of::<u16>() + size_of::<u16>() + size_of::<u32>() + size_of::<u64>() + size_of::<u32>() == 28 && CpuLoad::SIZE == 32);
const _: () = assert!(8 + size_of::<i32>() + size_of::<u32>() + size_of::<i16>() + size_of::<u16>() + size_of::<i16>() + size_of::<u16>() == 24 && CpusScannedHead::SIZE == 24);
const _: () = assert!(8 + size_of::<i32>() + size_of::<u16>() + size_of::<u16>() == 16 && StackHead::SIZE == 16);
const _: () = assert!(8 + size_of::<u64>() + size_of::<i64>() + size_of::<i64>() + size_of::<i32>() + size_of::<u16>() == 38 && CgroupInfoHead::SIZE == 40);
const _: () = assert!(8 + size_of::<u16>() + size_of::<u16>() + size_of::<u16>() + size_of::<u16>() + size_of::<u64>() + size_of::<u64>() == 32 && SchedstatHead::SIZE == 32);
const _: () = assert!(8 + size_of::<u16>() + size_of::<u16>() + size_of::<u32>() == 16 && Kick::SIZE == 16);

/// The table that holds the rows of records of a kind; `any` where there is none of its own.
pub fn table_of(kind: u16) -> &'static str {
    match kind {
        1 => "sched_switch", // Switch
        2 => "sched_waking", // Waking
        3 => "sched_wakeup", // Wakeup
        4 => "sched_wakeup", // WakeupNew
        5 => "sched_migrate_task", // Migrate
        6 => "nr_running", // NrRunning
        7 => "process_fork", // Fork
        8 => "process_exec", // Exec
        9 => "process_exit", // Exit
        10 => "thread_name", // Rename
        11 => "affinity", // AffinityHead
        12 => "migration_disable", // MigrationDisable
        13 => "core_cookie", // Cookie
        14 => "cgroup_move", // Cgroup
        15 => "throttle", // Throttle
        16 => "cpu_hotplug", // Hotplug
        17 => "irq_span", // IrqSpan
        18 => "perf_counter", // PerfCounter
        20 => "cpu_snapshot", // CpuSnapshot
        21 => "thread_snapshot", // ThreadHead
        22 => "balance_attempt", // Balance
        23 => "cpu_load", // CpuLoad
        24 => "cpus_scanned", // CpusScannedHead
        28 => "balance_kick", // Kick
        _ => "any",
    }
}
