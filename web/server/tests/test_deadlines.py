"""Deadlines as the browser asks for them: the object of the command with its words, and the jobs of a window."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from deadline_tasks import FIFO, LATE, UNDESCRIBED
from drawing import build_drawn
from rich.console import Group
from wastenot.analyzer import CheckOptions, build, open_trace
from wastenot.analyzer.deadlines import Deadlines, find_deadlines, parse_task
from wastenot.analyzer.render.deadlines import deadlines_view
from wastenot.analyzer.render.terminal import as_text
from wastenot.web.local import LocalServer, Serve

RECORDED = Path(__file__).resolve().parents[3] / "fixtures/traces/deadlines.part"


@pytest.fixture(scope="module")
def recorded_deadlines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real recording of four SCHED_DEADLINE threads, 34 of whose 200 jobs miss."""
    folder = tmp_path_factory.mktemp("deadlines")
    shutil.copytree(RECORDED, folder / "four.duckdb.part")
    build(folder / "four.duckdb.part", folder / "four.duckdb", CheckOptions())
    return folder / "four.duckdb"


def found_in(path: Path, *tasks: str) -> Deadlines:
    """What the command finds. Before a server opens the trace: a process opens a file once."""
    with open_trace(path) as trace:
        return find_deadlines(trace, [parse_task(text) for text in tasks])


def ask(served: LocalServer, name: str, rest: str = "") -> dict[str, Any]:
    """The answer about a trace."""
    answer = served.ask(f"/api/traces/{name}/deadlines{rest}")
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json()
    return found


def assert_has(answer: Any, expected: Any, path: str = "") -> None:
    """Every value of the command's object is at its place in the answer, which may have more keys."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            assert key in answer, f"{path}.{key}"
            assert_has(answer[key], value, f"{path}.{key}")
    elif isinstance(expected, list):
        assert len(answer) == len(expected), path
        for at, value in enumerate(expected):
            assert_has(answer[at], value, f"{path}[{at}]")
    else:
        assert answer == expected, path


def test_the_answer_is_the_object_of_the_command_and_its_words_are_printed(
    serve: Serve, recorded_deadlines: Path
) -> None:
    found = found_in(recorded_deadlines)
    printed = " ".join(str(as_text(Group(*deadlines_view(found)), width=2000)).split())
    answer = ask(serve([recorded_deadlines]), "four")
    assert_has(answer, json.loads(json.dumps(found.to_json())))
    assert (answer["jobs"], answer["missed"], len(answer["misses"])) == (200, 34, 34)
    figures = [f"{of['name']} {of['value']}" for of in answer["figures"]]
    faults = [part for of in answer["faults_found"] for part in (f"{of['words']}: {of['sentence']}", of["repair"])]
    misses = [f"{of['fault_words']} {of['loss_words']}" for of in answer["misses"][:10]]
    roots = [f"{of['words']['cpus']} {of['tests']['tasks']}" for of in answer["root_domains"]]
    tasks = [of["words"] for of in answer["tasks"]]
    for words in (answer["headline"], *figures, *faults, *misses, *roots, *tasks, answer["edf"]["words"]):
        assert words in printed, words
    assert sum(of["count"] for of in answer["faults_found"]) == answer["missed"]


def test_laxity_over_time_has_the_least_of_the_jobs_that_ended_in_each_part(
    serve: Serve, recorded_deadlines: Path
) -> None:
    found = found_in(recorded_deadlines)
    start, end = found.report["start_ns"], found.report["end_ns"]
    tasks = ask(serve([recorded_deadlines]), "four")["tasks"]
    assert len(tasks) == 4
    for task in tasks:
        jobs = [job for job in found.jobs.rows() if job["utid"] == task["utid"]]
        bins = len(task["laxity_ns"])
        expected: list[int | None] = [None] * bins
        for job in jobs:
            at = min((end if job["end_ns"] is None else job["end_ns"]) - start, end - start - 1) * bins // (end - start)
            before = expected[at]
            expected[at] = job["laxity_min_ns"] if before is None else min(before, job["laxity_min_ns"])
        assert task["laxity_ns"] == expected
        assert min(ns for ns in task["laxity_ns"] if ns is not None) == task["laxity_min_ns"]
        assert len(jobs) == task["jobs"] > 10


def test_jobs_of_a_window_are_those_of_the_command(serve: Serve, recorded_deadlines: Path) -> None:
    found = found_in(recorded_deadlines)
    r, rows = found.report, found.jobs.rows()
    served = serve([recorded_deadlines])
    names = [
        "utid", "activation_ns", "deadline_ns", "end_ns", "missed", "tardiness_ns", "laxity_min_ns", "run_ns",
        "overrun_ns", "throttles", "ended_by", "fault",
    ]  # fmt: skip

    def jobs(query: str = "") -> tuple[list[dict[str, Any]], dict[bytes, bytes]]:
        table = served.ask(f"/api/traces/four/deadlines/jobs{query}").arrow()
        return table.to_pylist(), table.schema.metadata

    def within(start: int, end: int) -> list[tuple[Any, ...]]:
        touching = (j for j in rows if j["activation_ns"] < end and max(j["end_ns"], j["deadline_ns"]) > start)
        return sorted((tuple(j[name] for name in names) for j in touching), key=lambda j: (j[1], j[0]))

    def shown(found: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
        return [tuple(job[name] for name in names) for job in found]

    whole, meta = jobs()
    assert shown(whole) == within(r["start_ns"], r["end_ns"]) and len(whole) == 200
    assert meta == {b"truncated": b"false", b"missed_only": b"false"}
    words = {(job["fault"], job["fault_words"]) for job in whole}
    assert words == {(None, None), ("own_overrun", "own overrun"), ("overload", "overload")}
    third = (r["end_ns"] - r["start_ns"]) // 3
    for start in (r["start_ns"], r["start_ns"] + third, r["start_ns"] + 2 * third):
        assert shown(jobs(f"?start={start}&end={start + third}")[0]) == within(start, start + third)
    # A job is in a window that it only spans, and in none that it only touches.
    late = max(rows, key=lambda job: job["tardiness_ns"])
    inside = late["deadline_ns"] + 1000
    assert late["activation_ns"] in [j["activation_ns"] for j in jobs(f"?start={inside}&end={inside + 1}")[0]]
    after = late["end_ns"]
    assert late["activation_ns"] not in [
        j["activation_ns"] for j in jobs(f"?start={after}&end={after + 1}")[0] if j["utid"] == late["utid"]
    ]
    missed, meta = jobs("?limit=40")
    assert [job["missed"] for job in missed] == [True] * 34 and meta[b"missed_only"] == b"true"
    some, meta = jobs("?limit=10")
    assert len(some) == 10 and all(job["missed"] for job in some) and meta[b"truncated"] == b"true"


def test_declared_tasks_are_measured_and_drawn(serve: Serve, tmp_path: Path) -> None:
    path = tmp_path / "fifo.duckdb"
    build_drawn(FIFO, path)
    task = "contr*=4ms/5ms/20ms"
    expected = found_in(path, task)
    served = serve([path])
    assert ask(served, "fifo")["headline"].startswith("No thread had a deadline")
    assert_has(ask(served, "fifo", f"?task={task}"), json.loads(json.dumps(expected.to_json())))
    (job,) = served.ask(f"/api/traces/fifo/deadlines/jobs?task={task}").arrow().to_pylist()
    assert (job["missed"], job["tardiness_ns"], job["fault_words"]) == (True, 1_000_000, "own overrun")
    # Of two that match, the later one counts, as on the command line.
    both = ask(served, "fifo", f"?task={task}&task=control=8ms/9ms")
    assert both["missed"] == 0 and both["tasks"][0]["words"] == "8/9/9 ms"
    for query in [f"?task={task}", "", "?task=other=1ms/2ms", "?task=x=1ms/3ms", "?task=y=1ms/3ms", ""]:
        ask(served, "fifo", query)  # more than are kept


@pytest.mark.parametrize(
    ("query", "status", "part"),
    [
        ("?task=x", 422, "task 'x': write NAME=RUNTIME/DEADLINE/PERIOD"),
        ("?task=x=3ms/2ms", 422, "the deadline not shorter"),
        ("?task=", 422, "task.0"),
        ("/jobs?start=5&end=5", 422, "window: its end 5 is not after its start 5"),
        ("/jobs?limit=0", 422, "limit"),
        ("?" + "&".join(["task=a=1ms/2ms"] * 65), 422, "task"),
    ],
)
def test_bad_requests_are_one_line(serve: Serve, tmp_path: Path, query: str, status: int, part: str) -> None:
    build_drawn(LATE, tmp_path / "late.duckdb")
    answer = serve([tmp_path / "late.duckdb"]).ask(f"/api/traces/late/deadlines{query}")
    assert answer.status == status and part in answer.json()["error"], answer.body


def test_what_is_not_visible_is_said(serve: Serve, tmp_path: Path) -> None:
    build_drawn(UNDESCRIBED, tmp_path / "bare.duckdb")
    served = serve([tmp_path / "bare.duckdb"])
    answer = ask(served, "bare")
    assert answer["headline"].startswith("Not visible: 1 SCHED_DEADLINE thread ran (control)")
    assert not answer["tasks"] and not answer["figures"]
    assert served.ask("/api/traces/bare/deadlines/jobs").arrow().num_rows == 0


def test_too_many_jobs_are_refused_and_their_figures_are_not(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wastenot.web.deadlines.MOST_JOBS", 1)
    build_drawn(LATE, tmp_path / "late.duckdb")
    served = serve([tmp_path / "late.duckdb"])
    assert ask(served, "late")["jobs"] == 2
    refused = served.ask("/api/traces/late/deadlines/jobs")
    assert refused.status == 413 and "`wastenot deadlines --jobs FILE`" in refused.json()["error"]
