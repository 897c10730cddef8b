"""Recordings of real kernels with a fault switched on (fixtures/rig/faults): the checker against what is known.

Each was recorded in a guest whose kernel has the fault; without it less than a tenth as much was wasted
(bench/results/kernel_faults.md). `measured.tsv` beside them has what was measured when they were kept: what is wasted
where CPUs about to idle look for work, how much of the answers was right at least, and how much that is wrong was
marked proved at most. Better is no failure.
"""

from __future__ import annotations

import csv
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from samples import sample_of_each
from wastenot.analyzer import CheckOptions, build, open_trace

from bench.attribution.corpus import ALL_PAIRS, Answers, Case, read_answers
from bench.attribution.kernel_faults import header, right_answers
from bench.attribution.score import Score

SHIPPED = Path(__file__).parents[1] / "fixtures/traces/kernel-faults"
with (SHIPPED / "measured.tsv").open(encoding="ascii") as table:
    MEASURED = {row["recording"]: row for row in csv.DictReader(table, delimiter="\t")}
"""By fault and kernel, as in cache-hot-6.1: newidle_core_s, right_percent, wrong_proved_core_ms."""


@dataclass
class Checked:
    """A recording, and what was answered of it."""

    name: str
    kernel: str
    answered: Answers
    score: Score


def fault_of(name: str) -> str:
    """The fault of a recording, as in cache-hot-6.1."""
    return name.rpartition("-")[0]


CHOSEN: list[str] = sample_of_each([str(name) for name in MEASURED], fault_of)


@pytest.fixture(params=CHOSEN, scope="module")
def checked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Checked:
    fault, _, kernel = request.param.rpartition("-")
    folder = tmp_path_factory.mktemp(request.param)
    shutil.copytree(SHIPPED / f"{request.param}.part", folder / "T.duckdb.part")
    build(folder / "T.duckdb.part", folder / "T.duckdb", CheckOptions())
    with open_trace(folder / "T.duckdb") as trace:
        assert trace.verdict().to_json()["trace"]["kernel"].startswith(f"{kernel}.")
        answered = read_answers(trace, Case(fault, fault, None, 0), "L2", header(fault, "Pairs") or ALL_PAIRS)
    newidle = MEASURED[request.param]["newidle_core_s"]
    score = Score()
    score.add(answered, right_answers(fault, [answered], float(newidle) if newidle else None))
    return Checked(request.param, kernel, answered, score)


def test_every_recording_has_a_row() -> None:
    assert {part.stem for part in SHIPPED.glob("*.part")} == set(MEASURED)


def test_the_fault_wastes_cores(checked: Checked) -> None:
    assert checked.answered.wasted_ns > 0.2e9
    assert checked.answered.examined_ns > 0


def test_no_less_is_right_than_was_measured(checked: Checked) -> None:
    right = 100 * checked.score.right_ns() / checked.score.examined_ns
    assert right > float(MEASURED[checked.name]["right_percent"]) - 0.1


def test_no_more_wrong_answers_are_marked_proved_than_were_measured(checked: Checked) -> None:
    wrong = checked.score.by_proof["proved"][False] / 1e6
    assert wrong < float(MEASURED[checked.name]["wrong_proved_core_ms"]) + 0.1
