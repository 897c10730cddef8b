"""The comparison behind "every violation is caught": intervals, and which of them others overlap."""

from __future__ import annotations

import random

import pytest

from bench.watch.intervals import Interval, joined, without


@pytest.mark.parametrize(
    ("given", "one"),
    [
        ([], []),
        ([(5, 7), (1, 3)], [(1, 3), (5, 7)]),
        ([(1, 3), (3, 5)], [(1, 5)]),
        ([(1, 9), (2, 4), (8, 10)], [(1, 10)]),
    ],
)
def test_intervals_that_touch_are_one(given: list[Interval], one: list[Interval]) -> None:
    assert joined(given) == one


def test_what_ends_where_another_begins_is_not_overlapped_by_it() -> None:
    assert without([(1, 3), (4, 6), (6, 8)], [(3, 4), (6, 7)]) == [(1, 3), (4, 6)]


def drawn_intervals(draw: random.Random) -> list[Interval]:
    starts = [draw.randrange(60) for _ in range(draw.randrange(8))]
    return [(start, start + draw.randint(1, 9)) for start in starts]


@pytest.mark.parametrize("seed", range(200))
def test_drawn_intervals_are_as_their_instants_say(seed: int) -> None:
    draw = random.Random(seed)
    ours, others = drawn_intervals(draw), drawn_intervals(draw)
    instants = {t for start, end in others for t in range(start, end)}
    assert {t for start, end in joined(others) for t in range(start, end)} == instants
    assert without(ours, others) == [(a, b) for a, b in ours if not instants & set(range(a, b))]
