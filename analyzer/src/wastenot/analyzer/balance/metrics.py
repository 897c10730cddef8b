"""Figures of balance: of one window, of a segment, of a whole run. Definitions: docs/semantics.md, Balance.

C is the computing of a rank, E what the machine adds to it (preempted, queued, irq, throttled), A = C + E, n the number
of ranks, T the length.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from wastenot.analyzer.balance.decomposition import EXTRINSIC, PARTS, PLACE
from wastenot.analyzer.balance.timelines import Ints


@dataclass(frozen=True)
class Efficiency:
    """The efficiencies of POP (Performance Optimisation and Productivity) over one length of time."""

    length_ns: int
    mean_compute_ns: float
    max_compute_ns: int

    @property
    def load_balance(self) -> float | None:
        """mean C / max C; None where no rank computed."""
        return self.mean_compute_ns / self.max_compute_ns if self.max_compute_ns else None

    @property
    def communication_efficiency(self) -> float | None:
        """max C / T."""
        return self.max_compute_ns / self.length_ns if self.length_ns else None

    @property
    def parallel_efficiency(self) -> float | None:
        """mean C / T, the product of both."""
        return self.mean_compute_ns / self.length_ns if self.length_ns else None

    @property
    def imbalance(self) -> float | None:
        """max C / mean C - 1 (lambda)."""
        return self.max_compute_ns / self.mean_compute_ns - 1 if self.mean_compute_ns else None


def efficiency(computes: Ints, length_ns: int) -> Efficiency:
    """Of the computing of each rank within a length of time."""
    return Efficiency(length_ns, float(computes.sum()) / len(computes), int(computes.max()))


@dataclass
class WindowFigures:
    """Figures of each window, gathered rank by rank, so that no matrix of ranks and windows is kept."""

    windows: int
    ranks: int = 0
    sum_compute: Ints = field(init=False)
    max_compute: Ints = field(init=False)
    sum_all: Ints = field(init=False)
    max_all: Ints = field(init=False)
    critical: Ints = field(init=False)
    """The rank with the largest A of each window; the first of several."""
    critical_compute: Ints = field(init=False)
    critical_parts: Ints = field(init=False)
    """What the machine added to that rank: rows as `EXTRINSIC`."""
    max_wait: Ints = field(init=False)
    """The longest that a rank waited: asleep, blocked, or in calls."""
    max_other: Ints = field(init=False)
    """The longest time in which the state of a rank is not known."""

    def __post_init__(self) -> None:
        for name in ("sum_compute", "sum_all", "critical", "critical_compute", "max_wait", "max_other"):
            setattr(self, name, np.zeros(self.windows, np.int64))
        self.critical_parts = np.zeros((len(EXTRINSIC), self.windows), np.int64)
        self.max_compute = np.full(self.windows, -1, np.int64)
        self.max_all = np.full(self.windows, -1, np.int64)

    def add(self, parts: Ints) -> None:
        """The parts of the next rank."""
        compute = parts[PLACE["compute"]]
        everything = compute + sum(parts[PLACE[part]] for part in EXTRINSIC)
        self.sum_compute += compute
        self.sum_all += everything
        self.max_compute = np.maximum(self.max_compute, compute)
        is_more = everything > self.max_all
        self.critical[is_more] = self.ranks
        self.critical_compute[is_more] = compute[is_more]
        added = parts[[PLACE[part] for part in EXTRINSIC]]
        self.critical_parts[:, is_more] = added[:, is_more]
        self.max_all = np.maximum(self.max_all, everything)
        self.max_wait = np.maximum(self.max_wait, parts[PLACE["wait"]] + parts[PLACE["blocked"]] + parts[PLACE["spin"]])
        self.max_other = np.maximum(self.max_other, parts[PLACE["other"]])
        self.ranks += 1

    @property
    def intrinsic_n(self) -> Ints:
        """n times the intrinsic imbalance I = max C - mean C of each window: whole numbers of ns."""
        return self.ranks * self.max_compute - self.sum_compute

    @property
    def lost_n(self) -> Ints:
        """n times max A - mean A of each window."""
        return self.ranks * self.max_all - self.sum_all

    @property
    def extrinsic_n(self) -> Ints:
        """n times the extrinsic imbalance X = (max A - mean A) - I of each window; may be less than 0."""
        return self.lost_n - self.intrinsic_n

    @property
    def moved_n(self) -> Ints:
        """n times C of the rank with the largest A less max C: below 0 where another rank had more work."""
        return self.ranks * (self.critical_compute - self.max_compute)


def utilization(parts: Ints) -> float | None:
    """U: the share of the time in which a rank was runnable (computing, or kept from it); None where nothing is
    known of it. `parts`: ns by part."""
    known = int(parts.sum()) - int(parts[PLACE["other"]])
    runnable = int(parts[PLACE["compute"]]) + sum(int(parts[PLACE[part]]) for part in EXTRINSIC)
    return runnable / known if known else None


def by_part(parts: Ints) -> dict[str, int]:
    """ns by the name of the part."""
    return {f"{part}_ns": int(ns) for part, ns in zip(PARTS, parts, strict=True)}
