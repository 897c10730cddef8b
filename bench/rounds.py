"""Interleaved rounds: every contender runs once per round, so that a slow minute of the machine hits all alike."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import comb
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Spread:
    """Median and range of repeated measurements."""

    median: float
    low: float
    high: float

    @staticmethod
    def of(values: list[float]) -> Spread:
        """Of at least one value."""
        return Spread(statistics.median(values), min(values), max(values))

    def minus(self, base: float) -> Spread:
        """The same relative to `base`."""
        return Spread(self.median - base, self.low - base, self.high - base)


def interval(values: list[float]) -> tuple[float, float]:
    """The narrowest pair of order statistics around the median that holds it with 95 %; with few values their range.

    The number of values below the median is binomial(n, 1/2).
    """
    values, n = sorted(values), len(values)
    for k in range((n - 1) // 2, 0, -1):
        if 1 - 2 * sum(comb(n, i) for i in range(k)) / 2**n >= 0.95:
            return values[k - 1], values[n - k]
    return values[0], values[-1]


def interleaved(contenders: Mapping[str, Callable[[], T]], rounds: int, what: str) -> dict[str, list[T]]:
    """`rounds` measurements of each contender, the order turned by one place each round."""
    results: dict[str, list[T]] = {name: [] for name in contenders}
    names = list(contenders)
    for n in range(rounds):
        for name in names[n % len(names) :] + names[: n % len(names)]:
            print(f"\r{what}: round {n + 1}/{rounds}, {name:<28}", end="", file=sys.stderr, flush=True)
            results[name].append(contenders[name]())
    print(f"\r{'':<70}\r", end="", file=sys.stderr, flush=True)
    return results
