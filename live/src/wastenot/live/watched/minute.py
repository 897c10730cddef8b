"""What a watch reported in the last minute, thinned to what frames need: counters at one instant each."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeVar

from wastenot.analyzer.model.cgroup_names import cgroup_name
from wastenot.live.model.frame import CauseTime, CgroupWait, Curve
from wastenot.schemas.generated.enums import NOT_MOVED_BECAUSE_WORDS
from wastenot.watch.model.view import View

SECOND_NS, MINUTE_NS = 1_000_000_000, 60_000_000_000
K = TypeVar("K")
BINS = 60
"""Bins of the curve, a second each."""


@dataclass(frozen=True)
class Reading:
    """Counters since the watch started, at `time_ns`: waste [core-ns], by cause; waiting by cgroup and reason [ns].

    `looks` are those of the sentinel, `idle_looks` by CPU those at which it was idle.
    """

    time_ns: int
    wasted_ns: int
    by_cause: Mapping[str, int] = field(default_factory=dict)
    waits: Mapping[tuple[str, str], int] = field(default_factory=dict)
    looks: int = 0
    idle_looks: Mapping[int, float] = field(default_factory=dict)


def reading_of(view: View) -> Reading:
    """The counters of a view: the exact ones where there are any, else the samples."""
    waits = {(w.cgroup, w.reason): w.ns for w in view.waits}
    looks = view.status.looks
    idle = {cpu.cpu: cpu.idle_share * looks for cpu in view.status.cpus}
    if view.exact is None:
        return Reading(view.status.time_ns, view.status.wasted_ns, {}, waits, looks, idle)
    by_cause: dict[str, int] = {}
    for (cause, _), ns in view.exact.wasted_by.items():
        by_cause[cause] = by_cause.get(cause, 0) + ns
    return Reading(view.exact.time_ns, view.exact.wasted_ns, by_cause, waits, looks, idle)


class LastMinute:
    """Readings in order of time: one before the last minute where there is one, and all since."""

    def __init__(self) -> None:
        self._readings: deque[Reading] = deque()

    def add(self, reading: Reading) -> None:
        """Append a reading; the same one again is left out. After a restart of the watch the minute starts anew."""
        if self._readings and reading.time_ns == self._readings[-1].time_ns:
            return
        if self._readings and (reading.time_ns < self._readings[-1].time_ns or reading.wasted_ns < self.last.wasted_ns):
            self._readings.clear()
        self._readings.append(reading)
        while len(self._readings) > 2 and self._readings[1].time_ns <= reading.time_ns - MINUTE_NS:
            self._readings.popleft()

    @property
    def first(self) -> Reading:
        """The earliest reading."""
        return self._readings[0]

    @property
    def last(self) -> Reading:
        """The latest reading."""
        return self._readings[-1]

    @property
    def span_ns(self) -> int:
        """From the earliest to the latest reading."""
        return self.last.time_ns - self.first.time_ns

    @property
    def wasted_ns(self) -> int:
        """Wasted in that time [core-ns]."""
        return self.last.wasted_ns - self.first.wasted_ns

    def mean(self) -> float | None:
        """Wasted cores on average since the reading about a second ago; None: there is one reading only."""
        before = self._second_ago()
        if before is None:
            return None
        return (self.last.wasted_ns - before.wasted_ns) / (self.last.time_ns - before.time_ns)

    def idle_shares(self) -> dict[int, float]:
        """By CPU, the share of the looks of about the last second at which it was idle; empty: not known yet."""
        before = self._second_ago()
        if before is None or self.last.looks <= before.looks:
            return {}
        looks = self.last.looks - before.looks
        grown = {cpu: idle - before.idle_looks.get(cpu, 0.0) for cpu, idle in self.last.idle_looks.items()}
        return {cpu: min(1.0, max(0.0, idle / looks)) for cpu, idle in grown.items()}

    def _second_ago(self) -> Reading | None:
        before = [r for r in self._readings if r.time_ns <= self.last.time_ns - SECOND_NS // 2]
        return before[-1] if before else None

    def curve(self) -> Curve:
        """Wasted cores, a bin for each second of the last minute."""
        start = self.last.time_ns - MINUTE_NS
        sums: list[tuple[float, int]] = [(0.0, 0)] * BINS
        for was, now in pairwise(self._readings):
            rate = (now.wasted_ns - was.wasted_ns) / (now.time_ns - was.time_ns)
            low, high = max(was.time_ns, start), now.time_ns
            for i in range(max(0, (low - start) // SECOND_NS), min(BINS, -((start - high) // SECOND_NS))):
                share = min(high, start + (i + 1) * SECOND_NS) - max(low, start + i * SECOND_NS)
                if share > 0:
                    sums[i] = (sums[i][0] + rate * share, sums[i][1] + share)
        return Curve(tuple(ns / length if length else None for ns, length in sums), MINUTE_NS)

    def causes(self) -> tuple[CauseTime, ...]:
        """Waste of the episodes that ended in that time, by why threads were not moved, the most first."""
        grown = _growth(self.first.by_cause, self.last.by_cause)
        ordered = sorted(grown.items(), key=lambda item: (-item[1], item[0]))
        return tuple(CauseTime((_words(cause),), ns) for cause, ns in ordered)

    def cgroups(self) -> tuple[CgroupWait, ...]:
        """Waiting of that time by cgroup and reason, the most first."""
        split: dict[str, dict[str, int]] = {}
        for (cgroup, reason), ns in _growth(self.first.waits, self.last.waits).items():
            split.setdefault(cgroup, {})[reason] = ns
        found = [CgroupWait(cgroup_label(path), reasons) for path, reasons in split.items()]
        return tuple(sorted(found, key=lambda c: (-c.waited_ns, c.name)))


def cgroup_label(path: str) -> str:
    """The name of pod, container or unit that a path has; `other` and the like as they are."""
    return cgroup_name(path).label if path.startswith("/") else path


def _words(not_moved_because: str) -> str:
    """The reason in words; as it is where a later version knows more."""
    words = {str(value): text for value, text in NOT_MOVED_BECAUSE_WORDS.items()}
    return words.get(not_moved_because, not_moved_because.replace("_", " "))


def _growth(first: Mapping[K, int], last: Mapping[K, int]) -> dict[K, int]:
    """What was added, by key; a counter that is lower than before started anew."""
    grown = {key: ns - (was if (was := first.get(key, 0)) <= ns else 0) for key, ns in last.items()}
    return {key: ns for key, ns in grown.items() if ns > 0}
