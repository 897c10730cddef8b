"""Intervals of CLOCK_MONOTONIC, and which of them others overlap."""

from __future__ import annotations

import bisect
from collections.abc import Iterable

Interval = tuple[int, int]
"""Start and end, ns."""


def joined(intervals: Iterable[Interval]) -> list[Interval]:
    """Those that touch or overlap as one, in order."""
    found: list[Interval] = []
    for start, end in sorted(intervals):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def without(intervals: Iterable[Interval], others: Iterable[Interval]) -> list[Interval]:
    """The intervals that share no instant with any of the others."""
    cover = joined(others)
    starts = [start for start, _ in cover]

    def is_alone(one: Interval) -> bool:
        at = bisect.bisect_left(starts, one[1]) - 1
        return at < 0 or cover[at][1] <= one[0]

    return [one for one in intervals if is_alone(one)]
