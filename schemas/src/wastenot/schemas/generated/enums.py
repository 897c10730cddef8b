"""Generated from schemas/tables and schemas/enums.toml by wastenot.schemas.generate. Do not edit."""

from __future__ import annotations

from typing import Literal

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
]
"""Evidence beyond switches and wakeups that a trace may hold."""

EVIDENCE_KIND_WORDS: dict[EvidenceKind, str] = {
    "migrations": "moves of threads",
    "migration_stacks": "kernel stacks of moves",
    "load_balance_attempts": "load-balance attempts",
    "placements": "placements of threads",
    "cpus_scanned": "CPUs scanned at wakeup",
    "load_balance_kicks": "kicks of idle CPUs",
    "schedstat_counters": "the load balancer's counters",
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
