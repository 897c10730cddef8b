"""Experiments on imbalance: POP efficiencies of traces with given shares, the fluid model, and what is calibrated."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest
from wastenot import replay
from wastenot.replay.experiments import EXPERIMENTS, Row, Run, RunResult, soft_realtime
from wastenot.replay.experiments.hpc import bt_mz, messages, metbench, siesta
from wastenot.replay.experiments.hpc.case import FITTED, RANKS, Case, Speeds, pop, shares


@cache
def measure(run: Run) -> RunResult:
    settings = replay.Settings(seed=run.seed, scheduler=run.scheduler)
    return RunResult(replay.simulate(replay.parse(run.text, run.name), settings), None)


def seconds(text: str, scheduler: str = "kernel") -> float:
    return measure(Run("run", text, scheduler)).outcome.end_ns / 1e9


POP_OF_THE_TABLES = {
    "3.1 A": (metbench.TABLE_3_1["A"][1], (0.619, 1.000, 0.619)),
    "3.1 C": (metbench.TABLE_3_1["C"][1], (0.993, 0.990, 0.982)),
    "3.2 A": (bt_mz.TABLE_3_2[0][2], (0.533, 0.997, 0.532)),
    "3.2 D": (bt_mz.TABLE_3_2[3][2], (0.809, 0.997, 0.806)),
    "3.3 A": (siesta.TABLE_3_3[0][3], (0.874, 0.935, 0.817)),
    "3.3 C": (siesta.TABLE_3_3[2][3], (0.970, 0.830, 0.806)),
    "4.4 baseline": (siesta.TABLE_4_4["baseline"], (0.506, 0.989, 0.500)),
    "4.2 baseline": (metbench.TABLE_4_2["baseline"], (0.834, 0.751, 0.627)),
}


def with_shares(percents: Sequence[float]) -> str:
    """Processes on a CPU each that compute these shares of iterations of 100 ms, and wait for each other's messages."""
    partners = {rank: tuple(other for other in RANKS if other != rank) for rank in RANKS}
    latency_us = round(1000 * (100 - max(percents)))
    programs = "\n".join(
        f'programs.{rank} = [{{ repeat = {{ times = 50, body = [{{ run = "{round(1000 * percent)}us" }}, '
        f"{messages.exchange(rank, partners[rank])}] }} }}]"
        for rank, percent in zip(RANKS, percents, strict=True)
    )
    net_programs, net_threads = messages.networks(RANKS, dict(partners), latency_us)
    threads = "\n".join(f'{{ program = "{rank}", placed = "{i}", cpus = "{i}" }},' for i, rank in enumerate(RANKS))
    return f"""about = "Processes that compute given shares of the time."
machine = "1n4"
[workload]
limit = "60s"
{messages.objects(RANKS)}
{programs}
{net_programs}
threads = [
{threads}
{net_threads}
]
"""


@pytest.mark.parametrize("name", POP_OF_THE_TABLES)
def test_a_trace_with_the_shares_of_a_table_has_its_pop_efficiencies(name: str) -> None:
    case, expected = POP_OF_THE_TABLES[name]
    outcome = measure(Run(name.replace(" ", "-"), with_shares(case.shares), "kernel")).outcome
    assert pop(shares(outcome)) == pytest.approx(expected, abs=0.005)


FLUID = {
    "4.1 baseline": (metbench.scenario(metbench.constant_load(), metbench.CHAPTER_4), "kernel", 81.76),
    "4.1 static": (
        metbench.scenario(metbench.constant_load(), metbench.CHAPTER_4, metbench.STATIC), "kernel", 70.68,
    ),
    "4.1 Uniform": (
        metbench.scenario(metbench.constant_load(), metbench.CHAPTER_4, policy="hpc", bound=False),
        "hpc-uniform", 72.31,
    ),
    "4.1 Adaptive": (
        metbench.scenario(metbench.constant_load(), metbench.CHAPTER_4, policy="hpc", bound=False),
        "hpc-adaptive", 72.31,
    ),
    "4.2 baseline": (metbench.scenario(metbench.alternating_load(), metbench.CHAPTER_4), "kernel", 367.91),
    "4.2 static": (
        metbench.scenario(metbench.alternating_load(), metbench.CHAPTER_4, metbench.STATIC), "kernel", 337.88,
    ),
    "4.2 Uniform": (
        metbench.scenario(metbench.alternating_load(), metbench.CHAPTER_4, policy="hpc", bound=False),
        "hpc-uniform", 353.67,
    ),
    "4.2 Adaptive": (
        metbench.scenario(metbench.alternating_load(), metbench.CHAPTER_4, policy="hpc", bound=False),
        "hpc-adaptive", 324.55,
    ),
    "3.1 A": (metbench.scenario(metbench.constant_load(), metbench.CHAPTER_3), "kernel", 81.76),
    "3.1 B": (metbench.scenario(metbench.constant_load(), metbench.CHAPTER_3, (5, 6, 5, 6)), "kernel", 77.61),
    "3.1 C": (metbench.scenario(metbench.constant_load(), metbench.CHAPTER_3, metbench.STATIC), "kernel", 73.87),
}  # fmt: skip
"""Scenario, scheduler, and the seconds that a fluid model has: works over speeds, no costs."""


@pytest.mark.parametrize("name", FLUID)
def test_a_run_takes_as_long_as_in_the_fluid_model(name: str) -> None:
    text, scheduler, expected = FLUID[name]
    assert seconds(text, scheduler) == pytest.approx(expected, rel=0.01)


def test_the_heuristics_beat_equal_priorities_on_a_load_that_changes_and_long_history_loses_most_of_it() -> None:
    text = metbench.scenario(metbench.alternating_load(), metbench.CHAPTER_4, policy="hpc", bound=False)
    baseline = seconds(metbench.scenario(metbench.alternating_load(), metbench.CHAPTER_4))
    since_start, since_stable = seconds(text, "hpc-uniform"), seconds(text, "hpc-uniform-stable")
    assert since_stable < since_start < baseline
    assert since_stable == pytest.approx(327.17, rel=0.02)


def test_equal_speed_of_lu_is_that_of_metbench() -> None:
    of_lu = 0.26 / 0.42
    assert of_lu == pytest.approx(metbench.CHAPTER_3.by_difference[0] / 1000, abs=0.002)


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name.startswith("hpc-")])
def test_every_row_is_compared_and_marked(name: str) -> None:
    rows: list[Row] = list(EXPERIMENTS[name].rows(measure))
    assert rows and EXPERIMENTS[name].constants
    for row in rows:
        assert row.run is not None and row.basis in ("calibrated", "predicted", "no figure", "variation")
        assert "(" in row.ours or row.paper == "-"


def test_a_table_of_speeds_is_written_as_a_workload_has_it() -> None:
    assert Speeds({0: 618, -1: 312}).toml() == '{ speeds = { "0" = 618, "-1" = 312 } }'


def test_pop_is_load_balance_times_communication_efficiency() -> None:
    balance, communication, parallel = pop(Case(1.0, (25.0, 50.0, 75.0, 50.0)).shares)
    assert (balance, communication, parallel) == pytest.approx((50 / 75, 0.75, 0.50))


def test_soft_realtime_has_1350_sets_and_refuses_settings_it_does_not_know() -> None:
    found = soft_realtime.outcome(seed=1)
    assert found["sets"] == 1350 and len(found["successes"]) == 8
    assert sum(found["much_utilisation"]) / 3 == pytest.approx(0.113, abs=0.01)
    with pytest.raises(replay.WastenotError, match="soft real time"):
        soft_realtime.outcome(sets=0)
    with pytest.raises(replay.WastenotError, match="unknown field"):
        soft_realtime.outcome(nonsense=1)


@pytest.mark.parametrize("name", ["hpc-metbench-static", "hpc-bt-mz-static", "hpc-siesta-static", "hpc-siesta"])
def test_a_row_fitted_to_itself_has_the_efficiencies_of_the_table(name: str) -> None:
    fitted = [row for row in EXPERIMENTS[name].rows(measure) if FITTED in row.name and "LB, CommE, PE" in row.name]
    assert len(fitted) == 1 and fitted[0].basis == "calibrated"
    ours = [float(number) for number in fitted[0].ours.split()[:3]]
    assert ours == pytest.approx([float(number) for number in fitted[0].paper.split()], abs=0.005)
