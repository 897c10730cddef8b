"""What the kernel side of a watch reports at one instant, as values.

Times are nanoseconds of CLOCK_MONOTONIC; counters start at 0 with the watch and never decrease.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class CpuStatus:
    """One CPU: the share of looks at which it was idle, and the runnable tasks on its queue at the last look."""

    cpu: int
    idle_share: float
    nr_running: int


@dataclass(frozen=True)
class Hit:
    """A violation that lasted for some time without a break: an idle CPU beside a thread that waits on another one.

    `time_ns` is when it had lasted so long that it is listed, `age_ns` how long it has lasted up to the last look at
    which it did, `number` counts them from 1.
    """

    time_ns: int
    idle_cpu: int
    overloaded_cpu: int
    tid: int
    comm: str
    age_ns: int
    number: int = 0


@dataclass(frozen=True)
class Status:
    """The sentinel's counters and the state of the black box.

    `wasted_ns` [core-ns] is a sample: the wasted cores seen at each look times the time between looks. `longest_ns` is
    for how long the present violation has lasted, 0 where there is none. `hits` are the latest of `hits_total`, oldest
    first. `kept_ns` is the time that the black box reaches back, `written_bytes` what was written to it. `sentinel_ns`
    is the time of the looks, `bpf_ns` the run time of the recorder's programs (None: the kernel does not count it),
    `cpu_ns` the CPU time of the native threads.
    """

    time_ns: int
    looks: int = 0
    missed_looks: int = 0
    looks_with_waste: int = 0
    wasted_ns: int = 0
    longest_ns: int = 0
    cpus: tuple[CpuStatus, ...] = ()
    hits: tuple[Hit, ...] = ()
    hits_total: int = 0
    kept_ns: int = 0
    written_bytes: int = 0
    lost: int = 0
    sentinel_ns: int = 0
    bpf_ns: int | None = None
    cpu_ns: int = 0

    @classmethod
    def from_json(cls, text: str) -> Status:
        """The status of a view, from its JSON."""
        found: dict[str, Any] = json.loads(text)
        cpus = tuple(CpuStatus(c["cpu"], c["idle_share"], c["nr_running"]) for c in found["cpus"])
        hits = tuple(Hit(**{name: h[name] for name in Hit.__dataclass_fields__}) for h in found["hits"])
        plain = {name: found[name] for name in cls.__dataclass_fields__ if name not in ("cpus", "hits")}
        return cls(cpus=cpus, hits=hits, **plain)

    @property
    def overloaded_cpus(self) -> int:
        """CPUs with more runnable tasks than one."""
        return sum(c.nr_running > 1 for c in self.cpus)


@dataclass(frozen=True)
class Wait:
    """How long the threads of a cgroup were runnable and did not run, for one reason of the wait ledger (ns)."""

    cgroup: str
    reason: str
    ns: int


@dataclass(frozen=True)
class ExactCounters:
    """The figures of the exact mode so far: those of a verdict, as counters.

    `wasted_by` is the waste [core-ns] of listed episodes that are over, by why the threads were not moved and by NUMA
    node of the first idle CPU (-1: unknown). `episodes` are the count and the waste [core-ns] by grade,
    `ended_ns` the lengths of those that ended since the counters before. `new_waits` is what the wait ledger has more
    than before; less than nothing where what seemed to be a wait was taken back.
    """

    time_ns: int
    online_ns: int = 0
    wasted_ns: int = 0
    certain_ns: int = 0
    idle_while_waiting_ns: int = 0
    lost: int = 0
    wasted_by: Mapping[tuple[str, int], int] = field(default_factory=dict)
    excused_ns: Mapping[str, int] = field(default_factory=dict)
    episodes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    new_waits: tuple[Wait, ...] = ()
    ended_ns: tuple[int, ...] = ()
