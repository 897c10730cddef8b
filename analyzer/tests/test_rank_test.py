"""The rank test and the corrections, beside all splits counted one by one and published examples."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wastenot.analyzer.comparison.rank_test import EXACT_RUNS, benjamini_hochberg, holm, least_p, rank_test

VALUES = st.lists(st.integers(0, 6), min_size=1, max_size=5)


def by_hand(base: list[int], new: list[int]) -> float:
    """The p value from all splits of the values, with ranks counted pair by pair."""
    pooled = [*base, *new]
    ranks = [sum(other < v for other in pooled) + (sum(other == v for other in pooled) + 1) / 2 for v in pooled]
    mean = len(base) * sum(ranks) / len(ranks)
    distance = abs(sum(ranks[: len(base)]) - mean)
    splits = list(combinations(range(len(pooled)), len(base)))
    return sum(abs(sum(ranks[i] for i in s) - mean) >= distance - 1e-9 for s in splits) / len(splits)


@given(VALUES, VALUES)
def test_it_is_the_share_of_splits_that_lie_as_far_apart(base: list[int], new: list[int]) -> None:
    assert rank_test(base, new) == pytest.approx(by_hand(base, new))


def test_published_examples() -> None:
    """Hollander and Wolfe (1973), 69 f.: one-sided 0.1272, without ties; four against four, all of them apart."""
    at_term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
    earlier = [1.15, 0.88, 0.90, 0.74, 1.21]
    assert rank_test(at_term, earlier) == pytest.approx(2 * 0.1272, abs=1e-4)
    assert rank_test([1, 2, 3, 4], [5, 6, 7, 8]) == pytest.approx(2 / 70) == least_p(4, 4)


@given(VALUES, VALUES)
def test_the_sides_may_be_swapped_and_equal_sides_give_one(base: list[int], new: list[int]) -> None:
    assert rank_test(base, new) == pytest.approx(rank_test(new, base))
    assert rank_test(base, base) == pytest.approx(1.0)
    assert 0 < rank_test(base, new) <= 1.0


@pytest.mark.parametrize(("base", "new"), [(2, 2), (3, 5), (10, 10)])
def test_the_smallest_p_value_is_that_of_sides_apart(base: int, new: int) -> None:
    assert rank_test(range(base), range(100, 100 + new)) == pytest.approx(least_p(base, new))
    assert least_p(1, 100) == 1.0


@settings(max_examples=20)
@given(st.integers(0, 2**32))
def test_many_runs_are_tested_by_the_normal_approximation_which_is_close(seed: int) -> None:
    drawn = np.random.default_rng(seed)
    base, new = drawn.integers(0, 50, EXACT_RUNS // 2), drawn.integers(5, 55, EXACT_RUNS // 2)
    exact = rank_test(base, new)
    assert rank_test(np.repeat(base, 2), np.repeat(new, 2)) <= exact + 1e-9
    assert rank_test([*base, 25], [*new, 30]) == pytest.approx(exact, abs=0.12)


def test_false_alarms_are_no_more_frequent_than_the_level() -> None:
    drawn = np.random.default_rng(3)
    found = [rank_test(drawn.lognormal(size=10), drawn.lognormal(size=10)) < 0.05 for _ in range(4000)]
    assert 0.03 < np.mean(found) < 0.052, "the exact level is 0.0433"


def test_corrections_of_published_examples() -> None:
    p = [0.01, 0.04, 0.03, 0.005]
    assert holm(p) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert benjamini_hochberg(p) == pytest.approx([0.02, 0.04, 0.04, 0.02])
    table = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
             0.7590, 1.0]  # fmt: skip
    # Benjamini and Hochberg (1995), section 3.2: their procedure rejects the first four at 0.05, Bonferroni's three.
    assert sum(p < 0.05 for p in benjamini_hochberg(table)) == 4
    assert sum(p < 0.05 for p in holm(table)) == 3


@given(st.lists(st.floats(0, 1), max_size=12))
def test_corrections_keep_the_order_and_never_lower_a_p_value(p: list[float]) -> None:
    for corrected in (holm(p), benjamini_hochberg(p)):
        assert all(p[i] <= c <= 1 for i, c in enumerate(corrected))
        pairs = sorted(zip(p, corrected, strict=True))
        assert [c for _, c in pairs] == sorted(c for _, c in pairs)
    assert all(b <= h + 1e-12 for b, h in zip(benjamini_hochberg(p), holm(p), strict=True))
