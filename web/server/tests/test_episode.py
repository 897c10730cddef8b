"""The heading of an episode's page."""

from __future__ import annotations

import pytest
from wastenot.web.episode import with_sentence


@pytest.mark.parametrize(
    ("overloaded", "idle", "where"),
    [
        ([3], [5], "on CPU 3 beside idle CPU 5."),
        ([*range(8)], [1, 4, 5, *range(7, 64)], "on 8 CPUs beside 60 idle CPUs."),
    ],
)
def test_the_heading_counts_cpus_of_which_there_are_many(overloaded: list[int], idle: list[int], where: str) -> None:
    row = {
        "total_core_ns": 4_000_000_000,
        "dur_ns": 2_000_000_000,
        "threads": 9,
        "overloaded_cpus": overloaded,
        "idle_cpus": idle,
    }
    assert with_sentence(row)["sentence"] == f"2.0 cores wasted for 2.00 s: 9 threads waited {where}"
