"""The sentinel and the black box of the running kernel."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from wastenot._native import collector
from wastenot.collector import machine_snapshot
from wastenot.watch.errors import WatchError
from wastenot.watch.model.readings import sampled_bounds
from wastenot.watch.model.status import CpuStatus, Hit, Status
from wastenot.watch.native import Started
from wastenot.watch.options import WatchOptions

LOOK_NS = 1_000_000
"""Time between two looks."""


class KernelSentinel:
    """`wastenot._native.collector.Watcher` as the loop sees it."""

    def __init__(self, options: WatchOptions) -> None:
        machine = machine_snapshot()
        self._bounds_ns = sampled_bounds(machine["tick_ns"], [d["min_interval_ns"] for d in machine["domains"]])
        asked_for = (c.expression.measure for c in options.conditions)
        shortest = min(
            (self._bounds_ns[m] for m in asked_for if m in self._bounds_ns), default=self._bounds_ns["lasting"]
        )
        self._hit_ns = max(LOOK_NS, shortest)
        asked = {
            "keep_ns": options.keep_ns,
            "keep_bytes": options.memory_bytes,
            "look_ns": LOOK_NS,
            "hit_ns": self._hit_ns,
        }
        self._watcher = collector.Watcher(json.dumps(asked))

    def start(self) -> Started:
        """Load the programs and start. Raises WatchError where there is no sentinel or no black box."""
        found: dict[str, Any] = json.loads(self._watcher.start())
        for missing in ("no_sentinel", "no_black_box"):
            if found[missing]:
                self._watcher.stop()
                raise WatchError(f"{found[missing]}; `wastenot doctor` shows what this machine permits")
        return Started(
            os.uname().release,
            self._bounds_ns,
            self._hit_ns,
            tuple(found["not_recorded"]),
            found["ring_bytes"] * found["cpus"],
        )

    def status(self) -> Status:
        """The counters now. Raises WatchError where watching has ended by itself."""
        found: dict[str, Any] = json.loads(self._watcher.status())
        if found["ended"]:
            raise WatchError(f"watching has ended: {found['ended']}")
        return status_of(found)

    def save(self, folder: Path, after_ns: int, reason: str) -> None:
        """Write a box to a part folder."""
        self._watcher.save(folder, after_ns, reason)

    def stop(self) -> None:
        """End; the kernel has nothing of it left."""
        self._watcher.stop()


def status_of(found: dict[str, Any]) -> Status:
    """The status in what `Watcher.status` returns."""
    box = found["black_box"] or {"kept_ns": 0, "bytes_written": 0, "lost": 0}
    return Status(
        time_ns=found["now_ns"],
        looks=found["looks"],
        missed_looks=found["missed_looks"],
        looks_with_waste=found["looks_with_waste"],
        wasted_ns=found["sampled_wasted_ns"],
        longest_ns=found["longest_ns"],
        cpus=tuple(CpuStatus(c["cpu"], c["idle_share"], c["nr_running"]) for c in found["cpus"] if c["online"]),
        hits=tuple(Hit(**{name: h[name] for name in Hit.__dataclass_fields__}) for h in found["hits"]),
        hits_total=found["hits_total"],
        kept_ns=box["kept_ns"],
        written_bytes=box["bytes_written"],
        lost=box["lost"],
        sentinel_ns=found["sentinel_ns"],
        bpf_ns=found["bpf_run_ns"],
        cpu_ns=found["user_cpu_ns"],
    )
