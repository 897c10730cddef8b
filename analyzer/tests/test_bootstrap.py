"""Intervals of differences: exact cases, how often they hold the truth, what swapping does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wastenot.analyzer.comparison.bootstrap import difference_intervals, t_quantile


def test_constant_sides_differ_by_exactly_that() -> None:
    assert difference_intervals(np.full((1, 4), 2.0), np.full((1, 5), 5.0)).tolist() == [[3.0, 3.0]]
    assert difference_intervals(np.empty((0, 3)), np.empty((0, 3))).shape == (0, 2)


def test_normal_values_have_welchs_interval() -> None:
    quantiles = np.array([-1.5466, -1.0005, -0.6554, -0.3755, -0.1226, 0.1226, 0.3755, 0.6554, 1.0005, 1.5466])
    base, new = quantiles[None, :], 1 + 2 * quantiles[None, :]
    low, high = difference_intervals(base, new)[0]
    error = np.sqrt(base.var(ddof=1) / 10 + new.var(ddof=1) / 10)
    assert (low, high) == (pytest.approx(1 - 2.16 * error, abs=0.08), pytest.approx(1 + 2.16 * error, abs=0.08))


def test_students_quantiles_are_those_of_the_tables() -> None:
    degrees = np.array([3.0, 4, 5, 9, 18, 120])
    assert t_quantile(degrees) == pytest.approx([3.182, 2.776, 2.571, 2.262, 2.101, 1.980], rel=0.01)


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(3, 8), st.integers(3, 8))
def test_swapping_the_sides_negates_the_intervals(seed: int, n: int, m: int) -> None:
    drawn = np.random.default_rng(seed)
    base, new = drawn.lognormal(size=(4, n)), drawn.lognormal(size=(4, m))
    there = difference_intervals(base, new, resamples=500)
    back = difference_intervals(new, base, resamples=500)
    assert there == pytest.approx(-back[:, ::-1])
    assert (there[:, 0] <= there[:, 1]).all()


@settings(max_examples=10)
@given(st.integers(0, 2**32), st.floats(0.001, 1000), st.floats(-10, 10))
def test_intervals_follow_the_unit_and_the_zero(seed: int, unit: float, zero: float) -> None:
    drawn = np.random.default_rng(seed)
    base, new = drawn.gamma(2, size=(2, 6)), drawn.gamma(2, size=(2, 6))
    plain = difference_intervals(base, new, resamples=500)
    assert difference_intervals(base * unit + zero, new * unit + zero, resamples=500) == pytest.approx(
        plain * unit, rel=1e-3, abs=1e-6 * unit
    )


@pytest.mark.parametrize(("runs", "least"), [(4, 0.92), (10, 0.935)])
@pytest.mark.parametrize("shape", ["normal", "lognormal"])
def test_they_hold_the_true_difference_as_often_as_they_say(runs: int, least: float, shape: str) -> None:
    drawn = np.random.default_rng(5)
    base, new = drawn.normal(size=(2, 2000, runs)) * 0.5
    if shape == "lognormal":
        base, new = np.exp(base), np.exp(new)
    found = difference_intervals(base, new, resamples=999)
    share = ((found[:, 0] <= 0) & (found[:, 1] >= 0)).mean()
    assert least < share < 0.985, share
