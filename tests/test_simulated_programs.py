"""Parallel programs that experiments simulate: `balance` finds them by itself, with their iterations and efficiencies.

The programs wait on semaphores: of Metbench a master that is not a rank releases the workers, in BT-MZ neighbours do.
What is expected is what the simulator says of its own threads, not the trace.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from wastenot.analyzer import open_trace
from wastenot.analyzer.balance.measuring import balance_of
from wastenot.cli.commands.experiment import Runner
from wastenot.replay.experiments import Run
from wastenot.replay.experiments.hpc import bt_mz, metbench
from wastenot.replay.experiments.hpc.case import RANKS, pop, shares

PROGRAMS = {
    "metbench": (metbench.scenario(metbench.constant_load(), metbench.CHAPTER_3), 10),
    "metbench-3636": (metbench.scenario(metbench.constant_load(), metbench.CHAPTER_3, (3, 6, 3, 6)), 10),
    "metbench-var": (metbench.scenario(metbench.alternating_load(), metbench.CHAPTER_4), 45),
    "bt-mz": (bt_mz.scenario(bt_mz.WORKS_S, bt_mz.IN_ORDER, metbench.EQUAL), bt_mz.ITERATIONS),
}
"""The scenario of each, and how often its loop runs."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_simulated_program_is_found_with_its_iterations_and_efficiencies(name: str, tmp_path: Path) -> None:
    text, loops = PROGRAMS[name]
    outcome = Runner(tmp_path, checked=False, kept=True, force=False).measure(Run(name, text, "kernel")).outcome
    with open_trace(tmp_path / f"{name}.duckdb") as trace:
        (app,) = balance_of(trace).applications
    assert [r.rank.name for r in app.ranks] == list(RANKS)
    # The first one starts with the program, not with a release.
    assert sum(s.windows for s in app.segments if s.kind == "iterations") == loops - 1
    balance, communication, parallel = pop(shares(outcome))
    of = app.efficiency
    assert of.load_balance == pytest.approx(balance, abs=0.005)
    assert of.communication_efficiency == pytest.approx(communication, abs=0.005)
    assert of.parallel_efficiency == pytest.approx(parallel, abs=0.005)
