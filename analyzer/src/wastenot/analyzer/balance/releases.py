"""Releases: instants at which ranks that waited for each other go on together, seen in wakeups alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from wastenot.analyzer.balance.timelines import Ints

WITHIN_NS = 1_000_000
"""Wakeups of one release follow its first one within this time."""

LEAST_COLLECTIVE = 10
"""Bursts of most ranks without which ranks are not said to be woken together."""

LEAST_RUNNABLE = 0.8
"""Share of the ranks that are runnable after a release."""


def burst_heads(ts_ns: Ints, ranks: Ints) -> Ints:
    """Where bursts start among wakeups in order: a burst has each rank once and is no longer than a release."""
    count = len(ts_ns)
    if not count:
        return np.zeros(0, np.int64)
    too_late = np.searchsorted(ts_ns, ts_ns + WITHIN_NS, side="right")
    again = np.full(count, count, np.int64)
    order = np.lexsort((np.arange(count), ranks))
    same = ranks[order][1:] == ranks[order][:-1]
    again[order[:-1][same]] = order[1:][same]
    # The first wakeup, from each one on, of a rank that was already woken since.
    again = np.minimum.accumulate(again[::-1])[::-1]
    following = np.minimum(too_late, again).tolist()
    heads, at = [], 0
    while at < count:  # once per burst, not per event
        heads.append(at)
        at = following[at]
    return np.array(heads, np.int64)


@dataclass(frozen=True)
class Bursts:
    """Wakeups close together: when each burst starts and ends (ns), and how many ranks take part, as woken or waker."""

    starts: Ints
    ends: Ints
    taking_part: Ints
    wakeups: Ints
    """How many each has."""

    def releases(self, ranks: int, asleep: Ints) -> Ints:
        """The instants of releases (ns). `asleep`: ranks that sleep at the end of each burst.

        A burst is a release when more than half of the ranks take part and 80 % are runnable after it.
        """
        is_release = (2 * self.taking_part > ranks) & (ranks - asleep >= LEAST_RUNNABLE * ranks)
        return np.unique(self.starts[is_release])

    def is_collective(self, ranks: int, wakeups: int) -> bool:
        """Whether the ranks are nearly always woken together, which is what barriers do: of three or more ranks, with
        `wakeups` in all, 80 % of these are in bursts in which three quarters of the ranks take part."""
        together = 4 * self.taking_part >= 3 * ranks
        inside = int(self.wakeups[together].sum())
        return ranks >= 3 and int(together.sum()) >= LEAST_COLLECTIVE and 5 * inside >= 4 * wakeups


def bursts(ts_ns: Ints, ranks: Ints, wakers: Ints, count: int) -> Bursts:
    """Bursts among wakeups in order. `ranks`: who was woken, from 0 on; `wakers`: -1 where the waker is not a rank."""
    heads = burst_heads(ts_ns, ranks)
    if not len(heads):
        return Bursts(heads, heads, heads, heads)
    ends = np.append(heads[1:], len(ts_ns))
    burst = np.repeat(np.arange(len(heads)), ends - heads)
    by_rank = wakers >= 0
    pairs = np.concatenate([burst * count + ranks, burst[by_rank] * count + wakers[by_rank]])
    taking_part = np.bincount(np.unique(pairs) // count, minlength=len(heads))
    return Bursts(ts_ns[heads], ts_ns[ends - 1], taking_part, ends - heads)


def by_outsiders(ts_ns: Ints, ranks: Ints, wakers: Ints, count: int) -> NDArray[np.bool_]:
    """Which of the wakeups of ranks, in order, are made by a thread outside of the program that releases all ranks
    together: all but one at most, which may not have slept yet. `wakers`: numbers of threads, 0 and below none."""
    found = np.zeros(len(ts_ns), np.bool_)
    least = max(count - 1, 2)
    of_waker, times = np.unique(wakers, return_counts=True)
    for waker in of_waker[(of_waker > 0) & (times >= least)].tolist():
        own = np.flatnonzero(wakers == waker)
        heads = burst_heads(ts_ns[own], ranks[own])
        sizes = np.diff(np.append(heads, len(own)))
        found[own] = np.repeat(sizes >= least, sizes)
    return found


def under_way(starts: Ints, ends: Ints, instants: Ints) -> Ints:
    """How many of the intervals are under way at each instant; those that end there are over."""
    return np.searchsorted(np.sort(starts), instants, side="right") - np.searchsorted(
        np.sort(ends), instants, side="right"
    )
