"""The interval of a comparison's ratios holds the median as often as it says."""

from __future__ import annotations

import random
import statistics

import pytest

from bench.rounds import interval


@pytest.mark.parametrize(("count", "places"), [(1, (0, 0)), (5, (0, 4)), (6, (0, 5)), (9, (1, 7)), (11, (1, 9))])
def test_the_interval_is_a_pair_of_order_statistics(count: int, places: tuple[int, int]) -> None:
    values = [float(i) for i in range(count)]
    random.Random(1).shuffle(values)
    assert interval(values) == tuple(float(p) for p in places)


def test_it_holds_the_median_in_at_least_95_of_100_samples() -> None:
    draw = random.Random(2)
    held = []
    for _ in range(2000):
        low, high = interval([draw.expovariate(1.0) for _ in range(11)])
        held.append(low <= 0.6931471805599453 <= high)
    assert statistics.mean(held) >= 0.95
