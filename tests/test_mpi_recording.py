"""The recording of Open MPI in docs/guide/balance.md: its balance beside what the program measured, and advice."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator

import pytest
from wastenot.analyzer import CheckOptions, Trace, build, open_trace
from wastenot.analyzer.balance.advice import advise
from wastenot.analyzer.balance.measuring import balance_of

from bench.demo import BALANCE_RECORDING
from bench.parallel.measured_ranks import compare, shown

OWN = json.loads(BALANCE_RECORDING.with_suffix(".json").read_text(encoding="utf-8"))
POINTS = 0.02


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trace]:
    folder = tmp_path_factory.mktemp("mpi")
    shutil.copytree(BALANCE_RECORDING, folder / "T.duckdb.part")
    build(folder / "T.duckdb.part", folder / "T.duckdb", CheckOptions())
    with open_trace(folder / "T.duckdb") as opened:
        yield opened


def test_its_ranks_are_found_and_have_the_utilization_that_they_measured(trace: Trace) -> None:
    (app,) = balance_of(trace).applications
    assert (app.crew.name, app.crew.found_by, app.evidence, len(app.ranks)) == ("mpi-ranks", "launcher", "H1", 4)
    assert app.state == "imbalanced" and app.has_iterations
    compared = compare(app, OWN)
    print(shown(app, compared))
    for seen, measured, leaving in zip(compared.seen, compared.measured, compared.leaving, strict=True):
        assert seen[0] == pytest.approx(measured[0], abs=POINTS)
        assert measured[1] - POINTS <= seen[1] <= measured[1] + leaving + POINTS
    assert app.efficiency.load_balance == pytest.approx(0.625, abs=POINTS)


def test_the_heavy_ranks_are_parted(trace: Trace) -> None:
    (advice,) = advise(trace, balance_of(trace))
    assert advice.placement is not None
    assert [r.kind for r in advice.recommendations[:2]] == ["waiting", "placement"]
    cpus = advice.placement.cpus
    assert sorted(cpus) == [0, 0, 1, 1] and cpus[1] != cpus[3]
    # They spin: little is saved where they keep their share of a CPU while they wait.
    low, high = advice.placement.saves
    assert low < 0.1 and high > 0.3
    assert 80e6 < advice.placement.high_ns < 90e6
    assert advice.recommendations[0].commands == ("export OMPI_MCA_mpi_yield_when_idle=1",)
