"""An application written as TALP of DLB writes one: its fields beside those of `balance --json`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from drawing import build_drawn
from programs import Program, iterations
from wastenot.analyzer import CheckOptions, errors, open_trace
from wastenot.analyzer.balance.application import Application
from wastenot.analyzer.balance.counters import RankCounters
from wastenot.analyzer.balance.measuring import Selection, balance_of
from wastenot.analyzer.balance.talp import export_talp, talp_json
from wastenot.analyzer.render.balance import balance_json


def exported(drawing: str, folder: Path) -> tuple[Application, dict[str, Any], dict[str, Any]]:
    """The application `app` of a drawing, what its export holds, and the application in `balance --json`."""
    path, target = folder / "T.duckdb", folder / "talp.json"
    build_drawn(drawing, path, CheckOptions(tables="all"))
    with open_trace(path) as trace:
        balance = balance_of(trace, Selection(app="app"))
        (app,) = balance.applications
        regions = export_talp(trace, app, target)
    written = json.loads(target.read_text(encoding="utf-8"))
    assert regions == len(written["Application"])
    (shown,) = balance_json(balance)["applications"]
    return app, written, shown


def assert_region(region: dict[str, Any], shown: dict[str, Any], length_ns: int, compute_ns: int, ranks: int) -> None:
    """A region has the figures of the run, or of a segment, of `balance --json`."""
    assert region["elapsedTime"] == length_ns and region["usefulTime"] == compute_ns
    assert region["parallelEfficiency"] == shown["parallel_efficiency"]
    # TALP's own formula: useful by all time of all CPUs.
    assert region["parallelEfficiency"] == pytest.approx(compute_ns / (length_ns * ranks), abs=1e-12)
    if region["numMpiRanks"]:
        assert region["mpiLoadBalance"] == region["mpiLoadBalanceIn"] == shown["load_balance"]
        assert region["mpiLoadBalanceOut"] == 1.0
        assert region["mpiCommunicationEfficiency"] == shown["communication_efficiency"]
        assert region["mpiParallelEfficiency"] == shown["parallel_efficiency"]
    else:
        assert region["ompLoadBalance"] == shown["load_balance"]
        assert region["ompParallelEfficiency"] == shown["parallel_efficiency"]


def test_the_run_and_its_iterations_are_regions_with_the_figures_of_balance(tmp_path: Path) -> None:
    program, at = Program(3), 0
    for number in range(6):
        at = program.iteration(at, [20_000, 21_000, 32_000], {1: 5_000} if number % 2 else {})
    app, written, shown = exported(program.drawing(at, daemons=[1]), tmp_path)
    assert list(written["Application"]) == ["Global", "iterations"]
    whole = sum(rank["compute_ns"] for rank in shown["rank"])
    assert_region(written["Application"]["Global"], shown, shown["length_ns"], whole, 3)
    (segment,) = (s for s in shown["segments"] if s["kind"] == "iterations")
    inside = [i for i in shown["iteration"] if i["segment"] == segment["segment"]]
    of_segment = sum(
        cell["compute_ns"] for cell in shown["rank_iteration"] if cell["iteration"] in {i["iteration"] for i in inside}
    )
    region = written["Application"]["iterations"]
    assert_region(region, segment, segment["end_ns"] - segment["start_ns"], of_segment, 3)
    assert region["numMeasurements"] == 3 * len(inside)
    assert written["wastenot"]["evidence_level"] == "H0" and written["wastenot"]["bounds"] is True
    assert app.crew.kind != "threads" and written["resources"] == {"numCpus": 3, "numNodes": 1, "numMpiRanks": 3}
    of_ranks = [(p["rank"], p["pid"], p["usefulTime"]) for p in written["Process"]["Global"]]
    assert of_ranks == [(r["rank"], r["tgid"] or r["tid"], r["compute_ns"]) for r in shown["rank"]]


def test_phases_of_other_periods_are_regions_of_their_own(tmp_path: Path) -> None:
    program, at = Program(2), 0
    for computes in ([10_000, 20_000],) * 8 + ([60_000, 30_000],) * 8:
        at = program.iteration(at, list(computes))
    _, written, shown = exported(program.drawing(at), tmp_path)
    phases = [s for s in shown["segments"] if s["kind"] == "iterations"]
    assert len(phases) == 2
    assert list(written["Application"]) == ["Global", "iterations-1", "iterations-2"]
    for region, segment in zip(list(written["Application"].values())[1:], phases, strict=True):
        assert region["mpiLoadBalance"] == segment["load_balance"]


def test_threads_are_written_as_those_of_openmp_without_what_is_not_known(tmp_path: Path) -> None:
    app, _, shown = exported(iterations([10_000, 40_000], 6), tmp_path)
    threads = replace(app, crew=replace(app.crew, kind="threads"))
    written = talp_json(threads, None)
    region = written["Application"]["Global"]
    assert_region(region, shown, shown["length_ns"], sum(r["compute_ns"] for r in shown["rank"]), 2)
    assert written["resources"]["numMpiRanks"] == 0 and "Process" not in written
    assert region["ompSchedulingEfficiency"] is None and region["ompSerializationEfficiency"] is None
    assert "timestamp" not in written, "the time of day of a drawing is not known"


def test_no_field_is_written_of_what_a_trace_does_not_show(tmp_path: Path) -> None:
    _, written, _ = exported(iterations([10_000, 40_000], 6), tmp_path)
    region = written["Application"]["Global"]
    assert not {"numMpiCalls", "mpiTime", "numOmpParallels", "numOmpTasks", "avgCpus"} & set(region)
    assert (region["cycles"], region["instructions"]) == (0, 0), "as TALP writes what was not counted"


def test_counters_stand_for_all_computing(tmp_path: Path) -> None:
    app, _, _ = exported(iterations([10_000, 40_000], 6), tmp_path)
    half = [int(r.parts[0]) // 2 for r in app.ranks]
    ranks = tuple(replace(r, counters=RankCounters(600, 300, ns)) for r, ns in zip(app.ranks, half, strict=True))
    counted = replace(app, ranks=ranks, level="H1")
    region = talp_json(counted, 0)["Application"]["Global"]
    assert (region["instructions"], region["cycles"]) == (2 * 2 * 600, 2 * 2 * 300)
    spinning = talp_json(replace(counted, level="H0"), 0)["Application"]["Global"]
    assert (spinning["instructions"], spinning["cycles"]) == (0, 0), "computing may be spinning"


def test_what_is_not_visible_is_not_written(tmp_path: Path) -> None:
    path, target = tmp_path / "T.duckdb", tmp_path / "talp.json"
    never_asleep = "\n".join(
        ["cpus 0-1", "window 0us 100ms", "0us cpu 0 runs 101", "0us cpu 1 runs 102"]
        + [f"0us thread {101 + r} app on {r} running mask {r}" for r in (0, 1)]
    )
    build_drawn(never_asleep, path, CheckOptions(tables="all"))
    with open_trace(path) as trace:
        (app,) = balance_of(trace, Selection(app="app")).applications
        with pytest.raises(errors.BadArgument, match="is not visible"):
            export_talp(trace, app, target)
    assert not target.exists()


def test_a_file_that_is_there_is_not_replaced_and_other_names_are_refused(tmp_path: Path) -> None:
    exported(iterations([10_000, 40_000], 4), tmp_path)
    with open_trace(tmp_path / "T.duckdb") as trace:
        (app,) = balance_of(trace, Selection(app="app")).applications
        with pytest.raises(errors.OutputExists):
            export_talp(trace, app, tmp_path / "talp.json")
        with pytest.raises(errors.BadArgument, match=r"ends in \.json"):
            export_talp(trace, app, tmp_path / "talp.xml")
        assert export_talp(trace, app, tmp_path / "talp.json", force=True) == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["T.duckdb", "talp.json"]
