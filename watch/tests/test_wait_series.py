"""Which cgroups have time series: a bounded number, those that wait most, without coming and going."""

from __future__ import annotations

import random
import time
from collections import defaultdict

from drawn import S
from wastenot.watch.model.status import Wait
from wastenot.watch.model.wait_series import EXCHANGE_NS, OTHER, WaitSeries


def waits(**by_cgroup: int) -> list[Wait]:
    return [Wait(f"/{name}", "neighbour", ns) for name, ns in by_cgroup.items()]


def as_dict(series: tuple[Wait, ...]) -> dict[str, int]:
    return {w.cgroup: w.ns for w in series}


def test_those_that_wait_most_have_series_and_the_others_are_one() -> None:
    series = WaitSeries(2)
    assert as_dict(series.update(0, waits(a=5, b=9, c=1, d=2))) == {"/a": 5, "/b": 9, OTHER: 3}
    assert as_dict(series.update(S, waits(a=1, c=10))) == {"/a": 6, "/b": 9, OTHER: 13}, "c comes too late"


def test_a_series_is_exchanged_once_in_a_minute_and_only_for_one_that_waits_twice_as_long() -> None:
    series = WaitSeries(1)
    series.update(0, waits(a=100))
    assert set(as_dict(series.update(EXCHANGE_NS, waits(a=100, b=190)))) == {"/a", OTHER}
    assert set(as_dict(series.update(EXCHANGE_NS + S, waits(b=710)))) == {"/a", OTHER}
    found = as_dict(series.update(2 * EXCHANGE_NS, waits(a=1, b=1)))
    assert found == {"/b": 1, OTHER: 190 + 710 + 1}, "its earlier waiting stays where it was counted"


def test_what_the_checker_takes_back_is_made_up_for_before_the_series_rises_again() -> None:
    series = WaitSeries(2)
    found = [as_dict(series.update(n * S, waits(a=ns)))["/a"] for n, ns in enumerate((50, -2, 1, 1, 3))]
    assert found == [50, 50, 50, 50, 53]


def test_no_series_decreases_and_no_waiting_is_lost_or_counted_twice() -> None:
    random_ = random.Random(5)
    series = WaitSeries(7)
    ledger: dict[int, int] = defaultdict(int)
    before: dict[str, int] = {}
    grown = 0
    for step in range(600):
        rate = {n: random_.expovariate(1 / (1 + (n + step // 50) % 40)) for n in range(40)}
        new = {n: int(r * 1000) for n, r in rate.items()}
        for n, ns in new.items():
            ledger[n] += ns
        found = as_dict(series.update(step * S, waits(**{f"c{n}": ns for n, ns in new.items()})))
        assert len(found) <= 8
        grown += sum(ns - before.get(c, 0) for c, ns in found.items())
        assert all(ns >= before[c] for c, ns in found.items() if c in before)
        before = found
    assert grown == sum(ledger.values())


def test_ten_thousand_cgroups_take_little_time() -> None:
    series = WaitSeries(50)
    start = time.perf_counter()
    for step in range(3):
        rows = [
            Wait(f"/kubepods/pod{n}", reason, n * step) for n in range(10_000) for reason in ("own_quota", "neighbour")
        ]
        found = series.update(step * S, rows)
    assert len({w.cgroup for w in found}) == 51
    assert time.perf_counter() - start < 5
