"""A native side with known figures: what it reports is a list, and a box of it is a recording of `fixtures/`."""

from __future__ import annotations

import itertools
import shutil
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from wastenot.watch.model.readings import sampled_bounds
from wastenot.watch.model.status import CpuStatus, ExactCounters, Hit, Status
from wastenot.watch.native import Started

ROOT = Path(__file__).parents[2]
WASTED_PART = ROOT / "fixtures/traces/two-cpus.part"
"""A recording with waste that lasts."""

MS = 1_000_000
S = 1_000_000_000


def status(time_ns: int, wasted_ns: int = 0, longest_ns: int = 0, hits: tuple[Hit, ...] = (), **figures: int) -> Status:
    """Two CPUs, of which the first has two runnable tasks."""
    cpus = (CpuStatus(0, 0.0, 2), CpuStatus(1, 1.0, 0))
    return Status(time_ns, wasted_ns=wasted_ns, longest_ns=longest_ns, cpus=cpus, hits=hits, **figures)


@dataclass
class DrawnSentinel:
    """Reports the statuses one after the other, then the last one again with the time that passes."""

    statuses: Iterable[Status] = ()
    part: Path = WASTED_PART
    fails: str | None = None
    saved: list[tuple[Path, int, str]] = field(default_factory=list)
    stopped: bool = False
    hold: threading.Event | None = None

    def __post_init__(self) -> None:
        self._start_ns = time.monotonic_ns()
        self._left = iter(self.statuses)
        self._last = status(0)

    def start(self) -> Started:
        bounds = sampled_bounds(4 * MS, [8 * MS])
        return Started("6.1.0-drawn", bounds, bounds["lasting"], ("stacks: not recorded",))

    def status(self) -> Status:
        self._last = next(self._left, self._last)
        return replace(self._last, time_ns=max(self._last.time_ns, time.monotonic_ns() - self._start_ns))

    def save(self, folder: Path, after_ns: int, reason: str) -> None:
        if self.hold is not None:
            self.hold.wait(10)
        if self.fails:
            raise (
                OSError(28, "No space left on device", str(folder))
                if self.fails == "disk"
                else RuntimeError(self.fails)
            )
        shutil.copytree(self.part, folder)
        self.saved.append((folder, after_ns, reason))

    def stop(self) -> None:
        self.stopped = True


@dataclass
class DrawnExact:
    """Reports counters of a function of the time since the start [ns]."""

    at: Callable[[int], ExactCounters]

    def start(self) -> None:
        self._start_ns = time.monotonic_ns()

    def counters(self) -> ExactCounters:
        return self.at(time.monotonic_ns() - self._start_ns)

    def stop(self) -> None:
        pass


def rising(wasted_share: float, longest_ns: int, seconds: float = 1000) -> Iterable[Status]:
    """A status each 500 ms: that share of one core wasted since the start, and one violation of that length."""
    for i in itertools.takewhile(lambda i: i * 0.5 < seconds, itertools.count()):
        at = i * 500 * MS
        longest = min(longest_ns, at)
        hits = (Hit(8 * MS, 1, 0, 7, "make", longest, 1),) if longest >= 8 * MS else ()
        wasted = round(at * wasted_share)
        yield status(at, wasted, longest, hits, hits_total=len(hits))
