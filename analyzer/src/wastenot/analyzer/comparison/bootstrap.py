"""Intervals of the difference of two means by resampling the runs of each side (BCa, widened for few runs)."""

from __future__ import annotations

import math
from statistics import NormalDist

from wastenot.analyzer.deferred import np

RESAMPLES = 9_999
CONFIDENCE = 0.95
LEAST_RUNS = 3
"""Runs on a side below which no interval is given: two runs have three different resamples."""
SEED = 20_140_806
ROWS_AT_ONCE = 256
"""Metrics whose resamples are in memory together."""
_NORMAL = NormalDist()


def difference_intervals(base: np.ndarray, new: np.ndarray, resamples: int = RESAMPLES) -> np.ndarray:
    """The interval of mean(new) - mean(base) of each row, as an array of (low, high); a row per metric, a column per
    run.

    Bias-corrected and accelerated bootstrap (Efron 1987; for two samples Efron and Tibshirani 1993, 14.3 and 22.4): the
    runs of each side are drawn anew with replacement, all metrics of a run together. With few runs such intervals are
    too narrow, since a resample varies less than a sample by (n - 1) / n and since their spread is itself estimated;
    they are widened as Hesterberg (2015, 5.3) does, with the degrees of freedom of Welch. The draws are the same each
    time, and follow the side and not the order in which the sides are given: swapping them negates the intervals.
    """
    is_swapped = base.tolist() > new.tolist()
    first, second = np.random.default_rng(SEED).spawn(2)
    draws = [_shares(first, (new if is_swapped else base).shape[1], resamples)]
    draws.append(_shares(second, (base if is_swapped else new).shape[1], resamples))
    of_base, of_new = reversed(draws) if is_swapped else draws
    parts = [
        _of_rows(base[i : i + ROWS_AT_ONCE], new[i : i + ROWS_AT_ONCE], of_base, of_new)
        for i in range(0, len(base), ROWS_AT_ONCE)
    ]
    return np.concatenate(parts) if parts else np.empty((0, 2))


def _shares(generator: np.random.Generator, runs: int, resamples: int) -> np.ndarray:
    """How often each run is in each resample, as a share."""
    return generator.multinomial(runs, np.full(runs, 1 / runs), size=resamples) / runs


def _of_rows(base: np.ndarray, new: np.ndarray, of_base: np.ndarray, of_new: np.ndarray) -> np.ndarray:
    difference = new.mean(axis=1) - base.mean(axis=1)
    resampled = np.sort(new @ of_new.T - base @ of_base.T, axis=1)
    reach, lean = _reach(base, new), _acceleration(base, new)
    out = np.empty((len(base), 2))
    for i, drawn in enumerate(resampled):
        if not math.isfinite(reach[i]):  # no run differs from another one of its side
            out[i] = difference[i]
            continue
        bias = _bias(drawn, difference[i])
        for end, z in enumerate((-reach[i], reach[i])):
            leaning = 1 - lean[i] * (bias + z)
            shifted = bias + (bias + z) / leaning if leaning > 0 else math.copysign(9, z)
            out[i, end] = _quantile(drawn, _NORMAL.cdf(shifted))
    return out


def _quantile(ordered: np.ndarray, share: float) -> float:
    place = share * (len(ordered) - 1)
    low = min(int(place), len(ordered) - 2)
    return float(ordered[low] + (place - low) * (ordered[low + 1] - ordered[low]))


def _bias(drawn: np.ndarray, difference: float) -> float:
    """How many standard deviations the median of the resamples lies off; ties with the difference count half."""
    close = 1e-9 * max(abs(difference), float(drawn[-1] - drawn[0]))
    low, high = np.searchsorted(drawn, [difference - close, difference + close])
    share = (low + high) / (2 * len(drawn))
    least = 1 / (len(drawn) + 1)
    return _NORMAL.inv_cdf(min(max(float(share), least), 1 - least))


def _acceleration(base: np.ndarray, new: np.ndarray) -> np.ndarray:
    """How much the spread changes with the value: from the influence of each run on the difference."""
    parts = [(new - new.mean(axis=1, keepdims=True), 1), (base - base.mean(axis=1, keepdims=True), -1)]
    cubes = sum(sign * (x**3).sum(axis=1) / x.shape[1] ** 3 for x, sign in parts)
    squares = sum((x**2).sum(axis=1) / x.shape[1] ** 2 for x, _ in parts)
    return np.where(squares > 0, cubes / (6 * np.where(squares > 0, squares, 1) ** 1.5), 0.0)


def _reach(base: np.ndarray, new: np.ndarray) -> np.ndarray:
    """How many standard deviations of the resamples the interval reaches to each side; infinite where they have none.

    Of normal values it is then Welch's interval.
    """
    n, m = base.shape[1], new.shape[1]
    v, w = base.var(axis=1), new.var(axis=1)
    resampled, unbiased = v / n + w / m, v / (n - 1) + w / (m - 1)
    has_spread = resampled > 1e-24 * (base.mean(axis=1) ** 2 + new.mean(axis=1) ** 2)
    degrees = np.where(
        has_spread,
        unbiased**2 / np.where(has_spread, (v / (n - 1)) ** 2 / (n - 1) + (w / (m - 1)) ** 2 / (m - 1), 1),
        1.0,
    )
    wider = np.sqrt(np.where(has_spread, unbiased / np.where(has_spread, resampled, 1), 1.0))
    return np.where(has_spread, wider * t_quantile(degrees), np.inf)


def t_quantile(degrees: np.ndarray) -> np.ndarray:
    """Student's t at the upper end of the interval, by Fisher and Cornish's expansion (1960), within 1 % from 3
    degrees on; below that as of 2."""
    z, d = _NORMAL.inv_cdf((1 + CONFIDENCE) / 2), np.maximum(degrees, 2.0)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    out = np.full(d.shape, z)
    for i, term in enumerate(terms, start=1):
        out += term / d**i
    return out
