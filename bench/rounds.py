"""Interleaved rounds: every contender runs once per round, so that a slow minute of the machine hits all alike."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
