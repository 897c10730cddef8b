"""Advice for parallel programs: predictions beside simulations of what was advised, and drawn programs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb
import pytest
from drawing import build_drawn
from programs import Program, iterations
from rich.console import Console
from wastenot import replay
from wastenot.analyzer import CheckOptions, open_trace
from wastenot.analyzer.balance.advice import Advice, advise
from wastenot.analyzer.balance.application import Application, Balance
from wastenot.analyzer.balance.measuring import Selection, balance_of
from wastenot.analyzer.render.advice import advice_json, advice_text
from wastenot.analyzer.store.building import make
from wastenot.analyzer.store.writing import BatchWriter

CHECK = CheckOptions(tables="all")
RANKS, CPUS, STEPS = 6, 4, 25


def simulate(target: Path, loads: Sequence[int], cpus: dict[int, int] | None = None) -> None:
    """A trace of ranks `rank-N` that compute so long (µs), meet at a barrier and start anew; bound to CPUs or free."""
    lines = ['about = "ranks at a barrier"', f'machine = "1n{CPUS}"', "[workload]", 'limit = "10s"']
    lines.append(f"objects.step = {{ barrier = {{ parties = {len(loads)} }} }}")
    for rank, load in enumerate(loads):
        body = f'{{ run = "{load}us" }}, {{ barrier = "step" }}'
        lines.append(f"programs.rank-{rank} = [{{ repeat = {{ times = {STEPS}, body = [{body}] }} }}]")
    where = [f', cpus = "{cpus[rank]}"' if cpus is not None else "" for rank in range(len(loads))]
    threads = ", ".join(f'{{ program = "rank-{rank}"{of} }}' for rank, of in enumerate(where))
    scenario = replay.parse("\n".join([*lines, f"threads = [{threads}]"]), "ranks")

    def fill(con: duckdb.DuckDBPyConnection) -> None:
        with BatchWriter(con) as writer:
            replay.simulate(scenario, replay.Settings(seed=1), writer.emit)

    make(target, fill, CHECK)


def measured(target: Path, app: str) -> tuple[Balance, Advice]:
    with open_trace(target) as trace:
        balance = balance_of(trace, Selection(app=app))
        return balance, advise(trace, balance)[0]


def iteration_ns(application: Application) -> float:
    segment = max(application.segments, key=lambda s: (s.kind == "iterations", s.end_ns - s.start_ns))
    assert segment.kind == "iterations"
    return (segment.end_ns - segment.start_ns) / (segment.end - segment.first)


@pytest.mark.parametrize("seed", range(20))
def test_the_predicted_iteration_is_that_of_a_simulation_within_5_per_cent(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    loads = [rng.randint(500, 9_000) for _ in range(RANKS)]
    simulate(tmp_path / "free.duckdb", loads)
    _, advice = measured(tmp_path / "free.duckdb", "rank-*")
    placement = advice.placement
    assert placement is not None and placement.low_ns == placement.high_ns
    numbers = [int(r.rank.name.removeprefix("rank-")) for r in advice.application.ranks]
    simulate(tmp_path / "placed.duckdb", loads, dict(zip(numbers, placement.cpus, strict=True)))
    balance, _ = measured(tmp_path / "placed.duckdb", "rank-*")
    placed_ns = iteration_ns(balance.applications[0])
    assert placement.low_ns == pytest.approx(placed_ns, rel=0.05)
    # Advice promises a gain only where the placement ends sooner than the scheduler's.
    if any(r.kind == "placement" for r in advice.recommendations):
        assert placed_ns < iteration_ns(advice.application)


@pytest.fixture
def advised(tmp_path: Path) -> Callable[[str], tuple[Balance, Advice]]:
    """The advice for the threads called `app` of a drawing."""

    def of(drawing: str) -> tuple[Balance, Advice]:
        path = tmp_path / "T.duckdb"
        path.unlink(missing_ok=True)
        build_drawn(drawing, path, CHECK)
        return measured(path, "app")

    return of


Advised = Callable[[str], tuple[Balance, Advice]]


def printed(found: tuple[Balance, Advice]) -> str:
    console = Console(width=160, color_system=None)
    with console.capture() as captured:
        console.print(advice_text(found[0], [found[1]]))
    return captured.get()


def test_ranks_with_a_cpu_each_are_not_moved_and_the_program_is_to_mend_it(advised: Advised) -> None:
    found = advised(iterations([10_000, 40_000, 10_000, 40_010], 12))
    assert [r.kind for r in found[1].recommendations] == ["work"]
    saves = found[1].recommendations[0].saves
    assert saves is not None and saves[0] == 0 and saves[1] == pytest.approx(0.375, abs=0.005)
    assert "No placement of its ranks makes it end sooner" in printed(found)


def test_a_daemon_is_moved_to_a_cpu_without_a_rank(advised: Advised) -> None:
    program, at = Program(2, cpus=3), 0
    for number in range(10):
        at = program.iteration(at, [20_000, 20_000], {1: 5_000} if number % 2 else {})
    found = advised(program.drawing(at, daemons=[1]))
    (move,) = found[1].recommendations
    assert (move.kind, move.commands) == ("thread", ("taskset -pc 2 901",))
    assert move.saves is not None and move.saves[0] == 0 and move.saves[1] == pytest.approx(0.0555, abs=0.003)
    assert "daemon-1 (tid 901)" in printed(found)


def test_a_daemon_is_not_moved_to_a_cpu_that_a_rank_fills(advised: Advised) -> None:
    program, at = Program(2), 0
    for number in range(10):
        at = program.iteration(at, [20_000, 20_000], {1: 5_000} if number % 2 else {})
    (later,) = advised(program.drawing(at, daemons=[1]))[1].recommendations
    assert later.commands == ("renice -n 19 -p 901", "chrt --idle -p 0 901")


def test_placement_does_not_promise_that_noise_goes_away(advised: Advised) -> None:
    program, at = Program(3), 0
    for _ in range(10):
        at = program.iteration(at, [20_000] * 3, {1: 5_000})
    placement = advised(program.drawing(at, daemons=[1]))[1].placement
    assert placement is not None and placement.low_ns == pytest.approx(placement.now_ns, rel=0.01)


def test_hardware_threads_make_the_prediction_a_range(advised: Advised) -> None:
    drawing = iterations([10_000, 40_000, 10_000, 40_010], 12).replace("cpus 0-3", "cpus 0-3\ncore 0,1 2,3")
    placement = advised(drawing)[1].placement
    assert placement is not None
    assert placement.low_ns == pytest.approx(40_020_000, rel=0.001)
    assert placement.high_ns == pytest.approx(50_020_000, rel=0.001)
    assert sorted(cpu // 2 for cpu in placement.cpus[1::2]) == [0, 1], "a heavy rank on each core"


def test_nothing_is_advised_where_the_balance_is_not_visible(advised: Advised) -> None:
    found = advised(iterations([9_990, 9_990, 9_991], 12))
    assert (found[1].placement, found[1].recommendations) == (None, ())
    assert "not visible, no advice" in printed(found)
    assert advice_json([found[1]])["applications"][0]["recommendations"] == []


def test_other_ranks_that_limit_a_later_phase_are_said(advised: Advised) -> None:
    program, at = Program(2), 0
    for computes in [[8_000, 2_000]] * 8 + [[3_000, 14_000]] * 8:
        at = program.iteration(at, computes)
    found = advised(program.drawing(at))
    assert found[1].moves and "Other ranks limit it in other iterations" in printed(found)
