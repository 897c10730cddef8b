"""What changed in the last minute, from readings of counters."""

from __future__ import annotations

import pytest
from wastenot.live.watched.minute import LastMinute, Reading

S = 1_000_000_000


def minute(*readings: tuple[float, float]) -> LastMinute:
    """A minute of readings given as seconds and core-seconds."""
    found = LastMinute()
    for time_s, wasted_s in readings:
        found.add(Reading(round(time_s * S), round(wasted_s * S)))
    return found


def test_one_reading_shows_nothing_yet() -> None:
    found = minute((100, 7))
    assert (found.span_ns, found.wasted_ns, found.mean()) == (0, 0, None)
    assert set(found.curve().values) == {None}


def test_the_mean_is_over_the_last_second() -> None:
    assert minute((100, 7), (101, 9.5)).mean() == 2.5
    assert minute((100, 7), (100.9, 7), (101, 7), (102, 8)).mean() == 1
    assert minute((100, 7), (100.1, 7)).mean() is None, "a tenth of a second is not a second"


def test_a_minute_has_the_reading_before_it_and_no_earlier_ones() -> None:
    found = minute(*((t, t / 10) for t in range(200)))
    assert found.first.time_ns == 139 * S
    assert found.span_ns == 60 * S
    assert found.wasted_ns == 6 * S


def test_the_curve_has_a_bin_for_each_second_and_none_where_no_reading_was() -> None:
    found = minute((100, 0), (110, 10), (110.5, 10), (111, 12))
    values = found.curve().values
    assert len(values) == 60
    assert values[:49] == (None,) * 49
    assert values[49:59] == (1.0,) * 10
    assert values[59] == pytest.approx(2.0)


def test_the_sum_of_the_curve_is_the_waste() -> None:
    found = minute((100, 0), (100.3, 0.7), (102.9, 1.1), (103.4, 5), (120, 6))
    assert sum(v or 0 for v in found.curve().values[40:]) == pytest.approx(6, rel=0.2)
    exact = minute((60, 0), (61, 1), (63, 2), (120, 40))
    assert sum(v or 0 for v in exact.curve().values) == pytest.approx(40)


def test_the_same_reading_again_changes_nothing() -> None:
    once, twice = minute((100, 1), (101, 2)), minute((100, 1), (101, 2), (101, 2))
    assert once.curve() == twice.curve()
    assert once.mean() == twice.mean()


def test_a_watch_that_was_started_anew_starts_anew_here() -> None:
    found = minute((100, 50), (101, 60), (102, 0))
    assert (found.wasted_ns, found.mean()) == (0, None)


def test_the_idle_share_is_that_of_the_last_second_not_since_the_start() -> None:
    found = LastMinute()
    found.add(Reading(0, 0, looks=1000, idle_looks={0: 1000.0, 1: 0.0}))
    assert found.idle_shares() == {}
    found.add(Reading(S, 0, looks=2000, idle_looks={0: 1000.0, 1: 250.0, 2: 1000.0}))
    assert found.idle_shares() == {0: 0.0, 1: 0.25, 2: 1.0}
    found.add(Reading(2 * S, 0, looks=2000, idle_looks={0: 1000.0}))
    assert found.idle_shares() == {}, "no look was made"


def test_causes_and_cgroups_are_what_was_added_since_the_first_reading() -> None:
    found = LastMinute()
    waits = {("a", "own_quota"): 5, ("b", "avoidable"): 100}
    found.add(Reading(0, 0, {"x": 10, "y": 5}, waits))
    later = {("a", "own_quota"): 25, ("a", "avoidable"): 30, ("b", "avoidable"): 100, ("c", "confined"): 1}
    found.add(Reading(S, 100, {"x": 15, "y": 5, "not_moved": 50}, later))
    assert [(c.answers, c.core_ns) for c in found.causes()] == [(("not moved",), 50), (("x",), 5)]
    cgroups = [(c.name, dict(c.by_reason)) for c in found.cgroups()]
    assert cgroups == [("a", {"own_quota": 20, "avoidable": 30}), ("c", {"confined": 1})]


def test_a_series_that_started_anew_counts_from_0() -> None:
    found = LastMinute()
    found.add(Reading(0, 0, waits={("a", "confined"): 50}))
    found.add(Reading(S, 0, waits={("a", "confined"): 3}))
    assert found.cgroups()[0].waited_ns == 3
