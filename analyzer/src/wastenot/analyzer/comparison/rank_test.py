"""The Wilcoxon-Mann-Whitney test of two samples, exact also with ties, and corrections of p values for many tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from wastenot.analyzer.deferred import np

EXACT_RUNS = 60
"""Runs on both sides together up to which the distribution of the rank sum is counted out; above, the normal one."""


def rank_test(base: Sequence[float] | np.ndarray, new: Sequence[float] | np.ndarray) -> float:
    """The two-sided p value of the hypothesis that which side a run is on has no influence on its value.

    Exact: the share of all ways to split the values into sides of these sizes whose rank sum lies as far from its mean
    as this one or further. Equal values have their mean rank, and the ways are counted with those ranks, so that ties
    need no correction. Nothing is assumed of the distribution of the values. 1.0 where a side is empty.
    """
    if not len(base) or not len(new):
        return 1.0
    doubled = _doubled_ranks(np.concatenate([np.asarray(base, float), np.asarray(new, float)]))
    rank_sum = int(doubled[: len(base)].sum())
    if not is_exact(len(base), len(new)):
        return _normal_p(doubled, len(base), rank_sum)
    return _exact_p(tuple(np.sort(doubled).tolist()), len(base), rank_sum)


def is_exact(base: int, new: int) -> bool:
    """Whether the p values of so many runs are counted out, and not those of the normal approximation."""
    return base + new <= EXACT_RUNS


def least_p(base: int, new: int) -> float:
    """The smallest p value that the rank test gives with so many runs on each side, all of different values.

    1.0 with one run on a side: however many the other one has, nothing is known of the run-to-run noise of this one.
    """
    return 2 / math.comb(base + new, base) if min(base, new) > 1 else 1.0


def _doubled_ranks(values: np.ndarray) -> np.ndarray:
    """Twice the ranks, so that mean ranks are whole numbers."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (2 * last - counts + 1)[place]


def _exact_p(doubled: tuple[int, ...], size: int, rank_sum: int) -> float:
    shares, mean = _distribution(doubled, size)
    distance = abs(rank_sum - mean)
    far = np.abs(np.arange(len(shares)) - mean) >= distance - 1e-6
    return min(1.0, float(shares[far].sum()))


@lru_cache(maxsize=4096)
def _distribution(doubled: tuple[int, ...], size: int) -> tuple[np.ndarray, float]:
    """The share of the ways to choose `size` of the ranks by their sum, and the mean of the sum.

    The shift algorithm (Streitberg and Roehmel 1986): one rank after the other is added to the sums without it.
    """
    most = sum(doubled[len(doubled) - size :])
    ways = np.zeros((size + 1, most + 1))
    ways[0, 0] = 1.0
    for rank in doubled:
        ways[1:, rank:] += ways[:-1, : most + 1 - rank].copy()
    return ways[size] / math.comb(len(doubled), size), size * sum(doubled) / len(doubled)


def _normal_p(doubled: np.ndarray, size: int, rank_sum: int) -> float:
    """The normal approximation; the variance is that of the ranks as they are, ties included."""
    n = len(doubled)
    mean = size * doubled.mean()
    variance = size * (n - size) / (n * (n - 1)) * float(((doubled - doubled.mean()) ** 2).sum())
    if variance == 0:
        return 1.0
    return math.erfc(max(abs(rank_sum - mean) - 1, 0) / math.sqrt(2 * variance))


def holm(p_values: Sequence[float]) -> list[float]:
    """p values adjusted so that the chance of one false finding among all is at most the level (Holm 1979)."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    out, reached = [1.0] * len(p_values), 0.0
    for place, i in enumerate(order):
        reached = max(reached, min(1.0, (len(order) - place) * p_values[i]))
        out[i] = reached
    return out


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """p values adjusted so that of the findings at most the level is false on average (Benjamini, Hochberg 1995)."""
    order = sorted(range(len(p_values)), key=lambda i: -p_values[i])
    out, reached = [1.0] * len(p_values), 1.0
    for place, i in enumerate(order):
        reached = min(reached, p_values[i] * (len(order) / (len(order) - place)))
        out[i] = reached
    return out
