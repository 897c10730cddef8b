"""The worked examples of DLRB (Boneti's thesis, UPC 2009, 5.2.2, 5.2.3 and 5.3.1), and what its placement promises."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wastenot.analyzer.balance.placement import (
    PlacementDomain,
    domains,
    is_phase_change,
    limiting,
    next_priorities,
    place,
    place_blindly,
    settled_priorities,
)


def machine(packages: int = 1, cores: int = 2, threads: int = 2) -> PlacementDomain:
    """CPUs numbered so that hardware threads of a core follow each other."""
    rows = [
        {"cpu": (p * cores + c) * threads + t, "package": p, "node": 0, "llc": p, "core": (p * cores + c) * threads}
        for p in range(packages)
        for c in range(cores)
        for t in range(threads)
    ]
    return domains(rows)


def tasks_by_cpu(cpus: list[int], count: int) -> list[list[int]]:
    return [[task for task, cpu in enumerate(cpus) if cpu == number] for number in range(count)]


def test_the_first_distribution_deals_tasks_to_cores_in_turn() -> None:
    # t1 to the first thread of the first core, t2 to the first of the second core, t3 to the second thread of the
    # first core, t4 to the second one of the second core.
    assert tasks_by_cpu(place_blindly(machine(), 4), 4) == [[0], [2], [1], [3]]


def test_the_example_of_four_tasks_puts_t1_with_t4_and_t2_with_t3() -> None:
    cpus = place(machine(), [15, 23, 50, 99])
    assert [cpu // 2 for cpu in cpus] == [0, 1, 1, 0]


def test_the_example_of_metbench_deals_the_master_first_to_the_thread_of_t5() -> None:
    assert tasks_by_cpu(place_blindly(machine(), 5), 4) == [[0, 4], [2], [1], [3]]


def test_the_example_of_metbench_then_puts_a_heavy_with_a_light_task_on_each_core() -> None:
    # From 0 on: t4 on the first thread, t3 and t0 on the second, t2 on the third, t1 on the last.
    assert tasks_by_cpu(place(machine(), [0, 25, 99, 25, 99]), 4) == [[4], [0, 3], [2], [1]]


def test_domains_leave_out_levels_that_split_nothing() -> None:
    whole = machine(2, 2, 2)
    assert [part.cpus for part in whole.parts] == [(0, 1, 2, 3), (4, 5, 6, 7)]
    assert [part.cpus for part in whole.parts[0].parts] == [(0, 1), (2, 3)]
    assert [part.cpus for part in machine(1, 4, 1).parts] == [(0,), (1,), (2,), (3,)]


@given(st.lists(st.integers(0, 100), min_size=1, max_size=9), st.integers(1, 2), st.integers(1, 2), st.integers(1, 2))
def test_parts_get_as_many_tasks_alike_as_possible(loads: list[int], packages: int, cores: int, threads: int) -> None:
    whole = machine(packages, cores, threads)
    cpus = place(whole, loads)

    def check(domain: PlacementDomain) -> None:
        counts = [sum(cpu in part.cpus for cpu in cpus) for part in domain.parts]
        assert not counts or max(counts) - min(counts) <= 1
        for part in domain.parts:
            check(part)

    check(whole)
    assert set(cpus) <= set(whole.cpus)


@given(st.lists(st.integers(0, 100), min_size=2, max_size=8))
def test_no_exchange_of_two_tasks_makes_two_cores_more_even(loads: list[int]) -> None:
    cpus = place(machine(), loads)
    sides = [[t for t, cpu in enumerate(cpus) if cpu // 2 == core] for core in (0, 1)]
    uneven = abs(sum(loads[t] for t in sides[0]) - sum(loads[t] for t in sides[1]))
    for a, b in itertools.product(*sides):
        moved = loads[a] - loads[b]
        after = abs(sum(loads[t] for t in sides[0]) - sum(loads[t] for t in sides[1]) - 2 * moved)
        assert after >= uneven


def test_tasks_above_95_per_cent_limit_a_program_and_their_change_is_a_new_phase() -> None:
    assert limiting([95, 96, 20, 99]) == {1, 3}
    assert not is_phase_change([15, 23, 50, 99], [60, 10, 95, 97])
    assert is_phase_change([99, 25, 99, 25], [25, 99, 25, 99])


@pytest.mark.parametrize(
    ("utilizations", "before", "after"),
    [
        ((25, 99), (4, 4), (4, 6)),  # more than 40 points: two steps
        ((70, 99), (4, 4), (4, 5)),  # more than 20: one
        ((80, 99), (4, 5), (4, 5)),  # 20 or less: as they are
        ((99, 25), (4, 6), (6, 6)),
        ((25, 99), (6, 6), (4, 6)),  # at the highest: the other one is lowered
        ((25, 99), (5, 5), (4, 6)),  # one of two steps is left to the other one
        ((25, 99), (4, 6), (4, 6)),  # nothing is left to shift
    ],
)
def test_priorities_of_a_core_are_shifted_as_described(
    utilizations: tuple[float, float], before: tuple[int, int], after: tuple[int, int]
) -> None:
    assert next_priorities(utilizations, before) == after


def test_a_core_of_a_heavy_and_a_light_task_ends_up_two_steps_apart() -> None:
    assert settled_priorities((99.0, 25.0)) == (6, 4)
