"""The comparison of two traces says what SQL over both says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest
from drawing import build_drawn
from wastenot.analyzer.store.opening import open_read_only
from wastenot.analyzer.store.tables import event_tables
from wastenot.web.local import LocalServer, Serve

EXACT = {
    "length": "SELECT (end_ns - start_ns) / 1e9 FROM trace",
    "CPUs": "SELECT count(*) FROM cpu",
    "wasted": "SELECT sum(wasted * dur_ns) / 1e9 FROM wasted",
    "certain": "SELECT sum(certain * dur_ns) / 1e9 FROM wasted",
    "idle while waiting": "SELECT sum(idle_while_waiting * dur_ns) / 1e9 FROM wasted",
    "excused": "SELECT sum((idle_while_waiting - wasted) * dur_ns) / 1e9 FROM wasted",
    "mean wasted": "SELECT sum(wasted * dur_ns) / (SELECT end_ns - start_ns FROM trace) FROM wasted",
    "peak wasted": "SELECT max(wasted) FROM wasted",
    "time with waste": "SELECT sum(dur_ns) / 1e9 FROM wasted WHERE wasted > 0",
    "wasted share": "SELECT (SELECT sum(wasted * dur_ns) FROM wasted) / (SELECT online_ns FROM verdict)",
    "busy": "SELECT (SELECT sum(dur_ns) FROM cpu_slice WHERE utid > 0) / (SELECT online_ns FROM verdict)",
    "late wakes": "SELECT late_wakes FROM verdict",
    "lost events": "SELECT coalesce(sum(coalesce(count, 1)), 0) FROM lost_events",
}
GRADES = "SELECT grade_name(grade), sum(core_ns)::DOUBLE / 1e9, sum(episodes)::BIGINT FROM verdict_grade GROUP BY 1"
CAUSES = """
SELECT placed_by_name(placed_by), not_moved_because_name(not_moved_because), ended_by_name(ended_by),
       grade_name(grade) = 'recurrent', sum(core_ns)::DOUBLE / 1e9
FROM episode GROUP BY ALL
"""


def figures(path: Path) -> tuple[dict[str, float], dict[str, Any], dict[Any, float]]:
    """Measures, grades and causes by SQL over one file."""
    with open_read_only(path, "128MB") as con:
        measures = {name: float(one(con, sql)) for name, sql in EXACT.items()}
        measures["events"] = sum(one(con, f"SELECT count(*) FROM {table}") for table in event_tables())
        grades = {g: (core_s, n) for g, core_s, n in con.execute(GRADES).fetchall()}
        return measures, grades, {tuple(row[:4]): row[4] for row in con.execute(CAUSES).fetchall()}


def one(con: duckdb.DuckDBPyConnection, sql: str) -> Any:
    row = con.execute(sql).fetchone()
    assert row is not None
    return row[0]


def test_both_sides_are_those_of_sql(serve: Serve, wasted_trace: Path, busy_trace: Path) -> None:
    own = serve([wasted_trace, busy_trace])
    found = own.ask("/api/compare?a=wasted&b=busy").json()
    sides = {"a": figures(wasted_trace), "b": figures(busy_trace)}
    assert {m["name"] for m in found["measures"]} == set(EXACT) | {"events"}
    for m in found["measures"]:
        for side, (measures, _, _) in sides.items():
            assert m[side] == pytest.approx(measures[m["name"]], rel=1e-9, abs=1e-12), (m["name"], side)
        assert m["difference"] == pytest.approx(m["b"] - m["a"])
    for g in found["grades"]:
        for side, (_, grades, _) in sides.items():
            core_s, count = grades.get(g["grade"], (0.0, 0))
            assert (g[f"{side}_core_s"], g[f"{side}_count"]) == (pytest.approx(core_s), count)
    keys = [(c["placed_by"], c["not_moved_because"], c["ended_by"], c["recurrent"]) for c in found["causes"]]
    assert len(keys) == len(set(keys)) and set(keys) == sides["a"][2].keys() | sides["b"][2].keys()
    for key, c in zip(keys, found["causes"], strict=True):
        for side, (_, _, causes) in sides.items():
            assert c[f"{side}_core_s"] == pytest.approx(causes.get(key, 0.0))


def test_other_machines_and_kernels_are_reported(serve: Serve, wasted_trace: Path, busy_trace: Path) -> None:
    own = serve([wasted_trace, busy_trace])
    reported = own.ask("/api/compare?a=wasted&b=busy").json()["remarks"]
    assert any(r.startswith("The machines differ: 8 CPUs") and "64 CPUs" in r for r in reported), reported
    assert any(r.startswith("The kernels differ: 6.1") for r in reported), reported


@pytest.mark.parametrize("trace", ["wasted", "busy"])
def test_a_trace_does_not_differ_from_itself(serve: Serve, wasted_trace: Path, busy_trace: Path, trace: str) -> None:
    own = serve([wasted_trace, busy_trace])
    found = own.ask(f"/api/compare?a={trace}&b={trace}").json()
    assert all(m["difference"] == 0 and m["a"] == m["b"] for m in found["measures"])
    assert all(g["a_core_s"] == g["b_core_s"] and g["a_count"] == g["b_count"] for g in found["grades"])
    assert all(c["a_core_s"] == c["b_core_s"] for c in found["causes"])
    assert found["sentence_a"] == found["sentence_b"] and found["a"] == found["b"]
    assert not [r for r in found["remarks"] if "differ" in r]


def test_a_trace_that_is_not_there_is_named(served: LocalServer, serve: Serve, tmp_path: Path) -> None:
    answer = served.ask("/api/compare?a=wasted&b=nowhere")
    assert answer.status == 404 and "nowhere" in answer.error()
    build_drawn("cpus 0-1\nwindow 0us 10ms\n0us cpu 0 idle\n0us cpu 1 idle\n", tmp_path / "idle.duckdb")
    own = serve([tmp_path / "idle.duckdb"])
    empty = own.ask("/api/compare?a=idle&b=idle").json()
    assert all(m["difference"] == 0 for m in empty["measures"])
