"""Iterations: which stretches of a series of calls, or of releases, repeat with a period.

Calls repeat as a detector of dynamic periodicity has it (Freitag, Corbalán, Labarta: A dynamic periodicity detector,
IPDPS 2001): `d(m) = sign sum |x[n] - x[n - m]|` over identifiers of calls is 0 throughout a stretch of period `m`, and
the smallest such `m` counts. Without calls: a release is an instant at which ranks that waited go on together. An
iteration is one or several releases; a stretch has a period of `m` releases when the times between releases agree with
those `m` releases before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from wastenot.analyzer.balance.timelines import Ints

LEAST_PERIODS = 3
"""Equal periods without which none is claimed."""

LONGEST_PERIOD = 24
"""Releases of an iteration at most."""

TOLERANCE = 0.25
"""Lengths agree when they differ by at most this share of the longer one."""

OUTLIERS = 2
"""Comparisons in a row that may fail inside a stretch: one length that differs spoils two."""

LONGEST_CALLS = 512
"""Calls of an iteration at most."""

MOST_COMPARISONS = 400_000_000
"""Of identifiers of calls; with more calls shorter periods alone are looked for, down to `LONGEST_PERIOD`."""

MOST_STRETCHES = 300
"""Candidates that are looked at; the longest ones."""

MOST_MEETINGS = 4
"""Meetings at like distances that an iteration may have, at most."""

SAME_WORK = 0.1
"""Windows whose ranks' computing differs by less than this share of it are of one kind."""

OUTLIERS_OF = 10
"""Of so many windows the one that differs most is not counted."""

RETURNS = 1 / 4
"""Computing returns after some windows where it differs by at most this share of what neighbours differ by."""


@dataclass(frozen=True)
class Stretch:
    """Releases `first` to `last` are bounds of iterations of `period` releases each."""

    first: int
    last: int
    period: int

    @property
    def iterations(self) -> int:
        """How many whole ones."""
        return (self.last - self.first) // self.period


def stretches(releases: Ints) -> list[Stretch]:
    """The stretches of `releases` (ns, in order) that repeat, in order, without overlap."""
    lengths = np.diff(releases)
    candidates = [
        candidate
        for period in range(1, min(LONGEST_PERIOD, len(lengths) // LEAST_PERIODS) + 1)
        for candidate in _repeating(lengths, period)
    ]
    return _chosen(candidates, releases)


def call_stretches(identifiers: Ints, instants: Ints) -> list[Stretch]:
    """The stretches of calls that repeat, in order, without overlap. A stretch is `LEAST_PERIODS` whole periods or
    more: its calls `first` to `last`. `instants`: when the calls were entered (ns)."""
    count = len(identifiers)
    longest = min(LONGEST_CALLS, max(MOST_COMPARISONS // max(count, 1), LONGEST_PERIOD), count // LEAST_PERIODS)
    regions = np.zeros((0, 3), np.int64)  # of stretches: the first call, the last one + 1, the period
    for period in range(1, longest + 1):
        found = _repeating_calls(identifiers, period)
        # What repeats with a part of the period repeats with the period too.
        fresh = found[~_lie_within(found, regions[period % regions[:, 2] == 0])]
        regions = np.concatenate([regions, np.column_stack([fresh, np.full(len(fresh), period)])])
    candidates = [Stretch(s, s + (e - s) // period * period - 1, period) for s, e, period in regions.tolist()]
    return _chosen(candidates, instants, apart=1)


def _lie_within(found: Ints, known: Ints) -> NDArray[np.bool_]:
    """Which of the regions lie within a known one."""
    ordered = known[np.argsort(known[:, 0])]
    reached = np.maximum.accumulate(np.concatenate([[-1], ordered[:, 1]]))
    within: NDArray[np.bool_] = reached[np.searchsorted(ordered[:, 0], found[:, 0], side="right")] >= found[:, 1]
    return within


def _repeating_calls(identifiers: Ints, period: int) -> Ints:
    """The longest regions that repeat with a period: the first call and the last one + 1 of each."""
    agree = identifiers[period:] == identifiers[:-period]
    runs = np.flatnonzero(np.diff(np.concatenate([[False], agree, [False]]))).reshape(-1, 2)
    runs = runs[runs[:, 1] - runs[:, 0] >= (LEAST_PERIODS - 1) * period]
    longest = np.argsort(runs[:, 0] - runs[:, 1], kind="stable")[:MOST_STRETCHES]
    regions: Ints = runs[np.sort(longest)] + np.array([0, period])
    return regions


def _chosen(candidates: list[Stretch], releases: Ints, apart: int = 0) -> list[Stretch]:
    """The longest ones that do not overlap. `apart`: 0 where two may share a bound, 1 where they may not."""
    by_time = sorted(candidates, key=lambda s: (-int(releases[s.last] - releases[s.first]), s.period, s.first))
    chosen: list[Stretch] = []
    for longest in by_time[:MOST_STRETCHES]:
        best = _shortest_period(longest, by_time[:MOST_STRETCHES], releases)
        if all(best.last + apart <= other.first or best.first >= other.last + apart for other in chosen):
            chosen.append(best)
    return sorted(chosen, key=lambda s: s.first)


def _shortest_period(longest: Stretch, candidates: list[Stretch], releases: Ints) -> Stretch:
    """The candidate of the shortest period that has nearly all of the time of `longest`: multiples repeat as well."""
    whole = releases[longest.last] - releases[longest.first]

    def shared(s: Stretch) -> int:
        return int(releases[min(s.last, longest.last)] - releases[max(s.first, longest.first)])

    alike = [s for s in candidates if s.first < longest.last and s.last > longest.first and shared(s) >= 0.8 * whole]
    return min(alike, key=lambda s: (s.period, s.first), default=longest)


def meetings_of_iteration(computing: NDArray[np.float64]) -> int:
    """How many windows in a row make an iteration, by what each rank computes in each (ranks × windows).

    Ranks that meet twice in an iteration, at like distances, seem to have two iterations; but what they compute in
    between returns with every second one. 1 where it is much the same in each window, or does not return after a few.
    """
    windows = computing.shape[1]
    whole: float = float(computing.sum()) / max(windows, 1)

    def apart(by: int) -> float:
        differs = np.sort(np.abs(computing[:, by:] - computing[:, :-by]).sum(axis=0))
        mean: float = float(differs[: max(len(differs) - len(differs) // OUTLIERS_OF, 1)].mean())
        return mean / whole

    if whole <= 0 or windows <= LEAST_PERIODS * 2 or apart(1) < SAME_WORK:
        return 1
    counts = range(2, min(MOST_MEETINGS, windows // LEAST_PERIODS) + 1)
    return next((count for count in counts if apart(count) <= RETURNS * apart(1)), 1)


def _repeating(lengths: Ints, period: int) -> list[Stretch]:
    later, earlier = lengths[period:], lengths[:-period]
    agree = np.abs(later - earlier) <= TOLERANCE * np.maximum(later, earlier)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], agree, [False]])))
    runs = edges.reshape(-1, 2)
    if not len(runs):
        return []
    gaps = runs[1:, 0] - runs[:-1, 1]
    sizes = runs[:, 1] - runs[:, 0]
    # A gap is bridged where both sides are longer than it and alike: chance agreement joins nothing, and a program
    # whose iterations become longer has two stretches.
    left, right = runs[:-1, 1] - 1, runs[1:, 0]
    left = left - (left - right) % period
    before, after = lengths[np.maximum(left, 0)], lengths[right]
    alike = (left >= 0) & (np.abs(after - before) <= TOLERANCE * np.maximum(after, before))
    joined = (gaps <= OUTLIERS) & (np.minimum(sizes[1:], sizes[:-1]) > gaps) & alike
    heads = np.concatenate([[True], ~joined])
    starts, ends = runs[heads, 0], runs[np.concatenate([~joined, [True]]), 1]
    of = [(int(s), int(e)) for s, e in zip(starts, ends, strict=True) if e - s >= (LEAST_PERIODS - 1) * period]
    return [Stretch(s, s + (e - s + period) // period * period, period) for s, e in of]
