"""Instructions per cycle of a rank's computing (evidence H2): whether a rank has more work than others, or is slower.

Counters are read at the switch that ends a run, so that only whole runs have figures: those that touch no call in which
the rank waits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from wastenot.analyzer.balance.decomposition import RUNNING, States
from wastenot.analyzer.balance.timelines import Ints, Timeline

NEARBY_NS = 10_000
"""A counter is read at most so long before or after the end of its run; each counter has a time of its own."""


@dataclass(frozen=True)
class RankCounters:
    """What counters added in runs of a rank that are computing throughout, and how long these are together."""

    instructions: int
    cycles: int
    counted_ns: int

    @property
    def ipc(self) -> float:
        """Instructions per cycle."""
        return self.instructions / self.cycles


@dataclass(frozen=True)
class Readings:
    """Counters at the ends of runs, in order of time: which (cycles, or else instructions), and what it added."""

    ts_ns: Ints
    is_cycles: Ints
    values: Ints


def rank_counters(states: States, waiting: Timeline, readings: Readings, start: int, end: int) -> RankCounters | None:
    """Of the runs between two instants; None where no run that is computing throughout has both counters."""
    on = (states.phases == RUNNING) & (states.starts >= start) & (states.ends <= end)
    starts, ends = states.starts[on], states.ends[on]
    if not len(starts):
        return None
    instructions, cycles = (_by_run(ends, readings, code) for code in (0, 1))
    counts = (instructions >= 0) & (cycles > 0) & (waiting.until(ends) == waiting.until(starts))
    if not counts.any():
        return None
    length = int((ends - starts)[counts].sum())
    return RankCounters(int(instructions[counts].sum()), int(cycles[counts].sum()), length)


def _by_run(ends: Ints, readings: Readings, code: int) -> Ints:
    """What one counter added in each run, by the ends of runs; -1 where it was not read."""
    of = readings.is_cycles == code
    ts_ns, values = readings.ts_ns[of], readings.values[of]
    after = np.minimum(np.searchsorted(ends, ts_ns), len(ends) - 1)
    before = np.maximum(after - 1, 0)
    nearest = np.where(np.abs(ends[before] - ts_ns) < np.abs(ends[after] - ts_ns), before, after)
    belongs = np.abs(ends[nearest] - ts_ns) <= NEARBY_NS
    found = np.full(len(ends), -1, np.int64)
    found[nearest[belongs]] = values[belongs]
    return found
