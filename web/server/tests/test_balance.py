"""The balance of parallel programs as the browser asks for it: those of the two commands, with words and cells."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from drawing import build_drawn
from programs import SpinningProgram, iterations, noisy_job
from rich.console import Console
from wastenot.analyzer import CheckOptions, open_trace
from wastenot.analyzer.balance.advice import advise
from wastenot.analyzer.balance.measuring import Selection, balance_of
from wastenot.analyzer.render.advice import advice_json, advice_text
from wastenot.analyzer.render.balance import balance_json, balance_text
from wastenot.web.balance import cells
from wastenot.web.local import LocalServer, Serve

CHECK = CheckOptions(tables="all")
PARTS = ("compute", "spin", "wait", "preempted", "queued", "irq", "blocked", "throttled", "other")
GROUPS = ("computing_ns", "waiting_ns", "taken_ns", "unknown_ns")


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A job of mpirun with unequal ranks and a daemon."""
    path = tmp_path_factory.mktemp("balance") / "job.duckdb"
    build_drawn(noisy_job(), path, CHECK)
    return path


@dataclass
class Printed:
    """What `wastenot balance` and `wastenot advise` print: with --json, and for people, without line breaks."""

    balance: dict[str, Any]
    advice: dict[str, Any]
    text: str


def commands(path: Path, selection: Selection) -> Printed:
    """What they print. Before a server opens the trace: a process opens a file once."""
    console = Console(width=2000, color_system=None)
    with open_trace(path) as trace, console.capture() as captured:
        balance = balance_of(trace, selection)
        advice = advise(trace, balance)
        console.print(balance_text(balance), advice_text(balance, advice))
    shown, advised = json.loads(json.dumps([balance_json(balance), advice_json(advice)]))
    return Printed(shown, advised, captured.get())


def ask(served: LocalServer, name: str, query: str = "") -> dict[str, Any]:
    """The answer about a trace."""
    answer = served.ask(f"/api/traces/{name}/balance{query}")
    assert answer.status == 200, answer.body
    found: dict[str, Any] = answer.json()
    return found


def without(shown: dict[str, Any], *names: str) -> dict[str, Any]:
    """A JSON object without some keys."""
    return {key: value for key, value in shown.items() if key not in names}


def assert_as_the_commands(found: dict[str, Any], expected: Printed) -> None:
    """Every figure of the two commands is in the answer, and every sentence is one that they print."""
    balance, advice, text = expected.balance, expected.advice, expected.text
    for sentence in (
        found["sentence"],
        *found["remarks"],
        *(f"{c['crew']}: {c['reason']}" for c in found["candidates"]),
    ):
        assert sentence in text
    assert [without(c, "crew", "reason") for c in found["candidates"]] == balance["candidates"]
    assert len(found["applications"]) == len(balance["applications"])
    for shown, printed_one, advised in zip(
        found["applications"], balance["applications"], advice["applications"], strict=True
    ):
        one = without(shown, "text", "cells", "advice", "parts") | {
            "segments": [without(s, "length_ns", "is_shown") for s in shown["segments"]],
            "sources": [without(s, "words", "is_shown") for s in shown["sources"]],
        }
        assert one == without(printed_one, "iteration", "rank_iteration")
        recommendations = [without(r, "saves_words") for r in shown["advice"]["recommendations"]]
        assert without(shown["advice"], "sentence", "remarks") | {"recommendations": recommendations} == advised
        words = [w for w in shown["text"].values() if w]
        words += [s["words"] for s in shown["sources"] if s["is_shown"]]
        words += [shown["advice"]["sentence"], *shown["advice"]["remarks"]]
        words += [r["saves_words"] for r in shown["advice"]["recommendations"]]
        assert [w for w in words if w not in text] == []


def assert_cells(shown: dict[str, Any], printed_one: dict[str, Any]) -> None:
    """With a column per window the cells are `iteration` and `rank_iteration` of the command."""
    of, ranks = shown["cells"], range(shown["ranks"])
    columns = of["columns"]
    assert [(c["first"], c["last"]) for c in columns] == [(i, i) for i in range(1, shown["windows"] + 1)]
    given = [
        {
            "rank": r,
            "iteration": c["first"],
            **{f"{p}_ns": of["parts"][p][r][i] if p in of["parts"] else 0 for p in PARTS},
        }
        for r in ranks
        for i, c in enumerate(columns)
    ]
    assert given == printed_one["rank_iteration"]
    for rank in ranks:
        for i, column in enumerate(columns):
            assert sum(of[group][rank][i] for group in GROUPS) == column["end_ns"] - column["start_ns"]
    windows = {w["iteration"]: w for w in printed_one["iteration"] or []}
    for column in columns:
        window = windows.get(column["first"], {})
        for name in ("load_balance", "lost_ns", "last_rank"):
            assert column[name] == window.get(name), (column["first"], name)


def test_the_answer_has_the_figures_and_sentences_of_the_commands(serve: Serve, job: Path) -> None:
    expected = commands(job, Selection())
    found = ask(serve([job]), "job")
    assert_as_the_commands(found, expected)
    (app,) = found["applications"]
    assert (app["name"], app["found_by"], app["ranks"]) == ("solver", "launcher", 4)
    assert app["lambda"] == pytest.approx(0.27, abs=0.001)
    assert_cells(app, expected.balance["applications"][0])
    parts = [sum(rank[f"{part}_ns"] for part in PARTS) for rank in app["rank"]]
    assert parts == [app["run_ns"]] * 4
    assert [s["is_shown"] for s in app["segments"]] == [True, True, False]
    shown = [part["part"] for part in app["parts"] if part["is_shown"]]
    header = next(line for line in expected.text.splitlines() if line.startswith("rank  tid"))
    assert shown == [part for part in PARTS if f" {part} " in f"{header} "]
    daemon = next(i for i, s in enumerate(app["sources"]) if s["name"] == "daemon-3")
    assert app["sources"][daemon]["avoidable_ns"] == 6 * 5_000_000
    assert app["cells"]["parts"]["preempted"][3][:5] == [0, 5_000_000, 0, 5_000_000, 0]


def test_a_selection_names_the_program(serve: Serve, tmp_path: Path, worker_drawing: str) -> None:
    path = tmp_path / "T.duckdb"
    build_drawn(iterations([10_000, 40_000], 10), path, CHECK)
    expected = commands(path, Selection(app="a*"))
    alone = tmp_path / "alone.duckdb"
    build_drawn(worker_drawing, alone, CHECK)
    served = serve([path, alone])
    nothing = ask(served, "alone")
    assert (nothing["applications"], nothing["sentence"].split(":")[0]) == ([], "No application found")
    found = ask(served, "T", "?app=a*")
    assert_as_the_commands(found, expected)
    assert_cells(found["applications"][0], expected.balance["applications"][0])


def test_ranks_that_spin_have_no_figures_but_what_they_did(serve: Serve, tmp_path: Path) -> None:
    program, at = SpinningProgram(2), 0
    for _ in range(10):
        at = program.meeting(at, [10_000, 40_000])
    drawing = program.drawing(at)
    hidden = "\n".join(line for line in drawing.splitlines() if " enter " not in line and " leave " not in line)
    build_drawn(drawing, tmp_path / "calls.duckdb", CHECK)
    build_drawn(hidden, tmp_path / "hidden.duckdb", CHECK)
    states = {"calls": "imbalanced", "hidden": "not_visible"}
    expected = {name: commands(tmp_path / f"{name}.duckdb", Selection(app="app")) for name in states}
    served = serve([tmp_path / f"{name}.duckdb" for name in states])
    for name, state in states.items():
        found = ask(served, name, "?app=app")
        assert_as_the_commands(found, expected[name])
        (app,) = found["applications"]
        assert_cells(app, expected[name].balance["applications"][0])
        assert app["state"] == state
    assert app["load_balance"] is None and app["lost_ns"] is None and app["sources"] == []
    assert app["text"]["not_visible"].startswith("Balance not visible") and app["text"]["loss"] == ""


def test_many_windows_share_columns_and_nothing_is_lost(job: Path) -> None:
    with open_trace(job) as trace:
        app = balance_of(trace, Selection()).applications[0]
    whole, few = cells(app), cells(app, most_columns=5)
    assert whole is not None and few is not None
    assert [(c["segment"], c["first"], c["last"]) for c in few["columns"]] == [
        (1, 1, 1), (2, 2, 5), (2, 6, 9), (2, 10, 12), (3, 13, 13),
    ]  # fmt: skip
    for group in GROUPS:
        assert [sum(row) for row in few[group]] == [sum(row) for row in whole[group]]
    for part, rows in whole["parts"].items():
        assert [row[1] for row in few["parts"][part]] == [sum(row[1:5]) for row in rows]
    merged = few["columns"][1]
    assert merged["lost_ns"] == pytest.approx(sum(c["lost_ns"] for c in whole["columns"][1:5]))
    computed = [sum(row[1:5]) for row in whole["computing_ns"]]
    assert merged["load_balance"] == pytest.approx(sum(computed) / 4 / max(computed))
    assert merged["last_rank"] is None
    assert len((cells(app, most_cells=1) or {})["columns"]) == len(app.segments)


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [
        ("?app=nothing*", 400, "--app 'nothing*': no thread that ran and no process has such a name"),
        ("?cgroup=/none", 400, "--cgroup '/none': no thread that ran was in it"),
        ("?bubble=77", 400, "--bubble 77: this trace has no such bubble"),
        ("?bubble=1&app=solver", 400, "--bubble 1: goes without --app and --cgroup"),
        ("?app=mpirun", 400, "--app 'mpirun': no thread that ran"),
        ("?app=", 422, "app: "),
        ("?bubble=x", 422, "bubble: "),
        ("?bubble=99999999999", 422, "bubble: "),
    ],
)
def test_a_bad_selection_is_refused_in_a_line(query: str, status: int, message: str, serve: Serve, job: Path) -> None:
    answer = serve([job]).ask(f"/api/traces/job/balance{query}")
    assert answer.status == status
    assert answer.json()["error"].startswith(message) and "\n" not in answer.json()["error"]
