"""A frame: everything that the view shows of one instant.

Both sources, a running watch and a recorded trace, make frames. A frame does not change: any thread may read it.
Times are nanoseconds, waste is core-nanoseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class CpuState(Enum):
    """What a CPU does at the instant of a frame."""

    IDLE = "idle"
    WASTED = "wasted"
    RUNNING = "running"
    INTERRUPT = "interrupt work"
    UNOBSERVED = "not observed"
    OFFLINE = "offline"


ONLINE = frozenset(CpuState) - {CpuState.OFFLINE}


@dataclass(frozen=True)
class CpuPlace:
    """Where a CPU is in the machine; -1 unknown. `llc` and `core` are numbered by their first CPU."""

    cpu: int
    node: int = -1
    llc: int = -1
    core: int = -1

    @property
    def order(self) -> tuple[int, int, int, int]:
        """The key by which CPUs are in topology order."""
        return (self.node, self.llc, self.core, self.cpu)


@dataclass(frozen=True)
class CpuNow:
    """One CPU: its place, its state, the threads that wait on its queue, and the name of the thread that runs.

    `idle_share` is the share of the last second in which it was idle; None where that is not known.
    """

    place: CpuPlace
    state: CpuState
    waiting: int = 0
    running: str = ""
    idle_share: float | None = None


@dataclass(frozen=True)
class Queue:
    """A queue on which threads wait: how many, names of those that wait longest, and for how long the first has."""

    cpu: int
    waiting: int
    running: str = ""
    threads: tuple[str, ...] = ()
    longest_ns: int | None = None


@dataclass(frozen=True)
class CgroupWait:
    """How long the threads of a cgroup were runnable and did not run, by reason of the wait ledger.

    `name` is that of the pod, container or unit, else the path. `neighbour` is the cgroup behind which they waited
    most.
    """

    name: str
    by_reason: Mapping[str, int]
    neighbour: str = ""

    @property
    def waited_ns(self) -> int:
        """The sum over all reasons."""
        return sum(self.by_reason.values())


@dataclass(frozen=True)
class CauseTime:
    """One cause of waste and how much it took.

    `answers`, in a few words each, say how the threads came there, why they were not moved and what ended it (empty:
    not known), or are one text. `sentence` says the same with proofs. `recurrent`: of recurrent episodes, counted
    in other causes as well.
    """

    answers: tuple[str, ...]
    core_ns: int
    episodes: int | None = None
    sentence: str = ""
    recurrent: bool = False


@dataclass(frozen=True)
class SavedBox:
    """A saved black box: its file, why it was saved, what became of it, its verdict in a sentence."""

    path: str
    saved_at: str
    reason: str
    outcome: str
    wasted_ns: int | None = None
    sentence: str = ""
    is_kept: bool = True


@dataclass(frozen=True)
class Waste:
    """How many cores are wasted: now, on average over the last second, and in the last minute.

    `minute_ns` is the core-time wasted in the last `minute_span_ns`, at most a minute; `minute_share` that of the
    machine. None: not known.
    """

    now: int | None = None
    second: float | None = None
    minute_ns: int = 0
    minute_span_ns: int = 0
    minute_share: float = 0.0


@dataclass(frozen=True)
class Curve:
    """Wasted cores over time, averages over equal bins, oldest first; None: not known.

    `cursor` is the instant of the frame as a share of the span; None: the end.
    """

    values: tuple[float | None, ...] = ()
    span_ns: int = 0
    cursor: float | None = None


@dataclass(frozen=True)
class Playback:
    """Where a recorded trace is played: times since its start, speed as trace time per time."""

    position_ns: int
    length_ns: int
    is_playing: bool
    speed: float


@dataclass(frozen=True)
class Frame:
    """Everything that the view shows of one instant.

    `title` says what is shown. `playback` is None for a running watch, whose
    `clock` is the time of day. `cgroups_of` and `causes_of` say which time their figures are about. `notes` are what a
    reader must know, as what is not recorded.
    """

    title: str
    clock: str = ""
    playback: Playback | None = None
    waste: Waste = field(default_factory=Waste)
    curve: Curve = field(default_factory=Curve)
    cpus: tuple[CpuNow, ...] = ()
    queues: tuple[Queue, ...] = ()
    cgroups: tuple[CgroupWait, ...] = ()
    cgroups_of: str = "last minute"
    causes: tuple[CauseTime, ...] = ()
    causes_of: str = "last minute"
    boxes: tuple[SavedBox, ...] = ()
    saving: str = ""
    notes: tuple[str, ...] = ()

    def count(self, *states: CpuState) -> int:
        """CPUs in one of these states."""
        return sum(c.state in states for c in self.cpus)

    @property
    def waiting(self) -> int:
        """Threads that wait on all queues."""
        return sum(c.waiting for c in self.cpus)


def worst_queues(cpus: tuple[CpuNow, ...], limit: int) -> tuple[CpuNow, ...]:
    """CPUs on whose queues threads wait, the longest queues first."""
    queued = (c for c in cpus if c.waiting > 0)
    return tuple(sorted(queued, key=lambda c: (-c.waiting, c.place.cpu))[:limit])
