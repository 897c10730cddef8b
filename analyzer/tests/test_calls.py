"""Calls in which ranks wait, and the iterations that they tell, each against a slow and obvious program."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wastenot.analyzer.balance.calls import (
    KINDS,
    NEVER,
    PARALLEL,
    WORK,
    Calls,
    RankCalls,
    RegionEvents,
    iterations_by_calls,
    rank_calls,
    with_joined_parted,
    with_unseen_ends,
    without_released,
)
from wastenot.analyzer.balance.decomposition import (
    BLOCKED,
    PARTS,
    PLACE,
    PREEMPTED,
    RUNNABLE,
    RUNNING,
    SLEEPING,
    THROTTLED,
    CpuTimes,
    States,
    decompose,
)
from wastenot.analyzer.balance.periods import LEAST_PERIODS, call_stretches
from wastenot.analyzer.balance.timelines import Ints, Timeline, split

BARRIER, COLLECTIVE, WAIT = (KINDS.index(kind) for kind in ("barrier", "collective", "wait"))


def ints(values: list[int]) -> Ints:
    return np.array(values, np.int64)


def of_rank(text: str) -> RankCalls:
    """`5 +barrier 9 -barrier`: at 5 a call is entered, at 9 left; a name of its own goes behind a colon."""
    words = text.split()
    names: dict[str, int] = {}
    rows = []
    for at, what in zip(words[::2], words[1::2], strict=True):
        kind = KINDS.index(what[1:].split(":")[0])
        rows.append((int(at), kind, what[0] == "+", names.setdefault(what[1:], len(names))))
    ts, kinds, enters, numbers = zip(*rows, strict=True) if rows else ((), (), (), ())
    return rank_calls(RegionEvents(ints(list(ts)), ints(list(kinds)), np.array(enters, np.bool_), ints(list(numbers))))


def waits(rank: RankCalls, end: int = 100) -> list[tuple[int, int]]:
    """When it waits between 0 and `end`."""
    cut = ((max(a, 0), min(b, end)) for a, b in zip(rank.waiting.starts, rank.waiting.ends, strict=True))
    return [(int(a), int(b)) for a, b in cut if a < b]


def test_a_process_waits_in_its_calls_and_computes_between_them() -> None:
    assert waits(of_rank("10 +collective 20 -collective 50 +receive 55 -receive")) == [(10, 20), (50, 55)]


def test_the_thread_that_starts_regions_waits_in_them_but_not_in_their_bodies() -> None:
    # 10 to 12 starts the others, 30 to 40 waits for them; outside of the region it computes.
    assert waits(of_rank("10 +parallel 12 +work 30 -work 40 -parallel")) == [(10, 12), (30, 40)]


def test_without_bodies_a_parallel_region_is_not_taken_for_waiting() -> None:
    assert waits(of_rank("10 +parallel 20 +barrier 25 -barrier 40 -parallel")) == [(20, 25)]


def test_a_thread_that_executes_bodies_alone_waits_outside_of_them() -> None:
    assert waits(of_rank("12 +work 30 -work 60 +work 70 -work")) == [(0, 12), (30, 60), (70, 100)]


def test_a_barrier_in_a_body_is_waiting_and_a_task_in_a_barrier_is_not() -> None:
    rank = of_rank("0 +work 10 +barrier 15 +work:task 25 -work:task 30 -barrier 50 -work")
    assert waits(rank) == [(10, 15), (25, 30), (50, 100)]
    assert [KINDS[k] for k in rank.calls.kinds] == ["work", "barrier"], "which thread executes a task is chance"


def test_a_call_within_a_call_is_one_wait() -> None:
    assert waits(of_rank("10 +barrier:outer 12 +barrier:inner 18 -barrier:inner 20 -barrier:outer")) == [(10, 20)]


def test_what_was_not_left_lasts_to_the_end() -> None:
    assert waits(of_rank("10 +collective 20 -collective 50 +collective")) == [(10, 20), (50, 100)]


def test_a_lost_leave_does_not_make_a_rank_wait_for_ever() -> None:
    assert waits(of_rank("10 +barrier 40 +barrier 45 -barrier")) == [(40, 45)]


def test_a_leave_without_an_entry_is_ignored() -> None:
    assert waits(of_rank("10 -barrier 40 +barrier 45 -barrier")) == [(40, 45)]
    assert waits(of_rank("10 -parallel 20 +parallel 22 +work 30 -work 33 -parallel")) == [(20, 22), (30, 33)]


def test_a_worker_that_is_in_a_body_as_the_recording_starts_is_not_taken_to_wait_before() -> None:
    assert waits(of_rank("10 +barrier 20 -barrier 50 +work 60 -work")) == [(10, 50), (60, 100)]


def unknown(rank: RankCalls, end: int = 100) -> list[tuple[int, int]]:
    """When it is not known whether a rank waits, from 0 to `end`."""
    of = zip(rank.unknown.starts.tolist(), rank.unknown.ends.tolist(), strict=True)
    return [(max(a, 0), min(b, end)) for a, b in of if max(a, 0) < min(b, end)]


@pytest.mark.parametrize(
    ("events", "waiting", "not_known", "not_whole"),
    [
        ("5 +barrier 40 +collective 45 -collective 90 +collective 95 -collective", [(40, 45), (90, 95)], [(5, 40)], 1),
        ("10 +barrier 20 -barrier 50 -collective 70 +barrier 75 -barrier", [(10, 20), (70, 75)], [(20, 50)], 1),
        ("10 +barrier 40 +barrier 45 -barrier", [(40, 45)], [(10, 40)], 1),
        ("30 -barrier 40 +barrier 45 -barrier", [(40, 45)], [(0, 30)], 0),
        ("10 +work 20 +work 30 -work 40 +work 50 -work", [(0, 20), (30, 40), (50, 100)], [(10, 20)], 1),
        ("10 +work 20 +barrier 30 -work 40 +work 50 -work", [(0, 10), (30, 40), (50, 100)], [(20, 30)], 1),
        ("10 +barrier 20 +work 30 -work", [(10, 20), (30, 100)], [], 0),  # a task, and the recording ends inside
        ("10 +barrier 20 -barrier 40 +barrier", [(10, 20), (40, 100)], [], 0),
    ],
)
def test_what_was_not_seen_to_start_or_to_end_is_not_known_up_to_the_next_event(
    events: str, waiting: list[tuple[int, int]], not_known: list[tuple[int, int]], not_whole: int
) -> None:
    rank = of_rank(events)
    assert (waits(rank), unknown(rank), rank.not_whole) == (waiting, not_known, not_whole)


def test_a_rank_that_never_leaves_while_others_go_on_to_meet_is_not_known_to_wait() -> None:
    first, second = of_rank("20 +barrier"), of_rank("30 +barrier 40 -barrier 60 +barrier 61 -barrier")
    found = with_unseen_ends([first, second], 0, 100)
    assert (waits(found[0]), unknown(found[0]), found[0].not_whole) == ([], [(20, 100)], 1)
    assert with_unseen_ends([of_rank("60 +barrier"), second], 0, 100)[0].not_whole == 0
    assert with_unseen_ends([first, of_rank("30 +barrier 40 -barrier")], 0, 100)[0].not_whole == 0


def meeting(calls: str) -> RankCalls:
    """A rank that is in one call from 2 to 5 and from 15 to 40, of `2-5 15-40`."""
    return of_rank(" ".join(f"{a} +collective {b} -collective" for a, b in (c.split("-") for c in calls.split())))


EVEN = "1-5 10-20 30-40 50-60 80-90"
"""A rank that meets others at 5, 20, 40, 60 and 90."""


def test_two_calls_of_which_the_end_and_the_next_entry_are_missing_are_not_one_wait() -> None:
    joined = meeting("2-5 15-40 55-60 85-90")  # it left at 20 and computed up to 35, when it entered the next call
    whole, parted = with_joined_parted([meeting(EVEN), joined], ["PMPI_Barrier"])
    assert waits(parted) == [(2, 5), (15, 20), (55, 60), (85, 90)]
    assert (unknown(parted), parted.not_whole) == ([(20, 40)], 2)
    assert list(zip(parted.calls.starts.tolist(), parted.calls.ends.tolist(), strict=True)) == [
        (2, 5), (15, 20), (40, 40), (55, 60), (85, 90),
    ]  # fmt: skip
    assert waits(whole) == waits(meeting(EVEN)) and whole.not_whole == 0


def test_three_calls_in_one_are_parted_and_each_rank_may_miss_some() -> None:
    _, parted = with_joined_parted([meeting(f"{EVEN} 92-99"), meeting("2-5 15-60 85-90 95-99")], ["MPI_Allreduce"])
    assert waits(parted) == [(2, 5), (15, 20), (85, 90), (95, 99)]
    assert (unknown(parted), parted.not_whole) == ([(20, 60)], 3)
    both = [meeting("1-5 10-40 50-60 80-90"), meeting("2-5 15-20 35-40 55-90")]
    found = [(unknown(rank), rank.not_whole) for rank in with_joined_parted(both, ["PMPI_Barrier"])]
    assert found == [([(20, 40)], 2), ([(60, 90)], 2)]


@pytest.mark.parametrize(
    ("calls", "name"),
    [
        ("2-5 15-33 38-40 55-60", "PMPI_Barrier"),  # slow to leave the second one: the others are in the third already
        ("2-3 4-18 19-39 42-59 70-90", "PMPI_Barrier"),  # the others are slow to leave, and it is in the next already
        ("2-3 4-18 19-39 42-59", "PMPI_Barrier"),  # likewise, and its last call is not recorded
        ("2-5 15-40 55-60 85-90", "PMPI_Bcast"),  # calls that do not wait for all
        ("2-5 15-40 55-60 85-90", "MPI_Ibarrier"),
        ("15-40 55-90", "PMPI_Barrier"),  # the others have a communicator of their own beside the one with it
        ("2-5 15-20 33-40", "PMPI_Barrier"),  # its later calls are not recorded
        ("2-5 15-20 55-60 85-90", "PMPI_Barrier"),  # nor is one in between
    ],
)
def test_calls_that_may_be_one_are_left_whole(calls: str, name: str) -> None:
    rank = meeting(calls)
    other, found = with_joined_parted([meeting(EVEN), rank], [name])
    assert (waits(found), unknown(found), found.not_whole) == (waits(rank), [], 0)
    assert (waits(other), unknown(other), other.not_whole) == (waits(meeting(EVEN)), [], 0)


def test_a_thread_without_events_never_waits() -> None:
    assert waits(of_rank("")) == []


@st.composite
def regions(draw: st.DrawFn) -> list[tuple[int, int, bool, int]]:
    """Events of well-nested regions, some at one instant: time, kind, enter, name."""
    times = iter(sorted(draw(st.lists(st.integers(0, 60), min_size=24, max_size=24))))
    events: list[tuple[int, int, bool, int]] = []
    open_: list[tuple[int, int]] = []
    for _ in range(draw(st.integers(0, 24))):
        inside = {name for _, name in open_}
        free = [k for k in range(4) if k in (WORK, PARALLEL) or k not in inside]
        if open_:  # in a call that waits tasks alone are executed, and no region is directly inside one of its name
            free = [k for k in free if k != open_[-1][0] and (k == WORK or open_[-1][0] in (WORK, PARALLEL))]
        leaves: bool = draw(st.booleans())
        if open_ and leaves:
            kind, name = open_.pop()
            events.append((next(times), kind, False, name))
        elif free and len(open_) < 4:
            kind = draw(st.sampled_from(free))
            open_.append((kind, kind))
            events.append((next(times), kind, True, kind))
    return events


@given(regions())
def test_a_rank_waits_where_its_innermost_region_is_a_call(events: list[tuple[int, int, bool, int]]) -> None:
    columns = [[e[i] for e in events] for i in range(4)]
    found = rank_calls(
        RegionEvents(ints(columns[0]), ints(columns[1]), np.array(columns[2], np.bool_), ints(columns[3]))
    )
    depth, outermost = 0, []
    for _, kind, enters, _ in events:
        outermost += [kind] if enters and depth == 0 else []
        depth += 1 if enters else -1
    is_worker = WORK in outermost and all(kind != PARALLEL for _, kind, _, _ in events)
    stack: list[int] = []
    has_bodies = False
    for _, kind, enters, _ in events:
        has_bodies |= enters and kind == WORK and stack[-1:] == [PARALLEL]
        stack = [*stack, kind] if enters else stack[:-1]
    computing = (WORK,) if has_bodies else (WORK, PARALLEL)
    slow = []
    for instant in range(61):
        open_: list[int] = []
        for at, kind, enters, _ in events:
            if at > instant:
                break
            open_ = [*open_, kind] if enters else open_[:-1]
        before_all = not events or instant < events[0][0]
        if open_:
            slow.append(open_[-1] not in computing)
        elif before_all:
            slow.append(is_worker and bool(events) and events[0][1] == WORK)
        else:
            slow.append(is_worker)
    fast = np.diff(found.waiting.until(np.arange(62))).astype(bool).tolist()
    assert fast == slow


def test_ranks_do_not_wait_any_more_once_the_last_one_has_come() -> None:
    first = of_rank("10 +barrier 42 -barrier 60 +barrier 75 -barrier")
    second = of_rank("40 +barrier 41 -barrier 70 +barrier 71 -barrier")
    ranks = without_released([first, second])
    assert [waits(r) for r in ranks] == [[(10, 40), (60, 70)], []]


def test_calls_that_cannot_be_matched_stay_whole() -> None:
    first, second = of_rank("10 +barrier 20 -barrier"), of_rank("40 +barrier 41 -barrier 70 +barrier 71 -barrier")
    assert [waits(r) for r in without_released([first, second])] == [[(10, 20)], [(40, 41), (70, 71)]]


def test_ranks_of_which_one_was_inside_as_the_recording_began_are_matched_from_the_end() -> None:
    first = of_rank("10 +barrier 42 -barrier 60 +barrier 75 -barrier")
    second = of_rank("70 +barrier 71 -barrier")
    assert [waits(r) for r in without_released([first, second])] == [[(10, 42), (60, 70)], []]


def test_ranks_of_which_one_was_inside_as_the_recording_ended_are_matched_from_the_start() -> None:
    first, second = of_rank("10 +barrier 42 -barrier 60 +barrier"), of_rank("40 +barrier 41 -barrier")
    assert [waits(r) for r in without_released([first, second])] == [[(10, 40), (60, 100)], []]


def test_workers_are_released_as_the_region_starts_and_its_starter_as_the_last_body_ends() -> None:
    master = of_rank("10 +parallel 13 +work 30 -work 55 -parallel 70 +parallel 71 +work 80 -work 90 -parallel")
    worker = of_rank("20 +work 50 -work 72 +work 88 -work")
    ranks = without_released([master, worker])
    # From 10 on the worker could run, and from 50 on the master could go on.
    assert [waits(r) for r in ranks] == [[(30, 50), (80, 88)], [(0, 10), (50, 70), (88, 100)]]


# ---- decomposition --------------------------------------------------------------------------------------------------

PHASES = (RUNNING, RUNNABLE, PREEMPTED, SLEEPING, BLOCKED, 5, THROTTLED)
OUTSIDE = dict(zip(PHASES, ("compute", "queued", "preempted", "wait", "blocked", "other", "throttled"), strict=True))
INSIDE = OUTSIDE | dict.fromkeys((PREEMPTED, BLOCKED, THROTTLED), "wait") | {RUNNING: "spin", 5: "other"}


@st.composite
def disjoint(draw: st.DrawFn) -> list[tuple[int, int]]:
    places = sorted(draw(st.sets(st.integers(0, 60), max_size=12)))
    return [(a, b) for a, b in zip(places[::2], places[1::2], strict=False)]


@given(
    st.lists(st.tuples(st.integers(1, 9), st.sampled_from(PHASES)), min_size=1, max_size=14),
    disjoint(),
    disjoint(),
    st.sets(st.integers(0, 60), min_size=2, max_size=6).map(sorted),
)
def test_parts_with_calls_are_those_of_counting_each_nanosecond(
    lengths: list[tuple[int, int]], calls: list[tuple[int, int]], irqs: list[tuple[int, int]], bounds: list[int]
) -> None:
    ends = list(itertools.accumulate(length for length, _ in lengths))
    states = States(ints([0, *ends[:-1]]), ints(ends), ints([p for _, p in lengths]), ints([0] * len(ends)))
    timeline = Timeline.of(ints([a for a, _ in calls]), ints([b for _, b in calls]))
    interrupts = {0: Timeline.of(ints([a for a, _ in irqs]), ints([b for _, b in irqs]))} if irqs else {}
    found = decompose(states, CpuTimes(interrupts, {}), ints(bounds), timeline)
    slow = np.zeros_like(found)
    for window, (a, b) in enumerate(itertools.pairwise(bounds)):
        for t in range(a, b):
            phase = next((p for (_, p), end in zip(lengths, ends, strict=True) if t < end), None)
            inside = any(s <= t < e for s, e in calls)
            part = "other" if phase is None else (INSIDE if inside else OUTSIDE)[phase]
            if part == "compute" and any(s <= t < e for s, e in irqs):
                part = "irq"
            slow[PLACE[part], window] += 1
    assert found.tolist() == slow.tolist()
    assert (found.sum(axis=0) == np.diff(bounds)).all() and len(found) == len(PARTS)


@given(disjoint(), disjoint())
def test_split_intervals_lie_inside_or_outside_and_lose_nothing(
    intervals: list[tuple[int, int]], by: list[tuple[int, int]]
) -> None:
    timeline = Timeline.of(ints([a for a, _ in by]), ints([b for _, b in by]))
    of, inside, a, b = split(ints([s for s, _ in intervals]), ints([e for _, e in intervals]), timeline)
    found = {
        (i, t, bool(w)) for i, w, s, e in zip(of.tolist(), inside, a.tolist(), b.tolist(), strict=True)
        for t in range(s, e)
    }  # fmt: skip
    slow = {(i, t, any(x <= t < y for x, y in by)) for i, (s, e) in enumerate(intervals) for t in range(s, e)}
    assert found == slow and len(found) == int((b - a).sum())


# ---- iterations -----------------------------------------------------------------------------------------------------


def is_primitive(word: list[int]) -> bool:
    """Whether it is no repetition of a shorter word."""
    count = len(word)
    return not any(count % m == 0 and word == word[:m] * (count // m) for m in range(1, count))


words = st.lists(st.integers(0, 3), min_size=1, max_size=9).filter(is_primitive)


@given(words, st.integers(LEAST_PERIODS, 12), st.integers(0, 4), st.integers(0, 4))
def test_a_word_that_repeats_has_its_length_as_the_period(word: list[int], times: int, before: int, after: int) -> None:
    """Between calls that occur nowhere else."""
    series = [*range(10, 10 + before), *word * times, *range(20, 20 + after)]
    (found,) = call_stretches(ints(series), np.arange(len(series)))
    assert (found.first, found.period) == (before, len(word))
    assert found.last == before + len(word) * times - 1 and found.iterations == times - 1


@given(words, st.integers(LEAST_PERIODS, 9), words, st.integers(LEAST_PERIODS, 9))
def test_phases_of_other_periods_are_stretches_of_their_own(
    first: list[int], times: int, second: list[int], again: int
) -> None:
    second = [value + 10 for value in second]
    series = ints([*first * times, *second * again])
    found = call_stretches(series, np.arange(len(series)))
    assert [s.period for s in found] == [len(first), len(second)]


@given(st.lists(st.integers(0, 2), max_size=40))
def test_stretches_repeat_do_not_overlap_and_have_no_shorter_period(series: list[int]) -> None:
    found = call_stretches(ints(series), np.arange(len(series)))
    for s in found:
        inside = series[s.first : s.last + 1]
        assert len(inside) % s.period == 0 and len(inside) >= LEAST_PERIODS * s.period
        assert inside == inside[: s.period] * (len(inside) // s.period), "d(m) = 0"
        assert is_primitive(inside[: s.period]), "the smallest m counts"
    assert all(a.last < b.first for a, b in itertools.pairwise(found))
    if not found:
        for m in range(1, len(series) // LEAST_PERIODS + 1):
            for at in range(len(series) - LEAST_PERIODS * m + 1):
                part = series[at : at + LEAST_PERIODS * m]
                assert part != part[:m] * LEAST_PERIODS


def test_an_inner_loop_is_part_of_the_iteration() -> None:
    series = ints([1, 1, 1, 2] * 8)
    (found,) = call_stretches(series, np.arange(len(series)))
    assert (found.first, found.last, found.period) == (0, 31, 4)


def test_many_repetitions_of_one_phase_do_not_hide_another() -> None:
    series = ints([1] * 3000 + [2, 3] * 40)
    assert [s.period for s in call_stretches(series, np.arange(len(series)))] == [1, 2]


def series(text: str, length: int = 10) -> Calls:
    """Calls of a rank, `length` apart, that last `length` / 2: `b` a barrier, `a` and `c` collectives, `w` waits."""
    kinds = {"b": BARRIER, "a": COLLECTIVE, "c": COLLECTIVE, "w": WAIT}
    at = np.arange(len(text)) * length
    return Calls(at, at + length // 2, ints([kinds[c] for c in text]), ints(["bacw".index(c) for c in text]))


def test_iterations_end_with_the_longest_call_of_all_ranks() -> None:
    calls = series("wab" * 5)
    calls.ends[1::3] += 3
    (found,) = iterations_by_calls(calls, 0, 1000)
    assert found.period == 3 and found.bounds.tolist() == [18 + 30 * i for i in range(5)]


def test_where_numbers_of_messages_differ_the_calls_of_all_ranks_tell_iterations() -> None:
    calls = series("wabwwabwwwabwababwwwwwab")
    (found,) = iterations_by_calls(calls, 0, 1000)
    assert found.period == 2 and len(found.bounds) == 6


def test_calls_that_never_repeat_tell_no_iterations() -> None:
    assert iterations_by_calls(series("abcw"), 0, 1000) == []


@pytest.mark.parametrize("kind", ["startup", "send", "probe", "receive", "wait", "collective", "barrier"])
def test_every_kind_but_work_waits(kind: str) -> None:
    assert waits(of_rank(f"10 +{kind} 20 -{kind}")) == [(10, 20)]


def test_never_is_later_than_every_time() -> None:
    assert of_rank("5 +collective").calls.ends.tolist() == [NEVER]
