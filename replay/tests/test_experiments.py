"""Experiments: all threads exist, how many rows are calibrated, and what the documents say in words."""

from __future__ import annotations

import re
import tomllib
from collections import Counter

import pytest
from wastenot import replay
from wastenot.replay.experiments import EXPERIMENTS, Row, Run, RunResult, co_threads, conduction, lu


def measure(run: Run) -> RunResult:
    settings = replay.Settings(seed=run.seed, scheduler=run.scheduler)
    return RunResult(replay.simulate(replay.parse(run.text, run.name), settings), None)


def rows(name: str) -> list[Row]:
    return list(EXPERIMENTS[name].rows(measure))


@pytest.mark.parametrize(("name", "calibrated"), [("conduction", 2), ("fibonacci", 1), ("gangs", 0), ("lu", 1)])
def test_few_rows_are_calibrated_and_more_are_predicted(name: str, calibrated: int) -> None:
    bases = [row.basis for row in rows(name)]
    assert bases.count("calibrated") == calibrated
    assert bases.count("predicted") > calibrated


def test_one_row_of_sched_rr2_is_calibrated() -> None:
    bases = [basis for *_, basis in co_threads.PAPER]
    assert (bases.count("calibrated"), bases.count("predicted")) == (1, 4)


@pytest.mark.parametrize("scheduler", ["rr", "rr2"])
@pytest.mark.parametrize(("processes", "threads", "size"), [paper[:3] for paper in co_threads.PAPER])
def test_all_threads_of_the_processes_exist(scheduler: str, processes: int, threads: int, size: str) -> None:
    ended = measure(Run("c", co_threads.scenario(processes, threads, size), scheduler)).outcome
    assert [row["threads"] for row in ended.threads] == [threads] * processes


def test_a_run_whose_threads_never_all_existed_is_refused_in_a_line() -> None:
    launched = re.sub(r', placed = "[^"]*"', "", co_threads.scenario(11, 5, "small"))
    with pytest.raises(
        replay.WastenotError, match=r'^launched: only \d of 5 threads "process\d+" existed when'
    ) as raised:
        measure(Run("launched", launched, "rr"))
    assert "\n" not in str(raised.value)


def test_threads_start_in_turn_on_all_cpus() -> None:
    scenario = tomllib.loads(co_threads.scenario(11, 5, "small"))
    cpus = [int(cpu) for row in scenario["workload"]["threads"] for cpu in row["placed"].split(",")]
    assert sorted(Counter(cpus).values()) == [6, 7, 7, 7, 7, 7, 7, 7]


def test_bubbles_do_as_well_as_binding_by_hand_and_an_opportunist_list_does_not() -> None:
    seconds = {
        scheduler: measure(Run("c", conduction.scenario("conduction"), scheduler)).outcome.end_ns
        for scheduler in ("simple", "bound", "burst")
    }
    assert seconds["burst"] < 1.03 * seconds["bound"]
    assert seconds["simple"] > 1.3 * seconds["bound"]


def test_each_gang_gets_a_third_of_the_machine() -> None:
    shares = {row.name: float(row.ours) for row in rows("gangs") if row.scheduler == "gang"}
    assert list(shares.values()) == pytest.approx([400 / 15, 400 / 18, 400 / 21], rel=0.02)


def test_gangs_let_spinning_jobs_run_as_if_alone_and_one_gang_of_two_threads_leaves_half_the_machine() -> None:
    def speedup(ways: int, scheduler: str) -> float:
        return 4 * lu.JOB_MS * 1e6 / measure(Run("lu", lu.scenario(4, ways), scheduler)).outcome.end_ns

    assert speedup(4, "gang") > 1.5 * speedup(4, "simple")
    assert speedup(2, "gang") < 2 < 1.5 * 2 < speedup(2, "gang-node")
