"""Recordings of real kernels with a fault switched on (fixtures/rig/faults): the checker against what is known.

Each was recorded in a guest whose kernel has the fault; without it less than a tenth as much was wasted
(bench/results/kernel_faults.md). What is asked is no more than was measured then.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from wastenot.analyzer import CheckOptions, build, open_trace

from bench.attribution.corpus import Answers, Case, read_answers
from bench.attribution.kernel_faults import label_of
from bench.attribution.score import Score

SHIPPED = Path(__file__).parents[1] / "fixtures/traces/kernel-faults"
PARTS = {part.stem: part for part in sorted(SHIPPED.glob("*.part"))}
"""By fault and kernel, as in cache-hot-6.1."""

WRONG_PROVED: set[str] = set()
"""Recordings of which a wrong answer is marked proved."""


@pytest.fixture(params=list(PARTS), scope="module")
def checked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Answers, Score]:
    """A recording's name, what was answered of it, and the score of that."""
    fault = request.param.rpartition("-")[0]
    folder = tmp_path_factory.mktemp(request.param)
    shutil.copytree(PARTS[request.param], folder / "T.duckdb.part")
    build(folder / "T.duckdb.part", folder / "T.duckdb", CheckOptions())
    with open_trace(folder / "T.duckdb") as trace:
        kernel = trace.sql("SELECT kernel FROM machine").one()["kernel"]
        answered = read_answers(trace, Case(fault, fault, None, 0), "L2")
    assert kernel.startswith(f"{request.param.rpartition('-')[2]}.")
    score = Score()
    score.add(answered, label_of(fault))
    return request.param, answered, score


def test_the_fault_wastes_cores(checked: tuple[str, Answers, Score]) -> None:
    _, answered, _ = checked
    assert answered.examined_ns > 0.5 * answered.wasted_ns > 0


def test_nothing_wrong_is_proved(checked: tuple[str, Answers, Score]) -> None:
    name, _, score = checked
    assert (score.by_proof["proved"][False] > 0) == (name in WRONG_PROVED)
