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

RECORDED = (
    "two-cpus", "format-4",
    "rig/autogroup-6.1-8", "rig/fork-bomb-6.12-8", "rig/hobbled-interval-6.12-8", "rig/hotplug-7.2-8",
    "rig/isolcpus-6.1-8", "rig/no-common-domain-6.1-16", "rig/ordinary-7.2-8", "rig/partition-6.1-8",
    "rig/pinned-7.2-8", "rig/placements-6.1-8", "rig/placements-7.2-8", "rig/released-7.2-8", "rig/rt-hog-6.12-8",
    "rig/sched-idle-6.12-8", "rig/scx-lazy-7.2-8", "rig/throttled-7.2-8",
    "kernel-faults/cache-hot-6.1", "kernel-faults/contended-lock-6.12", "kernel-faults/group-imbalance-6.1",
    "kernel-faults/misplaced-fork-6.1", "kernel-faults/missing-domains-6.12", "kernel-faults/serialize-leak-6.1",
)  # fmt: skip
"""Part folders. Busy processes of one name, storms of forks, pipelines (`placements`), Python, shells: no barriers."""

IMPORTED = ("guest-6.1/normal", "guest-6.12/normal", "guest-6.1/trace.dat", "foreign/trace-cmd-arm.txt")
"""Traces of other tools: hackbench with 12 busy threads (`normal`), busy threads, a phone."""


def balance_at(path: Path) -> Balance:
    with open_trace(path) as trace:
        return balance_of(trace)


@pytest.mark.parametrize("name", sample(RECORDED, 3))
def test_a_recording_without_a_parallel_program_has_no_application(name: str, tmp_path: Path) -> None:
    target = tmp_path / "T.duckdb"
    part = shutil.copytree(TRACES / f"{name}.part", tmp_path / "T.duckdb.part")
    build(part, target, CheckOptions(tables="all"))
    found = balance_at(target)
    assert found.applications == ()
    assert all(c.why in ("no_iterations", "never_asleep", "never_together") for c in found.candidates)
    assert balance_json(found)["applications"] == []


@pytest.mark.parametrize("name", IMPORTED)
def test_an_import_without_a_parallel_program_has_no_application(name: str, tmp_path: Path) -> None:
    target = tmp_path / "T.duckdb"
    import_source(TRACES / name, target, ImportOptions(), CheckOptions(tables="all"))
    assert balance_at(target).applications == ()


def test_there_are_crews_in_most_of_them_so_that_the_answer_says_something(tmp_path: Path) -> None:
    target = tmp_path / "T.duckdb"
    part = shutil.copytree(TRACES / "rig/placements-6.1-8.part", tmp_path / "T.duckdb.part")
    build(part, target, CheckOptions(tables="all"))
    assert len(balance_at(target).candidates) >= 2
