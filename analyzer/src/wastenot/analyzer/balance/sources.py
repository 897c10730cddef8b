"""Where extrinsic imbalance comes from: the threads that ran while ranks were kept from running, interrupts, quota.

In each window the rank with the largest A ends last. A source adds to X what it took from that rank, less what it took
from all ranks on average; the sum over the sources and `moved` (see `metrics`) is X exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from wastenot.analyzer.balance.timelines import EMPTY, Ints, Timeline, cut_at, ranges

MOST_PIECES = 4_000_000
"""Overlaps of waits and slices that are held at once."""

UNKNOWN = -1
"""In place of a thread: what ran is not known, since the CPU was not observed."""


@dataclass
class TakenTime:
    """ns that each thread took from all ranks, from the rank that ended last, and of this beside an idle CPU; the first
    two also within iterations."""

    everything: dict[int, int] = field(default_factory=dict)
    critical: dict[int, int] = field(default_factory=dict)
    avoidable: dict[int, int] = field(default_factory=dict)
    everything_in_iterations: dict[int, int] = field(default_factory=dict)
    critical_in_iterations: dict[int, int] = field(default_factory=dict)

    def add(
        self,
        utids: Ints,
        lengths: Ints,
        is_critical: NDArray[np.bool_],
        avoidable: Ints,
        in_iteration: NDArray[np.bool_],
    ) -> None:
        """Pieces: who ran, for how long, whether the rank that waited ended last, how much of it was avoidable, whether
        that was in an iteration."""
        names, of = np.unique(utids, return_inverse=True)
        for into, amounts in (
            (self.everything, lengths),
            (self.critical, np.where(is_critical, lengths, 0)),
            (self.avoidable, np.where(is_critical, avoidable, 0)),
            (self.everything_in_iterations, np.where(in_iteration, lengths, 0)),
            (self.critical_in_iterations, np.where(is_critical & in_iteration, lengths, 0)),
        ):
            sums = np.zeros(len(names), np.int64)
            np.add.at(sums, of, amounts)
            for utid, ns in zip(names.tolist(), sums.tolist(), strict=True):
                into[utid] = into.get(utid, 0) + ns


@dataclass(frozen=True)
class CpuSlices:
    """What one CPU did, in order."""

    starts: Ints
    ends: Ints
    utids: Ints


def take(
    taken: TakenTime,
    waits: tuple[Ints, Ints, Ints],
    slices: CpuSlices,
    avoidable: dict[int, Timeline],
    bounds: Ints,
    critical: Ints,
    counted: NDArray[np.bool_],
    iterations: NDArray[np.bool_],
) -> None:
    """Add the waits of ranks on one CPU: rank, start, end of each. By window: the rank that ended last, whether it
    counts, and whether it is an iteration."""
    ranks, starts, ends = waits
    of, window, a, b = cut_at(starts, ends, bounds)
    counts = counted[window]
    of, window, a, b = of[counts], window[counts], a[counts], b[counts]
    rank = ranks[of]
    first = np.searchsorted(slices.ends, a, side="right")
    end = np.searchsorted(slices.starts, b, side="left")
    for some in _chunks(np.maximum(end - first, 0)):
        at, which = ranges(first[some], end[some])
        low = np.maximum(a[some][at], slices.starts[which])
        high = np.minimum(b[some][at], slices.ends[which])
        of_rank, of_window = rank[some][at], window[some][at]
        beside = np.zeros(len(low), np.int64)
        for number in np.unique(of_rank).tolist():
            these = of_rank == number
            timeline = avoidable.get(number, EMPTY)
            beside[these] = timeline.until(high[these]) - timeline.until(low[these])
        taken.add(slices.utids[which], high - low, critical[of_window] == of_rank, beside, iterations[of_window])


def _chunks(counts: Ints) -> Iterator[slice]:
    """Slices of an array whose counts add up to `MOST_PIECES` or little more each."""
    sums = np.cumsum(counts)
    start = 0
    while start < len(counts):
        reached = sums[start - 1] if start else 0
        end = max(int(np.searchsorted(sums, reached + MOST_PIECES, side="right")), start + 1)
        yield slice(start, end)
        start = end


def interrupt_words(row: Mapping[str, Any]) -> str | None:
    """`hardirq 24 on CPU 3`: a row of `interrupt_sources`; None where its vector is not recorded."""
    return None if row["vector"] is None else f"{row['kind']} {row['vector']} on CPU {row['cpu']}"
