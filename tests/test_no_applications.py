"""Real recordings of machines that run no parallel program: nothing in them is called an application."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from samples import sample
from wastenot.analyzer import CheckOptions, ImportOptions, build, import_source, open_trace
from wastenot.analyzer.balance.application import Balance
from wastenot.analyzer.balance.measuring import balance_of
from wastenot.analyzer.render.balance import balance_json

TRACES = Path(__file__).parents[1] / "fixtures/traces"

RECORDED = sorted(
    str(part.relative_to(TRACES).with_suffix("")) for part in TRACES.glob("**/*.part") if part.stem != "mpi"
)
"""Part folders, all but the one of a parallel program. Busy processes of one name, storms of forks, pipelines
(`placements`), Python, shells, tasks with deadlines: no barriers."""

IMPORTED = ("guest-6.1/normal", "guest-6.12/normal", "guest-6.1/trace.dat", "foreign/trace-cmd-arm.txt")
"""Traces of other tools: hackbench with 12 busy threads (`normal`), busy threads, a phone."""


def balance_at(path: Path) -> Balance:
    with open_trace(path) as trace:
        return balance_of(trace)


PERIODIC = ("deadlines", "rig/deadlines-missed-6.12-8")
"""Of these, threads of one name with timers of one period on one CPU: they seem to wake each other in iterations."""


@pytest.mark.parametrize("name", dict.fromkeys([*PERIODIC, *sample(RECORDED, 12)]))
def test_a_recording_without_a_parallel_program_has_no_application(name: str, tmp_path: Path) -> None:
    target = tmp_path / "T.duckdb"
    part = shutil.copytree(TRACES / f"{name}.part", tmp_path / "T.duckdb.part")
    build(part, target, CheckOptions(tables="all"))
    found = balance_at(target)
    assert found.applications == ()
    assert all(c.why in ("no_iterations", "never_asleep", "never_together", "realtime") for c in found.candidates)
    assert balance_json(found)["applications"] == []


@pytest.mark.parametrize("name", IMPORTED)
def test_an_import_without_a_parallel_program_has_no_application(name: str, tmp_path: Path) -> None:
    target = tmp_path / "T.duckdb"
    import_source(TRACES / name, target, ImportOptions(), CheckOptions(tables="all"))
    assert balance_at(target).applications == ()


def test_there_are_crews_in_most_of_them_so_that_the_answer_says_something(tmp_path: Path) -> None:
    target = tmp_path / "T.duckdb"
    part = shutil.copytree(TRACES / "rig/placements-6.12-8.part", tmp_path / "T.duckdb.part")
    build(part, target, CheckOptions(tables="all"))
    assert len(balance_at(target).candidates) >= 2
