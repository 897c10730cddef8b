"""Which conditions a watch takes, and when they hold."""

from __future__ import annotations

import pytest
from drawn import MS, S, status
from wastenot.analyzer.errors import BadArgument
from wastenot.watch.conditions import parse_watch_condition
from wastenot.watch.history import History
from wastenot.watch.model.readings import Reading, exact_reading, next_sampled, sampled_bounds
from wastenot.watch.model.status import ExactCounters, Hit

KEEP = 10 * S
BOUNDS = sampled_bounds(4 * MS, [2 * MS, 8 * MS])


def readings(shares: list[float], step_ns: int = 250 * MS, cpus: int = 2) -> list[Reading]:
    """A reading at each step, each with that share of the machine wasted since the one before."""
    out = [Reading(0)]
    for share in shares:
        wasted = out[-1].core_ns.get("wasted", 0) + round(share * cpus * step_ns)
        out.append(Reading(out[-1].time_ns + step_ns, out[-1].online_ns + cpus * step_ns, {"wasted": wasted}))
    return out


def fires_at(text: str, given: list[Reading]) -> list[float]:
    """When a condition fires, in seconds."""
    history, condition = History(KEEP), parse_watch_condition(text, KEEP)
    out = []
    for reading in given:
        history.add(reading)
        out += [reading.time_ns / S for _ in history.fired((condition,))]
    return out


def test_without_a_time_a_share_is_of_the_time_that_a_box_keeps() -> None:
    fired = fires_at("wasted>5%", readings([0.5] * 10))
    assert fired == [1.25, 2.5], "0.5 s of the time of 10 s are 5 %: more after 1.25 s, and again"


def test_with_a_time_it_must_hold_in_each_second_of_it() -> None:
    second = [0.02] * 4
    assert fires_at("wasted>1% for 3s", readings(second * 3)) == [3.0]
    assert fires_at("wasted>1% for 3s", readings(second * 2 + [0.0] * 4 + second * 2)) == []
    gap = [0.08, 0.0, 0.0, 0.0]
    assert fires_at("wasted>1% for 3s", readings(gap * 3)) == [3.0], "a second is a step, a quarter is not"


def test_a_time_below_a_second_is_one_step() -> None:
    assert fires_at("wasted>1% for 500ms", readings([0.02] * 4)) == [0.5, 1.0]


def test_what_was_counted_once_does_not_count_again() -> None:
    fired = fires_at("wasted>=100ms", readings([0.1] * 20))
    assert fired == [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0]


def test_memory_does_not_grow_with_time() -> None:
    history = History(KEEP)
    for reading in readings([0.0] * 10_000):
        history.add(reading)
    assert len(history._readings) <= 12 * 4 + 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("foo>1", "unknown measure 'foo'; one of wasted, certain"),
        ("suspect", "known of a checked trace only; one of wasted"),
        ("unobserved>1%", "known of a checked trace only"),
        ("wasted>1", "needs a unit"),
        ("wasted>1% for", "write measure, operator, number and unit"),
        ("wasted>1% for soon", "not a duration"),
        ("wasted>1% for 0s", "longer than 0"),
        ("wasted>1% for 11s", "a box keeps less than that"),
        ("", "write measure"),
    ],
)
def test_a_wrong_condition_is_refused_in_one_line_with_the_option(text: str, says: str) -> None:
    with pytest.raises(BadArgument, match=says) as refused:
        parse_watch_condition(text, KEEP)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "slug"),
    [("lasting>0", "lasting-gt-0"), ("wasted >= 1.5% for 5s", "wasted-ge-1.5pct-for-5s"), ("lost=0", "lost-eq-0")],
)
def test_the_name_of_a_box_says_why_it_was_saved(text: str, slug: str) -> None:
    assert parse_watch_condition(text, KEEP).slug == slug


# ---- readings of samples


def test_the_sampled_bound_of_a_grade_is_the_smallest_that_the_machine_allows() -> None:
    assert BOUNDS == {"noise": 0, "in_flight": 50_000, "expected": 4 * MS, "lasting": 4 * MS, "persistent": 12 * MS}
    large = sampled_bounds(MS, [64 * MS])
    assert large["lasting"] == 64 * MS and large["persistent"] == 100 * MS
    assert sampled_bounds(4 * MS, [])["lasting"] == 4 * MS
    assert sampled_bounds(4 * MS, [256 * MS])["persistent"] == 256 * MS, "never below lasting"


def hit(number: int, age_ms: float) -> Hit:
    return Hit(number * MS, 1, 0, 7, "make", round(age_ms * MS), number)


def sampled(*statuses: tuple[int, int, dict[int, float]], total: int | None = None, hit_ms: int = 4) -> Reading:
    """The reading after statuses: time and waste [ms], and the age [ms] of each hit by its number."""
    was, reading = status(0), Reading(0)
    for at, wasted, ages in statuses:
        hits = tuple(hit(number, age) for number, age in ages.items())
        now = status(at * MS, wasted * MS, hits=hits, hits_total=max(ages, default=0) if total is None else total)
        reading = next_sampled(reading, was, now, BOUNDS, hit_ms * MS)
        was = now
    return reading


def test_one_violation_is_one_episode_of_each_grade_whose_bound_it_passes() -> None:
    found = sampled((250, 5, {1: 5}), (500, 255, {1: 255}), (750, 505, {1: 505}), (1000, 505, {1: 505}))
    assert [found.episodes[g] for g in ("expected", "lasting", "persistent")] == [1, 1, 1]
    assert found.core_ns["lasting"] == 505 * MS and found.core_ns["persistent"] == 500 * MS
    assert found.core_ns["wasted"] == found.core_ns["certain"] == 505 * MS
    assert found.online_ns == 2 * 1000 * MS


def test_each_violation_counts_once_by_its_number() -> None:
    assert sampled((250, 100, {1: 100}), (500, 250, {1: 100, 2: 50, 3: 6})).episodes["lasting"] == 3
    assert sampled((250, 100, {1: 100}), (500, 250, {1: 100, 2: 50, 3: 6})).episodes["persistent"] == 2


def test_hits_that_are_no_longer_listed_count_for_the_bounds_that_all_hits_pass() -> None:
    found = sampled((250, 100, {64: 30}), total=70)
    assert found.episodes["lasting"] == 70 and found.episodes["persistent"] == 1


def test_violations_below_the_length_of_a_hit_are_one_episode_for_a_status() -> None:
    found = sampled((250, 3, {}), (500, 6, {}), (750, 6, {}))
    assert found.episodes["in_flight"] == found.episodes["noise"] == 2
    assert found.episodes["expected"] == found.episodes["lasting"] == 0


def test_short_waste_of_a_tenth_of_a_core_recurs() -> None:
    assert sampled((250, 30, {}), (500, 60, {})).episodes["recurrent"] == 2
    assert sampled((250, 20, {})).episodes["recurrent"] == 0


def test_a_cpu_that_goes_offline_counts_only_while_it_was_online() -> None:
    first, second = status(S, 0), status(2 * S, 0)
    one_cpu = type(second)(2 * S, cpus=second.cpus[:1])
    found = next_sampled(next_sampled(Reading(0), status(0), first, BOUNDS, MS), first, one_cpu, BOUNDS, MS)
    assert found.online_ns == 3 * S


def test_exact_counters_are_taken_as_they_are() -> None:
    counters = ExactCounters(5, 10, 4, 3, 8, lost=1, episodes={"lasting": (2, 3)})
    found = exact_reading(counters)
    assert (found.time_ns, found.online_ns, found.lost) == (5, 10, 1)
    assert found.core_ns == {"wasted": 4, "certain": 3, "idle_while_waiting": 8, "lasting": 3}
    assert found.episodes == {"lasting": 2}
