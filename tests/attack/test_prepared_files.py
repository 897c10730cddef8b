"""A prepared trace reads no file of the user and runs no code: it is refused in one line."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from wastenot.analyzer import CheckOptions, ensure_checked, export_parquet
from wastenot.analyzer.errors import AnalyzerError
from wastenot.analyzer.store import opening as store
from wastenot.analyzer.store.opening import open_for_writing, open_read_only
from wastenot.web import Settings
from wastenot.web.local import serving

ROOT = Path(__file__).resolve().parents[2]
Prepare = Callable[[str], Path]
Fails = Callable[..., str]

THREAD_VIEW = (
    "ALTER TABLE thread RENAME TO thread_kept; CREATE VIEW thread AS SELECT * REPLACE "
    "((SELECT content FROM read_text('{secret}')) AS name) FROM thread_kept"
)
"""A view that takes the place of a table."""

PREPARED = {
    "a view in place of a table": THREAD_VIEW,
    "a view under another name": "CREATE VIEW extra AS SELECT * FROM read_text('{secret}')",
    "a view, and a macro that hides it": (
        "CREATE VIEW extra AS SELECT 1; CREATE MACRO duckdb_views() AS TABLE SELECT 1 LIMIT 0"
    ),
    "a macro with the name of a built-in function": "CREATE MACRO coalesce_ns(a) AS 1; CREATE MACRO sum(a) AS 42",
    "a table macro with the name of a listing": "CREATE MACRO duckdb_tables() AS TABLE SELECT 'trace' AS table_name",
    "an enumeration's macro that reads a file": (
        "CREATE OR REPLACE MACRO grade_name(code) AS (SELECT content FROM read_text('{secret}'))"
    ),
    "an enumeration's macro with a second form": "CREATE OR REPLACE MACRO grade_name(code) AS 'x', (code, b) AS 'y'",
    "a table macro with an enumeration's name": (
        "DROP MACRO grade_name; CREATE MACRO grade_name(code) AS TABLE SELECT 1"
    ),
    "a default": "ALTER TABLE thread ALTER name SET DEFAULT (1 + 1)",
    "a generated column": "DROP TABLE cpu; CREATE TABLE cpu (cpu SMALLINT, x INTEGER GENERATED ALWAYS AS (cpu + 1))",
    "a check constraint": "DROP TABLE cpu; CREATE TABLE cpu (cpu SMALLINT CHECK (cpu > 0))",
    "a unique constraint": "DROP TABLE cpu; CREATE TABLE cpu (cpu SMALLINT UNIQUE)",
    "an index over an expression": "CREATE INDEX i ON thread ((utid + 1))",
    "a sequence": "CREATE SEQUENCE s",
    "a type": "CREATE TYPE mood AS ENUM ('a', 'b')",
    "a schema": "CREATE SCHEMA other; CREATE TABLE other.trace (a INTEGER)",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON thread FOR EACH STATEMENT INSERT INTO cpu SELECT * FROM cpu",
    "a table of its own": "CREATE TABLE mine (a INTEGER)",
    "a column of its own": "ALTER TABLE cpu ADD COLUMN mine INTEGER",
    "a column of another type": "ALTER TABLE cgroup ALTER path TYPE INTEGER USING 1",
    "a column that sorts by rules of its own": "DROP TABLE cpu; CREATE TABLE cpu (model VARCHAR COLLATE nocase)",
    "a structure": "DROP TABLE cpu; CREATE TABLE cpu (cpu STRUCT(a INTEGER, b VARCHAR))",
}


@pytest.mark.parametrize("what", PREPARED)
def test_a_prepared_trace_is_refused_before_its_tables_are_read(
    prepare: Prepare, secret: Path, tmp_path: Path, what: str
) -> None:
    path = prepare(PREPARED[what].format(secret=secret))
    before = path.read_bytes()
    for opening in (open_read_only, open_for_writing, lambda p: store.open_for_copying(p, tmp_path)):
        with pytest.raises(AnalyzerError) as caught:
            opening(path)
        assert "\n" not in str(caught.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize("what", PREPARED)
def test_so_is_one_of_an_older_schema_on_its_way_to_an_upgrade(prepare: Prepare, secret: Path, what: str) -> None:
    path = prepare(PREPARED[what].format(secret=secret))
    with duckdb.connect(str(path)) as con:
        con.execute("DROP TABLE IF EXISTS evidence; ALTER TABLE trace DROP notes; ALTER TABLE trace DROP unverified")
        for column in ("unrecorded_excuses", "degraded"):
            con.execute(f"ALTER TABLE trace ADD COLUMN {column} VARCHAR[] DEFAULT []")
        con.execute("UPDATE trace SET schema_version = 2")
    before = path.read_bytes()
    with pytest.raises(AnalyzerError):
        ensure_checked(path, CheckOptions())
    assert path.read_bytes() == before


VERBS = {
    "check": ["check", "T.duckdb"],
    "check anew": ["check", "T.duckdb", "--threshold", "lasting=7ms"],
    "episodes": ["episodes", "T.duckdb"],
    "episode": ["episode", "T.duckdb", "1"],
    "top": ["top", "T.duckdb"],
    "counters": ["counters", "T.duckdb"],
    "sql": ["sql", "T.duckdb", "SELECT name FROM thread"],
    "export parquet": ["export", "T.duckdb", "--to", "parquet", "-o", "out"],
    "export csv": ["export", "T.duckdb", "--to", "csv", "-o", "out"],
    "export perfetto": ["export", "T.duckdb", "--to", "perfetto", "-o", "out"],
    "report": ["report", "T.duckdb", "-o", "out.html"],
    "import": ["import", "T.duckdb", "-o", "other.duckdb"],
}


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_shows_a_file_through_a_view(
    prepare: Prepare, fails: Fails, secret: Path, tmp_path: Path, verb: str
) -> None:
    prepare(THREAD_VIEW.format(secret=secret))
    assert "T.duckdb" in fails(*VERBS[verb])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["T.duckdb", "secret.txt"]


def test_the_server_shows_no_file_through_a_view(prepare: Prepare, secret: Path, drawn: Path) -> None:
    path = prepare(THREAD_VIEW.format(secret=secret))
    with serving([path], Settings(port=0)) as served:
        for address in ("search?q=content", "threads", "verdict", "top/thread", "schema"):
            answer = served.ask(f"/api/traces/T/{address}")
            assert answer.status == 422 and secret.read_text().encode() not in answer.body
            assert "view" in answer.error()
    with serving([drawn], Settings(port=0)) as served:
        job = served.upload("T.duckdb", path.read_bytes())
        assert job["state"] == "failed" and "view" in job["error"] and job["error"].count("\n") == 0


@pytest.mark.parametrize("log", [".wal", ".wal.checkpoint", ".wal.recovery"])
def test_a_log_beside_a_trace_is_not_read_with_it(trace: Path, log: str) -> None:
    trace.with_name(trace.name + log).write_bytes(b"")
    with pytest.raises(AnalyzerError, match="beside it"):
        open_read_only(trace)
    with pytest.raises(AnalyzerError, match="beside it"):
        open_for_writing(trace)


def test_sql_of_the_command_line_writes_no_log_beside_the_trace(trace: Path, fails: Fails) -> None:
    assert "not permitted" in fails("sql", "T.duckdb", "COPY (SELECT 1) TO 'T.duckdb.wal'")
    assert "not permitted" in fails("sql", "T.duckdb", f"COPY (SELECT 1) TO '{trace}.wal'")
    assert [p.name for p in trace.parent.iterdir()] == ["T.duckdb"]


@pytest.mark.parametrize("verb", ["check", "top", "sql", "export csv"])
def test_a_fifo_is_not_waited_for(fails: Fails, tmp_path: Path, verb: str) -> None:
    os.mkfifo(tmp_path / "T.duckdb")
    assert "not a regular file" in fails(*VERBS[verb], timeout=30)


@pytest.mark.parametrize("name", ["segments/00000000.seg", "machine.json", "segments/other"])
def test_a_fifo_in_a_recording_is_not_waited_for(fails: Fails, tmp_path: Path, name: str) -> None:
    part = tmp_path / "T.duckdb.part"
    shutil.copytree(ROOT / "fixtures/traces/two-cpus.part", part)
    (part / name).unlink(missing_ok=True)
    os.mkfifo(part / name)
    assert "not a regular file" in fails("check", "T.duckdb", timeout=60)
    assert "not a regular file" in fails("import", "T.duckdb.part", "-o", "other.duckdb", timeout=60)


@pytest.mark.parametrize("name", ["meta.json", "machine.json", "segments/00000000.seg", "segments"])
def test_a_link_in_a_recording_is_not_followed(fails: Fails, tmp_path: Path, name: str) -> None:
    part = tmp_path / "T.duckdb.part"
    shutil.copytree(ROOT / "fixtures/traces/two-cpus.part", part)
    (part / name).rename(tmp_path / "private")
    (part / name).symlink_to(tmp_path / "private")
    assert "in it is a link" in fails("check", "T.duckdb", timeout=60)
    assert "in it is a link" in fails("import", "T.duckdb.part", "-o", "other.duckdb", timeout=60)


@pytest.mark.parametrize("name", ["meta.json", "machine.json"])
def test_a_text_of_a_recording_that_is_too_large_is_not_read(fails: Fails, tmp_path: Path, name: str) -> None:
    part = tmp_path / "T.duckdb.part"
    shutil.copytree(ROOT / "fixtures/traces/two-cpus.part", part)
    os.truncate(part / name, (64 << 20) + 1)
    assert "is larger than" in fails("check", "T.duckdb", timeout=60)


def test_a_fifo_in_a_folder_of_ctf_is_not_waited_for(fails: Fails, tmp_path: Path) -> None:
    (tmp_path / "ctf").mkdir()
    os.mkfifo(tmp_path / "ctf" / "metadata")
    assert "not a regular file" in fails("import", "ctf", "-o", "T.duckdb", timeout=60)


# ---- exports that come back


@pytest.fixture
def exported(drawn: Path, tmp_path: Path) -> Path:
    """The trace as Parquet."""
    export_parquet(drawn, tmp_path / "export")
    return tmp_path / "export"


def renamed(folder: Path, table: str, name: str) -> None:
    """Name another file for a table in the manifest."""
    manifest = json.loads((folder / "manifest.json").read_text())
    was = next(place for place, file in manifest["files"].items() if file["table"] == table)
    manifest["files"][name] = manifest["files"].pop(was)
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    "name", ["../{outside}", "{absolute}", "link.parquet", "l*/machine.parquet", "linked/machine.parquet"]
)
def test_an_export_names_no_file_outside_of_its_folder(exported: Path, fails: Fails, name: str) -> None:
    outside = exported.parent / "outside"
    outside.mkdir()
    shutil.copy(exported / "tables/machine.parquet", outside / "machine.parquet")
    (exported / "link.parquet").symlink_to(outside / "machine.parquet")
    (exported / "linked").symlink_to(outside)
    place = "outside/machine.parquet"
    renamed(exported, "machine", name.format(outside=place, absolute=exported.parent / place))
    line = fails("import", "export", "-o", "back.duckdb")
    assert "outside" in line or "not a regular file" in line
    assert not (exported.parent / "back.duckdb").exists()


HEAD = '{"format": "wastenot-parquet", "schema_version": 3'


@pytest.mark.parametrize(
    "manifest",
    [
        "{}",
        HEAD + "}",
        HEAD + ', "files": []}',
        HEAD + ', "files": {"a": {}}}',
        HEAD + ', "files": {"a": {"table": ["cpu"], "rows": 1}}}',
        HEAD + ', "files": {"tables/cpu.parquet": {"table": "cpu", "rows": "1"}}}',
        HEAD + ', "files": {"a\\u0000": {"table": "cpu", "rows": 1}}}',
        '{"format": ["wastenot-parquet"]}',
        "[" * 100_000,
    ],
)
def test_a_manifest_that_is_none_is_refused_in_one_line(exported: Path, fails: Fails, manifest: str) -> None:
    (exported / "manifest.json").write_text(manifest)
    fails("import", "export", "-o", "back.duckdb")


@pytest.mark.parametrize("count", [1 << 20, 10_000_000, 99_000_000])
def test_a_footer_does_not_say_how_much_memory_is_taken(exported: Path, fails: Fails, count: int) -> None:
    """A Parquet footer begins with its version, then the list of columns: 0x19, how many there are and their type."""
    path = next((exported / "events/sched_wakeup").glob("*.parquet"))
    data = path.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    body, footer = data[: -8 - length], data[-8 - length : -8]
    assert footer[2] == 0x19 and footer[3] >> 4 < 15
    digits = bytes(count >> shift & 0x7F | (0x80 if count >> shift + 7 else 0) for shift in range(0, 28, 7))
    footer = footer[:3] + bytes([0xF0 | footer[3] & 15]) + digits[: (count.bit_length() + 6) // 7] + footer[4:]
    path.write_bytes(body + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    assert "truncated or damaged (its footer: " in fails("import", "export", "-o", "back.duckdb")


@pytest.mark.parametrize("change", ["UPDATE t SET schema_version = -1", "INSERT INTO t FROM t", "DELETE FROM t"])
def test_an_export_whose_trace_is_of_another_version_leaves_no_trace(
    exported: Path, fails: Fails, tmp_path: Path, change: str
) -> None:
    path = exported / "tables/trace.parquet"
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE t AS FROM read_parquet('{path}')")
        con.execute(change)
        con.execute(f"COPY t TO '{path}' (FORMAT parquet)")
        (rows,) = con.execute("SELECT count(*) FROM t").fetchone() or (0,)
    manifest = json.loads((exported / "manifest.json").read_text())
    manifest["files"]["tables/trace.parquet"]["rows"] = rows
    (exported / "manifest.json").write_text(json.dumps(manifest))
    assert "truncated or damaged (its table `trace` says schema version " in fails("import", "export", "-o", "b.duckdb")
    assert not (tmp_path / "b.duckdb").exists()


def test_an_export_comes_back_whole(exported: Path, run: Callable[..., object], tmp_path: Path) -> None:
    run("import", "export", "-o", "back.duckdb")
    with open_read_only(tmp_path / "back.duckdb") as con:
        assert con.execute("SELECT count(*) FROM sched_switch").fetchone() != (0,)


@pytest.mark.parametrize("id", [2**63 - 1, -(2**63)])
def test_an_export_of_ids_that_cannot_be_ends(trace: Path, fails: Callable[..., str], id: int) -> None:
    with duckdb.connect(str(trace)) as con:
        con.execute("UPDATE sched_switch SET id = ?", [id])
    said = fails("export", "T.duckdb", "--to", "perfetto", "-o", "T.pftrace", timeout=30)
    assert f"sched_switch has the id {id}" in said and [path.name for path in trace.parent.iterdir()] == ["T.duckdb"]
