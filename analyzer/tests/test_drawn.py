"""The whole way with the native checker: a drawing becomes a trace, is checked, checked again, shown in a notebook."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import nbclient
import nbformat
import pytest
from drawing import build_drawn
from wastenot import _native
from wastenot.analyzer import CheckOptions, ensure_checked, errors, open_trace

OVERLOADED = """
cpus 0-1
window 0us 20ms
0us cpu 0 runs 100
0us cpu 1 idle
0us thread 100 burn on 0 running mask 0-1
0us thread 101 burn on 0 asleep mask 0-1
0us thread 102 pinned on 0 asleep mask 0
1ms wakeup 101 on 0
2ms wakeup 102 on 0
15ms switch 0: 100 S -> 101
16ms switch 0: 101 S -> 102
"""
"""Thread 101 waits beside idle CPU 1 from 1 to 15 ms; 102 may use CPU 0 only."""

NOTEBOOKS = Path(__file__).parents[2] / "docs" / "notebook"


@pytest.fixture
def trace_path(tmp_path: Path) -> Path:
    path = tmp_path / "T.duckdb"
    build_drawn(OVERLOADED, path)
    return path


def test_the_verdict_of_a_drawing_is_exact(trace_path: Path) -> None:
    with open_trace(trace_path) as trace:
        found = trace.verdict().to_json()
        assert [r["identity"] for r in trace.metric("check_sums") if not r["holds"]] == []
        waited = trace.top().rows()[0]
        assert (waited["tid"], waited["avoidable_wait_ns"], waited["antagonists"]) == (
            101,
            14_000_000,
            ["burn (100 %)"],
        )
    assert found["wasted"]["core_s"] == found["wasted"]["certain_core_s"] == 0.014
    assert found["wasted"]["idle_while_waiting_core_s"] == 0.015
    assert found["wasted"]["excused_core_s"]["affinity"] == 0.001
    assert found["wasted"]["share"] == 0.35


def test_only_the_trace_is_left(trace_path: Path) -> None:
    assert [p.name for p in trace_path.parent.iterdir()] == ["T.duckdb"]


def test_a_check_runs_again_only_for_other_options(trace_path: Path) -> None:
    other = CheckOptions(thresholds_ns={"lasting": 1_000_000_000, "persistent": 2_000_000_000})
    assert not ensure_checked(trace_path, CheckOptions())
    assert ensure_checked(trace_path, other)
    assert not ensure_checked(trace_path, other)
    with open_trace(trace_path) as trace:
        assert {g["grade"]: g["core_ns"] for g in trace.metric("grades")}["expected"] == 14_000_000
        assert trace.sql("SELECT count(*) AS n FROM verdict").one()["n"] == 1
        assert trace.sql("SELECT count(*) AS n FROM thread WHERE tid = 101").one()["n"] == 1


def test_progress_is_reported_with_the_total_of_events(trace_path: Path) -> None:
    reported: list[tuple[int, int]] = []
    ensure_checked(
        trace_path, CheckOptions(thresholds_ns={"in_flight": 1}), lambda done, total: reported.append((done, total))
    )
    with open_trace(trace_path) as trace:
        events = trace.metric("trace").one()["events"]
    assert all(done <= total == events for done, total in reported)


def test_a_strict_check_that_fails_leaves_the_trace_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "T.duckdb"
    build_drawn(OVERLOADED + "17ms switch 0: 100 S -> 101\n", path)
    before = path.read_bytes()
    with pytest.raises(_native.WastenotError, match="strict: event") as caught:
        ensure_checked(path, CheckOptions(strict=True))
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["T.duckdb"]


def test_a_drawing_that_cannot_be_read_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(_native.WastenotError, match="line 1"):
        build_drawn("nonsense", tmp_path / "T.duckdb")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_threshold_is_refused() -> None:
    with pytest.raises(errors.BadArgument, match="noise"):
        CheckOptions(thresholds_ns={"noise": 3})


@pytest.mark.parametrize("notebook", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda p: p.name)
def test_the_notebook_runs(notebook: Path, trace_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WASTENOT_TRACE", os.fspath(trace_path))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    pages = nbformat.read(notebook, as_version=4)  # type: ignore[no-untyped-call]
    nbclient.NotebookClient(pages, timeout=120, kernel_name="python3").execute()
    shown = [output for cell in pages.cells for output in cell.get("outputs", [])]
    assert any("cores wasted" in str(output.get("data", {}).get("text/html", "")) for output in shown)


def test_there_is_a_notebook_with_the_outputs_and_charts_of_a_run() -> None:
    notebooks = list(NOTEBOOKS.glob("*.ipynb"))
    assert notebooks
    for notebook in notebooks:
        cells = [c for c in nbformat.read(notebook, as_version=4).cells if c.cell_type == "code"]  # type: ignore[no-untyped-call]
        assert [c.execution_count for c in cells] == list(range(1, len(cells) + 1)), (
            "run it whole, and keep the outputs"
        )
        data = [output.data for c in cells for output in c.outputs if "data" in output]
        assert all(output.output_type != "error" for c in cells for output in c.outputs)
        assert sum("image/png" in d for d in data) == 3
        assert sum("text/html" in d for d in data) >= 6


def test_a_thread_that_stays_on_a_cpu_beside_an_idle_one_looks_pinned(tmp_path: Path) -> None:
    lines = ["cpus 0-2", "window 0us 510ms", "0us cpu 0 runs 100", "0us cpu 1 idle", "0us cpu 2 idle"]
    lines += ["0us thread 100 busy on 0 running", "0us thread 101 hog on 0 asleep", "1ms wakeup 101 on 0"]
    for turn in range(50):  # they take turns on CPU 0, each waiting while the other runs
        prev, following = ((100, 101), (101, 100))[turn % 2]
        lines.append(f"{10 + 10 * turn}ms switch 0: {prev} R -> {following}")
    path = tmp_path / "T.duckdb"
    build_drawn("\n".join(lines), path)
    with open_trace(path) as trace:
        verdict = trace.verdict()
    found = {p["name"]: p for p in verdict.looks_pinned}
    assert set(found) == {"busy", "hog"} and found["hog"]["cpus"] == [0] and found["hog"]["threads"] == 1
    assert sum(p["avoidable_wait_ns"] for p in found.values()) == verdict.figures["wasted_ns"]
    assert "looks pinned to CPU 0" in str(verdict) and "--affinity hog=0" in " ".join(str(verdict).split())


def test_findings_without_columns_of_this_version_are_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "T.duckdb"
    build_drawn(OVERLOADED, path)
    with duckdb.connect(str(path)) as con:
        con.execute("ALTER TABLE episode DROP COLUMN severity")
    with open_trace(path) as trace, pytest.raises(errors.StaleFindings, match=r"episode.severity.*wastenot check"):
        trace.episodes()
    assert ensure_checked(path, CheckOptions())
    with open_trace(path) as trace:
        assert all(e["severity"] for e in trace.episodes("all"))
