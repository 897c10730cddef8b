// Generated from schemas/tables and schemas/enums.toml by wastenot.schemas.generate. Do not edit.

/** State a thread is left in at a switch, normalised across kernel releases (the numeric code of 'preempted' was 256, 1024, 2048 and 4096). */
export const TASK_STATE = ["R", "R+", "S", "D", "T", "t", "X", "Z", "P", "I", "K", "W", "N", "?"] as const;
export type TaskState = (typeof TASK_STATE)[number];

/** What a thread was doing, as reconstructed. */
export const THREAD_PHASE = ["running", "runnable", "preempted", "sleeping", "blocked", "stopped", "dead", "throttled", "unknown"] as const;
export type ThreadPhase = (typeof THREAD_PHASE)[number];

/** Scheduling policy. */
export const POLICY = ["normal", "fifo", "rr", "batch", "iso", "idle", "deadline", "ext"] as const;
export type Policy = (typeof POLICY)[number];

/** Where a thread was at the snapshot: running on its CPU, queued there, on no queue, or unknown. */
export const QUEUE_STATE = ["running", "queued", "off", "unknown"] as const;
export type QueueState = (typeof QUEUE_STATE)[number];

/** Which interrupt work filled a span. */
export const IRQ_KIND = ["hardirq", "softirq", "mixed"] as const;
export type IrqKind = (typeof IRQ_KIND)[number];

/** How an idle CPU was called to balance. */
export const KICK_KIND = ["sent", "softirq", "sent_to_balance", "sent_for_loads"] as const;
export type KickKind = (typeof KICK_KIND)[number];
/** KICK_KIND, for people. */
export const KICK_KIND_WORDS: Readonly<Record<KickKind, string>> = {
  sent: "kicked",
  softirq: "balancing softirq",
  sent_to_balance: "kicked to balance",
  sent_for_loads: "kicked to update loads",
};

/** What a load-balance attempt's search for a busier group returned. */
export const BALANCE_SEARCH_RESULT = ["not_made", "none", "found", "unknown"] as const;
export type BalanceSearchResult = (typeof BALANCE_SEARCH_RESULT)[number];
/** BALANCE_SEARCH_RESULT, for people. */
export const BALANCE_SEARCH_RESULT_WORDS: Readonly<Record<BalanceSearchResult, string>> = {
  not_made: "none was made",
  none: "none found",
  found: "found",
  unknown: "not recorded",
};

/** Where a thread of a sched_ext scheduler waits. */
export const EXT_PLACE = ["local", "global", "shared", "bypass", "held", "kernel"] as const;
export type ExtPlace = (typeof EXT_PLACE)[number];
/** EXT_PLACE, for people. */
export const EXT_PLACE_WORDS: Readonly<Record<ExtPlace, string>> = {
  local: "a CPU's local queue",
  global: "the global queue",
  shared: "the shared queue",
  bypass: "the queue of bypassed threads",
  held: "the scheduler itself",
  kernel: "a queue of the kernel's own (reject, rescue)",
};

/** Which part of a sched_ext scheduler put a thread where it is. */
export const EXT_STEP = ["select_cpu", "enqueue", "dispatch", "move"] as const;
export type ExtStep = (typeof EXT_STEP)[number];
/** EXT_STEP, for people. */
export const EXT_STEP_WORDS: Readonly<Record<ExtStep, string>> = {
  select_cpu: "select_cpu",
  enqueue: "enqueue",
  dispatch: "dispatch, or the kernel",
  move: "on its way there",
};

/** What changed about the sched_ext scheduler in charge. */
export const EXT_CHANGE = ["disabled", "enabled", "bypass_begin", "bypass_end"] as const;
export type ExtChange = (typeof EXT_CHANGE)[number];
/** EXT_CHANGE, for people. */
export const EXT_CHANGE_WORDS: Readonly<Record<ExtChange, string>> = {
  disabled: "none in charge",
  enabled: "in charge",
  bypass_begin: "bypassed",
  bypass_end: "no longer bypassed",
};

/** What happened to a sched_ext scheduler. */
export const EXT_SCHEDULER_CHANGE = ["loaded", "gone", "bypass_begin", "bypass_end", "unregistered", "unregistered_by_itself", "unregistered_by_kernel", "sysrq", "parent_ended", "ended_by_parent", "error", "own_error", "stall", "reenqueued", "rescue", "ended"] as const;
export type ExtSchedulerChange = (typeof EXT_SCHEDULER_CHANGE)[number];
/** EXT_SCHEDULER_CHANGE, for people. */
export const EXT_SCHEDULER_CHANGE_WORDS: Readonly<Record<ExtSchedulerChange, string>> = {
  loaded: "is loaded",
  gone: "is gone",
  bypass_begin: "is bypassed",
  bypass_end: "is no longer bypassed",
  unregistered: "ended from user space",
  unregistered_by_itself: "ended by itself",
  unregistered_by_kernel: "ended by the kernel",
  sysrq: "ended by the SysRq key",
  parent_ended: "ended with its parent",
  ended_by_parent: "ended by its parent",
  error: "ended: an error",
  own_error: "ended: an error that it reported",
  stall: "ended by the watchdog: a thread that could run did not for too long",
  reenqueued: "ended: a thread was queued again too often without running",
  rescue: "ended: too many threads had to be rescued",
  ended: "ended, for a reason that is not known here",
};

/** How long waste lasted, measured per idle–waiting pair (an idle CPU and the queue of another CPU). */
export const GRADE = ["noise", "in_flight", "expected", "lasting", "persistent", "recurrent"] as const;
export type Grade = (typeof GRADE)[number];
/** GRADE, for people. */
export const GRADE_WORDS: Readonly<Record<Grade, string>> = {
  noise: "noise",
  in_flight: "in flight",
  expected: "expected",
  lasting: "lasting",
  persistent: "persistent",
  recurrent: "recurrent",
};
export const GRADE_WORST_FIRST: readonly Grade[] = ["persistent", "lasting", "recurrent", "expected", "in_flight", "noise"];
export const GRADE_TIMED: readonly Grade[] = ["in_flight", "expected", "lasting", "persistent"];
export const GRADE_SEVERITIES: readonly Grade[] = ["persistent", "lasting", "expected", "in_flight", "noise"];

/** Why a waiting thread could not use an idle CPU, in the order in which the excuses are applied. */
export const EXCUSE = ["per_cpu_thread", "migration_disabled", "cpuset", "affinity", "throttled", "isolated", "cookie", "irq_busy"] as const;
export type Excuse = (typeof EXCUSE)[number];
/** EXCUSE, for people. */
export const EXCUSE_WORDS: Readonly<Record<Excuse, string>> = {
  per_cpu_thread: "per-CPU kernel thread of another CPU",
  migration_disabled: "migration disabled",
  cpuset: "outside its cpuset",
  affinity: "outside its affinity mask",
  throttled: "no quota left",
  isolated: "CPU outside all scheduling domains",
  cookie: "forbidden by core scheduling",
  irq_busy: "CPU in interrupt work",
};

/** Why a runnable thread did not run. The reasons are tried in this order, and the first that applies holds. */
export const WAIT_REASON = ["own_quota", "avoidable", "confined", "wakeup_latency", "interrupts", "rt_dl", "kernel_threads", "own_threads", "neighbour", "unknown_cgroup", "unknown"] as const;
export type WaitReason = (typeof WAIT_REASON)[number];
/** WAIT_REASON, for people. */
export const WAIT_REASON_WORDS: Readonly<Record<WaitReason, string>> = {
  own_quota: "own quota",
  avoidable: "avoidable",
  confined: "confined",
  wakeup_latency: "wakeup latency",
  interrupts: "interrupts",
  rt_dl: "RT/DL threads",
  kernel_threads: "kernel threads",
  own_threads: "own threads",
  neighbour: "neighbour",
  unknown_cgroup: "unknown cgroup",
  unknown: "unknown",
};
/** WAIT_REASON, each as a clause. */
export const WAIT_REASON_SENTENCES: Readonly<Record<WaitReason, string>> = {
  own_quota: "throttled: its cgroup, or one above it, had no quota left",
  avoidable: "an idle CPU that it may use was left unused",
  confined: "idle CPUs were left that it may not use",
  wakeup_latency: "its CPU ran swapper: a wakeup was on its way there",
  interrupts: "its CPU did interrupt work",
  rt_dl: "its CPU ran a real-time or deadline thread of another cgroup",
  kernel_threads: "its CPU ran a kernel thread",
  own_threads: "its CPU ran a thread of the same cgroup",
  neighbour: "its CPU ran a thread of another cgroup",
  unknown_cgroup: "its CPU ran a thread, and a cgroup is not recorded",
  unknown: "what its CPU ran is not known",
};

/** Path of the kernel that moved a thread to another CPU. */
export const MIGRATION_PATH = ["wakeup", "fork", "exec", "newidle", "periodic", "nohz", "active", "numa", "rt_push", "rt_pull", "dl_push", "dl_pull", "affinity", "cgroup", "hotplug", "core_sched", "sched_ext", "unknown"] as const;
export type MigrationPath = (typeof MIGRATION_PATH)[number];
/** MIGRATION_PATH, for people. */
export const MIGRATION_PATH_WORDS: Readonly<Record<MigrationPath, string>> = {
  wakeup: "placed at its wakeup",
  fork: "placed when it was created",
  exec: "placed at an exec",
  newidle: "pulled by a CPU about to idle",
  periodic: "pulled by the periodic balancer",
  nohz: "pulled for an idle CPU by another one",
  active: "pushed by the balancer's stopper",
  numa: "moved or swapped towards its memory",
  rt_push: "pushed to a CPU of lower real-time priority",
  rt_pull: "pulled by a CPU of lower real-time priority",
  dl_push: "pushed to a CPU with a later deadline",
  dl_pull: "pulled by a CPU with a later deadline",
  affinity: "moved by a change of its allowed CPUs",
  cgroup: "moved by a change of its cgroup",
  hotplug: "moved off a CPU that goes offline",
  core_sched: "moved by core scheduling",
  sched_ext: "moved by a sched_ext scheduler",
  unknown: "unknown",
};

/** Evidence beyond switches and wakeups that a trace may hold; last, what the excuses rest on. */
export const EVIDENCE_KIND = ["migrations", "migration_stacks", "load_balance_attempts", "placements", "cpus_scanned", "load_balance_kicks", "schedstat_counters", "balance_searches", "domains_built", "sched_ext", "late_idle_exits", "dl_parameters", "per_cpu_thread", "migration_disabled", "cpuset", "affinity", "throttled", "isolated", "cookie", "irq_busy"] as const;
export type EvidenceKind = (typeof EVIDENCE_KIND)[number];
/** EVIDENCE_KIND, for people. */
export const EVIDENCE_KIND_WORDS: Readonly<Record<EvidenceKind, string>> = {
  migrations: "moves of threads",
  migration_stacks: "kernel stacks of moves",
  load_balance_attempts: "load-balance attempts",
  placements: "placements of threads",
  cpus_scanned: "CPUs scanned at wakeup",
  load_balance_kicks: "kicks of idle CPUs",
  schedstat_counters: "the load balancer's counters",
  balance_searches: "what load-balance attempts examined",
  domains_built: "changes of the scheduling domains",
  sched_ext: "what a sched_ext scheduler decides",
  late_idle_exits: "CPUs that left idle late",
  dl_parameters: "parameters of SCHED_DEADLINE threads",
  per_cpu_thread: "per-CPU kernel thread of another CPU",
  migration_disabled: "migration disabled",
  cpuset: "outside its cpuset",
  affinity: "outside its affinity mask",
  throttled: "no quota left",
  isolated: "CPU outside all scheduling domains",
  cookie: "forbidden by core scheduling",
  irq_busy: "CPU in interrupt work",
};
/** What the values of Excuse rest on. */
export const EVIDENCE_KIND_OF_EXCUSE: Readonly<Record<Excuse, EvidenceKind>> = {
  per_cpu_thread: "per_cpu_thread",
  migration_disabled: "migration_disabled",
  cpuset: "cpuset",
  affinity: "affinity",
  throttled: "throttled",
  isolated: "isolated",
  cookie: "cookie",
  irq_busy: "irq_busy",
};

/** How much of a kind of evidence was recorded. */
export const EVIDENCE_STATE = ["recorded", "partial", "absent"] as const;
export type EvidenceState = (typeof EVIDENCE_STATE)[number];
/** EVIDENCE_STATE, for people. */
export const EVIDENCE_STATE_WORDS: Readonly<Record<EvidenceState, string>> = {
  recorded: "recorded",
  partial: "recorded in part",
  absent: "not recorded",
};
/** EVIDENCE_STATE, each as a clause. */
export const EVIDENCE_STATE_SENTENCES: Readonly<Record<EvidenceState, string>> = {
  recorded: "recorded through the whole recording: where the trace has none, none happened",
  partial: "recorded in part: there may have been more than the trace has",
  absent: "not recorded: whether there were any is not known",
};

/** How much a trace shows of why a core was wasted, in brief; the table `evidence` says it of each kind of evidence. */
export const EVIDENCE_LEVEL = ["L0", "L1", "L2", "L3"] as const;
export type EvidenceLevel = (typeof EVIDENCE_LEVEL)[number];
/** EVIDENCE_LEVEL, for people. */
export const EVIDENCE_LEVEL_WORDS: Readonly<Record<EvidenceLevel, string>> = {
  L0: "switches and wakeups",
  L1: "switches, wakeups, and moves with kernel stacks",
  L2: "L1 and load-balance attempts",
  L3: "L1 and the load balancer's counters per domain; load-balance attempts where functions can be probed",
};

/** How sure a cause is. */
export const PROOF = ["unknown", "consistent", "proved"] as const;
export type Proof = (typeof PROOF)[number];

/** What is to be checked or changed where a rule names the cause. */
export const REPAIR_KIND = ["check", "setting", "scheduler_feature", "cpuset", "boot_parameter", "kernel_release", "program", "report"] as const;
export type RepairKind = (typeof REPAIR_KIND)[number];
/** REPAIR_KIND, for people. */
export const REPAIR_KIND_WORDS: Readonly<Record<RepairKind, string>> = {
  check: "check",
  setting: "setting",
  scheduler_feature: "scheduler feature",
  cpuset: "cpuset",
  boot_parameter: "boot parameter",
  kernel_release: "kernel release",
  program: "program",
  report: "report",
};

/** What started a job of a deadline task. */
export const JOB_ACTIVATION = ["wakeup", "replenishment"] as const;
export type JobActivation = (typeof JOB_ACTIVATION)[number];

/** What ended a job of a deadline task. */
export const JOB_ENDED_BY = ["sleep", "yield", "exit", "unfinished"] as const;
export type JobEndedBy = (typeof JOB_ENDED_BY)[number];

/** What the ranks of a parallel program are. */
export const APP_KIND = ["processes", "threads", "threads_or_processes"] as const;
export type AppKind = (typeof APP_KIND)[number];

/** Why threads or processes are taken for the ranks of one parallel program. */
export const APP_FOUND_BY = ["launcher", "siblings", "environment", "bubble"] as const;
export type AppFoundBy = (typeof APP_FOUND_BY)[number];

/** The variable of its environment that tells a process which rank of a parallel program it is. */
export const RANK_VARIABLE = ["ompi", "pmix", "pmi", "mvapich", "slurm"] as const;
export type RankVariable = (typeof RANK_VARIABLE)[number];
/** RANK_VARIABLE, for people. */
export const RANK_VARIABLE_WORDS: Readonly<Record<RankVariable, string>> = {
  ompi: "OMPI_COMM_WORLD_RANK",
  pmix: "PMIX_RANK",
  pmi: "PMI_RANK",
  mvapich: "MV2_COMM_WORLD_RANK",
  slurm: "SLURM_PROCID",
};

/** What the balance of a parallel program rests on. */
export const BALANCE_EVIDENCE = ["H0", "H1", "H2"] as const;
export type BalanceEvidence = (typeof BALANCE_EVIDENCE)[number];

/** What the evidence allows to say of the balance of a parallel program. */
export const BALANCE_STATE = ["balanced", "imbalanced", "no_imbalance_seen", "not_visible"] as const;
export type BalanceState = (typeof BALANCE_STATE)[number];

/** What a window in the time of a parallel program is. */
export const WINDOW_KIND = ["iterations", "releases", "outside", "windows"] as const;
export type WindowKind = (typeof WINDOW_KIND)[number];

/** Whose fault a missed deadline is. */
export const DEADLINE_FAULT = ["own_overrun", "scheduler", "interference", "overload", "not_guaranteed", "not_visible", "contention"] as const;
export type DeadlineFault = (typeof DEADLINE_FAULT)[number];
/** DEADLINE_FAULT, for people. */
export const DEADLINE_FAULT_WORDS: Readonly<Record<DeadlineFault, string>> = {
  own_overrun: "own overrun",
  scheduler: "scheduler",
  interference: "interference",
  overload: "overload",
  not_guaranteed: "not guaranteed",
  not_visible: "not visible",
  contention: "contention",
};

/** What is asked of a thread that waited beside an idle CPU. */
export const QUESTION = ["placed_by", "not_moved_because", "ended_by"] as const;
export type Question = (typeof QUESTION)[number];
/** QUESTION, for people. */
export const QUESTION_WORDS: Readonly<Record<Question, string>> = {
  placed_by: "how the thread came to wait there",
  not_moved_because: "why nothing moved it earlier",
  ended_by: "what ended it",
};

/** How a thread came to wait where it did. */
export const PLACED_BY = ["unknown", "wakeup", "wakeup_prev_cpu", "wake_affine", "wakeup_one_llc", "wakeup_scan_cut", "fork_exec", "periodic", "newidle", "nohz", "active", "numa", "rt_dl_push", "rt_dl_pull", "affinity_change", "cgroup_move", "hotplug_push", "preempted_in_place", "sched_ext", "ext_select_cpu", "ext_enqueue"] as const;
export type PlacedBy = (typeof PLACED_BY)[number];
/** PLACED_BY, for people. */
export const PLACED_BY_WORDS: Readonly<Record<PlacedBy, string>> = {
  unknown: "unknown",
  wakeup: "wakeup",
  wakeup_prev_cpu: "wakeup: prev cpu kept",
  wake_affine: "wakeup: wake-affine",
  wakeup_one_llc: "wakeup: idle-sibling scan limited to one LLC",
  wakeup_scan_cut: "wakeup: idle-sibling scan cut short",
  fork_exec: "fork/exec",
  periodic: "periodic balance",
  newidle: "newidle balance",
  nohz: "nohz balance",
  active: "active balance",
  numa: "NUMA balance",
  rt_dl_push: "RT/DL push",
  rt_dl_pull: "RT/DL pull",
  affinity_change: "affinity change",
  cgroup_move: "cgroup move",
  hotplug_push: "hotplug push",
  preempted_in_place: "preempted in place",
  sched_ext: "sched_ext",
  ext_select_cpu: "sched_ext: select_cpu missed an idle CPU",
  ext_enqueue: "sched_ext: enqueue to a local queue",
};
/** PLACED_BY, each as a clause. */
export const PLACED_BY_SENTENCES: Readonly<Record<PlacedBy, string>> = {
  unknown: "it is not known how they came to be queued there",
  wakeup: "queued there by a wakeup",
  wakeup_prev_cpu: "queued there by a wakeup that kept the previous CPU: no other allowed CPU was idle",
  wake_affine: "queued there by a wakeup that chose the waker's CPU (wake-affine), which was busy",
  wakeup_one_llc: "queued there by a wakeup that searched one last-level cache only, while CPUs outside it were idle",
  wakeup_scan_cut: "queued there by a wakeup that missed an idle CPU in the same last-level cache: its search was cut short",
  fork_exec: "queued there when created (fork) or at an exec",
  periodic: "queued there by the periodic balancer",
  newidle: "queued there by newidle balancing (pulled by a CPU that was going idle)",
  nohz: "queued there by nohz balancing (moved by an idle CPU that balances for others)",
  active: "queued there by active balancing (pushed by the balancer's stopper thread)",
  numa: "queued there by NUMA balancing (moved towards its memory)",
  rt_dl_push: "queued there by a real-time or deadline push",
  rt_dl_pull: "queued there by a real-time or deadline pull",
  affinity_change: "queued there before an affinity change allowed the idle CPU",
  cgroup_move: "queued there by a move to another cgroup",
  hotplug_push: "queued there when another CPU went offline",
  preempted_in_place: "preempted there after running alone on that CPU",
  sched_ext: "queued there by a sched_ext scheduler",
  ext_select_cpu: "put into the CPU's local queue by the select_cpu of a sched_ext scheduler, while another allowed CPU idled",
  ext_enqueue: "put into the CPU's local queue by the enqueue of a sched_ext scheduler: no other CPU takes from there",
};

/** Why no load-balance attempt moved a waiting thread to the idle CPU. */
export const NOT_MOVED_BECAUSE = ["unknown", "newidle_cut_off", "newidle_pulled_nothing", "group_averages", "allowed_imbalance", "all_pinned", "asymmetric_capacity", "found_balance", "interval_too_long", "periodic_did_not_run", "nohz_kick_missing", "active_balance_failed", "no_common_domain", "misbuilt_groups", "numa_allowance", "cache_hot", "sched_ext", "newidle_wakeup_pending", "newidle_none_overloaded", "newidle_too_short", "newidle_dice", "ext_local_queue", "ext_behind_realtime", "ext_not_kicked", "ext_kick_late", "ext_not_dispatched", "ext_held", "ext_bypass", "cache_aware", "nohz_kick_late", "ext_cpu_late", "realtime_behind_lower", "realtime_not_pushed", "ext_not_granted"] as const;
export type NotMovedBecause = (typeof NOT_MOVED_BECAUSE)[number];
/** NOT_MOVED_BECAUSE, for people. */
export const NOT_MOVED_BECAUSE_WORDS: Readonly<Record<NotMovedBecause, string>> = {
  unknown: "unknown",
  newidle_cut_off: "newidle did not run (cut off)",
  newidle_pulled_nothing: "newidle ran and pulled nothing",
  group_averages: "periodic ran and found balance: group average hides idle cores",
  allowed_imbalance: "periodic ran and found balance: allowed imbalance",
  all_pinned: "periodic ran and found balance: all pinned",
  asymmetric_capacity: "periodic ran and found balance: asymmetric capacity",
  found_balance: "periodic ran and found balance",
  interval_too_long: "periodic did not run: interval too long",
  periodic_did_not_run: "periodic did not run",
  nohz_kick_missing: "nohz kick missing",
  active_balance_failed: "active balance failed",
  no_common_domain: "domains missing (no common domain)",
  misbuilt_groups: "groups misbuilt",
  numa_allowance: "NUMA imbalance allowed",
  cache_hot: "cache-hot refusal",
  sched_ext: "not applicable (sched_ext)",
  newidle_wakeup_pending: "newidle did not run: wakeup pending",
  newidle_none_overloaded: "newidle did not run: no CPU overloaded",
  newidle_too_short: "newidle did not run: idle too short",
  newidle_dice: "newidle did not run: dice",
  ext_local_queue: "sched_ext: in a busy CPU's local queue",
  ext_behind_realtime: "sched_ext: behind a real-time thread",
  ext_not_kicked: "sched_ext: idle CPU not kicked",
  ext_kick_late: "sched_ext: kick late",
  ext_not_dispatched: "sched_ext: dispatch left it",
  ext_held: "sched_ext: held by the scheduler",
  ext_bypass: "sched_ext: bypassed",
  cache_aware: "cache-aware scheduling",
  nohz_kick_late: "nohz kick late",
  ext_cpu_late: "sched_ext: CPU late after a kick",
  realtime_behind_lower: "real-time: behind a lower class",
  realtime_not_pushed: "real-time: not pushed or pulled",
  ext_not_granted: "sched_ext: CPU not granted",
};
/** NOT_MOVED_BECAUSE, each as a clause. */
export const NOT_MOVED_BECAUSE_SENTENCES: Readonly<Record<NotMovedBecause, string>> = {
  unknown: "the reason is not known",
  newidle_cut_off: "the CPU that went idle did not search as far as that queue",
  newidle_pulled_nothing: "the CPU that went idle searched that queue and pulled no thread",
  group_averages: "the balancer found balance: the average load of a group hid that some of its CPUs were idle",
  allowed_imbalance: "the balancer took the imbalance to be small enough",
  all_pinned: "the balancer stopped at a queue of pinned threads",
  asymmetric_capacity: "the balancer leaves threads on the larger CPU where capacities differ and none counts as full",
  found_balance: "the balancer ran and found balance (its reason is not recorded)",
  interval_too_long: "the domain's balance interval is so long that load-balance attempts over it were too few",
  periodic_did_not_run: "no load-balance attempt was made in time over a domain that spans both CPUs",
  nohz_kick_missing: "no idle CPU was kicked to balance",
  active_balance_failed: "active balancing pushed no thread although the stopper thread ran on the busy CPU",
  no_common_domain: "no scheduling domain spans both the idle CPU and the busy one",
  misbuilt_groups: "the domain's groups hide the imbalance (both CPUs are in one group)",
  numa_allowance: "the kernel allows this imbalance between NUMA nodes while the idle node runs so few threads",
  cache_hot: "the balancer left the waiting threads as cache-hot: they had run recently",
  sched_ext: "a sched_ext scheduler is in charge, not the load balancer",
  newidle_wakeup_pending: "the CPU that went idle did not search: a wakeup was already on its way to it",
  newidle_none_overloaded: "the CPU that went idle did not search: no CPU counted as overloaded",
  newidle_too_short: "the CPU that went idle did not search as far as that queue: it expected to idle for less time than that costs",
  newidle_dice: "the CPU that went idle did not search as far as that queue: the release leaves that to chance, by how many searches succeeded",
  ext_local_queue: "a sched_ext scheduler has them in the local queue of a busy CPU, from which no other CPU takes",
  ext_behind_realtime: "a sched_ext scheduler has them in the local queue of a CPU that a real-time or deadline thread occupies",
  ext_not_kicked: "they are in a dispatch queue of a sched_ext scheduler, and nothing made the idle CPU look there",
  ext_kick_late: "they are in a dispatch queue of a sched_ext scheduler, and the idle CPU was kicked late",
  ext_not_dispatched: "the idle CPU asked the sched_ext scheduler for a thread, and its dispatch gave none though they were in a dispatch queue",
  ext_held: "a sched_ext scheduler keeps them in a structure of its own and has not dispatched them",
  ext_bypass: "the kernel bypasses the sched_ext scheduler, and queues threads itself",
  cache_aware: "the balancer left the waiting threads in the cache that their process prefers (cache-aware scheduling)",
  nohz_kick_late: "an idle CPU was kicked to balance, and for long none balanced",
  ext_cpu_late: "they are in a dispatch queue of a sched_ext scheduler, and the idle CPU that was kicked did not look for long",
  realtime_behind_lower: "they are real-time or deadline threads, and their CPU ran a thread of a lower class meanwhile",
  realtime_not_pushed: "they are real-time or deadline threads, which no CPU pushed or pulled to the idle one; the load balancer leaves them alone",
  ext_not_granted: "the sched_ext scheduler of their cgroup may not use the idle CPU: the scheduler above has not granted it",
};

/** What ended a wait beside an idle CPU. */
export const ENDED_BY = ["unknown", "newidle", "periodic", "nohz", "active", "numa", "push_pull", "affinity_change", "wakeup_elsewhere", "started_in_place", "blocked_or_exited", "end_of_trace", "interrupt_work", "sched_ext"] as const;
export type EndedBy = (typeof ENDED_BY)[number];
/** ENDED_BY, for people. */
export const ENDED_BY_WORDS: Readonly<Record<EndedBy, string>> = {
  unknown: "unknown",
  newidle: "newidle",
  periodic: "periodic",
  nohz: "nohz",
  active: "active",
  numa: "NUMA balance",
  push_pull: "push/pull",
  affinity_change: "affinity change",
  wakeup_elsewhere: "woken elsewhere",
  started_in_place: "started running in place",
  blocked_or_exited: "blocked or exited",
  end_of_trace: "end of trace",
  interrupt_work: "interrupt work",
  sched_ext: "sched_ext",
};
/** ENDED_BY, each as a clause. */
export const ENDED_BY_SENTENCES: Readonly<Record<EndedBy, string>> = {
  unknown: "the end is not known",
  newidle: "a CPU that was going idle pulled a thread",
  periodic: "the periodic balancer moved a thread",
  nohz: "an idle CPU that balances for others moved a thread",
  active: "active balancing pushed a thread",
  numa: "NUMA balancing moved a thread",
  push_pull: "a real-time or deadline push or pull moved a thread",
  affinity_change: "the affinity of a waiting thread was changed",
  wakeup_elsewhere: "another thread was woken on the idle CPU",
  started_in_place: "the waiting thread started to run on the CPU where it was queued",
  blocked_or_exited: "the waiting thread was no longer runnable there",
  end_of_trace: "the recording ended",
  interrupt_work: "the idle CPU was interrupted, after which the wait may have gone on",
  sched_ext: "its sched_ext scheduler moved the waiting thread",
};

/** Nearest topology level that two CPUs share. */
export const DISTANCE = ["same_cpu", "smt", "llc", "node", "one_hop", "far", "unknown"] as const;
export type Distance = (typeof DISTANCE)[number];
/** DISTANCE, for people. */
export const DISTANCE_WORDS: Readonly<Record<Distance, string>> = {
  same_cpu: "same CPU",
  smt: "same core",
  llc: "same LLC",
  node: "same node",
  one_hop: "nearby nodes",
  far: "far nodes",
  unknown: "unknown",
};

/** Why a load-balance attempt was made. */
export const IDLE_TYPE = ["idle", "not_idle", "newly_idle", "unknown"] as const;
export type IdleType = (typeof IDLE_TYPE)[number];

/** Of which event a kernel stack was recorded: a switch (of the thread that leaves the CPU), or the decision or completion of a wakeup (of the waker, or of the interrupt that completes it). */
export const STACK_EVENT = ["sched_switch", "sched_waking", "sched_wakeup"] as const;
export type StackEvent = (typeof STACK_EVENT)[number];

/** What can hold a thread or a bubble: a bubble, or the runqueue of a part of the machine. 'outside' means that no scheduler holds it (not woken yet, or ended); 'aside' is a runqueue that no CPU searches. */
export const HOLDER = ["outside", "bubble", "machine", "node", "package", "llc", "core", "cpu", "aside"] as const;
export type Holder = (typeof HOLDER)[number];

/** What an application or a scheduler did with a bubble; docs/semantics.md says what each does to the model. */
export const BUBBLE_EVENT_KIND = ["init", "attach", "insert_thread", "insert_bubble", "remove", "wake", "priority", "burst_level", "slice", "expect", "move", "burst", "regenerate", "close", "destroy"] as const;
export type BubbleEventKind = (typeof BUBBLE_EVENT_KIND)[number];

/** Which hierarchy of bubbles: declared by events; natural (cgroup, session, process); creation (who forked or cloned whom). */
export const BUBBLE_TREE = ["declared", "natural", "creation"] as const;
export type BubbleTree = (typeof BUBBLE_TREE)[number];

/** What a bubble represents. */
export const BUBBLE_KIND = ["machine", "kernel", "cgroup", "session", "process", "creator", "bubble"] as const;
export type BubbleKind = (typeof BUBBLE_KIND)[number];

/** Whether a bubble holds its content: closed; burst (released, remembered); regenerating (coming back). */
export const BUBBLE_STATE = ["closed", "burst", "regenerating"] as const;
export type BubbleState = (typeof BUBBLE_STATE)[number];

/** What a thread of a parallel program does in a region: it computes in `work`, and waits for other ranks in all others. */
export const REGION_KIND = ["work", "parallel", "barrier", "collective", "wait", "receive", "send", "probe", "startup"] as const;
export type RegionKind = (typeof REGION_KIND)[number];
/** REGION_KIND, for people. */
export const REGION_KIND_WORDS: Readonly<Record<RegionKind, string>> = {
  work: "the body of an OpenMP parallel region or task",
  parallel: "an OpenMP parallel region, outside of its body: starting the others and waiting for them",
  barrier: "a barrier of OpenMP",
  collective: "a collective operation",
  wait: "completion of requests",
  receive: "receiving a message",
  send: "sending a message",
  probe: "looking for a message",
  startup: "start or end of MPI",
};

/** What a row of tile_load measures: threads queued beside the running one; the CPU idle and matched to a waiting thread; threads that arrived from other CPUs. */
export const TILE_MEASURE = ["waiting", "wasted", "migrations"] as const;
export type TileMeasure = (typeof TILE_MEASURE)[number];

/** Why a verdict is suspect: what the events show that no kernel does, or that the readers do not know. */
export const SUSPICION = ["idle_with_queue", "idle_picked_with_queue", "queued_beside_idle", "ran_on", "silence", "queued_for_ever", "woken_while_queued", "ran_without_wakeup", "ran_after_death", "woken_never_ran", "unknown_state", "never_preempted", "left_out", "out_of_order", "silent_cpus", "idle_never_left", "contradictory_events", "nr_running_differs", "runtime_differs", "time_sums", "unverified"] as const;
export type Suspicion = (typeof SUSPICION)[number];
/** SUSPICION, for people. */
export const SUSPICION_WORDS: Readonly<Record<Suspicion, string>> = {
  idle_with_queue: "CPUs ran swapper beside queued threads for {share} of the observed time",
  idle_picked_with_queue: "CPUs went idle beside queued threads and stayed so for {share} of the observed time",
  queued_beside_idle: "threads were queued for over a second on CPUs that idled ({share} of the observed time)",
  ran_on: "threads ran on for over 5 s beside queued ones ({share} of the observed time)",
  silence: "no CPU reported anything for over 3 s while threads were queued ({share} of the recording)",
  queued_for_ever: "{count} threads were queued up to the end of the recording and never got to run",
  woken_while_queued: "{count} wakeups were of threads already queued ({share} of all wakeups)",
  ran_without_wakeup: "threads that slept ran {count} times without a wakeup ({share} of the runs after none)",
  ran_after_death: "dead threads ran or were woken {count} times ({share} of the deaths)",
  woken_never_ran: "{count} threads were woken and never ran ({share} of those woken)",
  unknown_state: "{count} switches left a thread in a state that this release does not have ({share} of all)",
  never_preempted: "{count} switches from one thread to another, and none of them left the first one runnable",
  left_out: "{count} events of the input could not be used ({share} of all)",
  out_of_order: "{count} events are stamped before the one ahead of them ({share} of all)",
  silent_cpus: "{count} CPUs show no switch although they are online ({share} of the CPUs)",
  idle_never_left: "{count} switches from swapper are missing ({share} of those expected)",
  contradictory_events: "{count} events contradict the events before them ({share} of the switches)",
  nr_running_differs: "the kernel's nr_running is below the reconstructed queue in {share} of the comparisons",
  runtime_differs: "the reconstructed run times differ from the kernel's accounts by {share} of the accounted time",
  time_sums: "the busy, idle and unobserved times of {count} CPUs do not add up to the recording",
  unverified: "the input goes past what the readers have been verified on",
};

/** A thread's allowed CPUs, or what they come from, were seen to have changed. Source: task_struct.cpus_ptr, user_cpus_ptr, cpuset effective_cpus, compared at switches and wakeups */
export interface Affinity {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU that noticed. */
  cpu: number | null;
  /** [tid] The thread. */
  tid: number;
  /** Allowed CPUs from now on, a row of `mask`; NULL unknown. */
  mask_id: number | null;
  /** Mask asked for by the user; NULL none or unknown. */
  user_mask_id: number | null;
  /** Effective CPUs of its cpuset; NULL unknown. */
  cpuset_mask_id: number | null;
}

/** One load-balance attempt over one domain, from the entry and return of the kernel's function. Source: kernel/sched/fair.c: load_balance (sched_balance_rq from 6.10), newidle_balance (sched_balance_newidle) */
export interface BalanceAttempt {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Entry. */
  ts_ns: bigint;
  /** [cpu] CPU that made the attempt. */
  cpu: number;
  /** [ns] Entry to return. */
  dur_ns: bigint;
  /** [cpu] CPU it balanced for. */
  dst_cpu: number;
  /** Level of the domain, 0 the smallest; NULL for newidle as a whole. */
  domain_level: number | null;
  /** Why it ran. */
  idle_type: number;
  /** [threads] Return value: threads moved. */
  pulled: number | null;
  /** Kernel function observed. */
  function: string;
}

/** A CPU that runs swapper is called to balance: another one sends it the kick of nohz balancing, or the balancer's softirq starts on it (after a kick, or of its own tick). Source: kernel/sched/fair.c: kick_ilb (NOHZ_BALANCE_KICK, NOHZ_STATS_KICK), which calls smp_call_function_single_async with nohz_csd_func (5.8 and later); include/trace/events/csd.h: csd_queue_cpu (6.5); include/trace/events/irq.h: softirq_entry with vec 7 (SCHED_SOFTIRQ) */
export interface BalanceKick {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU that saw it: of a kick the sender. */
  cpu: number;
  /** [cpu] CPU that is to balance. */
  target_cpu: number;
  /** A kick (`sent`: what for is not recorded), or the softirq. */
  kind: number;
  /** [ns] Of a softirq: when the kernel holds the CPU's next periodic attempts due, over whichever domain (rq.next_balance), counted from its end, in whole milliseconds, at least 0; NULL not recorded. */
  next_balance_ns: bigint | null;
}

/** What a load-balance attempt over a domain that moved no thread found: a group to take from or none, and on the queue that it chose, the threads that it examined and why it left them. Source: kernel/sched/fair.c: should_we_balance, find_busiest_group (sched_balance_find_src_group from 6.10), can_migrate_task */
export interface BalanceSearch {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Entry of the attempt. */
  ts_ns: bigint;
  /** [cpu] CPU that made the attempt. */
  cpu: number;
  /** Row of `balance_attempt`. */
  attempt_id: bigint | null;
  /** What the last search for a group in it returned. */
  result: number;
  /** [cpu] CPU whose queue it examined last; NULL where it examined no thread, or that is not recorded. */
  src_cpu: number | null;
  /** [threads] Threads examined on queues (can_migrate_task); NULL where that is not recorded. */
  examined: number | null;
  /** [threads] Of these, left since their masks do not have the CPU. */
  not_allowed: number | null;
  /** [threads] Of these, left since they ran. */
  running: number | null;
  /** [threads] Of these, left as cache-hot, or since their memory is near (task_hot, migrate_degrades_locality). */
  hot: number | null;
  /** [threads] Of these, left for another reason: more load than the imbalance, no quota left, not eligible on the CPU (since 6.14). */
  other: number | null;
}

/** An application or a scheduler did something with a bubble: made it, put threads and bubbles into it, moved, burst or closed it. Source: LTTng-UST provider wastenot_bubble, Perfetto track events of the same names, or a simulated scheduler */
export interface BubbleEvent {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU that reported it. */
  cpu: number | null;
  /** [tid] Thread that reported it; NULL for a simulated scheduler. */
  tid: number | null;
  /** [tgid] Process whose bubbles these are: numbers of bubbles are unique within it. NULL where one source numbers all bubbles. */
  tgid: number | null;
  /** What was done. */
  kind: number;
  /** Number of the bubble that is the entity (init, insert_bubble, wake, move, burst ...); NULL when a thread is. */
  bubble: bigint | null;
  /** [tid] The thread that is the entity (attach, insert_thread, and priority, expect, move, remove of a thread). */
  entity_tid: number | null;
  /** Holder it goes to, or leaves (remove); for burst_level the level. NULL where the event does not name one. */
  holder: number | null;
  /** Number of the holding bubble, or of the part of the machine as in the columns of `cpu` (machine: 0; aside: a number of the scheduler's own). */
  holder_id: bigint | null;
  /** priority: the priority, higher first. slice: time slice (ns). expect: CPU time that the entity is expected to need from its start on (ns). */
  value: bigint | null;
  /** init: name of the bubble. */
  name: string | null;
  /** From a state dump: describes the present state. */
  snapshot: boolean;
  /** Negative errno with which the source refused it: nothing changed. NULL it was done. */
  status: number | null;
}

/** A thread was seen in another cgroup than before. Source: task_struct.sched_task_group / cgroups, compared at switches and wakeups */
export interface CgroupMove {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU that noticed. */
  cpu: number | null;
  /** [tid] The thread. */
  tid: number;
  /** The cgroup from now on, a row of `cgroup`. */
  cgroup_id: bigint;
}

/** A thread's core-scheduling cookie changed: SMT siblings may only run threads of one cookie. Source: task_struct.core_cookie (kernel/sched/core_sched.c) */
export interface CoreCookie {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU that noticed. */
  cpu: number | null;
  /** [tid] The thread. */
  tid: number;
  /** The cookie; 0 none. */
  cookie: bigint;
}

/** A CPU runs at this frequency from now on, as far as the kernel asked for it. Imports have it where the trace does, recordings of wastenot's own with --power. Kernels may report a frequency anew that did not change. Source: include/trace/events/power.h: cpu_frequency; LTTng: power_cpu_frequency */
export interface CpuFrequency {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU that is meant (cpu_id); often another one wrote the event. */
  cpu: number;
  /** [kHz] Frequency. */
  khz: number;
}

/** A CPU went offline or came online. Offline is never idle. Source: include/trace/events/cpuhp.h: cpuhp_enter, cpuhp_exit; sysfs cpu/online */
export interface CpuHotplug {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] The CPU. */
  cpu: number;
  /** True: usable by the scheduler from now on. */
  online: boolean;
}

/** A CPU enters an idle state of the processor, or leaves it. Imports have it where the trace does, recordings of wastenot's own with --power. Kernels may report a state anew without an exit in between. Source: include/trace/events/power.h: cpu_idle; LTTng: power_cpu_idle */
export interface CpuIdle {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU that is meant (cpu_id), which need not be the one that wrote the event. */
  cpu: number;
  /** Number of the state as the kernel has it (cpuidle: 0 the shallowest); NULL: it left its state. */
  state: number | null;
}

/** The load of a CPU beside a load-balance attempt: of simulated and imported traces as the attempt saw it, of recordings as it was when the attempt ended. Source: kernel/sched/fair.c: update_sd_lb_stats, update_sg_lb_stats, cpu_load, cpu_util_cfs, cpu_runnable, capacity_of */
export interface CpuLoad {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU that made the attempt. */
  cpu: number;
  /** Row of `balance_attempt`. */
  attempt_id: bigint | null;
  /** [cpu] CPU whose load it is. */
  of_cpu: number;
  /** Weighted load it was taken to have. */
  load: bigint;
  /** [threads] Threads counted there. */
  nr_running: number | null;
  /** [1/1024 CPU] How much fair threads used it (util_avg, or what its queued threads are estimated to use where that is more); NULL where that is not recorded. */
  util: bigint | null;
  /** [1/1024 CPU] How much fair threads ran there or waited (runnable_avg, since 5.7); NULL where that is not recorded. */
  runnable: bigint | null;
  /** [1/1024 CPU] What interrupts and higher classes leave of it (cpu_capacity); NULL where that is not recorded. */
  capacity: bigint | null;
}

/** The state of a CPU when the recording started, or when it first became known. A CPU without one is unobserved until its first switch. Source: sysfs cpu/online; curr of the CPU's runqueue */
export interface CpuSnapshot {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock at which it was read. */
  ts_ns: bigint;
  /** [cpu] The CPU. */
  cpu: number;
  /** Online. */
  online: boolean;
  /** [tid] Thread that runs there (0 swapper); NULL unknown. */
  current_tid: number | null;
}

/** The CPUs that a placement or a load-balance attempt scanned, and the one it chose. A placement is made at a wakeup, fork or exec of the fair class; none is made for a thread that may use only one CPU, or that a wakeup finds still on its queue. Source: kernel/sched/fair.c: select_task_rq_fair, available_idle_cpu (kernel/sched/core.c, syscalls.c from 6.11), sched_balance_find_src_group */
export interface CpusScanned {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU that decided: of a wakeup the waker's. */
  cpu: number;
  /** Row of `balance_attempt`, for a load-balance attempt. */
  attempt_id: bigint | null;
  /** [tid] Thread being placed, for a placement. */
  tid: number | null;
  /** CPUs tested for being idle, a row of `mask`; NULL where that is not recorded. */
  mask_id: number | null;
  /** [cpu] CPU chosen. */
  chosen_cpu: number | null;
  /** [cpu] CPU that the thread had before, for a placement. */
  prev_cpu: number | null;
  /** Flags of the placement (kernel/sched/sched.h: WF_*, as from 5.18 on): 2 exec, 4 fork, 8 wakeup, 16 the waker is about to sleep, 64 the waker's CPU is to be taken. */
  wake_flags: number | null;
}

/** The parameters of a SCHED_DEADLINE thread and the state of its server (constant bandwidth server): as the recording starts, and just before each switch and wakeup of the thread. Source: task_struct.dl (struct sched_dl_entity): dl_runtime, dl_deadline, dl_period, flags, runtime, deadline, dl_throttled, dl_yielded; rq->clock */
export interface DlParameters {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU that noticed. */
  cpu: number | null;
  /** [tid] The thread. */
  tid: number;
  /** [ns] Time that it may run until each deadline (dl_runtime); 0 where it is of this class by priority inheritance only. */
  runtime_ns: bigint;
  /** [ns] Its deadline, from its activation (dl_deadline). */
  deadline_ns: bigint;
  /** [ns] Its period (dl_period). */
  period_ns: bigint;
  /** SCHED_FLAG_* of sched_setattr: 1 reset on fork, 2 reclaim, 4 signal overruns, 0x10000000 a thread of schedutil, which precedes all others. */
  flags: number;
  /** [ns] The deadline of its server on the trace's clock, late by up to some microseconds; NULL not known. */
  until_ns: bigint | null;
  /** [ns] The same as the kernel has it, on the clock of the runqueues: the order of these values is that of the scheduler. NULL not known. */
  kernel_deadline_ns: bigint | null;
  /** [ns] Runtime that is left until this deadline; NULL not known. */
  left_ns: bigint | null;
  /** It has used its runtime, or yielded, and waits for its next period. */
  throttled: boolean;
  /** It gave up the rest of its runtime (sched_yield). */
  yielded: boolean;
}

/** The kernel stack of a wakeup or switch: that of the event `of` with the same time, CPU and thread. Stacks of moves are in `sched_migrate_task`. Source: bpf_get_stackid; call chains of perf.data (`perf sched record -g`), kernel_stack of trace.dat (`trace-cmd record -T`) */
export interface EventStack {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock: that of the event. */
  ts_ns: bigint;
  /** [cpu] CPU that wrote the event. */
  cpu: number;
  /** [tid] Thread that leaves the CPU, or is woken. */
  tid: number;
  /** Which event. */
  of: number;
  /** The stack, a row of `stack` (NULL where an export has it no more): of a switch where the thread called the scheduler or was interrupted, of a wakeup that of the waker. */
  stack_id: number | null;
}

/** Whether the sched_ext scheduler of a cgroup may use a CPU, as the one above has granted it: of all CPUs when one of its threads is first seen, then of a CPU whenever that found no thread to run. Source: kernel/sched/ext/sub.c: scx_process_sync_ecaps (7.3) */
export interface ExtAccess {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] When it was read. */
  ts_ns: bigint;
  /** [cpu] CPU on which it was read. */
  cpu: number;
  /** Cgroup whose threads the scheduler schedules, by the kernel's number. */
  cgroup_id: bigint;
  /** [cpu] The CPU. */
  for_cpu: number;
  /** It may (SCX_CAP_BASE). */
  may_use: boolean;
}

/** The kernel's counters of a sched_ext scheduler: each as the recording began, and whenever it was seen to have changed. Source: sysfs kernel/sched_ext: root/events, sub/sub-CGROUP/events; kernel/sched/ext/internal.h: SCX_EVENTS_LIST (kernel/sched/ext.c: struct scx_event_stats in 6.14) */
export interface ExtCounter {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] When the recorder read it, twice a second. */
  ts_ns: bigint;
  /** [cpu] NULL: it is read from sysfs. */
  cpu: number | null;
  /** Cgroup whose threads the scheduler schedules; NULL: the one of all threads. */
  cgroup_id: bigint | null;
  /** Name of the counter (SCX_EV_*). */
  name: string;
  /** Since the scheduler was loaded. */
  value: bigint;
}

/** The CPUs that the kernel showed sched_ext schedulers as idle, as select_cpu had put a thread into a queue. A CPU that idles is missing where it was promised to another thread (scx_bpf_pick_idle_cpu, scx_bpf_test_and_clear_cpu_idle). Empty where the kernel does not keep the mask, or keeps one for each NUMA node. Source: kernel/sched/ext_idle.c (kernel/sched/ext/idle.c from 7.1): scx_idle_global_masks (6.15) */
export interface ExtIdle {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU on which the thread was placed. */
  cpu: number;
  /** [tid] The thread. */
  tid: number;
  /** CPUs shown as idle, a row of `mask`; NULL: not known. */
  mask_id: number | null;
}

/** A sched_ext scheduler asked for a CPU to reschedule, so that it asks for a thread to run. Source: kernel/sched/ext.c (kernel/sched/ext/ext.c from 7.1): scx_bpf_kick_cpu; include/linux/sched/ext.h: SCX_KICK_* */
export interface ExtKick {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU on which the scheduler asked for it. */
  cpu: number;
  /** [cpu] CPU that is to reschedule. */
  target_cpu: number;
  /** SCX_KICK_*: 1 only if it idles, 2 preempt, 4 wait for it. */
  flags: number;
}

/** It was the sched_ext scheduler of a cgroup that put a thread into a dispatch queue, or keeps it: what the next row of `ext_queue` about that thread says, which has the same time. Of the scheduler of all threads there is none. Source: kernel/sched/ext/sub.c: scx_set_task_sched (7.1); include/linux/sched/ext.h: sched_ext_entity.sched */
export interface ExtOfCgroup {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock: that of the row of `ext_queue`. */
  ts_ns: bigint;
  /** [cpu] CPU on which that was done. */
  cpu: number;
  /** [tid] The thread. */
  tid: number;
  /** Cgroup whose threads the scheduler schedules, by the kernel's number. */
  cgroup_id: bigint;
}

/** A thread of a sched_ext scheduler was put into a dispatch queue, or is kept by the scheduler in a structure of its own. Source: kernel/sched/ext.c (kernel/sched/ext/ext.c from 7.1): do_enqueue_task, dispatch_enqueue */
export interface ExtQueue {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU on which that was done. */
  cpu: number;
  /** [tid] The thread. */
  tid: number;
  /** Where it is from then on. */
  place: number;
  /** [cpu] CPU of the local queue; NULL of any other place. */
  queue_cpu: number | null;
  /** Number of the dispatch queue, as the kernel has it; NULL where it is in none. */
  dsq: bigint | null;
  /** Which part of the scheduler decided that. */
  step: number;
}

/** sched_ext schedulers, of all threads or of a cgroup: which were loaded as the recording began, what was loaded or went since, and why the kernel ended one. Source: sysfs kernel/sched_ext: root/ops, sub/sub-CGROUP/ops (7.1); include/trace/events/sched_ext.h: sched_ext_exit (7.3); kernel/sched/ext/ext.c: scx_bypass */
export interface ExtScheduler {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Of `loaded` and `gone`: when the recorder saw it, up to half a second late. */
  ts_ns: bigint;
  /** [cpu] CPU on which it was done; NULL where it was read from sysfs. */
  cpu: number | null;
  /** Cgroup whose threads it schedules, by the kernel's number; NULL: it is the one of all threads. */
  cgroup_id: bigint | null;
  /** What happened. */
  change: number;
  /** Its name (sched_ext_ops.name), where sysfs had it. */
  name: string | null;
  /** The table `ext_of_cgroup` says which threads schedulers of cgroups have; NULL: the recording is of an earlier version, and it does not. */
  threads_recorded: boolean | null;
}

/** A CPU asked its local queue and the sched_ext scheduler (ops.dispatch) for a thread to run, and got none. Source: kernel/sched/ext.c (kernel/sched/ext/ext.c from 7.1): balance_scx, do_pick_task_scx (7.1) */
export interface ExtSearch {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] When it began to ask. */
  ts_ns: bigint;
  /** [cpu] CPU on which the function ran. */
  cpu: number;
  /** [ns] For how long it asked. */
  dur_ns: bigint;
  /** [cpu] CPU for which it asked; another one with core scheduling alone. */
  for_cpu: number;
}

/** Which sched_ext scheduler is in charge: as the recording began and at each change, and when the kernel bypasses it. Source: sysfs kernel/sched_ext: state, root/ops, switch_all; kernel/sched/ext.c: scx_bypass (scx_ops_bypass in 6.12) */
export interface ExtState {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Of a change of the scheduler: when the recorder saw it, up to half a second late. */
  ts_ns: bigint;
  /** [cpu] CPU on which it was done; NULL where it was read from sysfs. */
  cpu: number | null;
  /** What changed. */
  change: number;
  /** Name of the scheduler (sched_ext_ops.name). */
  name: string | null;
  /** It runs threads of the policy SCHED_EXT alone (SCX_OPS_SWITCH_PARTIAL). */
  partial: boolean;
  /** The tables `ext_queue`, `ext_search` and `ext_kick` have all that happened. */
  recorded: boolean;
}

/** A CPU left idle late: so long after the kernel had asked it to reschedule (TIF_NEED_RESCHED) for a thread on its queue, where that took a millisecond or more. It was in a deep idle state, in an interrupt, or a virtual CPU that its host did not run; or the one that queued the thread stood still. Source: kernel/sched/core.c: __resched_curr; include/trace/events/sched.h: sched_set_need_resched (6.17 and later) */
export interface IdleExitLate {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock, as the CPU leaves idle. */
  ts_ns: bigint;
  /** [cpu] CPU that leaves idle. */
  cpu: number;
  /** [ns] How long before that it was asked to. */
  late_ns: bigint;
}

/** Interrupt work of more than 20 us. A CPU that runs swapper meanwhile looks idle and is not; threads on its queue wait for the interrupts. Imports have it of CPUs that run swapper only. ts_ns is the start of the span; the row is there in the order. Source: include/trace/events/irq.h: irq_handler_entry/exit, softirq_entry/exit */
export interface IrqSpan {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Start. */
  ts_ns: bigint;
  /** [cpu] The CPU. */
  cpu: number;
  /** [ns] Length. */
  dur_ns: bigint;
  /** Hard, soft, or both without a gap. */
  kind: number;
  /** irq number or softirq vector of the longest part. */
  vector: number | null;
}

/** Events the recorder or tracer dropped. Between ts_ns and end_ns what is known of the CPU may be wrong: it counts as unobserved until its next switch. Source: BPF ring buffer reservation failures; CTF discarded events; perf LOST records; ftrace overruns */
export interface LostEvents {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] First instant at which something may be missing. */
  ts_ns: bigint;
  /** [ns] Last instant. */
  end_ns: bigint;
  /** [cpu] CPU whose events were lost; NULL any. */
  cpu: number | null;
  /** [events] How many; NULL unknown. */
  count: bigint | null;
  /** Kind of event lost, or 'any'. */
  what: string;
}

/** A thread entered or left a section in which it may not be moved. Not the same as being pinned. Source: task_struct.migration_disabled (kernel/sched/core.c: migrate_disable) */
export interface MigrationDisable {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU that noticed. */
  cpu: number | null;
  /** [tid] The thread. */
  tid: number;
  /** True from now on, or false. */
  disabled: boolean;
}

/** What a CPU that was about to idle decided by, in a search for work that moved no thread, as it was when the kernel's function was entered, but for `next_balance_ns`. Source: kernel/sched/fair.c: newidle_balance (sched_balance_newidle from 6.10): ttwu_pending, rd->overload(ed), avg_idle, max_newidle_lb_cost, NI_RANDOM, next_balance */
export interface NewidleEntry {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Entry of the function. */
  ts_ns: bigint;
  /** [cpu] CPU that was about to idle. */
  cpu: number;
  /** Row of `balance_attempt` of the function as a whole. */
  attempt_id: bigint | null;
  /** [ns] How long the CPU expected to idle (rq.avg_idle). */
  avg_idle_ns: bigint;
  /** Some CPU of the root domain counted as overloaded (root_domain.overload). */
  overloaded: boolean;
  /** A wakeup was queued to the CPU (rq.ttwu_pending). */
  wakeup_pending: boolean;
  /** Smallest level whose attempts cost more than the CPU expected to idle (max_newidle_lb_cost); NULL none. */
  too_short_level: number | null;
  /** The release leaves each attempt to chance by how many succeeded (sched_domain.newidle_ratio). */
  dice: boolean;
  /** [ns] When the kernel holds the CPU's next periodic attempts due, over whichever domain (rq.next_balance), counted from the return of the function, in whole milliseconds, at least 0; NULL not recorded. */
  next_balance_ns: bigint | null;
}

/** The kernel's own count of a runqueue. A cross-check only: since 6.12 it includes threads whose dequeue is delayed. Source: kernel/sched/sched.h: add_nr_running, sub_nr_running (sched_update_nr_running_tp) */
export interface NrRunning {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU of the runqueue. */
  cpu: number;
  /** [threads] Threads on the queue after the change, the running one included. */
  nr_running: number;
  /** [threads] The change. */
  delta: number;
}

/** What a hardware or software counter added while a thread ran, read at the switch that ended the run. Source: perf_event_open(2); bpf_perf_event_read_value */
export interface PerfCounter {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] The CPU. */
  cpu: number;
  /** [tid] Thread that ran. */
  tid: number;
  /** Counter: cycles, instructions, cache-misses, task-clock ... */
  counter: string;
  /** Increase over the run. */
  value: bigint;
}

/** A load-balance attempt that moved no thread left threads in the last-level cache that their process prefers (cache-aware scheduling); they are among those of `balance_search.other`. Source: kernel/sched/fair.c: can_migrate_task, migrate_degrades_llc, LBF_LLC_PINNED (7.2) */
export interface PreferredLlc {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Entry of the attempt. */
  ts_ns: bigint;
  /** [cpu] CPU that made the attempt. */
  cpu: number;
  /** Row of `balance_attempt`. */
  attempt_id: bigint | null;
  /** [cpu] CPU on whose queue it found them. */
  src_cpu: number;
  /** [threads] How many it left for that. */
  threads: number;
}

/** A thread runs a new program. When a non-leader execs, it takes the leader's tid: old_tid names it before. Source: include/trace/events/sched.h: sched_process_exec */
export interface ProcessExec {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU it ran on. */
  cpu: number;
  /** [tid] tid after the exec. */
  tid: number;
  /** [tid] tid before the exec. */
  old_tid: number | null;
}

/** A thread starts to exit. It still runs; its life ends at its last switch (state X or Z). Source: include/trace/events/sched.h: sched_process_exit */
export interface ProcessExit {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU it runs on. */
  cpu: number;
  /** [tid] Thread that exits. */
  tid: number;
}

/** A thread was created. The child inherits its parent's mask and cgroup; its placement comes with sched_wakeup_new. Source: include/trace/events/sched.h: sched_process_fork */
export interface ProcessFork {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU of the parent. */
  cpu: number;
  /** [tid] Thread that forked. */
  parent_tid: number;
  /** [tid] Thread that was made. */
  child_tid: number;
  /** [tgid] Process the child belongs to. */
  child_tgid: number | null;
}

/** Which rank of a parallel program a process is, by its environment, which launchers set. Written as the recorder first sees the process: at the start, or soon after it was started. Source: /proc/PID/environ: OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK, MV2_COMM_WORLD_RANK, SLURM_PROCID, and the size that belongs to it */
export interface ProcessRank {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock, as it was read. */
  ts_ns: bigint;
  /** [tgid] The process. */
  tgid: number;
  /** Its rank, from 0 on. */
  rank: number;
  /** [ranks] Ranks of the whole program, on all machines; NULL not known. */
  size: number | null;
  /** The variable that tells it. */
  variable: number;
}

/** A thread enters or leaves a call in which it waits for other ranks of a parallel program (MPI, OpenMP), or the body of an OpenMP parallel region. Regions of one thread are nested. Source: uprobes on libgomp, libomp and libmpi; the library of collector/calls; states and events of Paraver (.prv), regions of OTF2 */
export interface RegionEvent {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU on which the thread ran; NULL where the source does not say. */
  cpu: number | null;
  /** [tid] The thread. */
  tid: number;
  /** What the thread does in the region. */
  kind: number;
  /** It enters; else it leaves. */
  enter: boolean;
  /** The other rank, or the root of a collective, as the program numbers them in the communicator; below 0 any. NULL where the source does not say. */
  peer: number | null;
  /** [bytes] Length of the message or of the rank's part of a collective; NULL where the source does not say. */
  bytes: bigint | null;
  /** Function, or name of the region. */
  name: string;
}

/** A thread ran, by the kernel's account of its time, on a CPU that runs swapper according to its switches: the switch to it was not reported. ts_ns is the start of the span; the row is there in the order. Source: include/trace/events/sched.h: sched_stat_runtime, written by the thread itself */
export interface RunSpan {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Start; not before the CPU's last switch. */
  ts_ns: bigint;
  /** [cpu] The CPU. */
  cpu: number;
  /** [tid] The thread. */
  tid: number;
  /** [ns] Length: up to the first time the kernel accounted for the thread there. */
  dur_ns: bigint;
}

/** A thread is moved to another CPU; a queued one changes queue, a blocked one only remembers its destination. Source: include/trace/events/sched.h: sched_migrate_task */
export interface SchedMigrateTask {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU that did the move. */
  cpu: number;
  /** [tid] Thread that is moved. */
  tid: number;
  /** [cpu] CPU it leaves; NULL where the source does not say (never 0 for want of knowledge). */
  orig_cpu: number | null;
  /** [cpu] CPU it goes to. */
  dest_cpu: number;
  /** Kernel stack of the move, a row of `stack`. */
  stack_id: number | null;
}

/** The kernel accounted for time that a thread ran: up to now, since the account of it before. Imports keep it; recordings of wastenot's own have none. Source: include/trace/events/sched.h: sched_stat_runtime; kernel/sched/fair.c: update_curr */
export interface SchedStatRuntime {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU that wrote the event: the thread's own, or one that changes its queue from afar. */
  cpu: number;
  /** [tid] The thread. */
  tid: number;
  /** [ns] Time it ran, by the clock of its runqueue, which leaves out interrupts and stolen time where the kernel accounts for those. */
  runtime_ns: bigint;
}

/** A CPU stops running one thread and starts another. tid 0 is the idle thread (swapper). Source: include/trace/events/sched.h: sched_switch */
export interface SchedSwitch {
  /** [event id] Place of the event in the one order of the whole trace, over all event tables. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU that switches. */
  cpu: number;
  /** [tid] Thread that leaves the CPU; 0 is swapper. */
  prev_tid: number;
  /** State it is left in; R and R+ stay runnable. */
  prev_state: number;
  /** Kernel priority of prev (0-99 real time, 100-139 fair). */
  prev_prio: number | null;
  /** [tid] Thread that starts to run; 0 is swapper. */
  next_tid: number;
  /** Kernel priority of next. */
  next_prio: number | null;
  /** [threads] The kernel's own count of the CPU's runqueue, next included. Since 6.12 it also counts threads whose dequeue is delayed. */
  nr_running: number | null;
}

/** A thread became runnable and was queued on target_cpu (sched_wakeup, and sched_wakeup_new for a thread that starts its life). Source: include/trace/events/sched.h: sched_wakeup, sched_wakeup_new */
export interface SchedWakeup {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU that wrote the event (the target's own when the wakeup was queued to it). */
  cpu: number;
  /** [tid] Thread that became runnable. */
  tid: number;
  /** [cpu] CPU on whose queue it was put: its placement. */
  target_cpu: number;
  /** Kernel priority of the thread. */
  prio: number | null;
  /** True for sched_wakeup_new. */
  is_new: boolean;
}

/** A thread is about to be woken. Its target_cpu is where the thread last ran, not where it goes. Where `trace.queued_wakings_only` is true, only of threads that another CPU than the waker's puts on a queue. Source: include/trace/events/sched.h: sched_waking; include/trace/events/csd.h: csd_queue_cpu of sched_ttwu_pending */
export interface SchedWaking {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU on which the waker ran. */
  cpu: number;
  /** [tid] Thread being woken. */
  tid: number;
  /** [cpu] CPU the thread last ran on; NULL where the event is the queueing of a wakeup to another CPU (`trace.queued_wakings_only`). */
  target_cpu: number | null;
  /** Kernel priority of the thread. */
  prio: number | null;
}

/** What the kernel's load balancer counted between two readings of /proc/schedstat, per CPU and domain. Each reading is a row whose cpu is NULL, at its end; rows of the domains that counted something follow at the same instant: the others counted nothing. A row counts everything between the end of the reading before and the start of this one, and nothing before the start of the former or after the end of the latter. Source: /proc/schedstat, versions 15 to 17; perf sched stats (perf.data) */
export interface Schedstat {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] End of the reading. */
  ts_ns: bigint;
  /** [cpu] CPU whose domain it is; NULL: the reading itself. */
  cpu: number | null;
  /** Level of the domain, 0 the smallest; NULL: the reading itself. */
  level: number | null;
  /** [ns] How long the reading took. */
  reading_ns: bigint;
  /** [ns] From the end of the reading before; 0 for the first, which counts nothing. */
  interval_ns: bigint;
  /** The domain was built anew in the interval: what it counted since. */
  restarted: boolean;
  /** Attempts made, while the CPU ran a thread. */
  busy_lb_count: bigint;
  /** That found nothing to do, or were another CPU's turn, while the CPU ran a thread. */
  busy_lb_balanced: bigint;
  /** That should have moved a thread and moved none, while the CPU ran a thread. */
  busy_lb_failed: bigint;
  /** Sum of the imbalances found, of whatever kind (load, utilisation, tasks), while the CPU ran a thread. */
  busy_lb_imbalance: bigint;
  /** Threads pulled, while the CPU ran a thread. */
  busy_lb_gained: bigint;
  /** Of them cache-hot ones, while the CPU ran a thread. */
  busy_lb_hot_gained: bigint;
  /** That found no busier queue, while the CPU ran a thread. */
  busy_lb_nobusyq: bigint;
  /** That found no busier group, while the CPU ran a thread. */
  busy_lb_nobusyg: bigint;
  /** Attempts made, while it was idle. */
  idle_lb_count: bigint;
  /** That found nothing to do, or were another CPU's turn, while it was idle. */
  idle_lb_balanced: bigint;
  /** That should have moved a thread and moved none, while it was idle. */
  idle_lb_failed: bigint;
  /** Sum of the imbalances found, of whatever kind (load, utilisation, tasks), while it was idle. */
  idle_lb_imbalance: bigint;
  /** Threads pulled, while it was idle. */
  idle_lb_gained: bigint;
  /** Of them cache-hot ones, while it was idle. */
  idle_lb_hot_gained: bigint;
  /** That found no busier queue, while it was idle. */
  idle_lb_nobusyq: bigint;
  /** That found no busier group, while it was idle. */
  idle_lb_nobusyg: bigint;
  /** Attempts made, as it went idle. */
  newidle_lb_count: bigint;
  /** That found nothing to do, or were another CPU's turn, as it went idle. */
  newidle_lb_balanced: bigint;
  /** That should have moved a thread and moved none, as it went idle. */
  newidle_lb_failed: bigint;
  /** Sum of the imbalances found, of whatever kind (load, utilisation, tasks), as it went idle. */
  newidle_lb_imbalance: bigint;
  /** Threads pulled, as it went idle. */
  newidle_lb_gained: bigint;
  /** Of them cache-hot ones, as it went idle. */
  newidle_lb_hot_gained: bigint;
  /** That found no busier queue, as it went idle. */
  newidle_lb_nobusyq: bigint;
  /** That found no busier group, as it went idle. */
  newidle_lb_nobusyg: bigint;
  /** Times the stopper was asked to push the running thread. */
  alb_count: bigint;
  /** Times it pushed none. */
  alb_failed: bigint;
  /** Threads it pushed. */
  alb_pushed: bigint;
  /** Wakeups on this CPU by one of another that the domain spans. */
  ttwu_wake_remote: bigint;
  /** Threads that a wakeup moved to the waking CPU as it was cache-affine. */
  ttwu_move_affine: bigint;
  /** Wakeups that balanced passively. */
  ttwu_move_balance: bigint;
}

/** A thread's name (comm) became known or changed. Source: include/trace/events/task.h: task_rename; comm fields of the scheduler's events */
export interface ThreadName {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [tid] The thread. */
  tid: number;
  /** [tgid] Its process, where known. */
  tgid: number | null;
  /** The name; may hold spaces, dashes, digits, any byte that is valid UTF-8. */
  name: string;
}

/** The state of a thread when the recording started, or when it first became known. Makes the initial state exact. Source: BPF task iterator; /proc/<pid>/task/<tid>/{stat,status,cgroup}; LTTng statedump */
export interface ThreadSnapshot {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock at which it was read. */
  ts_ns: bigint;
  /** [tid] The thread. */
  tid: number;
  /** [tgid] Its process. */
  tgid: number;
  /** [tgid] Parent process. */
  ppid: number | null;
  /** comm. */
  name: string;
  /** Task state. */
  state: number;
  /** Running, queued, off every queue, or unknown. */
  queue: number;
  /** [cpu] CPU of its queue, or where it last ran. */
  cpu: number;
  /** Allowed CPUs (cpus_ptr: already cut by the cpuset), a row of `mask`; NULL unknown. */
  mask_id: number | null;
  /** Mask asked for by the user (user_cpus_ptr, >= 6.2); NULL none or unknown. */
  user_mask_id: number | null;
  /** Effective CPUs of its cpuset; NULL unknown. */
  cpuset_mask_id: number | null;
  /** Scheduling policy. */
  policy: number;
  /** Kernel priority. */
  prio: number | null;
  /** cgroup that holds its CPU time, a row of `cgroup`. */
  cgroup_id: bigint | null;
  /** True while it may not be moved (migrate_disable). */
  migration_disabled: boolean;
  /** True while its cgroup has no quota left. */
  throttled: boolean;
  /** Core-scheduling cookie; 0 none. */
  cookie: bigint;
  /** Kernel thread. */
  is_kernel: boolean;
  /** Per-CPU kernel thread: bound to one CPU by the kernel. */
  per_cpu_thread: boolean;
}

/** A thread lost or regained the quota to run (CFS bandwidth control). From 6.18 a throttled thread leaves the queue though its state reads R. Source: task_struct.throttled (>= 6.18), cfs_rq.throttle_count (before); kernel/sched/fair.c */
export interface Throttle {
  /** [event id] Place of the event in the one order of the whole trace. */
  id: bigint;
  /** [ns] Time on the trace's clock. */
  ts_ns: bigint;
  /** [cpu] CPU of the queue. */
  cpu: number;
  /** [tid] The thread. */
  tid: number;
  /** True: no quota from now on; false: quota again. */
  throttled: boolean;
  /** [ns] The change happened at most this long before ts_ns. */
  error_ns: bigint;
}

/** A bubble of one of the three trees. Numbers rise from parents to children within natural and creation trees. Source: replay: bubbles; semantics: bubbles */
export interface Bubble {
  /** [bubble] The bubble, unique per trace over all trees. */
  bubble_id: number;
  /** Tree it belongs to. */
  tree: number;
  /** What it represents. */
  kind: number;
  /** [bubble] Bubble it belongs to, the last one where it changed (`bubble_member` has them all); NULL for a root. */
  parent_id: number | null;
  /** Bubbles above it, by `parent_id`. */
  depth: number;
  /** Name given, or of the process, cgroup folder or thread it represents. */
  name: string | null;
  /** Declared: number in the events. */
  number: bigint | null;
  /** [tgid] Process that declared it, or that it represents. */
  tgid: number | null;
  /** Cgroup that it or its process is in, where known. */
  cgroup_id: bigint | null;
  /** [utid] Creation: the thread that created the members. */
  utid: number | null;
  /** Declared: last priority. */
  priority: number | null;
  /** Declared: last bursting level. */
  burst_level: number | null;
  /** [ns] Declared: last time slice. */
  slice_ns: bigint | null;
  /** [ns] First known; start of the trace where it existed before. */
  start_ns: bigint;
  /** [ns] Destroyed, or its last member ended; end of the trace where it lived on. */
  end_ns: bigint;
}

/** A cgroup seen in the trace. Source: kernfs inode of the cgroup folder; cpu.max or cpu.cfs_quota_us; cpuset.cpus.effective */
export interface Cgroup {
  /** kernfs inode number. */
  cgroup_id: bigint;
  /** Path within its hierarchy. */
  path: string;
  /** [ns] CPU quota per period; NULL none or unknown. */
  quota_ns: bigint | null;
  /** [ns] Quota period. */
  period_ns: bigint | null;
  /** CPU weight (cpu.weight or cpu.shares). */
  weight: number | null;
}

/** A CPU and its place in the machine. Source: sysfs: cpu*\/topology, cpu*\/cache, node*, cpu_capacity, cpu/isolated, cpu/nohz_full */
export interface Cpu {
  /** [cpu] The CPU's number (numbers may have holes). */
  cpu: number;
  /** Online at the start. */
  online: boolean;
  /** NUMA node; -1 unknown. */
  node: number;
  /** Physical package; -1 unknown. */
  package: number;
  /** Last-level cache, numbered by its first CPU; -1 unknown. */
  llc: number;
  /** Core, numbered by its first CPU; -1 unknown. */
  core: number;
  /** Hardware thread within the core, from 0. */
  smt: number;
  /** Relative capacity, 1024 the largest. */
  capacity: number;
  /** Outside all scheduling domains by configuration (isolcpus, isolated cpuset partition). */
  isolated: boolean;
  /** Runs without the tick when it has one thread. */
  nohz_full: boolean;
}

/** A scheduling domain as one CPU sees it: a set of rows from the start of the recording (or as the machine is declared) and, where wastenot recorded with eBPF, one each time the kernel built its domains anew (cpusets, CPUs that go offline and online). Where no CPU has a domain any more, each has a row named `none` over itself. Its groups are the table `domain_group`. Source: debugfs: sched/domains; /proc/schedstat; rq->sd; kernel/sched/topology.c: partition_sched_domains */
export interface Domain {
  /** [ns] Instant from which it holds, until that of the next set. */
  since_ns: bigint;
  /** [cpu] CPU whose domain it is. */
  cpu: number;
  /** 0 the smallest. */
  level: number;
  /** SMT, CLS, MC, PKG, NUMA ... */
  name: string;
  /** [cpus] CPUs it spans. */
  span: number[];
  /** SD_* flags. */
  flags: string | null;
  /** [ns] Shortest balance interval. */
  min_interval_ns: bigint | null;
  /** [ns] Longest balance interval. */
  max_interval_ns: bigint | null;
  /** Interval multiplier on a busy CPU. */
  busy_factor: number | null;
  /** [percent] Imbalance from which it acts. */
  imbalance_pct: number | null;
  /** True when read from the kernel; false when derived from the topology. */
  exact: boolean;
}

/** A group of a scheduling domain as one CPU has it. In an attempt over the domain the CPU balances for the first of its groups that has it (`own`), and takes threads out of those that do not have it. A domain of which no group is here has groups that were not read. Source: rq->sd->groups; kernel/sched/topology.c: build_sched_groups, build_overlap_sched_groups */
export interface DomainGroup {
  /** [ns] Instant from which it holds, that of the rows of `domain`. */
  since_ns: bigint;
  /** [cpu] CPU whose domain it is. */
  cpu: number;
  /** Level of the domain, 0 the smallest. */
  level: number;
  /** Its place among the domain's groups, from 0 on: as the kernel has them from the CPU's own on where they overlap, else in the order of their CPUs. */
  place: number;
  /** The CPU balances for it. */
  own: boolean;
  /** [cpus] CPUs of the group. */
  cpus: number[];
}

/** What was recorded beyond switches and wakeups: one row for each kind of evidence and each excuse. Source: written by the recorder or importer */
export interface Evidence {
  /** Kind of evidence, or the excuse that the trace can show. */
  kind: string;
  /** Through the whole recording, in part, or not. */
  state: string;
  /** Why it was not recorded throughout, for people; NULL where it was, and where a recording of an earlier version does not say it. */
  why: string | null;
}

/** One row: the machine the trace was taken on. Source: sysfs, /proc/version, /proc/cmdline, hwloc XML */
export interface Machine {
  /** Architecture. */
  arch: string | null;
  /** Processor model. */
  model: string | null;
  /** Kernel release. */
  kernel: string | null;
  /** Kernel command line. */
  cmdline: string | null;
  /** [ns] Scheduler tick (1 / HZ). */
  tick_ns: bigint;
  /** [cpus] CPUs online at the start. */
  cpus_online: number;
  /** [cpus] CPUs the kernel could bring online. */
  cpus_possible: number;
  /** The whole snapshot as JSON, as `wastenot import --machine` reads it. */
  snapshot: string;
}

/** A set of CPUs, each distinct set once. Source: interned by the recorder or importer */
export interface Mask {
  /** The set. */
  mask_id: number;
  /** [cpus] Its CPUs, ascending. */
  cpus: number[];
}

/** A NUMA node and its distances. Source: sysfs: devices/system/node/node*\/distance, cpulist, meminfo */
export interface NumaNode {
  /** The node. */
  node: number;
  /** [cpus] Its CPUs. */
  cpus: number[];
  /** Distance to every node in the order of `node` (10 is itself). */
  distances: number[];
  /** [bytes] Memory of the node. */
  memory_bytes: bigint | null;
}

/** A process: the threads of one tgid. Source: checker: reconstruction */
export interface Process {
  /** [upid] The process, unique per trace. */
  upid: number;
  /** [tgid] Kernel process id. */
  tgid: number;
  /** Name of its leader, else of its first thread. */
  name: string | null;
  /** [upid] Parent process. */
  parent_upid: number | null;
}

/** A kernel call stack, innermost frame first, the tracer's own frames stripped. Source: bpf_get_stackid; /proc/kallsyms */
export interface Stack {
  /** The stack. */
  stack_id: number;
  /** Return addresses. */
  addresses: bigint[];
  /** function+0xoffset per frame; the address in hex where no symbol is known. */
  symbols: string[];
}

/** A thread's life. utid is unique per trace: a tid used again is another utid, a tid renamed by exec the same. Source: checker: reconstruction */
export interface Thread {
  /** [utid] The thread. */
  utid: number;
  /** [tid] Kernel tid (the last, where an exec renamed it). */
  tid: number;
  /** [tgid] Process id. */
  tgid: number | null;
  /** [upid] Its process, a row of `process`. */
  upid: number | null;
  /** Last name. */
  name: string | null;
  /** [utid] Thread that created it. */
  parent_utid: number | null;
  /** Last cgroup, a row of `cgroup`. */
  cgroup_id: bigint | null;
  /** [ns] Creation; NULL when it existed before. */
  start_ns: bigint | null;
  /** [ns] Last switch; NULL when it was alive at the end. */
  end_ns: bigint | null;
  /** Kernel thread. */
  is_kernel: boolean | null;
  /** Per-CPU kernel thread. */
  per_cpu_thread: boolean;
  /** Its allowed CPUs were known throughout. */
  mask_known: boolean;
  /** [ns] Time on a CPU. */
  run_ns: bigint;
  /** [ns] Runnable and queued after a wakeup (or creation). */
  wait_wakeup_ns: bigint;
  /** [ns] Runnable and queued after a preemption. */
  wait_preempted_ns: bigint;
  /** [ns] Interruptible sleep. */
  sleep_ns: bigint;
  /** [ns] Uninterruptible or other blocked state. */
  blocked_ns: bigint;
  /** [ns] Runnable but without quota. */
  throttled_ns: bigint;
  /** [ns] Waited while matched to an idle CPU it may use (canonical matching). */
  avoidable_wait_ns: bigint;
  /** Times woken. */
  wakeups: bigint;
  /** Times it started to run. */
  switches: bigint;
  /** Moves to another CPU (migrate events, and wakeups on another CPU than before). */
  migrations: bigint;
  /** Moves to a CPU no less loaded, or farther than an idle one it could use. */
  needless_migrations: bigint;
}

/** One row: where this trace comes from and how far it reaches. Source: written by the recorder or importer */
export interface Trace {
  /** Version of these tables; `CHANGES.md` lists them. */
  schema_version: number;
  /** ebpf, tracefs, ctf, trace.dat, ftrace, perf, perfetto, paraver, otf2, parquet, simulation or drawn. */
  source: string;
  /** Program and version that wrote the events. */
  recorder: string;
  /** Kernel release. */
  kernel: string | null;
  /** Clock of every ts_ns: monotonic, boottime, tsc, trace ... */
  clock: string;
  /** [ns] Wall-clock time (Unix) of ts_ns = 0; NULL unknown. */
  epoch_ns: bigint | null;
  /** [ns] Start of the recording. */
  start_ns: bigint;
  /** [ns] End of what is known. */
  end_ns: bigint;
  /** command, duration, interrupt, crash (recovered), disk_full, source. */
  end_reason: string;
  /** False when the recorder did not stop by itself. */
  complete: boolean;
  /** [events] Rows in all event tables. */
  events: bigint;
  /** How much the trace shows of causes, in brief; the table `evidence` says it of each kind of evidence. */
  evidence_level: string;
  /** What else limits the trace, for people; what was recorded is in the table `evidence`. */
  notes: string[];
  /** Ways in which the input goes past what the readers have been verified on. */
  unverified: string[];
  /** True: `sched_waking` holds only wakeups that were queued to another CPU; the waker of every other wakeup ran on the CPU of its `sched_wakeup`. Else NULL. */
  queued_wakings_only: boolean | null;
  /** Command that was recorded, or command line of the import. */
  command: string | null;
  /** Recorder or importer options as JSON. */
  options: string;
}

/** Parallel programs that `wastenot balance` finds without options, and their balance. What --app, --cgroup and --bubble name is not here. Shares are quotients: load balance is compute_ns / ranks / max_compute_ns, communication efficiency max_compute_ns / length_ns. Source: semantics: Balance; analyzer/balance */
export interface App {
  /** Its number, from 1 on. */
  app: number;
  /** The name of its ranks. */
  name: string;
  /** What its ranks are. */
  kind: string;
  /** Why its ranks are taken for one program. */
  found_by: string;
  /** What started them; NULL where no launcher did. */
  launcher: string | null;
  /** What the figures rest on. */
  evidence: string;
  /** What the evidence allows to say. */
  state: string;
  /** [ranks] Number of ranks. */
  ranks: number;
  /** [ns] From when on all ranks were alive. */
  start_ns: bigint;
  /** [ns] The first end of one. */
  end_ns: bigint;
  /** [ns] Of this the windows in which the state of every rank is known; the columns below are of these. */
  length_ns: bigint;
  /** [ns] Computing of all ranks together; NULL, like those below, where the balance is not visible. */
  compute_ns: bigint | null;
  /** [ns] Computing of the rank that has most. */
  max_compute_ns: bigint | null;
  /** [ns] How much sooner the windows would have ended with equal ranks, rounded. */
  lost_ns: bigint | null;
  /** [ns] The part that the ranks' own computing explains. */
  intrinsic_ns: bigint | null;
  /** [ns] The part that the machine added; below 0 where it made the ranks more even. */
  extrinsic_ns: bigint | null;
}

/** Answers to the three questions about a pair of an episode (see `episode_pair`), each with its proof and what it rests on. Per pair and question the weights of the chosen rows add up to the pair's `core_ns`; the answer with most of it stands in `episode_pair`. At most four chosen answers and four alternatives each are kept. Source: semantics: causes; docs/causes */
export interface Attribution {
  /** The episode. */
  episode_id: number;
  /** [utid] Thread that waited. */
  utid: number;
  /** [cpu] CPU on whose queue it waited. */
  waited_on: number;
  /** [cpu] Idle CPU it was matched to. */
  idle_cpu: number;
  /** placed_by, not_moved_because or ended_by. */
  question: number;
  /** The answer: a value of the enumeration that `question` names. */
  answer: string;
  /** How sure it is. */
  proof: number;
  /** Rule that says so, a page of docs/causes; NULL when none does. */
  rule: string | null;
  /** Kernel releases for which the rule holds. */
  kernels: string | null;
  /** [core-ns] Waste of the pair for which the rule says so. */
  weight_ns: bigint;
  /** It is the answer for that time; false: an alternative that also fits. */
  chosen: boolean;
  /** Another decision there and then would have spared the thread its wait; never of a thread whose allowed CPUs were not known when its wait began. */
  decisive: boolean;
  /** [event id] Events it rests on, at most eight. */
  event_ids: bigint[];
}

/** When threads waited beside an idle CPU that they could use: in the matched set of the canonical matching, while an idle CPU that the thread may use was there for it. Over all rows the lengths sum exactly to the waste, per thread to its avoidable wait. Source: semantics: canonical matching */
export interface AvoidableWait {
  /** [utid] Thread that waited. */
  utid: number;
  /** [cpu] CPU on whose queue it waited. */
  waited_on: number;
  /** [ns] Start. */
  start_ns: bigint;
  /** [ns] Length, > 0. */
  dur_ns: bigint;
}

/** What belongs to a bubble directly, and when. Belonging outlasts a burst: `entity_holder` has what holds each entity. Source: replay: bubbles */
export interface BubbleMember {
  /** [bubble] The bubble. */
  bubble_id: number;
  /** [utid] The thread that belongs to it; NULL when a bubble does. */
  utid: number | null;
  /** [bubble] The bubble that belongs to it; NULL when a thread does. */
  member_id: number | null;
  /** [ns] Start. */
  start_ns: bigint;
  /** [ns] End, >= start. */
  end_ns: bigint;
}

/** What the threads of a bubble and of the bubbles in it did while they belonged to it. Source: replay: bubbles; semantics: bubbles */
export interface BubbleStat {
  /** [bubble] The bubble. */
  bubble_id: number;
  /** Threads that ever belonged. */
  threads: number;
  /** Most that ran at once. */
  peak_threads: number;
  /** [ns] CPU time accumulated. */
  run_ns: bigint;
  /** [ns] Time in which at least one ran. */
  active_ns: bigint;
  /** [ns] Runnable and queued. */
  wait_ns: bigint;
  /** [ns] Avoidable wait; that of a thread which changed bubbles counts, whole, where it was last. */
  avoidable_wait_ns: bigint;
  /** [ns] CPU time that its threads (or it) were declared to need; NULL none declared. */
  expected_ns: bigint | null;
  /** Counter cache-misses summed; NULL where it was not recorded. */
  cache_misses: bigint | null;
  /** Moves to another CPU. */
  migrations: bigint;
  /** Of these, moves to another last-level cache. */
  llc_migrations: bigint;
  /** CPUs it ran on. */
  cpus: number;
  /** Last-level caches it ran in. */
  llcs: number;
  /** NUMA nodes it ran on. */
  nodes: number;
  /** Last-level cache in which it ran longest; NULL when it never ran. */
  main_llc: number | null;
  /** [ns] CPU time there: over `run_ns` the affinity kept. */
  main_llc_ns: bigint;
  /** NUMA node on which it ran longest. */
  main_node: number | null;
  /** [ns] CPU time there. */
  main_node_ns: bigint;
  /** [1/1000] Last-level caches in use at once, mean over `active_ns`, in thousandths; NULL when it never ran. */
  spread: number | null;
  /** [ns] Declared: CPU time on a CPU that the runqueue holding the thread (or its bubble) spans; NULL for other trees. */
  held_ns: bigint | null;
  /** Times it burst. */
  bursts: bigint;
  /** Times it was closed again after a burst. */
  regenerations: bigint;
}

/** The wait ledger: how long threads of a cgroup were runnable and did not run, and why. The times sum exactly to the waits of all threads (wait_wakeup_ns, wait_preempted_ns, throttled_ns), and refuted_wait_ns in data_quality. Source: semantics: the wait ledger */
export interface CgroupWait {
  /** cgroup of the threads that waited, as of then, a row of `cgroup`; NULL not recorded. */
  cgroup_id: bigint | null;
  /** Why they did not run. */
  reason: number;
  /** What kept them from the idle CPUs, where the reason is confined; else NULL. */
  excuse: number | null;
  /** cgroup of the thread that ran, where the reason is neighbour or rt_dl; NULL also where it is not recorded, and for the lightest of more than 65,536 rows. */
  culprit_cgroup_id: bigint | null;
  /** [ns] Time, > 0, summed over the threads. */
  wait_ns: bigint;
}

/** From where the walk over the events can be restarted to make the rows of a window. Source: checker: its state between two events */
export interface Checkpoint {
  /** [event] All events before this id were walked over. */
  event_id: bigint;
  /** [ns] Time that the walk had reached. */
  ts_ns: bigint;
  /** Its state, in an encoding of the checker's own; another version cannot read it. */
  state: Uint8Array;
}

/** Rows of tables made on demand that span a checkpoint: a walk that stops at one does not see how these end. Source: checker: reconstruction */
export interface CheckpointInterval {
  /** Table that has the row; other columns than its own are NULL. */
  table_name: string;
  /** [event] `event_id` of the last checkpoint that it spans. */
  checkpoint_id: bigint;
  /** [ns] Start. */
  start_ns: bigint;
  /** [ns] Length, > 0. */
  dur_ns: bigint;
  /** [utid] The thread. */
  utid: number | null;
  /** [cpu] The CPU. */
  cpu: number | null;
  /** [cpu] As in `avoidable_wait`. */
  waited_on: number | null;
  /** As in `thread_state`. */
  phase: number | null;
  /** As in `cpu_slice`. */
  end_state: number | null;
  /** As in `cpu_slice`. */
  observed: boolean | null;
  /** [threads] As in `runqueue`. */
  queued: number | null;
  /** As in `runqueue`. */
  running: boolean | null;
  /** [cores] As in `wasted`. */
  wasted: number | null;
  /** [cores] As in `wasted`. */
  certain: number | null;
  /** [cores] As in `wasted`. */
  idle_while_waiting: number | null;
  /** [cpus] As in `wasted`. */
  idle_cpus: number | null;
  /** [threads] As in `wasted`. */
  waiting: number | null;
}

/** What a CPU did, without gaps and without overlaps, from its first knowledge to the end. Source: checker: reconstruction */
export interface CpuSlice {
  /** [cpu] The CPU. */
  cpu: number;
  /** [ns] Start. */
  start_ns: bigint;
  /** [ns] Length, > 0. */
  dur_ns: bigint;
  /** [utid] Thread that ran; 0 swapper (idle); NULL unobserved or offline. */
  utid: number | null;
  /** State the thread was left in. */
  end_state: number | null;
  /** False: unobserved or offline. */
  observed: boolean;
}

/** How far the results can be relied on: counts, time ranges, per CPU where it applies. Source: semantics: data quality */
export interface DataQuality {
  /** events_read, events_applied, rejected, contradiction (not repaired), repaired, lost, unobserved_ns, doubtful_idle_ns, doubtful_wait_ns, unknown_mask_threads, placements_inferred, late_idle_exit_ns, clock_steps, migrate_mismatch, donor_moves, nr_running_compared, nr_running_differs, nr_running_ghost, self_check (per CPU), self_check_total, self_check_ppm, suspect ... */
  what: string;
  /** Reason, where the count is by reason; the check, of self-checks (`suspicion`). */
  detail: string | null;
  /** [cpu] CPU concerned. */
  cpu: number | null;
  /** [ns] Start of the time concerned. */
  start_ns: bigint | null;
  /** [ns] End. */
  end_ns: bigint | null;
  /** The count, or nanoseconds where the name says so; shares of self-checks (self_check_ppm, suspect) in millionths. */
  value: bigint;
}

/** Jobs of the SCHED_DEADLINE threads whose parameters were recorded: which missed their deadlines, whose fault that is, what their time went to. Empty where no parameters were recorded (kind of evidence `dl_parameters`); jobs of declared tasks are not here: `wastenot deadlines --task … --jobs FILE` writes them. Source: semantics: Deadlines; checker/rust/deadlines */
export interface DlJob {
  /** [utid] The thread. */
  utid: number;
  /** [ns] Start of the job. */
  activation_ns: bigint;
  /** What started it. */
  activated_by: number;
  /** [ns] Until when it had to be done. */
  deadline_ns: bigint;
  /** [ns] Its end; NULL under way as the recording ended. */
  end_ns: bigint | null;
  /** What ended it. */
  ended_by: number;
  /** It ended after its deadline, or was under way then as the recording ended. */
  missed: boolean;
  /** [ns] By how much it was late; 0 where it was not. */
  tardiness_ns: bigint;
  /** [ns] For how long it ran beyond its runtime. */
  overrun_ns: bigint;
  /** [ns] The least time that was left beside what it might still have run; negative where it was late. */
  laxity_min_ns: bigint;
  /** How often its server was throttled. */
  throttles: number;
  /** Whose fault a miss is; NULL where it met its deadline. */
  fault: number | null;
  /** [ns] It ran. This and the columns below add up to the time from activation to end. */
  run_ns: bigint;
  /** [ns] It waited although a CPU that it may use idled, or ran a lower class or a later deadline. */
  passed_over_ns: bigint;
  /** [ns] Its own CPU was slow to leave idle. */
  late_wake_ns: bigint;
  /** [ns] All CPUs that it may use ran earlier deadlines. */
  earlier_deadlines_ns: bigint;
  /** [ns] The same, while a CPU that it may not use ran less than that. */
  confined_ns: bigint;
  /** [ns] Interrupts, the stop class or a deadline server had its CPU. */
  interference_ns: bigint;
  /** [ns] It was blocked. */
  blocked_ns: bigint;
  /** [ns] Its server was throttled, or its cgroup had no quota. */
  throttled_ns: bigint;
  /** [ns] What its CPUs did is not known. */
  unknown_ns: bigint;
}

/** Where each thread and bubble of the declared tree is: rows of one entity follow each other without a gap from its first event to its end, a row per change, in the order of the changes. Source: replay: bubbles */
export interface EntityHolder {
  /** [event id] Event that began it, a row of `bubble_event`; NULL for the end of a thread or process. */
  id: bigint | null;
  /** [utid] The thread; NULL when the entity is a bubble. */
  utid: number | null;
  /** [bubble] The bubble; NULL when the entity is a thread. */
  bubble_id: number | null;
  /** What holds it. */
  holder: number;
  /** `bubble_id`, or the part of the machine as in the columns of `cpu`; NULL outside. */
  holder_id: number | null;
  /** Of a bubble: closed, burst, regenerating. NULL for a thread. */
  state: number | null;
  /** Its priority then; NULL none was given. */
  priority: number | null;
  /** [ns] Start. */
  start_ns: bigint;
  /** [ns] Length, >= 0: two changes at one instant leave a row of no length. */
  dur_ns: bigint;
}

/** A maximal interval in which waste of a grade was present. An episode whose time belongs wholly to a higher grade is not listed again at the lower one. Source: semantics: episodes */
export interface Episode {
  /** Number of the episode, by grade (worst grade first), then start. */
  episode_id: number;
  /** Its grade. */
  grade: number;
  /** How much it wasted, whatever its shape: the highest grade whose threshold one idle core reaches with that core-time (total_core_ns); of an episode with parts, at least that of its parts. Never recurrent. */
  severity: number;
  /** The episode of a lower grade that is the same waste: it contains this one, which makes up at least half of it. A list of wastes leaves out the parts. NULL: part of none. */
  part_of: number | null;
  /** [ns] Start. */
  start_ns: bigint;
  /** [ns] End. */
  end_ns: bigint;
  /** [core-ns] Waste of exactly this grade in the interval; sums over a grade's episodes to the grade's total. For recurrent episodes: the waste of the short intervals, counted in their own grades as well. */
  core_ns: bigint;
  /** [core-ns] Waste of this grade or a higher one in the interval. */
  total_core_ns: bigint;
  /** [cores] Largest number of cores wasted at once at this grade or higher; for recurrent episodes the number of idle CPUs that took part. */
  peak: number;
  /** [cpus] Idle CPUs of the idle–waiting pairs that lasted as long as the grade asks. */
  idle_cpus: number[];
  /** [cpus] CPUs on which the threads waited. */
  overloaded_cpus: number[];
  /** [threads] Threads that waited beside an idle CPU in it. */
  threads: number;
  /** Nearest level shared by the pair with most waste. */
  distance: number;
  /** Lowest common scheduling domain of that pair; NULL none or unknown. */
  domain: string | null;
  /** How the threads came to wait there. */
  placed_by: number;
  /** Why nothing moved them earlier. */
  not_moved_because: number;
  /** What ended it. */
  ended_by: number;
  /** How sure the cause is: that of `not_moved_because`; of `placed_by` where waste is recurrent. */
  proof: number;
  /** How sure `placed_by` is: what holds for most of its waste here. */
  placed_by_proof: number;
  /** How sure `not_moved_because` is: what holds for most of its waste here. */
  not_moved_because_proof: number;
  /** How sure `ended_by` is: what holds for most of its waste here. */
  ended_by_proof: number;
  /** [core-ns] Waste of its pairs that another placement of the thread would have prevented: the answer to placed_by is decisive (see `attribution`). */
  placement_core_ns: bigint;
  /** [core-ns] Waste of its pairs that another decision of the balancer would have prevented: the answer to not_moved_because is decisive. */
  balancing_core_ns: bigint;
  /** [core-ns] Waste, in both of these, that either one would have prevented: at least so much. */
  either_core_ns: bigint;
  /** [core-ns] Waste that excuses took away inside the interval. */
  excused_core_ns: bigint;
  /** [event id] Event at which it began. */
  first_event: bigint | null;
  /** [event id] Event at which it ended. */
  last_event: bigint | null;
}

/** Which thread waited for which idle CPU in an episode (canonical matching), for episodes of grade expected and above and recurrent ones. Source: semantics: canonical matching */
export interface EpisodePair {
  /** The episode. */
  episode_id: number;
  /** [utid] Thread that waited. */
  utid: number;
  /** [cpu] CPU on whose queue it waited. */
  waited_on: number;
  /** [cpu] Idle CPU it was matched to. */
  idle_cpu: number;
  /** [core-ns] Time for which this pair was matched. */
  core_ns: bigint;
  /** Nearest level the two CPUs share. */
  distance: number;
  /** How the thread came to wait there. */
  placed_by: number;
  /** Why nothing moved it earlier. */
  not_moved_because: number;
  /** What ended it. */
  ended_by: number;
  /** How sure the cause is: that of `not_moved_because`; of `placed_by` where waste is recurrent. */
  proof: number;
  /** How sure `placed_by` is: what holds for most of its waste here. */
  placed_by_proof: number;
  /** How sure `not_moved_because` is: what holds for most of its waste here. */
  not_moved_because_proof: number;
  /** How sure `ended_by` is: what holds for most of its waste here. */
  ended_by_proof: number;
  /** [event id] Events the cause rests on. */
  event_ids: bigint[];
}

/** The excuse ledger: what each excuse, applied after the ones before it, took off the waste. Sums exactly to idle_while_waiting - wasted. Source: semantics: excuse ledger */
export interface ExcuseLedger {
  /** Order of application, from 1. */
  position: number;
  /** The excuse. */
  excuse: number;
  /** [core-ns] Integral of the drop of the matching it caused. */
  core_ns: bigint;
  /** The trace can show this excuse. */
  recorded: boolean;
}

/** Windows of the parallel programs in `app`, which fill the time in which all ranks were alive: iterations, and what lies before, between and after them. Source: semantics: Balance; analyzer/balance */
export interface Iteration {
  /** The program: number in `app`. */
  app: number;
  /** Its number, from 1 on. */
  iteration: number;
  /** Number of the segment, a stretch of windows of one kind and period. */
  segment: number;
  /** What the segment is. */
  kind: string;
  /** [ns] Its start. */
  start_ns: bigint;
  /** [ns] Its end. */
  end_ns: bigint;
  /** The state of every rank is known; if not, it is left out of all figures. */
  observed: boolean;
  /** [ns] Computing of all ranks together; NULL, like those below, where it was not observed or the balance is not visible. */
  compute_ns: bigint | null;
  /** [ns] Computing of the rank that has most. */
  max_compute_ns: bigint | null;
  /** [ns] How much sooner it would have ended with equal ranks, rounded. */
  lost_ns: bigint | null;
  /** [ns] The part that the ranks' own computing explains. */
  intrinsic_ns: bigint | null;
  /** [ns] The part that the machine added. */
  extrinsic_ns: bigint | null;
  /** The rank that ended last. */
  last_rank: number | null;
}

/** A move of a thread between CPUs, with its path and whether it was needless. Source: semantics: per-thread measures */
export interface Migration {
  /** [event id] The migrate or wakeup event. */
  event_id: bigint;
  /** [ns] When. */
  ts_ns: bigint;
  /** [utid] Thread that moved. */
  utid: number;
  /** [cpu] From. */
  orig_cpu: number;
  /** [cpu] To. */
  dest_cpu: number;
  /** Nearest level the two share. */
  distance: number;
  /** It was runnable when moved; false: moved in its sleep or at its wakeup. */
  queued: boolean;
  /** [threads] Runnable threads where it left, itself not counted. */
  orig_runnable: number;
  /** [threads] Runnable threads where it went, itself not counted. */
  dest_runnable: number;
  /** The move made nothing better (see semantics). */
  needless: boolean;
  /** Kernel stack of the move. */
  stack_id: number | null;
  /** Path of the kernel that moved it; unknown where neither stack nor events show it. */
  path: number;
  /** proved by its stack; consistent with the events around it; unknown. */
  path_proof: number;
}

/** Ranks of the parallel programs in `app`, and what the time in which all were alive went to. U is (compute_ns + preempted_ns + queued_ns + irq_ns + throttled_ns) by all but other_ns. Source: semantics: Balance; analyzer/balance */
export interface Rank {
  /** The program: number in `app`. */
  app: number;
  /** Its number: by its environment (`process_rank`), else in the order of creation from 0 on. */
  rank: number;
  /** [utid] Its thread; of a process the one that ran longest. */
  utid: number;
  /** [ns] On a CPU, outside of calls that wait. This and the columns down to other_ns add up to the whole time. */
  compute_ns: bigint;
  /** [ns] On a CPU, inside a call that waits. */
  spin_ns: bigint;
  /** [ns] Asleep; inside a call that waits also preempted, blocked or without quota. */
  wait_ns: bigint;
  /** [ns] Runnable after a preemption. */
  preempted_ns: bigint;
  /** [ns] Runnable after a wakeup. */
  queued_ns: bigint;
  /** [ns] Its CPU did interrupt work, outside of calls that wait. */
  irq_ns: bigint;
  /** [ns] Uninterruptible sleep outside of calls that wait. */
  blocked_ns: bigint;
  /** [ns] Its cgroup had no quota. */
  throttled_ns: bigint;
  /** [ns] Stopped, not alive, or not known. */
  other_ns: bigint;
  /** [ns] It waited beside an idle CPU that it may use. */
  avoidable_wait_ns: bigint;
  /** [ns] Further threads of its process ran. */
  helpers_run_ns: bigint;
}

/** What each rank did in each row of `iteration`. Without rows of a program with too many (4 million numbers: ranks times windows times parts). Source: semantics: Balance; analyzer/balance */
export interface RankIteration {
  /** The program: number in `app`. */
  app: number;
  /** The rank: number in `rank`. */
  rank: number;
  /** The window: number in `iteration`. */
  iteration: number;
  /** [ns] On a CPU, outside of calls that wait. This and the columns down to other_ns add up to the whole time. */
  compute_ns: bigint;
  /** [ns] On a CPU, inside a call that waits. */
  spin_ns: bigint;
  /** [ns] Asleep; inside a call that waits also preempted, blocked or without quota. */
  wait_ns: bigint;
  /** [ns] Runnable after a preemption. */
  preempted_ns: bigint;
  /** [ns] Runnable after a wakeup. */
  queued_ns: bigint;
  /** [ns] Its CPU did interrupt work, outside of calls that wait. */
  irq_ns: bigint;
  /** [ns] Uninterruptible sleep outside of calls that wait. */
  blocked_ns: bigint;
  /** [ns] Its cgroup had no quota. */
  throttled_ns: bigint;
  /** [ns] Stopped, not alive, or not known. */
  other_ns: bigint;
}

/** Length of a CPU's runqueue as reconstructed, a row per change. Source: checker: reconstruction */
export interface Runqueue {
  /** [cpu] The CPU. */
  cpu: number;
  /** [ns] Start. */
  start_ns: bigint;
  /** [ns] Length, > 0. */
  dur_ns: bigint;
  /** [threads] Runnable threads queued there, the running one not counted. */
  queued: number;
  /** A thread other than swapper runs. */
  running: boolean;
}

/** How long each thread ran on each CPU. The times sum exactly to those of `cpu_slice`, where a CPU was observed. Source: checker: reconstruction */
export interface ThreadCpu {
  /** [utid] The thread; 0 swapper (idle). */
  utid: number;
  /** [cpu] The CPU. */
  cpu: number;
  /** [ns] Time, > 0. */
  run_ns: bigint;
}

/** What a thread did, in order, while its state is known. Source: checker: reconstruction */
export interface ThreadState {
  /** [utid] The thread. */
  utid: number;
  /** [ns] Start. */
  start_ns: bigint;
  /** [ns] Length, > 0. */
  dur_ns: bigint;
  /** running, runnable (after a wakeup), preempted (runnable after a preemption), sleeping ... */
  phase: number;
  /** [cpu] CPU it ran or was queued on. */
  cpu: number | null;
}

/** How the levels of detail lie: bins of level L are 1024 << L ns wide and counted from the first row's start_ns. A row says which levels are stored from start_ns on: this one and all above it. Levels below are read from the slices. Source: checker: tiles */
export interface TileBase {
  /** [ns] From when on; a boundary of 64 bins of the coarser of the two levels around it. */
  start_ns: bigint;
  /** Lowest level that is stored. */
  level: number;
}

/** Levels of detail of what loads a CPU, in the same bins as tile_run; bins with nothing are left out. Exact. Source: checker: tiles */
export interface TileLoad {
  /** Level: bins are 1024 << level ns wide. */
  level: number;
  /** Which 64 bins. */
  tile: bigint;
  /** Bin within them. */
  bin: number;
  /** How many bins, from this one on, are the same: up to the end of this tile, or all of so many tiles (a multiple of 64). */
  bins: bigint;
  /** [cpu] The CPU. */
  cpu: number;
  /** What is measured. */
  measure: number;
  /** In each of the bins: queued threads times ns (waiting), ns (wasted), or arrivals (migrations). */
  value: bigint;
}

/** Levels of detail of cpu_slice: what a CPU did in a bin of time. Bins that one thread or idleness fills follow each other in one row. Sums are exact; a thread's time is at most busy_ns / 17 too low, and exact where up to 16 threads ran. Source: checker: tiles; mergeable summaries (Agarwal et al., PODS 2012) */
export interface TileRun {
  /** Level: bins are 1024 << level ns wide. */
  level: number;
  /** Which 64 bins. */
  tile: bigint;
  /** Bin within them. */
  bin: number;
  /** How many bins, from this one on, are the same: up to the end of this tile, or all of so many tiles (a multiple of 64). */
  bins: bigint;
  /** [cpu] The CPU. */
  cpu: number;
  /** [ns] Threads ran, in each of the bins. */
  busy_ns: bigint;
  /** [ns] Swapper ran. */
  idle_ns: bigint;
  /** [ns] Not observed, or offline. */
  unobserved_ns: bigint;
  /** [utid] Thread that ran longest. */
  utid1: number | null;
  /** [ns] For how long. */
  ns1: bigint;
  /** [utid] Second. */
  utid2: number | null;
  /** [ns] For how long. */
  ns2: bigint;
  /** [utid] Third. */
  utid3: number | null;
  /** [ns] For how long. */
  ns3: bigint;
  /** [utid] Fourth. */
  utid4: number | null;
  /** [ns] For how long. What is left of busy_ns is the others' time. */
  ns4: bigint;
}

/** One row: the verdict's figures and how they were made. Source: checker */
export interface Verdict {
  /** Version of the checker. */
  checker_version: string;
  /** Options of the check as JSON. */
  options: string;
  /** [ns] Start of the window. */
  start_ns: bigint;
  /** [ns] End of the window. */
  end_ns: bigint;
  /** [cpu-ns] Time summed over online CPUs. */
  online_ns: bigint;
  /** [cpu-ns] Of it, observed. */
  observed_ns: bigint;
  /** [cpu-ns] Of it, running threads. */
  busy_ns: bigint;
  /** [cpu-ns] Of it, idle (swapper and an empty queue). */
  idle_ns: bigint;
  /** [core-ns] Integral of wasted. */
  wasted_ns: bigint;
  /** [core-ns] Integral of certain. */
  certain_ns: bigint;
  /** [core-ns] Integral of `idle_while_waiting`. */
  idle_while_waiting_ns: bigint;
  /** [ns] Time in which at least one core was wasted. */
  wall_wasted_ns: bigint;
  /** [ns] Time in which at least one core was wasted for certain. */
  wall_certain_ns: bigint;
  /** [ns] Time in which at least one CPU was idle while a thread waited. */
  wall_idle_while_waiting_ns: bigint;
  /** [cores] Most cores wasted at once. */
  peak_wasted: number;
  /** Times a thread about to run on an idle CPU took more than a tick. */
  late_wakes: bigint;
}

/** Waste by grade. The grades but recurrent sum exactly to the whole waste. Source: semantics: episodes */
export interface VerdictGrade {
  /** The grade. */
  grade: number;
  /** Episodes of the grade. */
  episodes: bigint;
  /** [core-ns] Waste of exactly this grade. */
  core_ns: bigint;
}

/** The invariant over time, a row for each interval with constant figures in which a core was idle beside a waiting thread (idle_while_waiting > 0). Source: semantics: the invariant */
export interface Wasted {
  /** [ns] Start. */
  start_ns: bigint;
  /** [ns] Length, > 0. */
  dur_ns: bigint;
  /** [cores] Cores wasted: maximum matching with every excuse applied. */
  wasted: number;
  /** [cores] The same over threads whose mask is known. */
  certain: number;
  /** [cores] min(idle, waiting), before any excuse. */
  idle_while_waiting: number;
  /** [cpus] Idle CPUs. */
  idle_cpus: number;
  /** [threads] Waiting threads. */
  waiting: number;
}

/** When each CPU was wasted: idle, and the match of a waiting thread that may use it. The lengths sum exactly to the waste. Source: semantics: canonical matching */
export interface WastedCpu {
  /** [cpu] The idle CPU. */
  cpu: number;
  /** [ns] Start. */
  start_ns: bigint;
  /** [ns] Length, > 0. */
  dur_ns: bigint;
}
