"""Parallel programs that experiments simulate: `balance` finds them by itself, with their iterations and efficiencies.

The programs wait on semaphores: of Metbench a master that is not a rank releases the workers, in BT-MZ neighbours do.
What is expected is what the simulator says of its own threads, not the trace.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from wastenot.analyzer import open_trace
from wastenot.analyzer.balance.measuring import Selection, balance_of
from wastenot.analyzer.render.balance import time_words
from wastenot.cli.commands.experiment import Runner
from wastenot.replay.experiments import EXPERIMENTS, Run
from wastenot.replay.experiments.hpc import bt_mz, metbench, siesta
from wastenot.replay.experiments.hpc.case import FITTED, KEPT, RANKS, pop, shares

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


ROWS = (
    ("hpc-metbench-static", f"A, {KEPT}"),
    ("hpc-metbench-static", f"C, {FITTED}"),
    ("hpc-bt-mz-static", "A 4444"),
    ("hpc-bt-mz-static", f"D, {FITTED}"),
    ("hpc-siesta-static", "A 4444"),
    ("hpc-siesta-static", f"C, {FITTED}"),
    ("hpc-metbench-var", "baseline"),
)
"""Rows that have the efficiencies of their table. Of 4.4 see below."""


@pytest.mark.parametrize(("experiment", "name"), ROWS)
def test_balance_gives_the_efficiencies_of_the_tables(experiment: str, name: str, tmp_path: Path) -> None:
    simulated = Runner(tmp_path, checked=False, kept=False, force=False).measure
    row = next(row for row in EXPERIMENTS[experiment].rows(simulated) if row.name == f"{name}: LB, CommE, PE")
    assert row.run is not None
    Runner(tmp_path, checked=False, kept=True, force=False).measure(row.run)
    with open_trace(tmp_path / f"{row.run.name}.duckdb") as trace:
        (app,) = balance_of(trace, Selection("P?", None, None)).applications
    of = app.efficiency
    found = (of.load_balance, of.communication_efficiency, of.parallel_efficiency)
    assert found == pytest.approx([float(number) for number in row.paper.split()], abs=0.005)


def test_where_daemons_delay_ranks_the_shares_of_the_thesis_are_utilizations(tmp_path: Path) -> None:
    """Table 4.4, baseline: being ready is computing in the thesis's shares, and to `balance` it is not."""
    text = siesta.benzene(works_us=siesta.FITTED_BENZENE_WORKS_US)
    short = text.replace(f"times = {siesta.BENZENE_PHASES}", "times = 500")
    assert short != text
    Runner(tmp_path, checked=False, kept=True, force=False).measure(Run("benzene", short, "kernel"))
    with open_trace(tmp_path / "benzene.duckdb") as trace:
        (app,) = balance_of(trace, Selection("P?", None, None)).applications
    found = pop([100 * (r.utilization or 0) for r in app.ranks])
    assert found == pytest.approx(siesta.TABLE_4_4["baseline"].pop, abs=0.005)
    assert (app.efficiency.communication_efficiency or 0) < found[1] - 0.03
    # Its ranks meet twice in an iteration, at like distances.
    assert [s.work_returns_after for s in app.segments if s.kind == "iterations"] == [2]
    assert "what ranks compute returns with every second: an iteration of the program may be 2 of these" in time_words(
        app, 0
    )
