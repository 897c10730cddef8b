"""Time that fell into sets of intervals, up to any instant: exact integers, without a loop over intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Timeline:
    """Intervals in order that do not overlap: `starts`, `ends` (ns), and how long all before each are together."""

    starts: Ints
    ends: Ints
    before: Ints

    @classmethod
    def of(cls, starts: Ints, ends: Ints) -> Timeline:
        """From intervals in order."""
        lengths = ends - starts
        return cls(starts, ends, np.cumsum(lengths) - lengths)

    def until(self, instants: Ints) -> Ints:
        """How much time of the intervals lies before each instant (ns)."""
        if not len(self.starts):
            return np.zeros(len(instants), np.int64)
        at = np.searchsorted(self.starts, instants, side="right") - 1
        of = np.maximum(at, 0)
        inside = np.minimum(instants, self.ends[of]) - self.starts[of]
        return np.where(at < 0, 0, self.before[of] + inside)

    def in_windows(self, bounds: Ints) -> Ints:
        """How much of them lies in each window between two neighbouring bounds (ns)."""
        return np.diff(self.until(bounds))


EMPTY = Timeline.of(np.zeros(0, np.int64), np.zeros(0, np.int64))


def overlap_in_windows(starts: Ints, ends: Ints, cpus: Ints, on_cpu: dict[int, Timeline], bounds: Ints) -> Ints:
    """How long, in each window, intervals on CPUs overlap the timeline of their CPU (ns)."""
    if not len(starts) or not on_cpu:
        return np.zeros(len(bounds) - 1, np.int64)
    overlaps = _until_on(ends, cpus, on_cpu) - _until_on(starts, cpus, on_cpu)
    before = np.cumsum(overlaps) - overlaps
    at = np.searchsorted(starts, bounds, side="right") - 1
    of = np.maximum(at, 0)
    within = np.minimum(bounds, ends[of])
    partly = _until_on(within, cpus[of], on_cpu) - _until_on(starts[of], cpus[of], on_cpu)
    return np.diff(np.where(at < 0, 0, before[of] + partly))


def _until_on(instants: Ints, cpus: Ints, on_cpu: dict[int, Timeline]) -> Ints:
    out = np.zeros(len(instants), np.int64)
    for cpu, timeline in on_cpu.items():
        of = cpus == cpu
        out[of] = timeline.until(instants[of])
    return out


def cut_at(starts: Ints, ends: Ints, bounds: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Intervals cut at bounds: the number of the interval, the window, start and end of each piece inside a window."""
    first = np.searchsorted(bounds, starts, side="right") - 1
    last = np.searchsorted(bounds, ends, side="left") - 1
    windows = len(bounds) - 1
    first, last = np.clip(first, 0, windows), np.clip(last, -1, windows - 1)
    of, window = ranges(first, last + 1)
    a, b = np.maximum(starts[of], bounds[window]), np.minimum(ends[of], bounds[window + 1])
    is_piece = a < b
    return of[is_piece], window[is_piece], a[is_piece], b[is_piece]


def ranges(first: Ints, end: Ints) -> tuple[Ints, Ints]:
    """The numbers from `first` up to `end` (not part of it) of each pair, in a row, with the place of their pair."""
    counts = np.maximum(end - first, 0)
    of = np.repeat(np.arange(len(first)), counts)
    ordinal = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    return of, first[of] + ordinal


def split(starts: Ints, ends: Ints, by: Timeline) -> tuple[Ints, NDArray[np.bool_], Ints, Ints]:
    """Intervals cut where those of a timeline start and end: the number of the interval, whether the piece is inside
    the timeline, its start and its end."""
    edges = np.column_stack([by.starts, by.ends]).ravel()
    bounds = np.concatenate([[np.iinfo(np.int64).min], edges, [np.iinfo(np.int64).max]])
    of, window, a, b = cut_at(starts, ends, bounds)
    return of, window % 2 == 1, a, b
