"""Online equals offline: the counters of a stream are the figures of the check of the same events, to the ns."""

from __future__ import annotations

import itertools
import json
import subprocess
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest
from releases.reading import imported
from samples import read_as_before, sample
from wastenot._native import WastenotError, watch
from wastenot.analyzer import CheckOptions, build
from wastenot.analyzer.store.tables import CHECKER_ENTITIES, event_tables

TRACES = Path(__file__).parents[1] / "fixtures" / "traces"
FOREIGN = [path for path in sorted(TRACES.glob("guest-*/*")) if not path.name.startswith("kallsyms")]
PARTS = [*sorted(TRACES.glob("*.part")), *sorted(TRACES.glob("rig/*.part"))]
STEP_NS = 100_000_000


def figures(con: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """The figures of a checked trace, under the names of the counters."""
    names = ("start_ns", "end_ns", "wasted_ns", "certain_ns", "idle_while_waiting_ns", "idle_ns", "late_wakes")
    (row,) = con.execute(f"SELECT {', '.join(names)}, online_ns, busy_ns, observed_ns FROM verdict").fetchall()
    found: dict[str, Any] = dict(zip(names, row, strict=False))
    found["until_ns"] = found.pop("end_ns")
    online, busy, observed = row[len(names) :]
    found["cpus"] = {"online_ns": online, "busy_ns": busy, "unobserved_ns": online - observed}
    found["excused_ns"] = dict(con.execute("SELECT excuse_name(excuse), core_ns FROM excuse_ledger").fetchall())
    grades = con.execute("SELECT grade_name(grade), episodes, core_ns FROM verdict_grade").fetchall()
    found["grades"] = {grade: {"episodes": n, "core_ns": ns} for grade, n, ns in grades}
    causes = con.execute(
        "SELECT grade_name(e.grade), question_name(a.question), a.answer, sum(a.weight_ns) "
        "FROM attribution a JOIN episode e USING (episode_id) WHERE a.chosen GROUP BY ALL"
    ).fetchall()
    found["causes"] = {(grade, question, answer): int(ns) for grade, question, answer, ns in causes}
    quality = "SELECT coalesce(sum(value), 0)::BIGINT FROM data_quality WHERE what = ?"
    for name, what in (("events_read", "events_read"), ("events_lost", "lost")):
        ((found[name],),) = con.execute(quality, [what]).fetchall()
    suspect = con.execute("SELECT detail FROM data_quality WHERE what = 'suspect'").fetchall()
    found["suspect"] = {detail for (detail,) in suspect}
    return found


def as_figures(counters: dict[str, Any]) -> dict[str, Any]:
    """Counters under the same names; slices under way belong to their CPUs' times."""
    found = {name: counters[name] for name in counters if name not in ("causes", "suspect", "cpus")}
    found["suspect"] = set(counters["suspect"])
    found["cpus"] = {name: ns + counters["under_way"][name] for name, ns in counters["cpus"].items()}
    causes: dict[tuple[str, str, str], int] = {}
    for cause in counters["causes"]:
        if cause["pairs"]:
            key = (cause["grade"], cause["question"], cause["answer"])
            causes[key] = causes.get(key, 0) + cause["core_ns"]
    found["causes"] = causes
    return found


def assert_same(con: duckdb.DuckDBPyConnection, texts: list[str]) -> dict[str, Any]:
    """The last counters are the trace's figures, and all are sound; the last."""
    steps = [json.loads(text) for text in texts]
    expected, found = figures(con), as_figures(steps[-1])
    assert {name: found[name] for name in expected} == expected
    assert steps[-1]["ungraded_ns"] == 0
    for step in steps:
        graded = sum(g["core_ns"] for name, g in step["grades"].items() if name != "recurrent")
        assert graded + step["ungraded_ns"] == step["wasted_ns"]
    for before, after in itertools.pairwise(steps):
        assert before["wasted_ns"] <= after["wasted_ns"] and before["until_ns"] <= after["until_ns"]
    listed = con.execute("SELECT grade_name(grade), start_ns, end_ns, core_ns FROM episode").fetchall()
    handed_out = [e for step in steps for e in step["finished"]]
    found_there = [(e["grade"], e["start_ns"], e["end_ns"], e["core_ns"]) for e in handed_out]
    assert sorted(found_there) == sorted(listed)
    return found


def replayed(con: duckdb.DuckDBPyConnection) -> list[str]:
    """The counters over the tables of a trace."""
    cursors = {table: con.cursor() for table in (*event_tables(), *CHECKER_ENTITIES)}
    streams = {table: cursor.sql(f"SELECT * FROM {table}") for table, cursor in cursors.items()}
    return watch.replay_counters(streams, STEP_NS)


@pytest.mark.parametrize("path", FOREIGN, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_traces_of_other_tools(path: Path) -> None:
    with imported(path) as con:
        assert assert_same(con, replayed(con))["idle_while_waiting_ns"] > 0


def test_a_short_trace_of_another_project() -> None:
    with imported(TRACES / "foreign" / "trace-cmd-arm.txt") as con:
        assert assert_same(con, replayed(con))["wasted_ns"] == 113_000


@pytest.mark.parametrize("part", sample(PARTS, 4), ids=lambda part: part.stem)
def test_recordings(tmp_path: Path, part: Path) -> None:
    read_as_before(part, tmp_path / "T.duckdb.part")
    from_frames = watch.replay_counters(tmp_path / "T.duckdb.part", STEP_NS)
    build(tmp_path / "T.duckdb.part", tmp_path / "T.duckdb", CheckOptions())
    with duckdb.connect(str(tmp_path / "T.duckdb"), read_only=True) as con:
        assert_same(con, replayed(con))
        assert assert_same(con, from_frames)["idle_while_waiting_ns"] > 0


def test_there_are_enough_traces() -> None:
    assert len(FOREIGN) >= 10 and len(FOREIGN) + len(PARTS) >= 50


def test_this_machine(tmp_path: Path) -> None:
    exact = watch.ExactWatch(json.dumps({"also_part": str(tmp_path / "T.duckdb.part")}))
    try:
        exact.start()
    except WastenotError as error:
        pytest.skip(f"nothing can be recorded here: {error}")
    with subprocess.Popen(["sh", "-c", "while :; do /bin/true; echo | cat; done"], stdout=subprocess.DEVNULL) as load:
        end = time.monotonic() + 2
        finished = []
        while time.monotonic() < end:
            time.sleep(0.1)
            finished += json.loads(exact.counters())["finished"]
        load.kill()
    last = json.loads(exact.stop())
    last["finished"] = finished + last["finished"]
    build(tmp_path / "T.duckdb.part", tmp_path / "T.duckdb", CheckOptions())
    with duckdb.connect(str(tmp_path / "T.duckdb"), read_only=True) as con:
        assert assert_same(con, [json.dumps(last)])["events_read"] > 1_000
    assert last["forgotten_threads"] > 10 and last["watch"]["walk_cpu_ns"] > 0 and last["watch"]["failed"] is None


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: watch.ExactWatch('{"also": "x"}'), "unknown field"),
        (lambda: watch.ExactWatch('{"thresholds_ns": {"endless": 1}}').start(), "no such grade"),
        (lambda: watch.ExactWatch().counters(), "does not run"),
        (lambda: watch.ExactWatch().stop(), "does not run"),
        (lambda: watch.replay_counters("/nowhere.part", STEP_NS), "/nowhere.part"),
        (lambda: watch.replay_counters(TRACES / "two-cpus.part", 0), "above zero"),
        (lambda: watch.replay_counters(TRACES / "two-cpus.part", 1), "more than 100000 steps"),
    ],
)
def test_an_error_is_one_line(call: Any, complaint: str) -> None:
    with pytest.raises(WastenotError) as error:
        call()
    assert complaint in str(error.value) and "\n" not in str(error.value)
