"""The checker on the running kernel's events."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wastenot._native import watch
from wastenot.collector import machine_snapshot
from wastenot.watch.cgroup_paths import CgroupPaths, cpu_hierarchy
from wastenot.watch.errors import WatchError
from wastenot.watch.model.status import ExactCounters, Wait

UNKNOWN = "unknown"
"""The cgroup of threads whose cgroup is not recorded."""


class KernelExact:
    """`wastenot._native.watch.ExactWatch` as the loop sees it."""

    def __init__(self) -> None:
        self._watch = watch.ExactWatch()
        self._paths = CgroupPaths(cpu_hierarchy(Path("/proc/self/mounts").read_text(encoding="utf-8")))
        self._causes = CauseSums(nodes_of(machine_snapshot()))
        self._unnamed: list[dict[str, Any]] = []
        """Waits of cgroups that may be new: they count when the folders have been read again."""

    def start(self) -> None:
        """Start to record and to check."""
        self._watch.start()

    def counters(self) -> ExactCounters:
        """The counters, some tenths of a second behind. Raises WatchError where the checker has ended by itself."""
        found: dict[str, Any] = json.loads(self._watch.counters())
        if found["watch"]["failed"]:
            raise WatchError(f"the exact mode has ended: {found['watch']['failed']}")
        waits: list[dict[str, Any]] = self._unnamed + found["new_waits"]
        numbers = {row["cgroup_id"] for row in waits if row["cgroup_id"] is not None}
        cgroups = self._paths.names(numbers, time.monotonic_ns())
        self._unnamed = [row for row in waits if row["cgroup_id"] in numbers - cgroups.keys()]
        waits = [row for row in waits if row["cgroup_id"] is None or row["cgroup_id"] in cgroups]
        return counters_of(found, waits, cgroups, self._causes.add(found["finished"]))

    def stop(self) -> None:
        """End."""
        self._watch.stop()


class CauseSums:
    """The waste of episodes that are over, by cause and node; `nodes` are those of the CPUs."""

    def __init__(self, nodes: Mapping[int, int]) -> None:
        self._nodes = nodes
        self._sums: dict[tuple[str, int], int] = defaultdict(int)

    def add(self, finished: list[dict[str, Any]]) -> dict[tuple[str, int], int]:
        """Add episodes; returns the sums. Each adds its own waste, recurrent ones none: theirs is that of others."""
        for episode in finished:
            if episode["grade"] != "recurrent":
                node = self._nodes.get(min(episode["idle_cpus"], default=-1), -1)
                self._sums[episode["not_moved_because"], node] += episode["core_ns"]
        return dict(self._sums)


def nodes_of(machine: Mapping[str, Any]) -> dict[int, int]:
    """The NUMA node of each CPU of a machine."""
    return {cpu["cpu"]: cpu["node"] for cpu in machine["cpus"]}


def counters_of(
    found: Mapping[str, Any],
    rows: list[dict[str, Any]],
    cgroups: Mapping[int, str],
    wasted_by: Mapping[tuple[str, int], int],
) -> ExactCounters:
    """The counters in what `ExactWatch.counters` returns; `rows` are those of its wait ledger.

    `cgroups` are the paths of the cgroups in them.
    """
    waits: dict[tuple[str, str], int] = defaultdict(int)
    for row in rows:
        waits[cgroups.get(row["cgroup_id"], UNKNOWN), row["reason"]] += row["wait_ns"]
    return ExactCounters(
        time_ns=found["until_ns"],
        online_ns=found["cpus"]["online_ns"] + found["under_way"]["online_ns"],
        wasted_ns=found["wasted_ns"],
        certain_ns=found["certain_ns"],
        idle_while_waiting_ns=found["idle_while_waiting_ns"],
        lost=found["events_lost"],
        wasted_by=wasted_by,
        excused_ns=found["excused_ns"],
        episodes={grade: (g["episodes"], g["core_ns"]) for grade, g in found["grades"].items()},
        new_waits=tuple(Wait(cgroup, reason, ns) for (cgroup, reason), ns in waits.items()),
        ended_ns=tuple(e["end_ns"] - e["start_ns"] for e in found["finished"]),
    )
