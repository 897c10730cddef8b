"""The heading of an episode's page."""

from __future__ import annotations

import pytest
from wastenot.web.episode import with_sentence


@pytest.mark.parametrize(
    ("overloaded", "idle", "peak", "grade", "where"),
    [
        ([3], [5], 1, "lasting", "on CPU 3 beside idle CPU 5."),
        ([*range(8)], [1, 4, 5, *range(7, 64)], 60, "lasting", "on 8 CPUs beside 60 idle CPUs."),
        ([*range(8)], [1, 4, 5, *range(7, 64)], 19, "lasting", "on 8 CPUs beside 60 idle CPUs, at most 19 at once."),
        ([*range(8)], [1, 4, 5, *range(7, 64)], 19, "recurrent", "on 8 CPUs beside 60 idle CPUs."),
    ],
)
def test_the_heading_counts_cpus_of_which_there_are_many(
    overloaded: list[int], idle: list[int], peak: int, grade: str, where: str
) -> None:
    row = {
        "total_core_ns": 4_000_000_000,
        "dur_ns": 2_000_000_000,
        "threads": 9,
        "overloaded_cpus": overloaded,
        "idle_cpus": idle,
        "grade": grade,
        "peak": peak,
    }
    assert with_sentence(row)["sentence"] == f"2.0 cores wasted for 2.00 s: 9 threads waited {where}"
