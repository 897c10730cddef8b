"""Experiments: every scenario is one, the rows that are told apart, and what the documents say in words."""

from __future__ import annotations

import pytest
from wastenot import replay
from wastenot.replay.experiments import EXPERIMENTS, Measured, Row, Run, conduction, lu


def measure(run: Run) -> Measured:
    settings = replay.Settings(seed=run.seed, scheduler=run.scheduler)
    return Measured(replay.simulate(replay.parse(run.text, run.name), settings), None)


def rows(name: str) -> list[Row]:
    return list(EXPERIMENTS[name].rows(measure))


@pytest.mark.parametrize("name", ["conduction", "fibonacci", "gangs"])
def test_no_experiment_is_fitted_to_every_row(name: str) -> None:
    bases = [row.basis for row in rows(name)]
    assert bases.count("predicted") > bases.count("calibrated")


def test_bubbles_do_as_well_as_binding_by_hand_and_an_opportunist_list_does_not() -> None:
    seconds = {
        scheduler: measure(Run("c", conduction.scenario("conduction"), scheduler)).ended.end_ns
        for scheduler in ("simple", "bound", "burst")
    }
    assert seconds["burst"] < 1.03 * seconds["bound"]
    assert seconds["simple"] > 1.3 * seconds["bound"]


def test_each_gang_gets_a_third_of_the_machine() -> None:
    shares = {row.name: float(row.ours) for row in rows("gangs") if row.scheduler == "gang"}
    assert list(shares.values()) == pytest.approx([400 / 15, 400 / 18, 400 / 21], rel=0.02)


def test_gangs_let_spinning_jobs_run_as_if_alone_and_one_gang_of_two_threads_leaves_half_the_machine() -> None:
    def speedup(ways: int, scheduler: str) -> float:
        return 4 * lu.JOB_MS * 1e6 / measure(Run("lu", lu.scenario(4, ways), scheduler)).ended.end_ns

    assert speedup(4, "gang") > 1.5 * speedup(4, "simple")
    assert speedup(2, "gang") < 2 < 1.5 * 2 < speedup(2, "gang-node")
