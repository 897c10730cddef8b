"""`--window` of `sql` and `export`: a time of the trace, without writing the file."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from wastenot.analyzer import CheckOptions, build
from wastenot.analyzer.store.tables import WINDOW_TABLES
from wastenot.cli.errors import CommandError
from wastenot.cli.options import window_of

SHIPPED = Path(__file__).parents[2] / "fixtures/traces/two-cpus.part"
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    part = Path(shutil.copytree(SHIPPED, tmp_path / "T.duckdb.part"))
    build(part, part.with_suffix(""), CheckOptions(checkpoint_events=5_000))
    return part.with_suffix("")


BOUNDS = (5, 2_000_000_005)


@pytest.mark.parametrize(
    ("given", "window"),
    [
        ("1.2s..1.3s", (1_200_000_005, 1_300_000_005)),
        ("0s..4ms", (5, 4_000_005)),
        ("0..1.5s", (5, 1_500_000_005)),
        ("1000..1200", (1_000, 1_200)),
        ("1s..9s", (1_000_000_005, 9_000_000_005)),
    ],
)
def test_ends_count_from_the_start_of_the_trace_but_for_whole_numbers(given: str, window: tuple[int, int]) -> None:
    assert window_of(given, BOUNDS) == window


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("1s", "write FROM..TO"),
        ("1s..", "write both ends"),
        ("..1s", "write both ends"),
        ("2s..1s", "not after its start"),
        ("1s..1s", "not after its start"),
        ("5..1us", "give both ends a unit"),
        ("0.5..0.75", "give both ends a unit"),
        ("1s..2000000000", "give both ends a unit"),
        ("3s..4s", "lies outside of the trace; the trace lasts 2.00 s, from 5 to 2000000005 ns"),
        ("1..5", "lies outside of the trace"),
        ("9" * 41 + "..1", "more than 40 characters"),
    ],
)
def test_what_is_not_a_window_is_refused(given: str, words: str) -> None:
    with pytest.raises(CommandError, match=words):
        window_of(given, BOUNDS)


def test_sql_sees_the_rows_of_a_window_and_writes_nothing(run: Run, trace: Path) -> None:
    before = trace.read_bytes()
    sql = (
        "SELECT count(*) AS n, min(c.start_ns) - v.start_ns AS first, max(c.start_ns + c.dur_ns) - v.start_ns AS last "
        "FROM cpu_slice c, verdict v GROUP BY v.start_ns"
    )
    found = run("sql", "T.duckdb", "--window", "100ms..110ms", "--json", sql)
    assert found.returncode == 0, found.stderr
    row = json.loads(found.stdout)[0]
    assert row["n"] > 5 and row["first"] <= 100_000_000 and row["last"] >= 110_000_000
    assert trace.read_bytes() == before
    assert run("check", "-q", "--tables", "all", "T.duckdb").returncode in (0, 1)
    again = run("sql", "T.duckdb", "--window", "100ms..110ms", "--json", sql)
    assert json.loads(again.stdout)[0] == row, "the tables of the whole trace say the same"


@pytest.mark.parametrize("name", ["tile_run", '"T".cpu_slice'])
def test_a_query_for_more_than_the_window_is_refused_in_a_line(run: Run, trace: Path, name: str) -> None:
    before = trace.read_bytes()
    found = run("sql", "T.duckdb", "--window", "100ms..110ms", "--csv", f"SELECT count(*) FROM {name}")
    assert (found.returncode, found.stderr.count("\n")) == (2, 1)
    assert "is not one of the tables of a window" in found.stderr
    assert trace.read_bytes() == before


@pytest.mark.parametrize("given", ["1s", "2s..1s", "x..y"])
def test_a_wrong_window_is_one_line(run: Run, trace: Path, given: str) -> None:
    found = run("sql", str(trace), "--window", given, "SELECT 1")
    assert found.returncode == 2 and found.stdout == "" and len(found.stderr.splitlines()) == 1


def test_an_unchecked_trace_has_no_windows(run: Run, trace: Path) -> None:
    with duckdb.connect(str(trace)) as con:
        con.execute("DELETE FROM verdict")
    found = run("sql", "T.duckdb", "--window", "1ms..2ms", "SELECT 1")
    assert found.returncode == 2 and "not checked yet" in found.stderr


@pytest.mark.parametrize(("kind", "read"), [("parquet", "tables/{}.parquet"), ("csv", "{}.csv")])
def test_an_export_of_a_window_has_its_events_and_rows(
    run: Run, trace: Path, tmp_path: Path, kind: str, read: str
) -> None:
    before = trace.read_bytes()
    found = run("export", "T.duckdb", "--to", kind, "-o", "out", "--window", "100ms..150ms")
    assert found.returncode == 0, found.stderr
    assert trace.read_bytes() == before
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    tables = {file["table"] for file in manifest["files"].values()}
    assert {"cpu_slice", "thread_state", "sched_switch", "thread", "verdict"} <= tables
    assert not {"checkpoint", "tile_run"} & tables
    with duckdb.connect(str(trace), read_only=True) as con:
        (start,) = con.execute("SELECT start_ns FROM verdict").fetchone() or (0,)
        a, b = start + 100_000_000, start + 150_000_000
        (switches,) = con.execute(
            f"SELECT count(*) FROM sched_switch WHERE ts_ns >= {a} AND ts_ns < {b}"
        ).fetchone() or (0,)
    rows = {file["table"]: file["rows"] for file in manifest["files"].values()}
    assert rows["sched_switch"] == switches > 0
    with duckdb.connect() as con:
        for table in ("cpu_slice", "thread_state", "runqueue"):
            place = tmp_path / "out" / read.format(table)
            outside = f"SELECT count(*) FROM '{place}' WHERE start_ns >= {b} OR start_ns + dur_ns <= {a}"
            assert con.execute(outside).fetchone() == (0,)
    assert set(rows) & set(WINDOW_TABLES)
    assert "cannot make a" in (tmp_path / "out/README.md").read_text()
    refused = run("import", "out", "-o", "again.duckdb")
    assert refused.returncode == 2 and len(refused.stderr.splitlines()) == 1
    assert not (tmp_path / "again.duckdb").exists()


def test_perfetto_takes_no_window(run: Run, trace: Path) -> None:
    found = run("export", "T.duckdb", "--to", "perfetto", "-o", "out", "--window", "1ms..2ms")
    assert found.returncode == 2 and "--to parquet and --to csv" in found.stderr
