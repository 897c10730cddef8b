"""Which cgroups have series of their own: those that wait most, a bounded number of them, and seldom others.

A machine may have 10,000 cgroups, and a time series for each reason of each would be more than a Prometheus should be
given. The waiting of all others is counted under `other`. A cgroup gets a series when one is free, or when it waited
more than twice as long as the least of those that have one, in an interval of `EXCHANGE_NS`; so series do not come and
go with every change of the order. No series decreases; one that ends has its later waiting under `other`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from wastenot.watch.model.status import Wait

OTHER = "other"
EXCHANGE_NS = 60_000_000_000
FACTOR = 2


class WaitSeries:
    """The series of at most `most` cgroups; see above."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken_back: dict[tuple[str, str], int] = {}
        self._series: dict[str, dict[str, int]] = {OTHER: defaultdict(int)}
        self._lately: dict[str, int] = defaultdict(int)
        self._exchanged_ns: int | None = None

    def update(self, time_ns: int, new: Iterable[Wait]) -> tuple[Wait, ...]:
        """Take what the ledger has more than before; returns the series.

        Waits that the checker takes back (negative) are made up for before the cgroup's series rises again.
        """
        grown: dict[str, dict[str, int]] = defaultdict(dict)
        for wait in new:
            key = (wait.cgroup, wait.reason)
            ns = wait.ns - self._taken_back.pop(key, 0)
            if ns < 0:
                self._taken_back[key] = -ns
            elif ns:
                grown[wait.cgroup][wait.reason] = ns
        for cgroup, reasons in grown.items():
            self._lately[cgroup] += sum(reasons.values())
        if self._exchanged_ns is None or len(self._series) <= self._most:
            self._fill()
        if self._exchanged_ns is None:
            self._exchanged_ns = time_ns
        elif time_ns - self._exchanged_ns >= EXCHANGE_NS:
            self._exchange()
            self._exchanged_ns = time_ns
        for cgroup, reasons in grown.items():
            of = self._series.get(cgroup, self._series[OTHER])
            for reason, ns in reasons.items():
                of[reason] += ns
        return tuple(Wait(c, r, ns) for c, reasons in sorted(self._series.items()) for r, ns in sorted(reasons.items()))

    def _fill(self) -> None:
        """Give the free series to those that wait most."""
        free = self._most - (len(self._series) - 1)
        without = (c for c in sorted(self._lately, key=lambda c: (-self._lately[c], c)) if c not in self._series)
        for cgroup, _ in zip(without, range(free), strict=False):
            self._series[cgroup] = defaultdict(int)

    def _exchange(self) -> None:
        """End the series of cgroups that waited less than half of what one without a series did."""
        have = sorted((c for c in self._series if c != OTHER), key=lambda c: (self._lately[c], c))
        without = sorted((c for c in self._lately if c not in self._series), key=lambda c: (-self._lately[c], c))
        for old, new in zip(have, without, strict=False):
            if self._lately[new] <= FACTOR * self._lately[old]:
                break
            del self._series[old]
            self._series[new] = defaultdict(int)
        self._lately.clear()
