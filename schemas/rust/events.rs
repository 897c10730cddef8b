//! Generated from schemas/tables by wastenot.schemas.generate. Do not edit.

use crate::generated::*;
use crate::references::*;
use std::num::{NonZeroI32, NonZeroU32};

/// `affinity`: A thread's allowed CPUs, or what they come from, were seen to have changed.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Affinity {
    /// CPU that noticed.
    pub cpu: Option<i16>,
    /// The thread.
    pub tid: i32,
    /// Allowed CPUs from now on, a row of `mask`; NULL unknown.
    pub mask_id: Option<MaskId>,
    /// Mask asked for by the user; NULL none or unknown.
    pub user_mask_id: Option<MaskId>,
    /// Effective CPUs of its cpuset; NULL unknown.
    pub cpuset_mask_id: Option<MaskId>,
}

/// `balance_attempt`: One load-balance attempt over one domain, from the entry and return of the kernel's function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BalanceAttempt {
    /// CPU that made the attempt.
    pub cpu: i16,
    /// Entry to return.
    pub dur_ns: i64,
    /// CPU it balanced for.
    pub dst_cpu: i16,
    /// Level of the domain, 0 the smallest; NULL for newidle as a whole.
    pub domain_level: Option<i16>,
    /// Why it ran.
    pub idle_type: u8,
    /// Return value: threads moved.
    pub pulled: Option<i32>,
    /// Kernel function observed.
    pub function: TextId,
    /// The source's own number, unique among the attempts of the source that are near in time.
    pub number: NonZeroU32,
}

/// `balance_kick`: A CPU that runs swapper is called to balance: another one sends it the kick of nohz balancing, or the balancer's softirq starts on it (after a kick, or of its own tick).
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct BalanceKick {
    /// CPU that saw it: of a kick the sender.
    pub cpu: i16,
    /// CPU that is to balance.
    pub target_cpu: i16,
    /// A kick (`sent`: what for is not recorded), or the softirq.
    pub kind: u8,
    /// Of a softirq: when the kernel holds the CPU's next periodic attempts due, over whichever domain (rq.next_balance), counted from its end, in whole milliseconds, at least 0; NULL not recorded.
    pub next_balance_ns: Option<i64>,
}

/// `balance_search`: What a load-balance attempt over a domain that moved no thread found: a group to take from or none, and on the queue that it chose, the threads that it examined and why it left them.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct BalanceSearch {
    /// CPU that made the attempt.
    pub cpu: i16,
    /// The source's own number of the attempt (`BalanceAttempt::number`).
    pub attempt_id: Option<NonZeroU32>,
    /// What the last search for a group in it returned.
    pub result: u8,
    /// CPU whose queue it examined last; NULL where it examined no thread, or that is not recorded.
    pub src_cpu: Option<i16>,
    /// Threads examined on queues (can_migrate_task); NULL where that is not recorded.
    pub examined: Option<i32>,
    /// Of these, left since their masks do not have the CPU.
    pub not_allowed: Option<i32>,
    /// Of these, left since they ran.
    pub running: Option<i32>,
    /// Of these, left as cache-hot, or since their memory is near (task_hot, migrate_degrades_locality).
    pub hot: Option<i32>,
    /// Of these, left for another reason: more load than the imbalance, no quota left, not eligible on the CPU (since 6.14).
    pub other: Option<i32>,
}

/// `bubble_event`: An application or a scheduler did something with a bubble: made it, put threads and bubbles into it, moved, burst or closed it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct BubbleEvent {
    /// CPU that reported it.
    pub cpu: Option<i16>,
    /// Thread that reported it; NULL for a simulated scheduler.
    pub tid: Option<i32>,
    /// Process whose bubbles these are: numbers of bubbles are unique within it. NULL where one source numbers all bubbles.
    pub tgid: Option<i32>,
    /// What was done.
    pub kind: u8,
    /// Number of the bubble that is the entity (init, insert_bubble, wake, move, burst ...); NULL when a thread is.
    pub bubble: Option<i64>,
    /// The thread that is the entity (attach, insert_thread, and priority, expect, move, remove of a thread).
    pub entity_tid: Option<i32>,
    /// Holder it goes to, or leaves (remove); for burst_level the level. NULL where the event does not name one.
    pub holder: Option<u8>,
    /// Number of the holding bubble, or of the part of the machine as in the columns of `cpu` (machine: 0; aside: a number of the scheduler's own).
    pub holder_id: Option<i64>,
    /// priority: the priority, higher first. slice: time slice (ns). expect: CPU time that the entity is expected to need from its start on (ns).
    pub value: Option<i64>,
    /// init: name of the bubble.
    pub name: Option<Box<str>>,
    /// From a state dump: describes the present state.
    pub snapshot: bool,
    /// Negative errno with which the source refused it: nothing changed. NULL it was done.
    pub status: Option<i32>,
}

/// `cgroup_move`: A thread was seen in another cgroup than before.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct CgroupMove {
    /// CPU that noticed.
    pub cpu: Option<i16>,
    /// The thread.
    pub tid: i32,
    /// The cgroup from now on, a row of `cgroup`.
    pub cgroup_id: i64,
}

/// `core_cookie`: A thread's core-scheduling cookie changed: SMT siblings may only run threads of one cookie.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct CoreCookie {
    /// CPU that noticed.
    pub cpu: Option<i16>,
    /// The thread.
    pub tid: i32,
    /// The cookie; 0 none.
    pub cookie: i64,
}

/// `cpu_frequency`: A CPU runs at this frequency from now on, as far as the kernel asked for it. Imports have it where the trace does, recordings of wastenot's own with --power. Kernels may report a frequency anew that did not change.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct CpuFrequency {
    /// CPU that is meant (cpu_id); often another one wrote the event.
    pub cpu: i16,
    /// Frequency.
    pub khz: i32,
}

/// `cpu_hotplug`: A CPU went offline or came online. Offline is never idle.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct CpuHotplug {
    /// The CPU.
    pub cpu: i16,
    /// True: usable by the scheduler from now on.
    pub online: bool,
}

/// `cpu_idle`: A CPU enters an idle state of the processor, or leaves it. Imports have it where the trace does, recordings of wastenot's own with --power. Kernels may report a state anew without an exit in between.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct CpuIdle {
    /// CPU that is meant (cpu_id), which need not be the one that wrote the event.
    pub cpu: i16,
    /// Number of the state as the kernel has it (cpuidle: 0 the shallowest); NULL: it left its state.
    pub state: Option<u8>,
}

/// `cpu_load`: The load of a CPU beside a load-balance attempt: of simulated and imported traces as the attempt saw it, of recordings as it was when the attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct CpuLoad {
    /// CPU that made the attempt.
    pub cpu: i16,
    /// The source's own number of the attempt (`BalanceAttempt::number`).
    pub attempt_id: Option<NonZeroU32>,
    /// CPU whose load it is.
    pub of_cpu: i16,
    /// Weighted load it was taken to have.
    pub load: i64,
    /// Threads counted there.
    pub nr_running: Option<i32>,
    /// How much fair threads used it (util_avg, or what its queued threads are estimated to use where that is more); NULL where that is not recorded.
    pub util: Option<i64>,
    /// How much fair threads ran there or waited (runnable_avg, since 5.7); NULL where that is not recorded.
    pub runnable: Option<i64>,
    /// What interrupts and higher classes leave of it (cpu_capacity); NULL where that is not recorded.
    pub capacity: Option<i64>,
}

/// `cpu_snapshot`: The state of a CPU when the recording started, or when it first became known. A CPU without one is unobserved until its first switch.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct CpuSnapshot {
    /// The CPU.
    pub cpu: i16,
    /// Online.
    pub online: bool,
    /// Thread that runs there (0 swapper); NULL unknown.
    pub current_tid: Option<i32>,
}

/// `cpus_scanned`: The CPUs that a placement or a load-balance attempt scanned, and the one it chose. A placement is made at a wakeup, fork or exec of the fair class; none is made for a thread that may use only one CPU, or that a wakeup finds still on its queue.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct CpusScanned {
    /// CPU that decided: of a wakeup the waker's.
    pub cpu: i16,
    /// The source's own number of the attempt (`BalanceAttempt::number`).
    pub attempt_id: Option<NonZeroU32>,
    /// Thread being placed, for a placement.
    pub tid: Option<NonZeroI32>,
    /// CPUs tested for being idle, a row of `mask`; NULL where that is not recorded.
    pub mask_id: Option<MaskId>,
    /// CPU chosen.
    pub chosen_cpu: Option<i16>,
    /// CPU that the thread had before, for a placement.
    pub prev_cpu: Option<i16>,
    /// Flags of the placement (kernel/sched/sched.h: WF_*, as from 5.18 on): 2 exec, 4 fork, 8 wakeup, 16 the waker is about to sleep, 64 the waker's CPU is to be taken.
    pub wake_flags: Option<u16>,
}

/// `dl_parameters`: The parameters of a SCHED_DEADLINE thread and the state of its server (constant bandwidth server): as the recording starts, and just before each switch and wakeup of the thread.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct DlParameters {
    /// CPU that noticed.
    pub cpu: Option<i16>,
    /// The thread.
    pub tid: i32,
    /// Time that it may run until each deadline (dl_runtime); 0 where it is of this class by priority inheritance only.
    pub runtime_ns: i64,
    /// Its deadline, from its activation (dl_deadline).
    pub deadline_ns: i64,
    /// Its period (dl_period).
    pub period_ns: i64,
    /// SCHED_FLAG_* of sched_setattr: 1 reset on fork, 2 reclaim, 4 signal overruns, 0x10000000 a thread of schedutil, which precedes all others.
    pub flags: i32,
    /// The deadline of its server on the trace's clock, late by up to some microseconds; NULL not known.
    pub until_ns: Option<i64>,
    /// The same as the kernel has it, on the clock of the runqueues: the order of these values is that of the scheduler. NULL not known.
    pub kernel_deadline_ns: Option<i64>,
    /// Runtime that is left until this deadline; NULL not known.
    pub left_ns: Option<i64>,
    /// It has used its runtime, or yielded, and waits for its next period.
    pub throttled: bool,
    /// It gave up the rest of its runtime (sched_yield).
    pub yielded: bool,
}

/// `event_stack`: The kernel stack of a wakeup or switch: that of the event `of` with the same time, CPU and thread. Stacks of moves are in `sched_migrate_task`.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct EventStack {
    /// CPU that wrote the event.
    pub cpu: i16,
    /// Thread that leaves the CPU, or is woken.
    pub tid: i32,
    /// Which event.
    pub of: u8,
    /// The stack, a row of `stack` (NULL where an export has it no more): of a switch where the thread called the scheduler or was interrupted, of a wakeup that of the waker.
    pub stack_id: Option<StackId>,
}

/// `ext_access`: Whether the sched_ext scheduler of a cgroup may use a CPU, as the one above has granted it: of all CPUs when one of its threads is first seen, then of a CPU whenever that found no thread to run.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ExtAccess {
    /// CPU on which it was read.
    pub cpu: i16,
    /// Cgroup whose threads the scheduler schedules, by the kernel's number.
    pub cgroup_id: i64,
    /// The CPU.
    pub for_cpu: i16,
    /// It may (SCX_CAP_BASE).
    pub may_use: bool,
}

/// `ext_counter`: The kernel's counters of a sched_ext scheduler: each as the recording began, and whenever it was seen to have changed.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ExtCounter {
    /// NULL: it is read from sysfs.
    pub cpu: Option<i16>,
    /// Cgroup whose threads the scheduler schedules; NULL: the one of all threads.
    pub cgroup_id: Option<i64>,
    /// Name of the counter (SCX_EV_*).
    pub name: Box<str>,
    /// Since the scheduler was loaded.
    pub value: i64,
}

/// `ext_idle`: The CPUs that the kernel showed sched_ext schedulers as idle, as select_cpu had put a thread into a queue. A CPU that idles is missing where it was promised to another thread (scx_bpf_pick_idle_cpu, scx_bpf_test_and_clear_cpu_idle). Empty where the kernel does not keep the mask, or keeps one for each NUMA node.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ExtIdle {
    /// CPU on which the thread was placed.
    pub cpu: i16,
    /// The thread.
    pub tid: i32,
    /// CPUs shown as idle, a row of `mask`; NULL: not known.
    pub mask_id: Option<MaskId>,
}

/// `ext_kick`: A sched_ext scheduler asked for a CPU to reschedule, so that it asks for a thread to run.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ExtKick {
    /// CPU on which the scheduler asked for it.
    pub cpu: i16,
    /// CPU that is to reschedule.
    pub target_cpu: i16,
    /// SCX_KICK_*: 1 only if it idles, 2 preempt, 4 wait for it.
    pub flags: i32,
}

/// `ext_of_cgroup`: It was the sched_ext scheduler of a cgroup that put a thread into a dispatch queue, or keeps it: what the next row of `ext_queue` about that thread says, which has the same time. Of the scheduler of all threads there is none.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ExtOfCgroup {
    /// CPU on which that was done.
    pub cpu: i16,
    /// The thread.
    pub tid: i32,
    /// Cgroup whose threads the scheduler schedules, by the kernel's number.
    pub cgroup_id: i64,
}

/// `ext_queue`: A thread of a sched_ext scheduler was put into a dispatch queue, or is kept by the scheduler in a structure of its own.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ExtQueue {
    /// CPU on which that was done.
    pub cpu: i16,
    /// The thread.
    pub tid: i32,
    /// Where it is from then on.
    pub place: u8,
    /// CPU of the local queue; NULL of any other place.
    pub queue_cpu: Option<i16>,
    /// Number of the dispatch queue, as the kernel has it; NULL where it is in none.
    pub dsq: Option<i64>,
    /// Which part of the scheduler decided that.
    pub step: u8,
}

/// `ext_scheduler`: sched_ext schedulers, of all threads or of a cgroup: which were loaded as the recording began, what was loaded or went since, and why the kernel ended one.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ExtScheduler {
    /// CPU on which it was done; NULL where it was read from sysfs.
    pub cpu: Option<i16>,
    /// Cgroup whose threads it schedules, by the kernel's number; NULL: it is the one of all threads.
    pub cgroup_id: Option<i64>,
    /// What happened.
    pub change: u8,
    /// Its name (sched_ext_ops.name), where sysfs had it.
    pub name: Option<Box<str>>,
    /// The table `ext_of_cgroup` says which threads schedulers of cgroups have; NULL: the recording is of an earlier version, and it does not.
    pub threads_recorded: Option<bool>,
}

/// `ext_search`: A CPU asked its local queue and the sched_ext scheduler (ops.dispatch) for a thread to run, and got none.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ExtSearch {
    /// CPU on which the function ran.
    pub cpu: i16,
    /// For how long it asked.
    pub dur_ns: i64,
    /// CPU for which it asked; another one with core scheduling alone.
    pub for_cpu: i16,
}

/// `ext_state`: Which sched_ext scheduler is in charge: as the recording began and at each change, and when the kernel bypasses it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ExtState {
    /// CPU on which it was done; NULL where it was read from sysfs.
    pub cpu: Option<i16>,
    /// What changed.
    pub change: u8,
    /// Name of the scheduler (sched_ext_ops.name).
    pub name: Option<Box<str>>,
    /// It runs threads of the policy SCHED_EXT alone (SCX_OPS_SWITCH_PARTIAL).
    pub partial: bool,
    /// The tables `ext_queue`, `ext_search` and `ext_kick` have all that happened.
    pub recorded: bool,
}

/// `idle_exit_late`: A CPU left idle late: so long after the kernel had asked it to reschedule (TIF_NEED_RESCHED) for a thread on its queue, where that took a millisecond or more. It was in a deep idle state, in an interrupt, or a virtual CPU that its host did not run; or the one that queued the thread stood still.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct IdleExitLate {
    /// CPU that leaves idle.
    pub cpu: i16,
    /// How long before that it was asked to.
    pub late_ns: i64,
}

/// `irq_span`: Interrupt work of more than 20 us. A CPU that runs swapper meanwhile looks idle and is not; threads on its queue wait for the interrupts. Imports have it of CPUs that run swapper only. ts_ns is the start of the span; the row is there in the order.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct IrqSpan {
    /// The CPU.
    pub cpu: i16,
    /// Length.
    pub dur_ns: i64,
    /// Hard, soft, or both without a gap.
    pub kind: u8,
    /// irq number or softirq vector of the longest part.
    pub vector: Option<i32>,
}

/// `lost_events`: Events the recorder or tracer dropped. Between ts_ns and end_ns what is known of the CPU may be wrong: it counts as unobserved until its next switch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LostEvents {
    /// Last instant.
    pub end_ns: i64,
    /// CPU whose events were lost; NULL any.
    pub cpu: Option<i16>,
    /// How many; NULL unknown.
    pub count: Option<i64>,
    /// Kind of event lost, or 'any'.
    pub what: TextId,
}

/// `migration_disable`: A thread entered or left a section in which it may not be moved. Not the same as being pinned.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct MigrationDisable {
    /// CPU that noticed.
    pub cpu: Option<i16>,
    /// The thread.
    pub tid: i32,
    /// True from now on, or false.
    pub disabled: bool,
}

/// `newidle_entry`: What a CPU that was about to idle decided by, in a search for work that moved no thread, as it was when the kernel's function was entered, but for `next_balance_ns`.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct NewidleEntry {
    /// CPU that was about to idle.
    pub cpu: i16,
    /// The source's own number of the attempt (`BalanceAttempt::number`).
    pub attempt_id: Option<NonZeroU32>,
    /// How long the CPU expected to idle (rq.avg_idle).
    pub avg_idle_ns: i64,
    /// Some CPU of the root domain counted as overloaded (root_domain.overload).
    pub overloaded: bool,
    /// A wakeup was queued to the CPU (rq.ttwu_pending).
    pub wakeup_pending: bool,
    /// Smallest level whose attempts cost more than the CPU expected to idle (max_newidle_lb_cost); NULL none.
    pub too_short_level: Option<i16>,
    /// The release leaves each attempt to chance by how many succeeded (sched_domain.newidle_ratio).
    pub dice: bool,
    /// When the kernel holds the CPU's next periodic attempts due, over whichever domain (rq.next_balance), counted from the return of the function, in whole milliseconds, at least 0; NULL not recorded.
    pub next_balance_ns: Option<i64>,
}

/// `nr_running`: The kernel's own count of a runqueue. A cross-check only: since 6.12 it includes threads whose dequeue is delayed.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct NrRunning {
    /// CPU of the runqueue.
    pub cpu: i16,
    /// Threads on the queue after the change, the running one included.
    pub nr_running: i32,
    /// The change.
    pub delta: i16,
}

/// `perf_counter`: What a hardware or software counter added while a thread ran, read at the switch that ended the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerfCounter {
    /// The CPU.
    pub cpu: i16,
    /// Thread that ran.
    pub tid: i32,
    /// Counter: cycles, instructions, cache-misses, task-clock ...
    pub counter: TextId,
    /// Increase over the run.
    pub value: i64,
}

/// `preferred_llc`: A load-balance attempt that moved no thread left threads in the last-level cache that their process prefers (cache-aware scheduling); they are among those of `balance_search.other`.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct PreferredLlc {
    /// CPU that made the attempt.
    pub cpu: i16,
    /// The source's own number of the attempt (`BalanceAttempt::number`).
    pub attempt_id: Option<NonZeroU32>,
    /// CPU on whose queue it found them.
    pub src_cpu: i16,
    /// How many it left for that.
    pub threads: i32,
}

/// `process_exec`: A thread runs a new program. When a non-leader execs, it takes the leader's tid: old_tid names it before.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ProcessExec {
    /// CPU it ran on.
    pub cpu: i16,
    /// tid after the exec.
    pub tid: i32,
    /// tid before the exec.
    pub old_tid: Option<i32>,
}

/// `process_exit`: A thread starts to exit. It still runs; its life ends at its last switch (state X or Z).
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ProcessExit {
    /// CPU it runs on.
    pub cpu: i16,
    /// Thread that exits.
    pub tid: i32,
}

/// `process_fork`: A thread was created. The child inherits its parent's mask and cgroup; its placement comes with sched_wakeup_new.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ProcessFork {
    /// CPU of the parent.
    pub cpu: i16,
    /// Thread that forked.
    pub parent_tid: i32,
    /// Thread that was made.
    pub child_tid: i32,
    /// Process the child belongs to.
    pub child_tgid: Option<i32>,
}

/// `process_rank`: Which rank of a parallel program a process is, by its environment, which launchers set. Written as the recorder first sees the process: at the start, or soon after it was started.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ProcessRank {
    /// The process.
    pub tgid: i32,
    /// Its rank, from 0 on.
    pub rank: i32,
    /// Ranks of the whole program, on all machines; NULL not known.
    pub size: Option<i32>,
    /// The variable that tells it.
    pub variable: u8,
}

/// `region_event`: A thread enters or leaves a call in which it waits for other ranks of a parallel program (MPI, OpenMP), or the body of an OpenMP parallel region. Regions of one thread are nested.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionEvent {
    /// CPU on which the thread ran; NULL where the source does not say.
    pub cpu: Option<i16>,
    /// The thread.
    pub tid: i32,
    /// What the thread does in the region.
    pub kind: u8,
    /// It enters; else it leaves.
    pub enter: bool,
    /// The other rank, or the root of a collective, as the program numbers them in the communicator; below 0 any. NULL where the source does not say.
    pub peer: Option<i32>,
    /// Length of the message or of the rank's part of a collective; NULL where the source does not say.
    pub bytes: Option<i64>,
    /// Function, or name of the region.
    pub name: TextId,
}

/// `run_span`: A thread ran, by the kernel's account of its time, on a CPU that runs swapper according to its switches: the switch to it was not reported. ts_ns is the start of the span; the row is there in the order.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct RunSpan {
    /// The CPU.
    pub cpu: i16,
    /// The thread.
    pub tid: i32,
    /// Length: up to the first time the kernel accounted for the thread there.
    pub dur_ns: i64,
}

/// `sched_migrate_task`: A thread is moved to another CPU; a queued one changes queue, a blocked one only remembers its destination.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct SchedMigrateTask {
    /// CPU that did the move.
    pub cpu: i16,
    /// Thread that is moved.
    pub tid: i32,
    /// CPU it leaves; NULL where the source does not say (never 0 for want of knowledge).
    pub orig_cpu: Option<i16>,
    /// CPU it goes to.
    pub dest_cpu: i16,
    /// Kernel stack of the move, a row of `stack`.
    pub stack_id: Option<StackId>,
}

/// `sched_stat_runtime`: The kernel accounted for time that a thread ran: up to now, since the account of it before. Imports keep it; recordings of wastenot's own have none.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct SchedStatRuntime {
    /// CPU that wrote the event: the thread's own, or one that changes its queue from afar.
    pub cpu: i16,
    /// The thread.
    pub tid: i32,
    /// Time it ran, by the clock of its runqueue, which leaves out interrupts and stolen time where the kernel accounts for those.
    pub runtime_ns: i64,
}

/// `sched_switch`: A CPU stops running one thread and starts another. tid 0 is the idle thread (swapper).
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct SchedSwitch {
    /// CPU that switches.
    pub cpu: i16,
    /// Thread that leaves the CPU; 0 is swapper.
    pub prev_tid: i32,
    /// State it is left in; R and R+ stay runnable.
    pub prev_state: u8,
    /// Kernel priority of prev (0-99 real time, 100-139 fair).
    pub prev_prio: Option<i16>,
    /// Thread that starts to run; 0 is swapper.
    pub next_tid: i32,
    /// Kernel priority of next.
    pub next_prio: Option<i16>,
    /// The kernel's own count of the CPU's runqueue, next included. Since 6.12 it also counts threads whose dequeue is delayed.
    pub nr_running: Option<i32>,
}

/// `sched_wakeup`: A thread became runnable and was queued on target_cpu (sched_wakeup, and sched_wakeup_new for a thread that starts its life).
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct SchedWakeup {
    /// CPU that wrote the event (the target's own when the wakeup was queued to it).
    pub cpu: i16,
    /// Thread that became runnable.
    pub tid: i32,
    /// CPU on whose queue it was put: its placement.
    pub target_cpu: i16,
    /// Kernel priority of the thread.
    pub prio: Option<i16>,
    /// True for sched_wakeup_new.
    pub is_new: bool,
}

/// `sched_waking`: A thread is about to be woken. Its target_cpu is where the thread last ran, not where it goes. Where `trace.queued_wakings_only` is true, only of threads that another CPU than the waker's puts on a queue.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct SchedWaking {
    /// CPU on which the waker ran.
    pub cpu: i16,
    /// Thread being woken.
    pub tid: i32,
    /// CPU the thread last ran on; NULL where the event is the queueing of a wakeup to another CPU (`trace.queued_wakings_only`).
    pub target_cpu: Option<i16>,
    /// Kernel priority of the thread.
    pub prio: Option<i16>,
}

/// `schedstat`: What the kernel's load balancer counted between two readings of /proc/schedstat, per CPU and domain. Each reading is a row whose cpu is NULL, at its end; rows of the domains that counted something follow at the same instant: the others counted nothing. A row counts everything between the end of the reading before and the start of this one, and nothing before the start of the former or after the end of the latter.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Schedstat {
    /// CPU whose domain it is; NULL: the reading itself.
    pub cpu: Option<i16>,
    /// Level of the domain, 0 the smallest; NULL: the reading itself.
    pub level: Option<i16>,
    /// How long the reading took.
    pub reading_ns: i64,
    /// From the end of the reading before; 0 for the first, which counts nothing.
    pub interval_ns: i64,
    /// The domain was built anew in the interval: what it counted since.
    pub restarted: bool,
    /// The counters, in the order of `COUNTERS` and of the columns.
    pub counters: [i64; 30],
}

impl Schedstat {
    /// Names of the counters, which are columns of the table.
    pub const COUNTERS: [&str; 30] = ["busy_lb_count", "busy_lb_balanced", "busy_lb_failed", "busy_lb_imbalance", "busy_lb_gained", "busy_lb_hot_gained", "busy_lb_nobusyq", "busy_lb_nobusyg", "idle_lb_count", "idle_lb_balanced", "idle_lb_failed", "idle_lb_imbalance", "idle_lb_gained", "idle_lb_hot_gained", "idle_lb_nobusyq", "idle_lb_nobusyg", "newidle_lb_count", "newidle_lb_balanced", "newidle_lb_failed", "newidle_lb_imbalance", "newidle_lb_gained", "newidle_lb_hot_gained", "newidle_lb_nobusyq", "newidle_lb_nobusyg", "alb_count", "alb_failed", "alb_pushed", "ttwu_wake_remote", "ttwu_move_affine", "ttwu_move_balance"];
}

/// `thread_name`: A thread's name (comm) became known or changed.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ThreadName {
    /// The thread.
    pub tid: i32,
    /// Its process, where known.
    pub tgid: Option<i32>,
    /// The name; may hold spaces, dashes, digits, any byte that is valid UTF-8.
    pub name: Box<str>,
}

/// `thread_snapshot`: The state of a thread when the recording started, or when it first became known. Makes the initial state exact.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ThreadSnapshot {
    /// The thread.
    pub tid: i32,
    /// Its process.
    pub tgid: i32,
    /// Parent process.
    pub ppid: Option<i32>,
    /// comm.
    pub name: Box<str>,
    /// Task state.
    pub state: u8,
    /// Running, queued, off every queue, or unknown.
    pub queue: u8,
    /// CPU of its queue, or where it last ran.
    pub cpu: i16,
    /// Allowed CPUs (cpus_ptr: already cut by the cpuset), a row of `mask`; NULL unknown.
    pub mask_id: Option<MaskId>,
    /// Mask asked for by the user (user_cpus_ptr, >= 6.2); NULL none or unknown.
    pub user_mask_id: Option<MaskId>,
    /// Effective CPUs of its cpuset; NULL unknown.
    pub cpuset_mask_id: Option<MaskId>,
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

/// `throttle`: A thread lost or regained the quota to run (CFS bandwidth control). From 6.18 a throttled thread leaves the queue though its state reads R.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Throttle {
    /// CPU of the queue.
    pub cpu: i16,
    /// The thread.
    pub tid: i32,
    /// True: no quota from now on; false: quota again.
    pub throttled: bool,
    /// The change happened at most this long before ts_ns.
    pub error_ns: i64,
}

/// What happened. One variant per event table, called like it.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    Affinity(Affinity),
    BalanceAttempt(Box<BalanceAttempt>),
    BalanceKick(BalanceKick),
    BalanceSearch(Box<BalanceSearch>),
    BubbleEvent(Box<BubbleEvent>),
    CgroupMove(CgroupMove),
    CoreCookie(CoreCookie),
    CpuFrequency(CpuFrequency),
    CpuHotplug(CpuHotplug),
    CpuIdle(CpuIdle),
    CpuLoad(Box<CpuLoad>),
    CpuSnapshot(CpuSnapshot),
    CpusScanned(CpusScanned),
    DlParameters(Box<DlParameters>),
    EventStack(EventStack),
    ExtAccess(ExtAccess),
    ExtCounter(Box<ExtCounter>),
    ExtIdle(ExtIdle),
    ExtKick(ExtKick),
    ExtOfCgroup(ExtOfCgroup),
    ExtQueue(Box<ExtQueue>),
    ExtScheduler(Box<ExtScheduler>),
    ExtSearch(ExtSearch),
    ExtState(ExtState),
    IdleExitLate(IdleExitLate),
    IrqSpan(IrqSpan),
    LostEvents(Box<LostEvents>),
    MigrationDisable(MigrationDisable),
    NewidleEntry(Box<NewidleEntry>),
    NrRunning(NrRunning),
    PerfCounter(PerfCounter),
    PreferredLlc(PreferredLlc),
    ProcessExec(ProcessExec),
    ProcessExit(ProcessExit),
    ProcessFork(ProcessFork),
    ProcessRank(ProcessRank),
    RegionEvent(Box<RegionEvent>),
    RunSpan(RunSpan),
    SchedMigrateTask(SchedMigrateTask),
    SchedStatRuntime(SchedStatRuntime),
    SchedSwitch(SchedSwitch),
    SchedWakeup(SchedWakeup),
    SchedWaking(SchedWaking),
    Schedstat(Box<Schedstat>),
    ThreadName(Box<ThreadName>),
    ThreadSnapshot(Box<ThreadSnapshot>),
    Throttle(Throttle),
}

impl Event {
    /// Name of its table.
    pub const fn table(&self) -> &'static str {
        match self {
            Self::Affinity(_) => affinity::NAME,
            Self::BalanceAttempt(_) => balance_attempt::NAME,
            Self::BalanceKick(_) => balance_kick::NAME,
            Self::BalanceSearch(_) => balance_search::NAME,
            Self::BubbleEvent(_) => bubble_event::NAME,
            Self::CgroupMove(_) => cgroup_move::NAME,
            Self::CoreCookie(_) => core_cookie::NAME,
            Self::CpuFrequency(_) => cpu_frequency::NAME,
            Self::CpuHotplug(_) => cpu_hotplug::NAME,
            Self::CpuIdle(_) => cpu_idle::NAME,
            Self::CpuLoad(_) => cpu_load::NAME,
            Self::CpuSnapshot(_) => cpu_snapshot::NAME,
            Self::CpusScanned(_) => cpus_scanned::NAME,
            Self::DlParameters(_) => dl_parameters::NAME,
            Self::EventStack(_) => event_stack::NAME,
            Self::ExtAccess(_) => ext_access::NAME,
            Self::ExtCounter(_) => ext_counter::NAME,
            Self::ExtIdle(_) => ext_idle::NAME,
            Self::ExtKick(_) => ext_kick::NAME,
            Self::ExtOfCgroup(_) => ext_of_cgroup::NAME,
            Self::ExtQueue(_) => ext_queue::NAME,
            Self::ExtScheduler(_) => ext_scheduler::NAME,
            Self::ExtSearch(_) => ext_search::NAME,
            Self::ExtState(_) => ext_state::NAME,
            Self::IdleExitLate(_) => idle_exit_late::NAME,
            Self::IrqSpan(_) => irq_span::NAME,
            Self::LostEvents(_) => lost_events::NAME,
            Self::MigrationDisable(_) => migration_disable::NAME,
            Self::NewidleEntry(_) => newidle_entry::NAME,
            Self::NrRunning(_) => nr_running::NAME,
            Self::PerfCounter(_) => perf_counter::NAME,
            Self::PreferredLlc(_) => preferred_llc::NAME,
            Self::ProcessExec(_) => process_exec::NAME,
            Self::ProcessExit(_) => process_exit::NAME,
            Self::ProcessFork(_) => process_fork::NAME,
            Self::ProcessRank(_) => process_rank::NAME,
            Self::RegionEvent(_) => region_event::NAME,
            Self::RunSpan(_) => run_span::NAME,
            Self::SchedMigrateTask(_) => sched_migrate_task::NAME,
            Self::SchedStatRuntime(_) => sched_stat_runtime::NAME,
            Self::SchedSwitch(_) => sched_switch::NAME,
            Self::SchedWakeup(_) => sched_wakeup::NAME,
            Self::SchedWaking(_) => sched_waking::NAME,
            Self::Schedstat(_) => schedstat::NAME,
            Self::ThreadName(_) => thread_name::NAME,
            Self::ThreadSnapshot(_) => thread_snapshot::NAME,
            Self::Throttle(_) => throttle::NAME,
        }
    }
    /// It has a duration: its row has the time at which it began, though it is known only when it has ended.
    #[inline]
    pub const fn is_span(&self) -> bool { matches!(self, Self::BalanceAttempt(_) | Self::ExtSearch(_) | Self::IrqSpan(_) | Self::LostEvents(_) | Self::RunSpan(_)) }
}

impl From<Affinity> for Event {
    fn from(event: Affinity) -> Self { Self::Affinity(event) }
}
impl From<BalanceAttempt> for Event {
    fn from(event: BalanceAttempt) -> Self { Self::BalanceAttempt(Box::new(event)) }
}
impl From<BalanceKick> for Event {
    fn from(event: BalanceKick) -> Self { Self::BalanceKick(event) }
}
impl From<BalanceSearch> for Event {
    fn from(event: BalanceSearch) -> Self { Self::BalanceSearch(Box::new(event)) }
}
impl From<BubbleEvent> for Event {
    fn from(event: BubbleEvent) -> Self { Self::BubbleEvent(Box::new(event)) }
}
impl From<CgroupMove> for Event {
    fn from(event: CgroupMove) -> Self { Self::CgroupMove(event) }
}
impl From<CoreCookie> for Event {
    fn from(event: CoreCookie) -> Self { Self::CoreCookie(event) }
}
impl From<CpuFrequency> for Event {
    fn from(event: CpuFrequency) -> Self { Self::CpuFrequency(event) }
}
impl From<CpuHotplug> for Event {
    fn from(event: CpuHotplug) -> Self { Self::CpuHotplug(event) }
}
impl From<CpuIdle> for Event {
    fn from(event: CpuIdle) -> Self { Self::CpuIdle(event) }
}
impl From<CpuLoad> for Event {
    fn from(event: CpuLoad) -> Self { Self::CpuLoad(Box::new(event)) }
}
impl From<CpuSnapshot> for Event {
    fn from(event: CpuSnapshot) -> Self { Self::CpuSnapshot(event) }
}
impl From<CpusScanned> for Event {
    fn from(event: CpusScanned) -> Self { Self::CpusScanned(event) }
}
impl From<DlParameters> for Event {
    fn from(event: DlParameters) -> Self { Self::DlParameters(Box::new(event)) }
}
impl From<EventStack> for Event {
    fn from(event: EventStack) -> Self { Self::EventStack(event) }
}
impl From<ExtAccess> for Event {
    fn from(event: ExtAccess) -> Self { Self::ExtAccess(event) }
}
impl From<ExtCounter> for Event {
    fn from(event: ExtCounter) -> Self { Self::ExtCounter(Box::new(event)) }
}
impl From<ExtIdle> for Event {
    fn from(event: ExtIdle) -> Self { Self::ExtIdle(event) }
}
impl From<ExtKick> for Event {
    fn from(event: ExtKick) -> Self { Self::ExtKick(event) }
}
impl From<ExtOfCgroup> for Event {
    fn from(event: ExtOfCgroup) -> Self { Self::ExtOfCgroup(event) }
}
impl From<ExtQueue> for Event {
    fn from(event: ExtQueue) -> Self { Self::ExtQueue(Box::new(event)) }
}
impl From<ExtScheduler> for Event {
    fn from(event: ExtScheduler) -> Self { Self::ExtScheduler(Box::new(event)) }
}
impl From<ExtSearch> for Event {
    fn from(event: ExtSearch) -> Self { Self::ExtSearch(event) }
}
impl From<ExtState> for Event {
    fn from(event: ExtState) -> Self { Self::ExtState(event) }
}
impl From<IdleExitLate> for Event {
    fn from(event: IdleExitLate) -> Self { Self::IdleExitLate(event) }
}
impl From<IrqSpan> for Event {
    fn from(event: IrqSpan) -> Self { Self::IrqSpan(event) }
}
impl From<LostEvents> for Event {
    fn from(event: LostEvents) -> Self { Self::LostEvents(Box::new(event)) }
}
impl From<MigrationDisable> for Event {
    fn from(event: MigrationDisable) -> Self { Self::MigrationDisable(event) }
}
impl From<NewidleEntry> for Event {
    fn from(event: NewidleEntry) -> Self { Self::NewidleEntry(Box::new(event)) }
}
impl From<NrRunning> for Event {
    fn from(event: NrRunning) -> Self { Self::NrRunning(event) }
}
impl From<PerfCounter> for Event {
    fn from(event: PerfCounter) -> Self { Self::PerfCounter(event) }
}
impl From<PreferredLlc> for Event {
    fn from(event: PreferredLlc) -> Self { Self::PreferredLlc(event) }
}
impl From<ProcessExec> for Event {
    fn from(event: ProcessExec) -> Self { Self::ProcessExec(event) }
}
impl From<ProcessExit> for Event {
    fn from(event: ProcessExit) -> Self { Self::ProcessExit(event) }
}
impl From<ProcessFork> for Event {
    fn from(event: ProcessFork) -> Self { Self::ProcessFork(event) }
}
impl From<ProcessRank> for Event {
    fn from(event: ProcessRank) -> Self { Self::ProcessRank(event) }
}
impl From<RegionEvent> for Event {
    fn from(event: RegionEvent) -> Self { Self::RegionEvent(Box::new(event)) }
}
impl From<RunSpan> for Event {
    fn from(event: RunSpan) -> Self { Self::RunSpan(event) }
}
impl From<SchedMigrateTask> for Event {
    fn from(event: SchedMigrateTask) -> Self { Self::SchedMigrateTask(event) }
}
impl From<SchedStatRuntime> for Event {
    fn from(event: SchedStatRuntime) -> Self { Self::SchedStatRuntime(event) }
}
impl From<SchedSwitch> for Event {
    fn from(event: SchedSwitch) -> Self { Self::SchedSwitch(event) }
}
impl From<SchedWakeup> for Event {
    fn from(event: SchedWakeup) -> Self { Self::SchedWakeup(event) }
}
impl From<SchedWaking> for Event {
    fn from(event: SchedWaking) -> Self { Self::SchedWaking(event) }
}
impl From<Schedstat> for Event {
    fn from(event: Schedstat) -> Self { Self::Schedstat(Box::new(event)) }
}
impl From<ThreadName> for Event {
    fn from(event: ThreadName) -> Self { Self::ThreadName(Box::new(event)) }
}
impl From<ThreadSnapshot> for Event {
    fn from(event: ThreadSnapshot) -> Self { Self::ThreadSnapshot(Box::new(event)) }
}
impl From<Throttle> for Event {
    fn from(event: Throttle) -> Self { Self::Throttle(event) }
}
