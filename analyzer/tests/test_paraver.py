"""An application written for Paraver: its records, in order and with the exact times, and the names beside them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from drawing import build_drawn
from programs import LAG_US, Program, iterations
from wastenot.analyzer import CheckOptions, errors, open_trace
from wastenot.analyzer.balance import paraver
from wastenot.analyzer.balance.application import Application
from wastenot.analyzer.balance.decomposition import PLACE
from wastenot.analyzer.balance.measuring import Selection, balance_of
from wastenot.analyzer.balance.paraver import ITERATION, export_paraver

US = 1000


def exported(drawing: str, folder: Path) -> tuple[Application, list[list[int]], str]:
    """The application `app` of a drawing, the records of its export, and their header."""
    path, target = folder / "T.duckdb", folder / "app.prv"
    build_drawn(drawing, path, CheckOptions(tables="all"))
    with open_trace(path) as trace:
        (app,) = balance_of(trace, Selection(app="app")).applications
        records = export_paraver(trace, app, target)
    header, *lines = target.read_text(encoding="utf-8").splitlines()
    assert records == len(lines)
    return app, [[int(field) for field in line.split(":")] for line in lines], header


def test_states_are_written_with_cpu_task_and_exact_times(tmp_path: Path) -> None:
    _, records, header = exported(iterations([10_000, 40_000], 4), tmp_path)
    assert header == "#Paraver (01/01/1970 at 00:00):160040000_ns:1(2):1:2(1:1,1:1)"
    of_first = [r for r in records if r[0] == 1 and r[3] == 1][:3]
    assert of_first == [
        [1, 1, 1, 1, 1, 0, 10_000 * US, 1],
        [1, 1, 1, 1, 1, 10_000 * US, 40_000 * US, 5],
        [1, 1, 1, 1, 1, 40_000 * US, (40_000 + LAG_US) * US, 14],
    ]


def test_records_are_in_order_of_time_and_states_fill_the_time_of_each_rank(tmp_path: Path) -> None:
    program, at = Program(3), 0
    for number in range(6):
        at = program.iteration(at, [20_000, 21_000, 22_000], {1: 5_000} if number % 2 else {})
    app, records, _ = exported(program.drawing(at, daemons=[1]), tmp_path)
    times = [r[5] for r in records]
    assert times == sorted(times)
    for rank in app.ranks:
        own = [r for r in records if r[0] == 1 and r[3] == rank.rank.number + 1]
        assert own[0][5] == 0 and own[-1][6] == app.whole_ns
        assert all(one[6] == following[5] for one, following in pairwise(own))
        running = sum(r[6] - r[5] for r in own if r[7] == 1)
        assert running == int(rank.parts[PLACE["compute"]])


def test_each_window_starts_with_an_event_of_every_rank(tmp_path: Path) -> None:
    app, records, _ = exported(iterations([10_000, 40_000], 6), tmp_path)
    events = [(r[3], r[5], r[7]) for r in records if r[0] == 2 and r[6] == ITERATION]
    begins = (app.bounds[:-1] - app.start_ns).tolist()
    assert sorted(events) == [(task, begin, i + 1) for task in (1, 2) for i, begin in enumerate(begins)]


def test_parts_of_the_time_written_one_by_one_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = iterations([10_000, 40_000, 25_000], 12)
    (tmp_path / "one").mkdir()
    (tmp_path / "many").mkdir()
    whole = exported(drawing, tmp_path / "one")[1]
    monkeypatch.setattr(paraver, "MOST_STATES", 7)
    assert exported(drawing, tmp_path / "many")[1] == whole


def test_names_of_states_and_ranks_are_beside_it(tmp_path: Path) -> None:
    exported(iterations([10_000, 40_000], 4), tmp_path)
    states = (tmp_path / "app.pcf").read_text(encoding="utf-8")
    assert "1    Running\n5    Waiting (asleep)\n" in states and f"0    {ITERATION}    Iteration" in states
    rows = (tmp_path / "app.row").read_text(encoding="utf-8")
    assert rows.startswith("LEVEL CPU SIZE 2\nCPU 0\nCPU 1\n\nLEVEL NODE SIZE 1\n")
    assert rows.endswith("LEVEL THREAD SIZE 2\nrank 0: app (101)\nrank 1: app (102)\n")


def test_files_that_are_there_are_not_replaced_and_other_names_are_refused(tmp_path: Path) -> None:
    drawing = iterations([10_000, 40_000], 4)
    exported(drawing, tmp_path)
    with open_trace(tmp_path / "T.duckdb") as trace:
        (app,) = balance_of(trace, Selection(app="app")).applications
        with pytest.raises(errors.OutputExists):
            export_paraver(trace, app, tmp_path / "app.prv")
        with pytest.raises(errors.BadArgument, match=r"ends in \.prv"):
            export_paraver(trace, app, tmp_path / "app.txt")
        assert export_paraver(trace, app, tmp_path / "app.prv", force=True) > 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["T.duckdb", "app.pcf", "app.prv", "app.row"]
