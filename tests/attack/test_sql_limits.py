"""A query of a user takes no more memory and time than it may, leaves nothing behind, and ends in one line."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from wastenot.analyzer.errors import BadQuery, QueryLimit
from wastenot.analyzer.sql_process import Limits, QueryOutcome, SqlProcess
from wastenot.web import Settings
from wastenot.web.local import serving

Run = Callable[..., subprocess.CompletedProcess[str]]

GREEDY = {
    "a million long lists": "SELECT max(a) FROM (SELECT list(repeat('x', 5000) || range) AS a FROM range(1000000))",
    "a text of 3 GB": "SELECT length(repeat('x', 3000000000))",
    "a distance of 30,000 letters": "SELECT damerau_levenshtein(repeat('ab', 15000), repeat('ba', 15000))",
    "a list of 300 million": "SELECT list(range) FROM range(300000000)",
}
"""Queries of the kind that took 5.9 to 9 GB."""

LONG = {
    "without end": "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r",
    "one call of a function that cannot be interrupted": "SELECT levenshtein(repeat('ab', 90000), repeat('ba', 90000))",
}

SMALL = Limits(seconds=60, memory_bytes=300 << 20, rows=1000, result_bytes=8 << 20)


def asked(trace: Path, sql: str, limits: Limits = SMALL) -> tuple[int, int, QueryOutcome]:
    """Rows and bytes of the result."""
    answered, rows, size = QueryOutcome(), 0, 0
    with SqlProcess() as process:
        for part in process.run(trace, sql, limits, answered):
            rows, size = rows + part.num_rows, size + part.nbytes
    return rows, size, answered


def peak_mb() -> int:
    """Most memory that any child of this process has had."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10


@pytest.mark.parametrize("what", GREEDY)
def test_a_greedy_query_is_stopped_at_its_memory(drawn: Path, what: str) -> None:
    with pytest.raises(QueryLimit, match=r"needs more than 300 MiB|longer than 60 s"):
        asked(drawn, GREEDY[what])
    assert peak_mb() < 1200


@pytest.mark.parametrize("what", LONG)
def test_a_long_query_is_stopped_at_its_time(drawn: Path, what: str) -> None:
    began = time.monotonic()
    with pytest.raises(QueryLimit, match=r"longer than 2 s|needs more than"):
        asked(drawn, LONG[what], Limits(seconds=2, memory_bytes=1 << 30))
    assert time.monotonic() - began < 60


@pytest.mark.parametrize(
    ("sql", "cut"),
    [
        ("SELECT * FROM range(300000000)", "rows"),
        ("SELECT repeat('x', 5000) FROM range(1000000)", "rows"),
        ("SELECT repeat('x', 50000) FROM range(1000000)", "bytes"),
        ("SELECT * FROM range(1000)", None),
    ],
)
def test_a_result_is_cut_at_its_rows_or_size_and_says_so(drawn: Path, sql: str, cut: str | None) -> None:
    rows, size, answered = asked(drawn, sql)
    assert answered.cut == cut and rows <= 1000 and size <= 8 << 20 and rows > 0


def test_a_row_larger_than_the_result_may_be_is_one_line(drawn: Path) -> None:
    with pytest.raises(BadQuery, match="one row"):
        asked(drawn, "SELECT repeat('x', 20000000)")


def test_the_process_ends_with_the_one_that_started_it(drawn: Path) -> None:
    start = (
        "import sys, time, threading; from pathlib import Path; from wastenot.analyzer.sql_process import *\n"
        "p = SqlProcess(); print(p._process.pid, flush=True)\n"
        f"list(p.run(Path({str(drawn)!r}), {LONG['without end']!r}, Limits(seconds=600), QueryOutcome()))"
    )
    with subprocess.Popen([sys.executable, "-c", start], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        time.sleep(1)
        parent.kill()
    until = time.monotonic() + 20
    while Path(f"/proc/{child}/cmdline").exists() and Path(f"/proc/{child}/cmdline").read_bytes():
        assert time.monotonic() < until, "the process of the query still runs"
        time.sleep(0.05)


def test_a_killed_process_leaves_no_folder(drawn: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    process = SqlProcess()
    assert len(list(tmp_path.iterdir())) == 1
    os.kill(process._process.pid, signal.SIGKILL)
    with pytest.raises(QueryLimit):
        list(process.run(drawn, "SELECT 1", SMALL, QueryOutcome()))
    assert list(tmp_path.iterdir()) == [] and not process.usable


def test_the_command_stops_a_query_in_one_line(trace: Path, fails: Callable[..., str]) -> None:
    assert "MiB of memory" in fails("sql", "T.duckdb", GREEDY["a text of 3 GB"], "--memory", "300")
    assert "longer than 1 s" in fails("sql", "T.duckdb", LONG["without end"], "--seconds", "1")
    assert "larger than" in fails("sql", "T.duckdb", "SELECT repeat('x', 2000000)", "--result-size", "1")
    assert [p.name for p in trace.parent.iterdir()] == ["T.duckdb"]


def test_the_server_answers_others_while_queries_are_stopped_and_abandoned(drawn: Path) -> None:
    settings = Settings(port=0, sql_seconds=3.0, sql_memory_bytes=300 << 20)
    with serving([drawn], settings) as served:
        body = json.dumps({"sql": LONG["one call of a function that cannot be interrupted"]}).encode()
        head = "POST /api/traces/T/sql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += f"Content-Length: {len(body)}\r\n\r\n"
        for _ in range(4):
            with socket.create_connection(("127.0.0.1", served.port)) as s:
                s.sendall(head.encode() + body)
                time.sleep(0.2)
        began = time.monotonic()
        assert served.ask("/api/traces/T/threads").status == 200
        assert time.monotonic() - began < 10
        for what in GREEDY:
            answer = served.sql(GREEDY[what], trace="T")
            assert answer.status == 400 and "query stopped" in answer.error()
        assert served.sql("SELECT 1", trace="T").status == 200


ODD = {
    "SELECT DATE 'infinity' AS a": '"infinity"',
    "SELECT TIMESTAMP '-infinity' AS a": '"-infinity"',
    "SELECT DATE '290000-01-01 (BC)' AS a": '"290000-01-01 (BC)"',
    "SELECT 'nan'::DOUBLE AS a": '"NaN"',
    "SELECT {'b': ['-inf'::DOUBLE]} AS a": '"-Infinity"',
    "FROM test_all_types()": '(BC)"',
    """SELECT 1 AS "[/b]" """: '"[/b]": 1',
}


@pytest.mark.parametrize("query", ODD)
def test_values_that_python_or_json_has_not_are_text(run: Run, trace: Path, query: str) -> None:
    def no_number(name: str) -> None:
        raise AssertionError(name)

    for form in ((), ("--csv",), ("--json",)):
        done = run("sql", trace.name, query, *form)
        assert (done.returncode, done.stderr) == (0, ""), done
    assert ODD[query] in done.stdout
    json.loads(done.stdout, parse_constant=no_number)


def test_an_error_of_a_query_is_no_longer_than_a_line(fails: Callable[..., str], trace: Path) -> None:
    said = fails("sql", trace.name, "SELECT error(repeat('x', 1000000))")
    assert "xxx" in said and len(said) < 600
