"""The state of a watch at one instant: what the terminal, the metrics and other programs show.

A view is a value that does not change: any thread may read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from wastenot.watch.model.boxes import Box, Counts
from wastenot.watch.model.status import ExactCounters, Status, Wait


@dataclass(frozen=True)
class Facts:
    """What does not change while a watch runs: its mode, conditions, what is kept, the machine."""

    mode: str
    conditions: tuple[str, ...]
    keep_ns: int
    after_ns: int
    folder: str
    version: str
    kernel: str
    not_recorded: tuple[str, ...] = ()


@dataclass(frozen=True)
class View:
    """Everything about a running watch.

    `cpu_ns` is the CPU time of this process, its native threads included, `children_ns` that of the processes it
    started. `episode_lengths` are counts by the upper bound [s] of a bucket, `episode_seconds` their sum [s]. `waits`
    are the wait ledger's, bounded in number.
    """

    facts: Facts
    time_ns: int
    started_ns: int
    status: Status
    exact: ExactCounters | None = None
    counts: Counts = field(default_factory=Counts)
    boxes: tuple[Box, ...] = ()
    boxes_bytes: int = 0
    saving: str = ""
    cpu_ns: int = 0
    children_ns: int = 0
    episode_lengths: Mapping[float, int] = field(default_factory=dict)
    episode_seconds: float = 0.0
    waits: tuple[Wait, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The view as JSON can hold it, with the bounded `waits` alone: those in `exact` are of every cgroup."""
        exact = None if self.exact is None else replace(self.exact, new_waits=())
        out = asdict(replace(self, exact=exact))
        if self.exact is not None:
            rows = [{"cause": c, "node": n, "ns": ns} for (c, n), ns in self.exact.wasted_by.items()]
            out["exact"]["wasted_by"] = rows
        return out
