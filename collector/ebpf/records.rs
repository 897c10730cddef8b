// Generated from schemas/records.toml by wastenot.schemas.generate. Do not edit.

records! {
    /// `sched_switch`. `prev_state`: bits 0 to 20 `__state | exit_state` as the kernel has it (see [`task_state`]); bits 21 to 30, since format 4, `nr_running` of the CPU's runqueue + 1, 0 unknown or over 1,022; bit 31 prev was preempted.
    Switch = 1, 24 {
        prev_tid: i32,
        next_tid: i32,
        prev_prio: i16,
        next_prio: i16,
        prev_state: u32,
    }
    /// `sched_waking`: `cpu` is where the thread last ran; 65535 where the record was written when the wakeup was queued to another CPU.
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
    /// `sched_update_nr_running_tp`: the runqueue's count after the change, and the change. Until format 3; since then `Switch` has the count.
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
    /// Interrupt work. The record's time is its start, so it comes after later records in its ring. `kind`: 0 hard, 1 soft, 2 both; `vector` of the longest part. Spans longer than 10 ms come in pieces.
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
    /// Fixed part of [`Thread`].
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
    /// The load of `of_cpu` as attempt `attempt` (numbered per CPU, 0 none) read it. Earlier recorders wrote it; since then `CpuUse` has more.
    CpuLoad = 23, 32 {
        of_cpu: u16,
        reserved: u16,
        attempt: u32,
        load: u64,
        nr_running: u32,
    }
    /// Fixed part of [`CpusScanned`].
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
    /// A CPU that runs swapper is asked to balance; `kind` as in enum kick_kind. `until_balance`: as the softirq ended, one more than the milliseconds until the CPU's next periodic attempts are due; 0 not recorded.
    Kick = 28, 16 {
        target_cpu: u16,
        kind: u16,
        until_balance was "reserved": u32,
    }
    /// Fixed part of [`Domains`].
    DomainsHead = 29, 16 {
        part: u16,
        parts: u16,
        text_len: u16,
    }
    /// What attempt `attempt` (numbered per CPU), which moved no thread, found; it has the attempt's time. `result` as in enum balance_search_result, 16 added where the threads examined were recorded; `src_cpu` -1: none.
    BalanceSearch = 30, 24 {
        attempt: u32,
        src_cpu: i16,
        result: u16,
        examined: u16,
        not_allowed: u16,
        running: u16,
        hot: u16,
    }
    /// What attempt `attempt` (numbered per CPU) of a CPU about to idle, which moved no thread, decided by; it has the attempt's time. `flags`: 1 overloaded, 2 a wakeup is pending, 4 dice; from bit 4 on one more than the milliseconds until the CPU's next periodic attempts are due, 0 not recorded; `level` -1: none.
    NewidleEntry = 31, 24 {
        attempt: u32,
        level: i16,
        flags: u16,
        avg_idle_ns: u64,
    }
    /// A SCHED_DEADLINE thread's parameters and the state of its server (`task_struct.dl`), before each switch and wakeup of it, and at the start. `deadline` and `clock` are on the clock of the thread's runqueue (`rq->clock`), which is the record's time but for less than a switch takes; `clock` 0: not known.
    Deadline = 32, 72 {
        tid: i32,
        /// 1 throttled, 2 yielded.
        state: u32,
        runtime_ns: u64,
        relative_deadline_ns: u64,
        period_ns: u64,
        /// Runtime that is left until the deadline.
        left_ns: i64,
        deadline: u64,
        clock: u64,
        /// SCHED_FLAG_*.
        flags: u32,
        reserved: u32,
    }
    /// A thread of a sched_ext scheduler was put into a dispatch queue, or the scheduler keeps it. `dsq`: the queue's number; `cpu`: of a local queue the CPU, else that of the runqueue the thread belongs to; `place`: enum ext_place in the low byte, enum ext_step above it.
    ExtQueue = 33, 24 {
        dsq: u64,
        tid: i32,
        cpu: u16,
        place: u16,
    }
    /// A CPU asked the sched_ext scheduler for a thread, and got none. The record has the time of the question.
    ExtSearch = 34, 16 {
        dur_ns: u32,
        cpu: u16,
    }
    /// A sched_ext scheduler asked for a CPU to reschedule (scx_bpf_kick_cpu). `flags`: SCX_KICK_*.
    ExtKick = 35, 16 {
        flags: u32,
        target_cpu: u16,
    }
    /// The kernel begins (1) or ceases (0) to bypass the sched_ext scheduler.
    ExtBypass = 36, 16 {
        begins: u32,
        reserved: u32,
    }
    /// Fixed part of [`ExtState`].
    ExtStateHead = 37, 16 {
        enabled: u16,
        recorded: u16,
        /// 1: it runs threads of the policy SCHED_EXT alone.
        partial: u16,
        text_len: u16,
    }
    /// Attempt `attempt` (numbered per CPU), which moved no thread, left `threads` on the queue of `src_cpu`, since their process prefers the cache there; it has the attempt's time, and comes before its `BalanceSearch`.
    PreferredLlc = 38, 16 {
        attempt: u32,
        src_cpu: i16,
        threads: u16,
    }
    /// A thread enters (1) or leaves (0) the region that a `RegionName` of the number `region` describes. `peer`: the rank or root among the arguments of an entry; the smallest number where there is none.
    Region = 39, 24 {
        tid: i32,
        region: u16,
        enter: u16,
        peer: i32,
        reserved: u32,
    }
    /// Fixed part of [`RegionName`].
    RegionNameHead = 40, 16 {
        region: u16,
        kind: u16,
        reserved: u16,
        text_len: u16,
    }
    /// A CPU leaves idle `late_ns` after it was asked to reschedule with a thread on its queue; a millisecond or more. Written just before its `Switch`.
    IdleExitLate = 41, 16 {
        late_ns: u64,
    }
    /// The kernel stack of the `Switch`, `Waking` or `Wakeup` just before it, which has its time. `of`: enum stack_event. Written where stacks of switches or wakeups are asked for.
    EventStack = 42, 24 {
        tid: i32,
        stack_id: i32,
        of: u32,
        reserved: u32,
    }
    /// The process `tgid` has rank `rank` of `size` (0: not known) by the environment variable `variable` (enum rank_variable). Written by user space.
    ProcessRank = 43, 24 {
        tgid: i32,
        rank: u32,
        size: u32,
        variable: u32,
    }
    /// `cpu` enters an idle state (`what` 0; `value` all ones: it leaves its state), or is to run at `value` kHz (`what` 1). Written where idle states and frequencies are asked for, by any CPU.
    CpuPower = 44, 16 {
        value: u32,
        cpu: u16,
        what: u16,
    }
    /// Fixed part of [`ExtScheduler`].
    ExtSchedulerHead = 45, 24 {
        cgroup: u64,
        gone: u32,
        reserved: u16,
        text_len: u16,
    }
    /// Fixed part of [`ExtCounter`].
    ExtCounterHead = 46, 32 {
        cgroup: u64,
        value: u64,
        spare: u32,
        reserved: u16,
        text_len: u16,
    }
    /// The kernel ends a sched_ext scheduler (`what`: enum scx_exit_kind), or begins (1) or ceases (0) to bypass that of a cgroup. `cgroup`: 0 of all threads. `reserved`: as of `ExtScheduler`.
    ExtChange = 47, 24 {
        cgroup: u64,
        what: u32,
        reserved: u32,
    }
    /// What the `ExtQueue` record of the thread `tid` says, which comes next and has the same time, was done for the sched_ext scheduler of the cgroup `cgroup`.
    ExtOfCgroup = 48, 24 {
        cgroup: u64,
        tid: i32,
        reserved: u32,
    }
    /// Whether the sched_ext scheduler of the cgroup `cgroup` may use a CPU (`scx_sched_pcpu.ecaps`, SCX_CAP_BASE): of all CPUs when a program first sees it, then of a CPU that found no thread.
    ExtAccess = 49, 24 {
        cgroup: u64,
        cpu: u16,
        may_use: u16,
        reserved: u32,
    }
    /// The load of `of_cpu` beside attempt `attempt` (numbered per CPU, 0 none), its runnable threads, and what of the CPU they use, run and wait on, and can have, in 1024ths; `runnable` -1: the kernel does not count it.
    CpuUse = 50, 40 {
        of_cpu: u16,
        reserved: u16,
        attempt: u32,
        load: u64,
        nr_running: u32,
        util: u32,
        runnable: i32,
        capacity: u32,
    }
    /// Fixed part of [`ExtIdle`].
    ExtIdleHead = 51, 16 {
        tid: i32,
        words: u16,
        reserved: u16,
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
const _: () = assert!(8 + size_of::<u16>() + size_of::<u16>() + size_of::<u16>() == 14 && DomainsHead::SIZE == 16);
const _: () = assert!(8 + size_of::<u32>() + size_of::<i16>() + size_of::<u16>() + size_of::<u16>() + size_of::<u16>() + size_of::<u16>() + size_of::<u16>() == 24 && BalanceSearch::SIZE == 24);
const _: () = assert!(8 + size_of::<u32>() + size_of::<i16>() + size_of::<u16>() + size_of::<u64>() == 24 && NewidleEntry::SIZE == 24);
const _: () = assert!(8 + size_of::<i32>() + size_of::<u32>() + size_of::<u64>() + size_of::<u64>() + size_of::<u64>() + size_of::<i64>() + size_of::<u64>() + size_of::<u64>() + size_of::<u32>() + size_of::<u32>() == 72 && Deadline::SIZE == 72);
const _: () = assert!(8 + size_of::<u64>() + size_of::<i32>() + size_of::<u16>() + size_of::<u16>() == 24 && ExtQueue::SIZE == 24);
const _: () = assert!(8 + size_of::<u32>() + size_of::<u16>() == 14 && ExtSearch::SIZE == 16);
const _: () = assert!(8 + size_of::<u32>() + size_of::<u16>() == 14 && ExtKick::SIZE == 16);
const _: () = assert!(8 + size_of::<u32>() + size_of::<u32>() == 16 && ExtBypass::SIZE == 16);
const _: () = assert!(8 + size_of::<u16>() + size_of::<u16>() + size_of::<u16>() + size_of::<u16>() == 16 && ExtStateHead::SIZE == 16);
const _: () = assert!(8 + size_of::<u32>() + size_of::<i16>() + size_of::<u16>() == 16 && PreferredLlc::SIZE == 16);
const _: () = assert!(8 + size_of::<i32>() + size_of::<u16>() + size_of::<u16>() + size_of::<i32>() + size_of::<u32>() == 24 && Region::SIZE == 24);
const _: () = assert!(8 + size_of::<u16>() + size_of::<u16>() + size_of::<u16>() + size_of::<u16>() == 16 && RegionNameHead::SIZE == 16);
const _: () = assert!(8 + size_of::<u64>() == 16 && IdleExitLate::SIZE == 16);
const _: () = assert!(8 + size_of::<i32>() + size_of::<i32>() + size_of::<u32>() + size_of::<u32>() == 24 && EventStack::SIZE == 24);
const _: () = assert!(8 + size_of::<i32>() + size_of::<u32>() + size_of::<u32>() + size_of::<u32>() == 24 && ProcessRank::SIZE == 24);
const _: () = assert!(8 + size_of::<u32>() + size_of::<u16>() + size_of::<u16>() == 16 && CpuPower::SIZE == 16);
const _: () = assert!(8 + size_of::<u64>() + size_of::<u32>() + size_of::<u16>() + size_of::<u16>() == 24 && ExtSchedulerHead::SIZE == 24);
const _: () = assert!(8 + size_of::<u64>() + size_of::<u64>() + size_of::<u32>() + size_of::<u16>() + size_of::<u16>() == 32 && ExtCounterHead::SIZE == 32);
const _: () = assert!(8 + size_of::<u64>() + size_of::<u32>() + size_of::<u32>() == 24 && ExtChange::SIZE == 24);
const _: () = assert!(8 + size_of::<u64>() + size_of::<i32>() + size_of::<u32>() == 24 && ExtOfCgroup::SIZE == 24);
const _: () = assert!(8 + size_of::<u64>() + size_of::<u16>() + size_of::<u16>() + size_of::<u32>() == 24 && ExtAccess::SIZE == 24);
const _: () = assert!(8 + size_of::<u16>() + size_of::<u16>() + size_of::<u32>() + size_of::<u64>() + size_of::<u32>() + size_of::<u32>() + size_of::<i32>() + size_of::<u32>() == 40 && CpuUse::SIZE == 40);
const _: () = assert!(8 + size_of::<i32>() + size_of::<u16>() + size_of::<u16>() == 16 && ExtIdleHead::SIZE == 16);

/// The thread's masks from now on, all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the record's documentation names its fields
pub struct Affinity<'a> {
    pub tid: i32,
    pub masks: Masks<'a>,
}
impl<'a> Affinity<'a> {
    fn parse(bytes: &'a [u8]) -> Self {
        let AffinityHead { tid, words, masks } = AffinityHead::read(fixed_part(bytes));
        let tail = &bytes[AffinityHead::SIZE..];
        let masks = Masks::read(masks.into(), words.into(), tail);
        Self { tid, masks }
    }
    fn append(&self, time: u64, out: &mut Vec<u8>) {
        let Self { tid, masks } = *self;
        AffinityHead { tid, words: masks.words() as u16, masks: masks.bits() as u16 }.write(time, out);
        masks.write(out);
    }
}

/// A thread's state at the record's time. `flags` are [`flag`] bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the record's documentation names its fields
pub struct Thread<'a> {
    pub tid: i32,
    pub tgid: i32,
    pub ppid: i32,
    /// As `Switch::prev_state`, without bit 31.
    pub state: u32,
    pub cgroup_id: u64,
    pub cookie: u64,
    pub cpu: u16,
    pub prio: i16,
    /// Scheduling policy as in uapi/linux/sched.h.
    pub policy: u8,
    /// 0 running on `cpu`, 1 queued there, 2 off every queue, 3 unknown (enum queue_state).
    pub queue: u8,
    pub flags: u32,
    pub comm: [u8; 16],
    pub masks: Masks<'a>,
}
impl<'a> Thread<'a> {
    fn parse(bytes: &'a [u8]) -> Self {
        let ThreadHead { tid, tgid, ppid, state, cgroup_id, cookie, cpu, prio, words, policy, queue, flags, masks, comm } = ThreadHead::read(fixed_part(bytes));
        let tail = &bytes[ThreadHead::SIZE..];
        let masks = Masks::read(masks, words.into(), tail);
        Self { tid, tgid, ppid, state, cgroup_id, cookie, cpu, prio, policy, queue, flags, comm, masks }
    }
    fn append(&self, time: u64, out: &mut Vec<u8>) {
        let Self { tid, tgid, ppid, state, cgroup_id, cookie, cpu, prio, policy, queue, flags, comm, masks } = *self;
        ThreadHead { tid, tgid, ppid, state, cgroup_id, cookie, cpu, prio, words: masks.words() as u16, policy, queue, flags, masks: masks.bits(), comm }.write(time, out);
        masks.write(out);
    }
}

/// CPUs scanned for `tid` (0: none) or by attempt `attempt` (0: none); `mask` is empty where they are not recorded. `chosen_cpu` -1: none. `prev_cpu` -1: it and the flags are not recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the record's documentation names its fields
pub struct CpusScanned<'a> {
    pub tid: i32,
    pub attempt: u32,
    pub chosen_cpu: i16,
    pub prev_cpu: i16,
    pub wake_flags: u16,
    pub mask: Mask<'a>,
}
impl<'a> CpusScanned<'a> {
    fn parse(bytes: &'a [u8]) -> Self {
        let CpusScannedHead { tid, attempt, chosen_cpu, words, prev_cpu, wake_flags } = CpusScannedHead::read(fixed_part(bytes));
        let tail = &bytes[CpusScannedHead::SIZE..];
        let (mask, _) = tail.split_at(usize::from(words) * 8);
        let mask = Mask::from_bytes(mask);
        Self { tid, attempt, chosen_cpu, prev_cpu, wake_flags, mask }
    }
    fn append(&self, time: u64, out: &mut Vec<u8>) {
        let Self { tid, attempt, chosen_cpu, prev_cpu, wake_flags, mask } = *self;
        CpusScannedHead { tid, attempt, chosen_cpu, words: mask.words().count() as u16, prev_cpu, wake_flags }.write(time, out);
        out.extend_from_slice(mask.as_bytes());
    }
}

/// A kernel stack, innermost frame first: addresses, and as many lines of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the record's documentation names its fields
pub struct Stack<'a> {
    pub stack_id: i32,
    pub addresses: Words<'a>,
    pub symbols: &'a [u8],
}
impl<'a> Stack<'a> {
    fn parse(bytes: &'a [u8]) -> Self {
        let StackHead { stack_id, frames, text_len } = StackHead::read(fixed_part(bytes));
        let tail = &bytes[StackHead::SIZE..];
        let (addresses, tail) = tail.split_at(usize::from(frames) * 8);
        let addresses = Words::from_bytes(addresses);
        let symbols = &tail[..text_len.into()];
        Self { stack_id, addresses, symbols }
    }
    fn append(&self, time: u64, out: &mut Vec<u8>) {
        let Self { stack_id, addresses, symbols } = *self;
        let symbols = cut(symbols);
        StackHead { stack_id, frames: addresses.iter().count() as u16, text_len: symbols.len() as u16 }.write(time, out);
        out.extend_from_slice(addresses.as_bytes());
        write_text(symbols, out);
    }
}

/// Path and limits of a cgroup; quota, period and weight are negative where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the record's documentation names its fields
pub struct CgroupInfo<'a> {
    pub cgroup_id: u64,
    pub quota_ns: i64,
    pub period_ns: i64,
    pub weight: i32,
    pub path: &'a [u8],
}
impl<'a> CgroupInfo<'a> {
    fn parse(bytes: &'a [u8]) -> Self {
        let CgroupInfoHead { cgroup_id, quota_ns, period_ns, weight, text_len } = CgroupInfoHead::read(fixed_part(bytes));
        let tail = &bytes[CgroupInfoHead::SIZE..];
        let path = &tail[..text_len.into()];
        Self { cgroup_id, quota_ns, period_ns, weight, path }
    }
    fn append(&self, time: u64, out: &mut Vec<u8>) {
        let Self { cgroup_id, quota_ns, period_ns, weight, path } = *self;
        let path = cut(path);
        CgroupInfoHead { cgroup_id, quota_ns, period_ns, weight, text_len: path.len() as u16 }.write(time, out);
        write_text(path, out);
    }
}

/// A domain's counts since the previous reading, as `wastenot_machine::schedstat::COUNTERS`; without counters: a reading as such. The record's time is the reading's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the record's documentation names its fields
pub struct Schedstat<'a> {
    pub cpu: u16,
    pub level: u16,
    pub restarted: u16,
    pub reading_ns: u64,
    pub interval_ns: u64,
    pub counters: Words<'a>,
}
impl<'a> Schedstat<'a> {
    fn parse(bytes: &'a [u8]) -> Self {
        let SchedstatHead { cpu, level, restarted, counters, reading_ns, interval_ns } = SchedstatHead::read(fixed_part(bytes));
        let tail = &bytes[SchedstatHead::SIZE..];
        let (counters, _) = tail.split_at(usize::from(counters) * 8);
        let counters = Words::from_bytes(counters);
        Self { cpu, level, restarted, reading_ns, interval_ns, counters }
    }
    fn append(&self, time: u64, out: &mut Vec<u8>) {
        let Self { cpu, level, restarted, reading_ns, interval_ns, counters } = *self;
        SchedstatHead { cpu, level, restarted, counters: counters.iter().count() as u16, reading_ns, interval_ns }.write(time, out);
        out.extend_from_slice(counters.as_bytes());
    }
}

/// Part `part` of `parts` of the machine's scheduling domains, which hold from the record's time on: a JSON list as in the `domains` of `machine.json`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the record's documentation names its fields
pub struct Domains<'a> {
    pub part: u16,
    pub parts: u16,
    pub json: &'a [u8],
}
impl<'a> Domains<'a> {
    fn parse(bytes: &'a [u8]) -> Self {
        let DomainsHead { part, parts, text_len } = DomainsHead::read(fixed_part(bytes));
        let tail = &bytes[DomainsHead::SIZE..];
        let json = &tail[..text_len.into()];
        Self { part, parts, json }
    }
    fn append(&self, time: u64, out: &mut Vec<u8>) {
        let Self { part, parts, json } = *self;
        let json = cut(json);
        DomainsHead { part, parts, text_len: json.len() as u16 }.write(time, out);
        write_text(json, out);
    }
}

/// Which sched_ext scheduler is in charge, read from sysfs at the start and when that changes. `enabled`: 0 none; `recorded`: 1 its decisions are recorded; `name` of its ops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the record's documentation names its fields
pub struct ExtState<'a> {
    pub enabled: u16,
    pub recorded: u16,
    /// 1: it runs threads of the policy SCHED_EXT alone.
    pub partial: u16,
    pub name: &'a [u8],
}
impl<'a> ExtState<'a> {
    fn parse(bytes: &'a [u8]) -> Self {
        let ExtStateHead { enabled, recorded, partial, text_len } = ExtStateHead::read(fixed_part(bytes));
        let tail = &bytes[ExtStateHead::SIZE..];
        let name = &tail[..text_len.into()];
        Self { enabled, recorded, partial, name }
    }
    fn append(&self, time: u64, out: &mut Vec<u8>) {
        let Self { enabled, recorded, partial, name } = *self;
        let name = cut(name);
        ExtStateHead { enabled, recorded, partial, text_len: name.len() as u16 }.write(time, out);
        write_text(name, out);
    }
}

/// The region `region` of `Region` records is of `kind` (enum region_kind) and has this name. Written before it is probed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the record's documentation names its fields
pub struct RegionName<'a> {
    pub region: u16,
    pub kind: u16,
    pub reserved: u16,
    pub name: &'a [u8],
}
impl<'a> RegionName<'a> {
    fn parse(bytes: &'a [u8]) -> Self {
        let RegionNameHead { region, kind, reserved, text_len } = RegionNameHead::read(fixed_part(bytes));
        let tail = &bytes[RegionNameHead::SIZE..];
        let name = &tail[..text_len.into()];
        Self { region, kind, reserved, name }
    }
    fn append(&self, time: u64, out: &mut Vec<u8>) {
        let Self { region, kind, reserved, name } = *self;
        let name = cut(name);
        RegionNameHead { region, kind, reserved, text_len: name.len() as u16 }.write(time, out);
        write_text(name, out);
    }
}

/// A sched_ext scheduler of the cgroup `cgroup` (0: of all threads) is loaded (`gone` 0) or is no more, read from sysfs; `name` of its ops. `reserved`: 1 where `ExtOfCgroup` records say which threads it has; earlier recorders wrote 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the record's documentation names its fields
pub struct ExtScheduler<'a> {
    pub cgroup: u64,
    pub gone: u32,
    pub reserved: u16,
    pub name: &'a [u8],
}
impl<'a> ExtScheduler<'a> {
    fn parse(bytes: &'a [u8]) -> Self {
        let ExtSchedulerHead { cgroup, gone, reserved, text_len } = ExtSchedulerHead::read(fixed_part(bytes));
        let tail = &bytes[ExtSchedulerHead::SIZE..];
        let name = &tail[..text_len.into()];
        Self { cgroup, gone, reserved, name }
    }
    fn append(&self, time: u64, out: &mut Vec<u8>) {
        let Self { cgroup, gone, reserved, name } = *self;
        let name = cut(name);
        ExtSchedulerHead { cgroup, gone, reserved, text_len: name.len() as u16 }.write(time, out);
        write_text(name, out);
    }
}

/// The kernel's counter `name` (SCX_EV_*) of the sched_ext scheduler of `cgroup` (0: of all threads), read from sysfs at the start and where it has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the record's documentation names its fields
pub struct ExtCounter<'a> {
    pub cgroup: u64,
    pub value: u64,
    pub spare: u32,
    pub reserved: u16,
    pub name: &'a [u8],
}
impl<'a> ExtCounter<'a> {
    fn parse(bytes: &'a [u8]) -> Self {
        let ExtCounterHead { cgroup, value, spare, reserved, text_len } = ExtCounterHead::read(fixed_part(bytes));
        let tail = &bytes[ExtCounterHead::SIZE..];
        let name = &tail[..text_len.into()];
        Self { cgroup, value, spare, reserved, name }
    }
    fn append(&self, time: u64, out: &mut Vec<u8>) {
        let Self { cgroup, value, spare, reserved, name } = *self;
        let name = cut(name);
        ExtCounterHead { cgroup, value, spare, reserved, text_len: name.len() as u16 }.write(time, out);
        write_text(name, out);
    }
}

/// The CPUs that the kernel showed sched_ext schedulers as idle as select_cpu had put `tid` into a queue (`scx_idle_global_masks.cpu`), which the next `ExtQueue` record of the thread says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // the record's documentation names its fields
pub struct ExtIdle<'a> {
    pub tid: i32,
    pub reserved: u16,
    pub mask: Mask<'a>,
}
impl<'a> ExtIdle<'a> {
    fn parse(bytes: &'a [u8]) -> Self {
        let ExtIdleHead { tid, words, reserved } = ExtIdleHead::read(fixed_part(bytes));
        let tail = &bytes[ExtIdleHead::SIZE..];
        let (mask, _) = tail.split_at(usize::from(words) * 8);
        let mask = Mask::from_bytes(mask);
        Self { tid, reserved, mask }
    }
    fn append(&self, time: u64, out: &mut Vec<u8>) {
        let Self { tid, reserved, mask } = *self;
        ExtIdleHead { tid, words: mask.words().count() as u16, reserved }.write(time, out);
        out.extend_from_slice(mask.as_bytes());
    }
}

/// A record as it is read, the borrowed parts still in the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each variant is documented at its struct
pub enum Record<'a> {
    Switch(Switch),
    Waking(Waking),
    Wakeup(Wakeup),
    WakeupNew(WakeupNew),
    Migrate(Migrate),
    NrRunning(NrRunning),
    Fork(Fork),
    Exec(Exec),
    Exit(Exit),
    Rename(Rename),
    Affinity(Affinity<'a>),
    MigrationDisable(MigrationDisable),
    Cookie(Cookie),
    Cgroup(Cgroup),
    Throttle(Throttle),
    Hotplug(Hotplug),
    IrqSpan(IrqSpan),
    PerfCounter(PerfCounter),
    Lost(Lost),
    CpuSnapshot(CpuSnapshot),
    Thread(Thread<'a>),
    Balance(Balance),
    CpuLoad(CpuLoad),
    CpusScanned(CpusScanned<'a>),
    Stack(Stack<'a>),
    CgroupInfo(CgroupInfo<'a>),
    Schedstat(Schedstat<'a>),
    Kick(Kick),
    Domains(Domains<'a>),
    BalanceSearch(BalanceSearch),
    NewidleEntry(NewidleEntry),
    Deadline(Deadline),
    ExtQueue(ExtQueue),
    ExtSearch(ExtSearch),
    ExtKick(ExtKick),
    ExtBypass(ExtBypass),
    ExtState(ExtState<'a>),
    PreferredLlc(PreferredLlc),
    Region(Region),
    RegionName(RegionName<'a>),
    IdleExitLate(IdleExitLate),
    EventStack(EventStack),
    ProcessRank(ProcessRank),
    CpuPower(CpuPower),
    ExtScheduler(ExtScheduler<'a>),
    ExtCounter(ExtCounter<'a>),
    ExtChange(ExtChange),
    ExtOfCgroup(ExtOfCgroup),
    ExtAccess(ExtAccess),
    CpuUse(CpuUse),
    ExtIdle(ExtIdle<'a>),
}

/// Bytes that follow the fixed part of a record.
#[inline(always)]
fn tail_size(kind: u8, bytes: &[u8]) -> usize {
    match kind {
        AffinityHead::KIND => {
            let head = AffinityHead::read(fixed_part(bytes));
            usize::from(head.words) * 8 * Masks::count(head.masks.into())
        }
        ThreadHead::KIND => {
            let head = ThreadHead::read(fixed_part(bytes));
            usize::from(head.words) * 8 * Masks::count(head.masks)
        }
        CpusScannedHead::KIND => {
            let head = CpusScannedHead::read(fixed_part(bytes));
            usize::from(head.words) * 8
        }
        StackHead::KIND => {
            let head = StackHead::read(fixed_part(bytes));
            usize::from(head.frames) * 8 + usize::from(head.text_len).next_multiple_of(8)
        }
        CgroupInfoHead::KIND => {
            let head = CgroupInfoHead::read(fixed_part(bytes));
            usize::from(head.text_len).next_multiple_of(8)
        }
        SchedstatHead::KIND => {
            let head = SchedstatHead::read(fixed_part(bytes));
            usize::from(head.counters) * 8
        }
        DomainsHead::KIND => {
            let head = DomainsHead::read(fixed_part(bytes));
            usize::from(head.text_len).next_multiple_of(8)
        }
        ExtStateHead::KIND => {
            let head = ExtStateHead::read(fixed_part(bytes));
            usize::from(head.text_len).next_multiple_of(8)
        }
        RegionNameHead::KIND => {
            let head = RegionNameHead::read(fixed_part(bytes));
            usize::from(head.text_len).next_multiple_of(8)
        }
        ExtSchedulerHead::KIND => {
            let head = ExtSchedulerHead::read(fixed_part(bytes));
            usize::from(head.text_len).next_multiple_of(8)
        }
        ExtCounterHead::KIND => {
            let head = ExtCounterHead::read(fixed_part(bytes));
            usize::from(head.text_len).next_multiple_of(8)
        }
        ExtIdleHead::KIND => {
            let head = ExtIdleHead::read(fixed_part(bytes));
            usize::from(head.words) * 8
        }
        _ => 0,
    }
}

impl<'a> Record<'a> {
    /// The record of `kind` in `bytes`, which `size` has measured; None for a kind that does not exist.
    #[inline(always)]
    fn parse(kind: u8, bytes: &'a [u8], base_ns: u64) -> Option<Self> {
        Some(match kind {
            Switch::KIND => Self::Switch(Switch::read(fixed_part(bytes))),
            Waking::KIND => Self::Waking(Waking::read(fixed_part(bytes))),
            Wakeup::KIND => Self::Wakeup(Wakeup::read(fixed_part(bytes))),
            WakeupNew::KIND => Self::WakeupNew(WakeupNew::read(fixed_part(bytes))),
            Migrate::KIND => Self::Migrate(Migrate::read(fixed_part(bytes))),
            NrRunning::KIND => Self::NrRunning(NrRunning::read(fixed_part(bytes))),
            Fork::KIND => Self::Fork(Fork::read(fixed_part(bytes))),
            Exec::KIND => Self::Exec(Exec::read(fixed_part(bytes))),
            Exit::KIND => Self::Exit(Exit::read(fixed_part(bytes))),
            Rename::KIND => Self::Rename(Rename::read(fixed_part(bytes))),
            AffinityHead::KIND => Self::Affinity(Affinity::parse(bytes)),
            MigrationDisable::KIND => Self::MigrationDisable(MigrationDisable::read(fixed_part(bytes))),
            Cookie::KIND => Self::Cookie(Cookie::read(fixed_part(bytes))),
            Cgroup::KIND => Self::Cgroup(Cgroup::read(fixed_part(bytes))),
            Throttle::KIND => Self::Throttle(Throttle::read(fixed_part(bytes))),
            Hotplug::KIND => Self::Hotplug(Hotplug::read(fixed_part(bytes))),
            IrqSpan::KIND => Self::IrqSpan(IrqSpan::read(fixed_part(bytes))),
            PerfCounter::KIND => Self::PerfCounter(PerfCounter::read(fixed_part(bytes))),
            Lost::KIND => { let r = Lost::read(fixed_part(bytes)); Self::Lost(Lost { to: base_ns.wrapping_add(r.to), ..r }) }
            CpuSnapshot::KIND => Self::CpuSnapshot(CpuSnapshot::read(fixed_part(bytes))),
            ThreadHead::KIND => Self::Thread(Thread::parse(bytes)),
            Balance::KIND => Self::Balance(Balance::read(fixed_part(bytes))),
            CpuLoad::KIND => Self::CpuLoad(CpuLoad::read(fixed_part(bytes))),
            CpusScannedHead::KIND => Self::CpusScanned(CpusScanned::parse(bytes)),
            StackHead::KIND => Self::Stack(Stack::parse(bytes)),
            CgroupInfoHead::KIND => Self::CgroupInfo(CgroupInfo::parse(bytes)),
            SchedstatHead::KIND => Self::Schedstat(Schedstat::parse(bytes)),
            Kick::KIND => Self::Kick(Kick::read(fixed_part(bytes))),
            DomainsHead::KIND => Self::Domains(Domains::parse(bytes)),
            BalanceSearch::KIND => Self::BalanceSearch(BalanceSearch::read(fixed_part(bytes))),
            NewidleEntry::KIND => Self::NewidleEntry(NewidleEntry::read(fixed_part(bytes))),
            Deadline::KIND => Self::Deadline(Deadline::read(fixed_part(bytes))),
            ExtQueue::KIND => Self::ExtQueue(ExtQueue::read(fixed_part(bytes))),
            ExtSearch::KIND => Self::ExtSearch(ExtSearch::read(fixed_part(bytes))),
            ExtKick::KIND => Self::ExtKick(ExtKick::read(fixed_part(bytes))),
            ExtBypass::KIND => Self::ExtBypass(ExtBypass::read(fixed_part(bytes))),
            ExtStateHead::KIND => Self::ExtState(ExtState::parse(bytes)),
            PreferredLlc::KIND => Self::PreferredLlc(PreferredLlc::read(fixed_part(bytes))),
            Region::KIND => Self::Region(Region::read(fixed_part(bytes))),
            RegionNameHead::KIND => Self::RegionName(RegionName::parse(bytes)),
            IdleExitLate::KIND => Self::IdleExitLate(IdleExitLate::read(fixed_part(bytes))),
            EventStack::KIND => Self::EventStack(EventStack::read(fixed_part(bytes))),
            ProcessRank::KIND => Self::ProcessRank(ProcessRank::read(fixed_part(bytes))),
            CpuPower::KIND => Self::CpuPower(CpuPower::read(fixed_part(bytes))),
            ExtSchedulerHead::KIND => Self::ExtScheduler(ExtScheduler::parse(bytes)),
            ExtCounterHead::KIND => Self::ExtCounter(ExtCounter::parse(bytes)),
            ExtChange::KIND => Self::ExtChange(ExtChange::read(fixed_part(bytes))),
            ExtOfCgroup::KIND => Self::ExtOfCgroup(ExtOfCgroup::read(fixed_part(bytes))),
            ExtAccess::KIND => Self::ExtAccess(ExtAccess::read(fixed_part(bytes))),
            CpuUse::KIND => Self::CpuUse(CpuUse::read(fixed_part(bytes))),
            ExtIdleHead::KIND => Self::ExtIdle(ExtIdle::parse(bytes)),
            _ => return None,
        })
    }

    /// Append the record, whose time is `time` after `base_ns`.
    fn append(&self, time: u64, base_ns: u64, out: &mut Vec<u8>) {
        match self {
            Self::Switch(r) => r.write(time, out),
            Self::Waking(r) => r.write(time, out),
            Self::Wakeup(r) => r.write(time, out),
            Self::WakeupNew(r) => r.write(time, out),
            Self::Migrate(r) => r.write(time, out),
            Self::NrRunning(r) => r.write(time, out),
            Self::Fork(r) => r.write(time, out),
            Self::Exec(r) => r.write(time, out),
            Self::Exit(r) => r.write(time, out),
            Self::Rename(r) => r.write(time, out),
            Self::Affinity(r) => r.append(time, out),
            Self::MigrationDisable(r) => r.write(time, out),
            Self::Cookie(r) => r.write(time, out),
            Self::Cgroup(r) => r.write(time, out),
            Self::Throttle(r) => r.write(time, out),
            Self::Hotplug(r) => r.write(time, out),
            Self::IrqSpan(r) => r.write(time, out),
            Self::PerfCounter(r) => r.write(time, out),
            Self::Lost(r) => Lost { to: r.to.saturating_sub(base_ns), ..*r }.write(time, out),
            Self::CpuSnapshot(r) => r.write(time, out),
            Self::Thread(r) => r.append(time, out),
            Self::Balance(r) => r.write(time, out),
            Self::CpuLoad(r) => r.write(time, out),
            Self::CpusScanned(r) => r.append(time, out),
            Self::Stack(r) => r.append(time, out),
            Self::CgroupInfo(r) => r.append(time, out),
            Self::Schedstat(r) => r.append(time, out),
            Self::Kick(r) => r.write(time, out),
            Self::Domains(r) => r.append(time, out),
            Self::BalanceSearch(r) => r.write(time, out),
            Self::NewidleEntry(r) => r.write(time, out),
            Self::Deadline(r) => r.write(time, out),
            Self::ExtQueue(r) => r.write(time, out),
            Self::ExtSearch(r) => r.write(time, out),
            Self::ExtKick(r) => r.write(time, out),
            Self::ExtBypass(r) => r.write(time, out),
            Self::ExtState(r) => r.append(time, out),
            Self::PreferredLlc(r) => r.write(time, out),
            Self::Region(r) => r.write(time, out),
            Self::RegionName(r) => r.append(time, out),
            Self::IdleExitLate(r) => r.write(time, out),
            Self::EventStack(r) => r.write(time, out),
            Self::ProcessRank(r) => r.write(time, out),
            Self::CpuPower(r) => r.write(time, out),
            Self::ExtScheduler(r) => r.append(time, out),
            Self::ExtCounter(r) => r.append(time, out),
            Self::ExtChange(r) => r.write(time, out),
            Self::ExtOfCgroup(r) => r.write(time, out),
            Self::ExtAccess(r) => r.write(time, out),
            Self::CpuUse(r) => r.write(time, out),
            Self::ExtIdle(r) => r.append(time, out),
        }
    }
}

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
        11 => "affinity", // Affinity
        12 => "migration_disable", // MigrationDisable
        13 => "core_cookie", // Cookie
        14 => "cgroup_move", // Cgroup
        15 => "throttle", // Throttle
        16 => "cpu_hotplug", // Hotplug
        17 => "irq_span", // IrqSpan
        18 => "perf_counter", // PerfCounter
        20 => "cpu_snapshot", // CpuSnapshot
        21 => "thread_snapshot", // Thread
        22 => "balance_attempt", // Balance
        23 => "cpu_load", // CpuLoad
        24 => "cpus_scanned", // CpusScanned
        28 => "balance_kick", // Kick
        30 => "balance_search", // BalanceSearch
        31 => "newidle_entry", // NewidleEntry
        32 => "dl_parameters", // Deadline
        33 => "ext_queue", // ExtQueue
        34 => "ext_search", // ExtSearch
        35 => "ext_kick", // ExtKick
        36 => "ext_state", // ExtBypass
        37 => "ext_state", // ExtState
        38 => "preferred_llc", // PreferredLlc
        39 => "region_event", // Region
        40 => "region_event", // RegionName
        41 => "idle_exit_late", // IdleExitLate
        42 => "event_stack", // EventStack
        43 => "process_rank", // ProcessRank
        45 => "ext_scheduler", // ExtScheduler
        46 => "ext_counter", // ExtCounter
        47 => "ext_scheduler", // ExtChange
        48 => "ext_of_cgroup", // ExtOfCgroup
        49 => "ext_access", // ExtAccess
        50 => "cpu_load", // CpuUse
        51 => "ext_idle", // ExtIdle
        _ => "any",
    }
}
