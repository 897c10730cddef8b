"""The arithmetic of balance, each against a slow and obvious program."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from wastenot.analyzer.balance.decomposition import (
    BLOCKED,
    EXTRINSIC,
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
from wastenot.analyzer.balance.metrics import WindowFigures, efficiency, utilization
from wastenot.analyzer.balance.periods import MOST_MEETINGS, Stretch, meetings_of_iteration, stretches
from wastenot.analyzer.balance.releases import bursts, under_way
from wastenot.analyzer.balance.sources import CpuSlices, TakenTime, take
from wastenot.analyzer.balance.timelines import Ints, Timeline, cut_at

PHASES = {
    RUNNING: "compute", RUNNABLE: "queued", PREEMPTED: "preempted", SLEEPING: "wait", BLOCKED: "blocked", 5: "other",
    THROTTLED: "throttled", 8: "other",
}  # fmt: skip


def ints(values: list[int]) -> Ints:
    return np.array(values, np.int64)


@st.composite
def disjoint(draw: st.DrawFn, longest: int = 60) -> list[tuple[int, int]]:
    """Intervals in order that do not overlap."""
    places = sorted(draw(st.sets(st.integers(0, longest), max_size=16)))
    return [(a, b) for a, b in zip(places[::2], places[1::2], strict=False)]


bounds_of = st.sets(st.integers(0, 60), min_size=2, max_size=7).map(sorted)


def covers(intervals: list[tuple[int, int]], instant: int) -> bool:
    return any(a <= instant < b for a, b in intervals)


@given(disjoint(), bounds_of)
def test_time_in_windows_is_that_of_counting_each_nanosecond(
    intervals: list[tuple[int, int]], bounds: list[int]
) -> None:
    timeline = Timeline.of(ints([a for a, _ in intervals]), ints([b for _, b in intervals]))
    slow = [sum(covers(intervals, t) for t in range(a, b)) for a, b in itertools.pairwise(bounds)]
    assert timeline.in_windows(ints(bounds)).tolist() == slow


@given(disjoint(), bounds_of)
def test_pieces_lie_in_one_window_each_and_lose_nothing(intervals: list[tuple[int, int]], bounds: list[int]) -> None:
    of, window, a, b = cut_at(ints([s for s, _ in intervals]), ints([e for _, e in intervals]), ints(bounds))
    found = {
        (i, w, t)
        for i, w, s, e in zip(of.tolist(), window.tolist(), a.tolist(), b.tolist(), strict=True)
        for t in range(s, e)
    }
    slow = {
        (i, w, t)
        for i, (s, e) in enumerate(intervals)
        for t in range(s, e)
        for w in range(len(bounds) - 1)
        if bounds[w] <= t < bounds[w + 1]
    }
    assert found == slow
    assert len(found) == int((b - a).sum())


states_of = st.tuples(
    disjoint(),
    st.lists(st.sampled_from(list(PHASES)), min_size=8, max_size=8),
    st.lists(st.integers(0, 1), min_size=8, max_size=8),
)


@settings(max_examples=200)
@given(states_of, disjoint(), disjoint(), disjoint(), bounds_of)
def test_the_parts_of_a_rank_are_those_of_counting_each_nanosecond(
    drawn: tuple[list[tuple[int, int]], list[int], list[int]],
    on_0: list[tuple[int, int]],
    on_1: list[tuple[int, int]],
    gaps_0: list[tuple[int, int]],
    bounds: list[int],
) -> None:
    intervals, phases, cpus = drawn
    interrupts = {
        cpu: Timeline.of(ints([a for a, _ in of]), ints([b for _, b in of])) for cpu, of in ((0, on_0), (1, on_1))
    }
    gaps = Timeline.of(ints([a for a, _ in gaps_0]), ints([b for _, b in gaps_0]))
    count = len(intervals)
    states = States(
        ints([a for a, _ in intervals]), ints([b for _, b in intervals]), ints(phases[:count]), ints(cpus[:count])
    )
    slow = np.zeros((len(PARTS), len(bounds) - 1), np.int64)
    for window, (start, end) in enumerate(itertools.pairwise(bounds)):
        for t in range(start, end):
            at = next((i for i, (a, b) in enumerate(intervals) if a <= t < b), None)
            part = "other" if at is None else PHASES[phases[at]]
            if at is not None and part == "compute" and covers((on_0, on_1)[cpus[at]], t):
                part = "irq"
            if at is not None and part in ("queued", "preempted") and cpus[at] == 0 and covers(gaps_0, t):
                part = "other"
            slow[PLACE[part], window] += 1
    found = decompose(states, CpuTimes(interrupts, {0: gaps}), ints(bounds))
    assert found.tolist() == slow.tolist()
    assert found.sum(axis=0).tolist() == np.diff(bounds).tolist()


parts_of = st.lists(
    st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3), min_size=len(PARTS), max_size=len(PARTS)),
    min_size=2, max_size=5,
)  # fmt: skip


@given(parts_of)
def test_intrinsic_and_extrinsic_imbalance_add_up_to_what_was_lost(ranks: list[list[list[int]]]) -> None:
    figures = WindowFigures(3)
    for parts in ranks:
        figures.add(ints(parts))  # type: ignore[arg-type]
    for window in range(3):
        c = [parts[PLACE["compute"]][window] for parts in ranks]
        a = [c[i] + sum(parts[PLACE[p]][window] for p in EXTRINSIC) for i, parts in enumerate(ranks)]
        n = len(ranks)
        assert figures.intrinsic_n[window] == n * max(c) - sum(c)
        assert figures.lost_n[window] == n * max(a) - sum(a)
        assert figures.intrinsic_n[window] + figures.extrinsic_n[window] == figures.lost_n[window]
        last = a.index(max(a))
        assert figures.critical[window] == last
        shares = [
            n * ranks[last][PLACE[p]][window] - sum(parts[PLACE[p]][window] for parts in ranks) for p in EXTRINSIC
        ]
        assert sum(shares) + figures.moved_n[window] == figures.extrinsic_n[window]


def test_noise_on_a_light_rank_is_reported_as_less_than_nothing() -> None:
    figures = WindowFigures(1)
    for compute, preempted in ((10, 0), (4, 6)):
        parts = np.zeros((len(PARTS), 1), np.int64)
        parts[PLACE["compute"]], parts[PLACE["preempted"]] = compute, preempted
        figures.add(parts)
    assert (figures.intrinsic_n[0], figures.lost_n[0], figures.extrinsic_n[0]) == (6, 0, -6)


@settings(max_examples=200)
@given(
    disjoint(), disjoint(), disjoint(), disjoint(), bounds_of, st.lists(st.integers(0, 1), min_size=8, max_size=8),
    st.lists(st.integers(0, 1), min_size=6, max_size=6), st.lists(st.booleans(), min_size=6, max_size=6),
)  # fmt: skip
def test_what_ran_meanwhile_is_that_of_counting_each_nanosecond(
    waits_0: list[tuple[int, int]],
    waits_1: list[tuple[int, int]],
    slices: list[tuple[int, int]],
    beside_1: list[tuple[int, int]],
    bounds: list[int],
    who: list[int],
    critical: list[int],
    iterations: list[bool],
) -> None:
    utids = [7 + w for w in who[: len(slices)]]
    waits = [(0, a, b) for a, b in waits_0] + [(1, a, b) for a, b in waits_1]
    taken = TakenTime()
    take(
        taken,
        (ints([r for r, _, _ in waits]), ints([a for _, a, _ in waits]), ints([b for _, _, b in waits])),
        CpuSlices(ints([a for a, _ in slices]), ints([b for _, b in slices]), ints(utids)),
        {1: Timeline.of(ints([a for a, _ in beside_1]), ints([b for _, b in beside_1]))},
        ints(bounds),
        ints(critical[: len(bounds) - 1]),
        np.ones(len(bounds) - 1, np.bool_),
        np.array(iterations[: len(bounds) - 1], np.bool_),
    )
    everything: dict[int, int] = {}
    last: dict[int, int] = {}
    beside: dict[int, int] = {}
    inside: dict[int, int] = {}
    last_inside: dict[int, int] = {}
    for window, (start, end) in enumerate(itertools.pairwise(bounds)):
        for t in range(start, end):
            for rank, waited in enumerate((waits_0, waits_1)):
                ran = next((utids[i] for i, (a, b) in enumerate(slices) if a <= t < b), None)
                if ran is None or not covers(waited, t):
                    continue
                everything[ran] = everything.get(ran, 0) + 1
                inside[ran] = inside.get(ran, 0) + iterations[window]
                if critical[window] == rank:
                    last_inside[ran] = last_inside.get(ran, 0) + iterations[window]
                    last[ran] = last.get(ran, 0) + 1
                    beside[ran] = beside.get(ran, 0) + (rank == 1 and covers(beside_1, t))
    assert {u: n for u, n in taken.everything.items() if n} == everything
    assert {u: n for u, n in taken.critical.items() if n} == last
    assert {u: n for u, n in taken.avoidable.items() if n} == {u: n for u, n in beside.items() if n}
    for found, slow in ((taken.everything_in_iterations, inside), (taken.critical_in_iterations, last_inside)):
        assert {u: n for u, n in found.items() if n} == {u: n for u, n in slow.items() if n}


@given(st.lists(st.tuples(st.integers(0, 5_000_000), st.integers(0, 3), st.integers(-1, 3)), max_size=30))
def test_bursts_are_those_of_going_through_the_wakeups_one_by_one(wakes: list[tuple[int, int, int]]) -> None:
    wakes.sort()
    groups: list[list[tuple[int, int, int]]] = []
    for wake in wakes:
        if groups and wake[0] <= groups[-1][0][0] + 1_000_000 and wake[1] not in [w[1] for w in groups[-1]]:
            groups[-1].append(wake)
        else:
            groups.append([wake])
    ts_ns, ranks, wakers = (ints([w[i] for w in wakes]) for i in range(3))
    found = bursts(ts_ns, ranks, wakers, 4)
    assert found.starts.tolist() == [g[0][0] for g in groups]
    assert found.ends.tolist() == [g[-1][0] for g in groups]
    slow = [len({w[1] for w in g} | {w[2] for w in g if w[2] >= 0}) for g in groups]
    assert found.taking_part.tolist() == slow


def test_ranks_that_are_woken_one_by_one_are_not_woken_together() -> None:
    ts_ns = ints([t * 10_000_000 + r for t in range(10) for r in (1, 2, 3)])
    together = bursts(ts_ns, ints([1, 2, 3] * 10), ints([0] * 30), 4)
    assert together.is_collective(4, 30) and not together.is_collective(4, 40)
    one_by_one = bursts(ints([t * 10_000_000 for t in range(30)]), ints([1, 2, 3] * 10), ints([0] * 30), 4)
    assert not one_by_one.is_collective(4, 30)


def test_intervals_under_way_are_counted_at_an_instant() -> None:
    assert under_way(ints([0, 5, 7]), ints([5, 9, 8]), ints([0, 5, 7, 8, 9])).tolist() == [1, 1, 2, 1, 0]


def test_three_equal_lengths_are_iterations_and_two_are_not() -> None:
    assert stretches(ints([0, 10, 20, 30])) == [Stretch(0, 3, 1)]
    assert stretches(ints([0, 10, 20])) == []


def test_a_pattern_of_several_releases_is_one_iteration() -> None:
    at = np.cumsum([0, *([10, 30, 70] * 6)])
    assert stretches(at) == [Stretch(0, 18, 3)]
    assert stretches(at)[0].iterations == 6


def test_one_length_that_differs_does_not_end_the_iterations() -> None:
    lengths = [10] * 12
    lengths[6] = 50
    assert stretches(np.cumsum([0, *lengths])) == [Stretch(0, 12, 1)]


def test_phases_of_other_periods_are_stretches_of_their_own() -> None:
    found = stretches(np.cumsum([0, *([10] * 20), 3, 97, 1, *([40] * 20)]))
    assert [(s.first, s.last, s.period) for s in found] == [(0, 20, 1), (23, 43, 1)]


def test_lengths_without_a_pattern_have_few_iterations() -> None:
    rng = np.random.default_rng(7)
    at = np.cumsum(rng.exponential(1_000_000, 5_000).astype(np.int64))
    covered = sum(at[s.last] - at[s.first] for s in stretches(at))
    assert covered < 0.3 * (at[-1] - at[0])


def test_the_efficiencies_multiply() -> None:
    e = efficiency(ints([10, 40, 10, 40]), 50)
    assert (e.load_balance, e.communication_efficiency, e.parallel_efficiency) == (0.625, 0.8, 0.5)
    assert e.imbalance is not None and round(e.imbalance, 9) == 0.6
    nothing = efficiency(ints([0, 0]), 50)
    assert (nothing.load_balance, nothing.imbalance, nothing.parallel_efficiency) == (None, None, 0.0)


def test_utilization_is_of_the_time_in_which_the_state_is_known() -> None:
    parts = np.zeros(len(PARTS), np.int64)
    parts[PLACE["compute"]], parts[PLACE["queued"]], parts[PLACE["wait"]], parts[PLACE["other"]] = 30, 10, 40, 20
    assert utilization(parts) == 0.5
    parts[:] = 0
    parts[PLACE["other"]] = 100
    assert utilization(parts) is None


def shortest_period(pattern: list[int]) -> int:
    """After how many parts a repeated pattern returns for the first time."""
    return next(by for by in range(1, len(pattern) + 1) if pattern[by:] + pattern[:by] == pattern)


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=MOST_MEETINGS), st.integers(4, 8), st.integers(7, 40), st.data()
)
def test_meetings_are_of_one_iteration_where_the_work_of_ranks_returns(
    pattern: list[int], ranks: int, iterations: int, data: st.DataObject
) -> None:
    """Whatever parts an iteration has: A, B; A, B, A, C; A, A, A, B ... And it may begin and end anywhere."""
    random = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    # A part is mostly the work of other ranks than the others are.
    parts = 100.0 + 900.0 * (np.arange(ranks)[:, None] % 4 == np.arange(4))
    rest = data.draw(st.integers(0, len(pattern) - 1))
    windows = parts[:, (pattern * iterations + pattern[:rest])]
    noise = 1 + 0.01 * random.standard_normal(windows.shape)
    assert meetings_of_iteration(windows * noise) == shortest_period(pattern)


def test_work_that_differs_from_window_to_window_without_a_pattern_returns_nowhere() -> None:
    random = np.random.default_rng(1)
    for windows, ranks in itertools.product((7, 12, 40, 400), (2, 4, 16)):
        found = {meetings_of_iteration(random.exponential(1.0, (ranks, windows))) for _ in range(200)}
        assert found == {1}, (windows, ranks)


def test_few_windows_and_none_of_computing_are_iterations_of_one_meeting() -> None:
    assert meetings_of_iteration(np.zeros((4, 100))) == 1
    assert meetings_of_iteration(np.tile([[1.0, 9.0]], 3)) == 1
    assert meetings_of_iteration(np.tile([[1.0, 9.0]], 4)) == 2
    assert meetings_of_iteration(np.linspace(1, 9, 100)[None]) == 1
