"""Generated from schemas/tables and schemas/enums.toml by wastenot.schemas.generate. Do not edit."""

# ruff: noqa: E501

from __future__ import annotations

from typing import Literal

KickKind = Literal[
    "sent",
    "softirq",
    "sent_to_balance",
    "sent_for_loads",
]
"""How an idle CPU was called to balance."""

KICK_KIND_WORDS: dict[KickKind, str] = {
    "sent": "kicked",
    "softirq": "balancing softirq",
    "sent_to_balance": "kicked to balance",
    "sent_for_loads": "kicked to update loads",
}
"""The values in order, each in words."""

BalanceSearchResult = Literal[
    "not_made",
    "none",
    "found",
    "unknown",
]
"""What a load-balance attempt's search for a busier group returned."""

BALANCE_SEARCH_RESULT_WORDS: dict[BalanceSearchResult, str] = {
    "not_made": "none was made",
    "none": "none found",
    "found": "found",
    "unknown": "not recorded",
}
"""The values in order, each in words."""

ExtPlace = Literal[
    "local",
    "global",
    "shared",
    "bypass",
    "held",
    "kernel",
]
"""Where a thread of a sched_ext scheduler waits."""

EXT_PLACE_WORDS: dict[ExtPlace, str] = {
    "local": "a CPU's local queue",
    "global": "the global queue",
    "shared": "the shared queue",
    "bypass": "the queue of bypassed threads",
    "held": "the scheduler itself",
    "kernel": "a queue of the kernel's own (reject, rescue)",
}
"""The values in order, each in words."""

ExtStep = Literal[
    "select_cpu",
    "enqueue",
    "dispatch",
    "move",
]
"""Which part of a sched_ext scheduler put a thread where it is."""

EXT_STEP_WORDS: dict[ExtStep, str] = {
    "select_cpu": "select_cpu",
    "enqueue": "enqueue",
    "dispatch": "dispatch, or the kernel",
    "move": "on its way there",
}
"""The values in order, each in words."""

ExtChange = Literal[
    "disabled",
    "enabled",
    "bypass_begin",
    "bypass_end",
]
"""What changed about the sched_ext scheduler in charge."""

EXT_CHANGE_WORDS: dict[ExtChange, str] = {
    "disabled": "none in charge",
    "enabled": "in charge",
    "bypass_begin": "bypassed",
    "bypass_end": "no longer bypassed",
}
"""The values in order, each in words."""

ExtSchedulerChange = Literal[
    "loaded",
    "gone",
    "bypass_begin",
    "bypass_end",
    "unregistered",
    "unregistered_by_itself",
    "unregistered_by_kernel",
    "sysrq",
    "parent_ended",
    "ended_by_parent",
    "error",
    "own_error",
    "stall",
    "reenqueued",
    "rescue",
    "ended",
]
"""What happened to a sched_ext scheduler."""

EXT_SCHEDULER_CHANGE_WORDS: dict[ExtSchedulerChange, str] = {
    "loaded": "is loaded",
    "gone": "is gone",
    "bypass_begin": "is bypassed",
    "bypass_end": "is no longer bypassed",
    "unregistered": "ended from user space",
    "unregistered_by_itself": "ended by itself",
    "unregistered_by_kernel": "ended by the kernel",
    "sysrq": "ended by the SysRq key",
    "parent_ended": "ended with its parent",
    "ended_by_parent": "ended by its parent",
    "error": "ended: an error",
    "own_error": "ended: an error that it reported",
    "stall": "ended by the watchdog: a thread that could run did not for too long",
    "reenqueued": "ended: a thread was queued again too often without running",
    "rescue": "ended: too many threads had to be rescued",
    "ended": "ended, for a reason that is not known here",
}
"""The values in order, each in words."""

Grade = Literal[
    "noise",
    "in_flight",
    "expected",
    "lasting",
    "persistent",
    "recurrent",
]
"""How long waste lasted, measured per idle–waiting pair (an idle CPU and the queue of another CPU)."""

GRADE_VALUES: tuple[Grade, ...] = (
    "noise",
    "in_flight",
    "expected",
    "lasting",
    "persistent",
    "recurrent",
)

GRADE_WORST_FIRST: tuple[Grade, ...] = (
    "persistent",
    "lasting",
    "recurrent",
    "expected",
    "in_flight",
    "noise",
)

GRADE_TIMED: tuple[Grade, ...] = (
    "in_flight",
    "expected",
    "lasting",
    "persistent",
)

GRADE_SEVERITIES: tuple[Grade, ...] = (
    "persistent",
    "lasting",
    "expected",
    "in_flight",
    "noise",
)

GRADE_WORDS: dict[Grade, str] = {
    "noise": "noise",
    "in_flight": "in flight",
    "expected": "expected",
    "lasting": "lasting",
    "persistent": "persistent",
    "recurrent": "recurrent",
}
"""The values in order, each in words."""

Excuse = Literal[
    "per_cpu_thread",
    "migration_disabled",
    "cpuset",
    "affinity",
    "throttled",
    "isolated",
    "cookie",
    "irq_busy",
]
"""Why a waiting thread could not use an idle CPU, in the order in which the excuses are applied."""

EXCUSE_WORDS: dict[Excuse, str] = {
    "per_cpu_thread": "per-CPU kernel thread of another CPU",
    "migration_disabled": "migration disabled",
    "cpuset": "outside its cpuset",
    "affinity": "outside its affinity mask",
    "throttled": "no quota left",
    "isolated": "CPU outside all scheduling domains",
    "cookie": "forbidden by core scheduling",
    "irq_busy": "CPU in interrupt work",
}
"""The values in order, each in words."""

WaitReason = Literal[
    "own_quota",
    "avoidable",
    "confined",
    "wakeup_latency",
    "interrupts",
    "rt_dl",
    "kernel_threads",
    "own_threads",
    "neighbour",
    "unknown_cgroup",
    "unknown",
]
"""Why a runnable thread did not run. The reasons are tried in this order, and the first that applies holds."""

WAIT_REASON_WORDS: dict[WaitReason, str] = {
    "own_quota": "own quota",
    "avoidable": "avoidable",
    "confined": "confined",
    "wakeup_latency": "wakeup latency",
    "interrupts": "interrupts",
    "rt_dl": "RT/DL threads",
    "kernel_threads": "kernel threads",
    "own_threads": "own threads",
    "neighbour": "neighbour",
    "unknown_cgroup": "unknown cgroup",
    "unknown": "unknown",
}
"""The values in order, each in words."""

WAIT_REASON_SENTENCES: dict[WaitReason, str] = {
    "own_quota": "throttled: its cgroup, or one above it, had no quota left",
    "avoidable": "an idle CPU that it may use was left unused",
    "confined": "idle CPUs were left that it may not use",
    "wakeup_latency": "its CPU ran swapper: a wakeup was on its way there",
    "interrupts": "its CPU did interrupt work",
    "rt_dl": "its CPU ran a real-time or deadline thread of another cgroup",
    "kernel_threads": "its CPU ran a kernel thread",
    "own_threads": "its CPU ran a thread of the same cgroup",
    "neighbour": "its CPU ran a thread of another cgroup",
    "unknown_cgroup": "its CPU ran a thread, and a cgroup is not recorded",
    "unknown": "what its CPU ran is not known",
}
"""The values in order, each as a clause of a diagnosis."""

MigrationPath = Literal[
    "wakeup",
    "fork",
    "exec",
    "newidle",
    "periodic",
    "nohz",
    "active",
    "numa",
    "rt_push",
    "rt_pull",
    "dl_push",
    "dl_pull",
    "affinity",
    "cgroup",
    "hotplug",
    "core_sched",
    "sched_ext",
    "unknown",
]
"""Path of the kernel that moved a thread to another CPU."""

MIGRATION_PATH_WORDS: dict[MigrationPath, str] = {
    "wakeup": "placed at its wakeup",
    "fork": "placed when it was created",
    "exec": "placed at an exec",
    "newidle": "pulled by a CPU about to idle",
    "periodic": "pulled by the periodic balancer",
    "nohz": "pulled for an idle CPU by another one",
    "active": "pushed by the balancer's stopper",
    "numa": "moved or swapped towards its memory",
    "rt_push": "pushed to a CPU of lower real-time priority",
    "rt_pull": "pulled by a CPU of lower real-time priority",
    "dl_push": "pushed to a CPU with a later deadline",
    "dl_pull": "pulled by a CPU with a later deadline",
    "affinity": "moved by a change of its allowed CPUs",
    "cgroup": "moved by a change of its cgroup",
    "hotplug": "moved off a CPU that goes offline",
    "core_sched": "moved by core scheduling",
    "sched_ext": "moved by a sched_ext scheduler",
    "unknown": "unknown",
}
"""The values in order, each in words."""

EvidenceKind = Literal[
    "migrations",
    "migration_stacks",
    "load_balance_attempts",
    "placements",
    "cpus_scanned",
    "load_balance_kicks",
    "schedstat_counters",
    "balance_searches",
    "domains_built",
    "sched_ext",
    "late_idle_exits",
    "dl_parameters",
    "per_cpu_thread",
    "migration_disabled",
    "cpuset",
    "affinity",
    "throttled",
    "isolated",
    "cookie",
    "irq_busy",
]
"""Evidence beyond switches and wakeups that a trace may hold; last, what the excuses rest on."""

EVIDENCE_KIND_WORDS: dict[EvidenceKind, str] = {
    "migrations": "moves of threads",
    "migration_stacks": "kernel stacks of moves",
    "load_balance_attempts": "load-balance attempts",
    "placements": "placements of threads",
    "cpus_scanned": "CPUs scanned at wakeup",
    "load_balance_kicks": "kicks of idle CPUs",
    "schedstat_counters": "the load balancer's counters",
    "balance_searches": "what load-balance attempts examined",
    "domains_built": "changes of the scheduling domains",
    "sched_ext": "what a sched_ext scheduler decides",
    "late_idle_exits": "CPUs that left idle late",
    "dl_parameters": "parameters of SCHED_DEADLINE threads",
    "per_cpu_thread": "per-CPU kernel thread of another CPU",
    "migration_disabled": "migration disabled",
    "cpuset": "outside its cpuset",
    "affinity": "outside its affinity mask",
    "throttled": "no quota left",
    "isolated": "CPU outside all scheduling domains",
    "cookie": "forbidden by core scheduling",
    "irq_busy": "CPU in interrupt work",
}
"""The values in order, each in words."""

EVIDENCE_KIND_OF_EXCUSE: dict[Excuse, EvidenceKind] = {
    "per_cpu_thread": "per_cpu_thread",
    "migration_disabled": "migration_disabled",
    "cpuset": "cpuset",
    "affinity": "affinity",
    "throttled": "throttled",
    "isolated": "isolated",
    "cookie": "cookie",
    "irq_busy": "irq_busy",
}
"""What the values of `Excuse` rest on."""

EvidenceState = Literal[
    "recorded",
    "partial",
    "absent",
]
"""How much of a kind of evidence was recorded."""

EVIDENCE_STATE_WORDS: dict[EvidenceState, str] = {
    "recorded": "recorded",
    "partial": "recorded in part",
    "absent": "not recorded",
}
"""The values in order, each in words."""

EVIDENCE_STATE_SENTENCES: dict[EvidenceState, str] = {
    "recorded": "recorded through the whole recording: where the trace has none, none happened",
    "partial": "recorded in part: there may have been more than the trace has",
    "absent": "not recorded: whether there were any is not known",
}
"""The values in order, each as a clause of a diagnosis."""

EvidenceLevel = Literal[
    "L0",
    "L1",
    "L2",
    "L3",
]
"""How much a trace shows of why a core was wasted, in brief; the table `evidence` says it of each kind of evidence."""

EVIDENCE_LEVEL_WORDS: dict[EvidenceLevel, str] = {
    "L0": "switches and wakeups",
    "L1": "switches, wakeups, and moves with kernel stacks",
    "L2": "L1 and load-balance attempts",
    "L3": "L1 and the load balancer's counters per domain; load-balance attempts where functions can be probed",
}
"""The values in order, each in words."""

RepairKind = Literal[
    "check",
    "setting",
    "scheduler_feature",
    "cpuset",
    "boot_parameter",
    "kernel_release",
    "program",
    "report",
]
"""What is to be checked or changed where a rule names the cause."""

REPAIR_KIND_WORDS: dict[RepairKind, str] = {
    "check": "check",
    "setting": "setting",
    "scheduler_feature": "scheduler feature",
    "cpuset": "cpuset",
    "boot_parameter": "boot parameter",
    "kernel_release": "kernel release",
    "program": "program",
    "report": "report",
}
"""The values in order, each in words."""

RankVariable = Literal[
    "ompi",
    "pmix",
    "pmi",
    "mvapich",
    "slurm",
]
"""The variable of its environment that tells a process which rank of a parallel program it is."""

RANK_VARIABLE_WORDS: dict[RankVariable, str] = {
    "ompi": "OMPI_COMM_WORLD_RANK",
    "pmix": "PMIX_RANK",
    "pmi": "PMI_RANK",
    "mvapich": "MV2_COMM_WORLD_RANK",
    "slurm": "SLURM_PROCID",
}
"""The values in order, each in words."""

DeadlineFault = Literal[
    "own_overrun",
    "scheduler",
    "interference",
    "overload",
    "not_guaranteed",
    "not_visible",
    "contention",
]
"""Whose fault a missed deadline is."""

DEADLINE_FAULT_WORDS: dict[DeadlineFault, str] = {
    "own_overrun": "own overrun",
    "scheduler": "scheduler",
    "interference": "interference",
    "overload": "overload",
    "not_guaranteed": "not guaranteed",
    "not_visible": "not visible",
    "contention": "contention",
}
"""The values in order, each in words."""

Question = Literal[
    "placed_by",
    "not_moved_because",
    "ended_by",
]
"""What is asked of a thread that waited beside an idle CPU."""

QUESTION_WORDS: dict[Question, str] = {
    "placed_by": "how the thread came to wait there",
    "not_moved_because": "why nothing moved it earlier",
    "ended_by": "what ended it",
}
"""The values in order, each in words."""

PlacedBy = Literal[
    "unknown",
    "wakeup",
    "wakeup_prev_cpu",
    "wake_affine",
    "wakeup_one_llc",
    "wakeup_scan_cut",
    "fork_exec",
    "periodic",
    "newidle",
    "nohz",
    "active",
    "numa",
    "rt_dl_push",
    "rt_dl_pull",
    "affinity_change",
    "cgroup_move",
    "hotplug_push",
    "preempted_in_place",
    "sched_ext",
    "ext_select_cpu",
    "ext_enqueue",
]
"""How a thread came to wait where it did."""

PLACED_BY_WORDS: dict[PlacedBy, str] = {
    "unknown": "unknown",
    "wakeup": "wakeup",
    "wakeup_prev_cpu": "wakeup: prev cpu kept",
    "wake_affine": "wakeup: wake-affine",
    "wakeup_one_llc": "wakeup: idle-sibling scan limited to one LLC",
    "wakeup_scan_cut": "wakeup: idle-sibling scan cut short",
    "fork_exec": "fork/exec",
    "periodic": "periodic balance",
    "newidle": "newidle balance",
    "nohz": "nohz balance",
    "active": "active balance",
    "numa": "NUMA balance",
    "rt_dl_push": "RT/DL push",
    "rt_dl_pull": "RT/DL pull",
    "affinity_change": "affinity change",
    "cgroup_move": "cgroup move",
    "hotplug_push": "hotplug push",
    "preempted_in_place": "preempted in place",
    "sched_ext": "sched_ext",
    "ext_select_cpu": "sched_ext: select_cpu missed an idle CPU",
    "ext_enqueue": "sched_ext: enqueue to a local queue",
}
"""The values in order, each in words."""

PLACED_BY_SENTENCES: dict[PlacedBy, str] = {
    "unknown": "it is not known how they came to be queued there",
    "wakeup": "queued there by a wakeup",
    "wakeup_prev_cpu": "queued there by a wakeup that kept the previous CPU: no other allowed CPU was idle",
    "wake_affine": "queued there by a wakeup that chose the waker's CPU (wake-affine), which was busy",
    "wakeup_one_llc": "queued there by a wakeup that searched one last-level cache only, while CPUs outside it were idle",
    "wakeup_scan_cut": "queued there by a wakeup that missed an idle CPU in the same last-level cache: its search was cut short",
    "fork_exec": "queued there when created (fork) or at an exec",
    "periodic": "queued there by the periodic balancer",
    "newidle": "queued there by newidle balancing (pulled by a CPU that was going idle)",
    "nohz": "queued there by nohz balancing (moved by an idle CPU that balances for others)",
    "active": "queued there by active balancing (pushed by the balancer's stopper thread)",
    "numa": "queued there by NUMA balancing (moved towards its memory)",
    "rt_dl_push": "queued there by a real-time or deadline push",
    "rt_dl_pull": "queued there by a real-time or deadline pull",
    "affinity_change": "queued there before an affinity change allowed the idle CPU",
    "cgroup_move": "queued there by a move to another cgroup",
    "hotplug_push": "queued there when another CPU went offline",
    "preempted_in_place": "preempted there after running alone on that CPU",
    "sched_ext": "queued there by a sched_ext scheduler",
    "ext_select_cpu": "put into the CPU's local queue by the select_cpu of a sched_ext scheduler, while another allowed CPU idled",
    "ext_enqueue": "put into the CPU's local queue by the enqueue of a sched_ext scheduler: no other CPU takes from there",
}
"""The values in order, each as a clause of a diagnosis."""

NotMovedBecause = Literal[
    "unknown",
    "newidle_cut_off",
    "newidle_pulled_nothing",
    "group_averages",
    "allowed_imbalance",
    "all_pinned",
    "asymmetric_capacity",
    "found_balance",
    "interval_too_long",
    "periodic_did_not_run",
    "nohz_kick_missing",
    "active_balance_failed",
    "no_common_domain",
    "misbuilt_groups",
    "numa_allowance",
    "cache_hot",
    "sched_ext",
    "newidle_wakeup_pending",
    "newidle_none_overloaded",
    "newidle_too_short",
    "newidle_dice",
    "ext_local_queue",
    "ext_behind_realtime",
    "ext_not_kicked",
    "ext_kick_late",
    "ext_not_dispatched",
    "ext_held",
    "ext_bypass",
    "cache_aware",
    "nohz_kick_late",
    "ext_cpu_late",
    "realtime_behind_lower",
    "realtime_not_pushed",
    "ext_not_granted",
]
"""Why no load-balance attempt moved a waiting thread to the idle CPU."""

NOT_MOVED_BECAUSE_WORDS: dict[NotMovedBecause, str] = {
    "unknown": "unknown",
    "newidle_cut_off": "newidle did not run (cut off)",
    "newidle_pulled_nothing": "newidle ran and pulled nothing",
    "group_averages": "periodic ran and found balance: group average hides idle cores",
    "allowed_imbalance": "periodic ran and found balance: allowed imbalance",
    "all_pinned": "periodic ran and found balance: all pinned",
    "asymmetric_capacity": "periodic ran and found balance: asymmetric capacity",
    "found_balance": "periodic ran and found balance",
    "interval_too_long": "periodic did not run: interval too long",
    "periodic_did_not_run": "periodic did not run",
    "nohz_kick_missing": "nohz kick missing",
    "active_balance_failed": "active balance failed",
    "no_common_domain": "domains missing (no common domain)",
    "misbuilt_groups": "groups misbuilt",
    "numa_allowance": "NUMA imbalance allowed",
    "cache_hot": "cache-hot refusal",
    "sched_ext": "not applicable (sched_ext)",
    "newidle_wakeup_pending": "newidle did not run: wakeup pending",
    "newidle_none_overloaded": "newidle did not run: no CPU overloaded",
    "newidle_too_short": "newidle did not run: idle too short",
    "newidle_dice": "newidle did not run: dice",
    "ext_local_queue": "sched_ext: in a busy CPU's local queue",
    "ext_behind_realtime": "sched_ext: behind a real-time thread",
    "ext_not_kicked": "sched_ext: idle CPU not kicked",
    "ext_kick_late": "sched_ext: kick late",
    "ext_not_dispatched": "sched_ext: dispatch left it",
    "ext_held": "sched_ext: held by the scheduler",
    "ext_bypass": "sched_ext: bypassed",
    "cache_aware": "cache-aware scheduling",
    "nohz_kick_late": "nohz kick late",
    "ext_cpu_late": "sched_ext: CPU late after a kick",
    "realtime_behind_lower": "real-time: behind a lower class",
    "realtime_not_pushed": "real-time: not pushed or pulled",
    "ext_not_granted": "sched_ext: CPU not granted",
}
"""The values in order, each in words."""

NOT_MOVED_BECAUSE_SENTENCES: dict[NotMovedBecause, str] = {
    "unknown": "the reason is not known",
    "newidle_cut_off": "the CPU that went idle did not search as far as that queue",
    "newidle_pulled_nothing": "the CPU that went idle searched that queue and pulled no thread",
    "group_averages": "the balancer found balance: the average load of a group hid that some of its CPUs were idle",
    "allowed_imbalance": "the balancer took the imbalance to be small enough",
    "all_pinned": "the balancer stopped at a queue of pinned threads",
    "asymmetric_capacity": "the balancer leaves threads on the larger CPU where capacities differ and none counts as full",
    "found_balance": "the balancer ran and found balance (its reason is not recorded)",
    "interval_too_long": "the domain's balance interval is so long that load-balance attempts over it were too few",
    "periodic_did_not_run": "no load-balance attempt was made in time over a domain that spans both CPUs",
    "nohz_kick_missing": "no idle CPU was kicked to balance",
    "active_balance_failed": "active balancing pushed no thread although the stopper thread ran on the busy CPU",
    "no_common_domain": "no scheduling domain spans both the idle CPU and the busy one",
    "misbuilt_groups": "the domain's groups hide the imbalance (both CPUs are in one group)",
    "numa_allowance": "the kernel allows this imbalance between NUMA nodes while the idle node runs so few threads",
    "cache_hot": "the balancer left the waiting threads as cache-hot: they had run recently",
    "sched_ext": "a sched_ext scheduler is in charge, not the load balancer",
    "newidle_wakeup_pending": "the CPU that went idle did not search: a wakeup was already on its way to it",
    "newidle_none_overloaded": "the CPU that went idle did not search: no CPU counted as overloaded",
    "newidle_too_short": "the CPU that went idle did not search as far as that queue: it expected to idle for less time than that costs",
    "newidle_dice": "the CPU that went idle did not search as far as that queue: the release leaves that to chance, by how many searches succeeded",
    "ext_local_queue": "a sched_ext scheduler has them in the local queue of a busy CPU, from which no other CPU takes",
    "ext_behind_realtime": "a sched_ext scheduler has them in the local queue of a CPU that a real-time or deadline thread occupies",
    "ext_not_kicked": "they are in a dispatch queue of a sched_ext scheduler, and nothing made the idle CPU look there",
    "ext_kick_late": "they are in a dispatch queue of a sched_ext scheduler, and the idle CPU was kicked late",
    "ext_not_dispatched": "the idle CPU asked the sched_ext scheduler for a thread, and its dispatch gave none though they were in a dispatch queue",
    "ext_held": "a sched_ext scheduler keeps them in a structure of its own and has not dispatched them",
    "ext_bypass": "the kernel bypasses the sched_ext scheduler, and queues threads itself",
    "cache_aware": "the balancer left the waiting threads in the cache that their process prefers (cache-aware scheduling)",
    "nohz_kick_late": "an idle CPU was kicked to balance, and for long none balanced",
    "ext_cpu_late": "they are in a dispatch queue of a sched_ext scheduler, and the idle CPU that was kicked did not look for long",
    "realtime_behind_lower": "they are real-time or deadline threads, and their CPU ran a thread of a lower class meanwhile",
    "realtime_not_pushed": "they are real-time or deadline threads, which no CPU pushed or pulled to the idle one; the load balancer leaves them alone",
    "ext_not_granted": "the sched_ext scheduler of their cgroup may not use the idle CPU: the scheduler above has not granted it",
}
"""The values in order, each as a clause of a diagnosis."""

EndedBy = Literal[
    "unknown",
    "newidle",
    "periodic",
    "nohz",
    "active",
    "numa",
    "push_pull",
    "affinity_change",
    "wakeup_elsewhere",
    "started_in_place",
    "blocked_or_exited",
    "end_of_trace",
    "interrupt_work",
    "sched_ext",
]
"""What ended a wait beside an idle CPU."""

ENDED_BY_WORDS: dict[EndedBy, str] = {
    "unknown": "unknown",
    "newidle": "newidle",
    "periodic": "periodic",
    "nohz": "nohz",
    "active": "active",
    "numa": "NUMA balance",
    "push_pull": "push/pull",
    "affinity_change": "affinity change",
    "wakeup_elsewhere": "woken elsewhere",
    "started_in_place": "started running in place",
    "blocked_or_exited": "blocked or exited",
    "end_of_trace": "end of trace",
    "interrupt_work": "interrupt work",
    "sched_ext": "sched_ext",
}
"""The values in order, each in words."""

ENDED_BY_SENTENCES: dict[EndedBy, str] = {
    "unknown": "the end is not known",
    "newidle": "a CPU that was going idle pulled a thread",
    "periodic": "the periodic balancer moved a thread",
    "nohz": "an idle CPU that balances for others moved a thread",
    "active": "active balancing pushed a thread",
    "numa": "NUMA balancing moved a thread",
    "push_pull": "a real-time or deadline push or pull moved a thread",
    "affinity_change": "the affinity of a waiting thread was changed",
    "wakeup_elsewhere": "another thread was woken on the idle CPU",
    "started_in_place": "the waiting thread started to run on the CPU where it was queued",
    "blocked_or_exited": "the waiting thread was no longer runnable there",
    "end_of_trace": "the recording ended",
    "interrupt_work": "the idle CPU was interrupted, after which the wait may have gone on",
    "sched_ext": "its sched_ext scheduler moved the waiting thread",
}
"""The values in order, each as a clause of a diagnosis."""

Distance = Literal[
    "same_cpu",
    "smt",
    "llc",
    "node",
    "one_hop",
    "far",
    "unknown",
]
"""Nearest topology level that two CPUs share."""

DISTANCE_WORDS: dict[Distance, str] = {
    "same_cpu": "same CPU",
    "smt": "same core",
    "llc": "same LLC",
    "node": "same node",
    "one_hop": "nearby nodes",
    "far": "far nodes",
    "unknown": "unknown",
}
"""The values in order, each in words."""

RegionKind = Literal[
    "work",
    "parallel",
    "barrier",
    "collective",
    "wait",
    "receive",
    "send",
    "probe",
    "startup",
]
"""What a thread of a parallel program does in a region: it computes in `work`, and waits for other ranks in all others."""

REGION_KIND_WORDS: dict[RegionKind, str] = {
    "work": "the body of an OpenMP parallel region or task",
    "parallel": "an OpenMP parallel region, outside of its body: starting the others and waiting for them",
    "barrier": "a barrier of OpenMP",
    "collective": "a collective operation",
    "wait": "completion of requests",
    "receive": "receiving a message",
    "send": "sending a message",
    "probe": "looking for a message",
    "startup": "start or end of MPI",
}
"""The values in order, each in words."""

Suspicion = Literal[
    "idle_with_queue",
    "idle_picked_with_queue",
    "queued_beside_idle",
    "ran_on",
    "silence",
    "queued_for_ever",
    "woken_while_queued",
    "ran_without_wakeup",
    "ran_after_death",
    "woken_never_ran",
    "unknown_state",
    "never_preempted",
    "left_out",
    "out_of_order",
    "silent_cpus",
    "idle_never_left",
    "contradictory_events",
    "nr_running_differs",
    "runtime_differs",
    "time_sums",
    "unverified",
]
"""Why a verdict is suspect: what the events show that no kernel does, or that the readers do not know."""

SUSPICION_WORDS: dict[Suspicion, str] = {
    "idle_with_queue": "CPUs ran swapper beside queued threads for {share} of the observed time",
    "idle_picked_with_queue": "CPUs went idle beside queued threads and stayed so for {share} of the observed time",
    "queued_beside_idle": "threads were queued for over a second on CPUs that idled ({share} of the observed time)",
    "ran_on": "threads ran on for over 5 s beside queued ones ({share} of the observed time)",
    "silence": "no CPU reported anything for over 3 s while threads were queued ({share} of the recording)",
    "queued_for_ever": "{count} threads were queued up to the end of the recording and never got to run",
    "woken_while_queued": "{count} wakeups were of threads already queued ({share} of all wakeups)",
    "ran_without_wakeup": "threads that slept ran {count} times without a wakeup ({share} of the runs after none)",
    "ran_after_death": "dead threads ran or were woken {count} times ({share} of the deaths)",
    "woken_never_ran": "{count} threads were woken and never ran ({share} of those woken)",
    "unknown_state": "{count} switches left a thread in a state that this release does not have ({share} of all)",
    "never_preempted": "{count} switches from one thread to another, and none of them left the first one runnable",
    "left_out": "{count} events of the input could not be used ({share} of all)",
    "out_of_order": "{count} events are stamped before the one ahead of them ({share} of all)",
    "silent_cpus": "{count} CPUs show no switch although they are online ({share} of the CPUs)",
    "idle_never_left": "{count} switches from swapper are missing ({share} of those expected)",
    "contradictory_events": "{count} events contradict the events before them ({share} of the switches)",
    "nr_running_differs": "the kernel's nr_running is below the reconstructed queue in {share} of the comparisons",
    "runtime_differs": "the reconstructed run times differ from the kernel's accounts by {share} of the accounted time",
    "time_sums": "the busy, idle and unobserved times of {count} CPUs do not add up to the recording",
    "unverified": "the input goes past what the readers have been verified on",
}
"""The values in order, each in words."""

ON_DEMAND_TABLES: tuple[str, ...] = (
    "bubble",
    "avoidable_wait",
    "bubble_member",
    "bubble_stat",
    "cpu_slice",
    "dl_job",
    "entity_holder",
    "migration",
    "runqueue",
    "thread_state",
    "tile_base",
    "tile_load",
    "tile_run",
    "wasted",
    "wasted_cpu",
)
"""Tables that a check makes when they are first asked for."""

OVERVIEW_TABLES: tuple[str, ...] = (
    "migration",
    "tile_base",
    "tile_load",
    "tile_run",
    "wasted",
    "wasted_cpu",
)
"""Those of them that can be made without the others."""

BALANCE_TABLES: tuple[str, ...] = (
    "app",
    "iteration",
    "rank",
    "rank_iteration",
)
"""Tables that are made of those, when they are first asked for: the balance of parallel programs."""
