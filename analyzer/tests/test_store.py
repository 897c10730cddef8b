"""Opening a trace: every way in which a file can be wrong is its own error of one line."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import duckdb
import pytest
from samples import read_as_before
from wastenot.analyzer import (
    CheckOptions,
    ImportOptions,
    ensure_checked,
    errors,
    export_perfetto,
    import_source,
    open_trace,
)
from wastenot.analyzer.store.opening import open_for_copying, open_for_writing, open_read_only, upgrade
from wastenot.analyzer.store.tables import missing_tables
from wastenot.schemas import upgrade as versions
from wastenot.schemas.generated.enums import EvidenceKind, Excuse

FILES = Path(__file__).parents[2] / "fixtures/files"
TRACES = Path(__file__).parents[2] / "fixtures/traces"


def refused(path: Path, kind: type[errors.AnalyzerError]) -> str:
    with pytest.raises(kind) as caught:
        open_trace(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_a_missing_file_says_how_to_record_one(tmp_path: Path) -> None:
    assert "wastenot record" in refused(tmp_path / "none.duckdb", errors.MissingTrace)


def test_a_leftover_part_folder_is_offered(tmp_path: Path) -> None:
    (tmp_path / "T.duckdb.part").mkdir()
    assert "wastenot check" in refused(tmp_path / "T.duckdb", errors.LeftoverOnly)


def test_a_text_file_is_foreign(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello " * 1000)
    refused(path, errors.ForeignFile)


def test_an_empty_file_is_foreign(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.touch()
    assert "empty" in refused(path, errors.ForeignFile)


def test_a_folder_is_foreign(tmp_path: Path) -> None:
    assert "folder" in refused(tmp_path, errors.ForeignFile)


def test_another_duckdb_file_is_foreign(tmp_path: Path) -> None:
    path = tmp_path / "other.duckdb"
    duckdb.connect(str(path)).execute("CREATE TABLE t AS SELECT 1").close()
    assert "without the tables" in refused(path, errors.ForeignFile)


@pytest.mark.parametrize("kept", [0.02, 0.5, 0.95])
def test_a_file_cut_short_is_damaged(trace_path: Path, kept: float) -> None:
    size = trace_path.stat().st_size
    os.truncate(trace_path, int(size * kept))
    refused(trace_path, errors.DamagedTrace)


def test_a_header_with_a_wrong_checksum_is_damaged(trace_path: Path) -> None:
    whole = bytearray(trace_path.read_bytes())
    whole[40:48] = b"\xff" * 8
    trace_path.write_bytes(whole)
    refused(trace_path, errors.DamagedTrace)


def test_a_newer_schema_asks_for_an_upgrade(make_trace: Callable[..., Path]) -> None:
    path = make_trace("UPDATE trace SET schema_version = 99")
    assert "upgrade wastenot" in refused(path, errors.NewerSchema)


def test_an_older_schema_is_upgraded_step_by_step(
    make_trace: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_trace()
    now = versions.SCHEMA_VERSION
    steps = {now: "ALTER TABLE cpu ADD COLUMN a INTEGER", now + 1: "ALTER TABLE cpu DROP a"}
    monkeypatch.setattr(versions, "SCHEMA_VERSION", now + 2)
    monkeypatch.setattr(versions, "UPGRADERS", steps)
    assert "wastenot check" in refused(path, errors.OlderSchema)
    con = open_for_writing(path)
    upgrade(path, con)
    con.close()
    with open_trace(path) as trace:
        assert trace.sql("SELECT schema_version AS v FROM trace").one() == {"v": now + 2}


def test_a_file_of_version_1_gets_what_version_2_added(make_trace: Callable[..., Path]) -> None:
    proofs = "; ".join(
        f"ALTER TABLE {table} DROP {question}_proof"
        for table in ("episode", "episode_pair")
        for question in ("placed_by", "not_moved_because", "ended_by")
    )
    added = f"{AS_IN_4}; {ADDED_BY_3_TO_TRACE}; {proofs}"
    added += "; ALTER TABLE migration DROP path; ALTER TABLE migration DROP path_proof; DROP TABLE attribution"
    path = make_trace(f"{added}; UPDATE trace SET schema_version = 1")
    refused(path, errors.OlderSchema)
    assert ensure_checked(path, CheckOptions())
    with open_trace(path) as trace:
        assert len(trace.sql("SELECT * FROM attribution")) == len(trace.table("attribution"))
        assert trace.sql("SELECT count(*) AS n FROM episode WHERE placed_by_proof IS NULL").one() == {"n": 0}


def test_a_file_of_version_2_was_not_searched_for_unknown_events(
    make_trace: Callable[..., Path],
) -> None:
    path = make_trace(f"{AS_IN_4}; {ADDED_BY_3_TO_TRACE}; UPDATE trace SET schema_version = 2")
    refused(path, errors.OlderSchema)
    assert ensure_checked(path, CheckOptions())
    with open_trace(path) as trace:
        assert trace.sql("SELECT schema_version, unverified FROM trace").one() == {
            "schema_version": versions.SCHEMA_VERSION,
            "unverified": [],
        }


AS_IN_6 = "ALTER TABLE sched_switch DROP nr_running; ALTER TABLE trace DROP queued_wakings_only"
"""What version 7 changed, undone."""

AS_IN_5 = f"""{AS_IN_6};
    ALTER TABLE trace RENAME COLUMN evidence_level TO evidence;
    ALTER TABLE attribution RENAME COLUMN event_ids TO evidence;
    ALTER TABLE episode_pair RENAME COLUMN event_ids TO evidence"""
"""What version 6 changed, undone."""

AS_IN_4 = f"""{AS_IN_5};
    ALTER TABLE trace DROP notes;
    ALTER TABLE trace ADD COLUMN degraded VARCHAR[];
    ALTER TABLE trace ADD COLUMN recorded_evidence VARCHAR[];
    ALTER TABLE trace ADD COLUMN recorded_excuses VARCHAR[];
    ALTER TABLE trace ADD COLUMN unrecorded_excuses VARCHAR[];
    UPDATE trace SET degraded = [], recorded_evidence = ['migrations', 'migration_stacks'],
                     recorded_excuses = list_filter(excuse_values(), lambda e: e <> 'cookie'),
                     unrecorded_excuses = ['cookie'];
    DROP TABLE evidence"""
"""What version 5 changed, undone."""

ADDED_BY_3_TO_TRACE = "; ".join(
    f"ALTER TABLE trace DROP {column}" for column in ("unverified", "recorded_evidence", "recorded_excuses")
)
TEXT_PATHS = "ALTER TABLE migration DROP path; ALTER TABLE migration ADD COLUMN path VARCHAR"


@pytest.mark.parametrize(
    ("level", "notes", "attempts"),
    [("L2", "[]", True), ("L1", "[]", False), ("L3", "['passes of the load balancer: not asked for']", False)],
)
def test_a_file_of_version_2_says_what_it_recorded_as_its_notes_said_it(
    make_trace: Callable[..., Path], level: str, notes: str, attempts: bool
) -> None:
    path = make_trace(
        f"{AS_IN_4}; {ADDED_BY_3_TO_TRACE}; {TEXT_PATHS}; DROP MACRO migration_path_name;"
        f"UPDATE trace SET schema_version = 2, evidence = '{level}', degraded = {notes}"
    )
    assert ensure_checked(path, CheckOptions())
    with open_trace(path) as trace:
        states = {row["kind"]: row["state"] for row in trace.sql("SELECT kind, state FROM evidence")}
        notes_left = trace.sql("SELECT notes FROM trace").one()["notes"]
        trace.sql("SELECT migration_path_name(path) FROM migration")
        ledger = {r["excuse"]: r["recorded"] for r in trace.metric("excuse_ledger")}
    assert states["load_balance_attempts"] == ("recorded" if attempts else "absent")
    assert states["migration_stacks"] == "recorded"
    assert [kind for kind in get_args(Excuse) if states[kind] != "recorded"] == ["cookie"]
    assert notes_left == []
    assert [excuse for excuse, recorded in ledger.items() if not recorded] == ["cookie"]


def test_a_file_of_version_3_keeps_its_events_and_gets_the_same_findings_under_their_new_names(tmp_path: Path) -> None:
    path = tmp_path / "T.duckdb"
    path.write_bytes(gzip.decompress((FILES / "schema-3.duckdb.gz").read_bytes()))
    refused(path, errors.OlderSchema)
    assert ensure_checked(path, CheckOptions())
    figures = """
        SELECT (SELECT count(*) FROM cpus_scanned) AS scanned, (SELECT wasted_ns FROM verdict) AS wasted_ns,
               (SELECT sum(avoidable_wait_ns)::BIGINT FROM thread) AS avoidable_ns"""
    cause = """
        SELECT placed_by_words(placed_by) AS placed_by, not_moved_because_words(not_moved_because) AS why,
               ended_by_name(ended_by) AS ended_by FROM episode"""
    with open_trace(path) as trace:
        assert trace.sql(figures).one() == {
            "scanned": 191, "wasted_ns": 1_518_903_200, "avoidable_ns": 1_518_903_200,
        }  # fmt: skip
        assert trace.sql(cause).one() == {
            "placed_by": "fork/exec",
            "why": "domains missing (no common domain)",
            "ended_by": "end_of_trace",
        }
        former = "SELECT count(*) AS n FROM information_schema.tables WHERE list_contains($former, table_name)"
        assert trace.sql(former, {"former": sorted(versions.FORMER_TABLES)}).one() == {"n": 0}


LATER_KINDS = {"balance_searches", "domains_built", "sched_ext", "late_idle_exits", "dl_parameters"}
"""Kinds of evidence that came after the kept files: where a file says nothing of them, they are not recorded."""


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("schema-4.duckdb.gz", "format-1.part"),
        ("schema-4-text.duckdb.gz", "foreign/trace-cmd-arm.txt"),
        ("schema-4.pftrace", "foreign/trace-cmd-arm.txt"),
        ("schema-5.duckdb.gz", "format-1.part"),
        ("schema-5-text.duckdb.gz", "foreign/trace-cmd-arm.txt"),
        ("schema-5.pftrace", "foreign/trace-cmd-arm.txt"),
    ],
)
def test_what_an_earlier_version_wrote_has_the_verdict_of_a_new_import(tmp_path: Path, file: str, source: str) -> None:
    old, new = tmp_path / "old.duckdb", tmp_path / "new.duckdb"
    if file.endswith(".pftrace"):
        import_source(FILES / file, old, ImportOptions(), CheckOptions())
    else:
        old.write_bytes(gzip.decompress((FILES / file).read_bytes()))
        refused(old, errors.OlderSchema)
        assert ensure_checked(old, CheckOptions())
    part = read_as_before(TRACES / source, tmp_path / source) if source.endswith(".part") else TRACES / source
    import_source(part, new, ImportOptions(), CheckOptions())
    if file.endswith(".pftrace"):
        export_perfetto(new, tmp_path / "new.pftrace")
        new = tmp_path / "again.duckdb"
        import_source(tmp_path / "new.pftrace", new, ImportOptions(), CheckOptions())
    found = []
    for path in (old, new):
        with open_trace(path) as trace:
            verdict = trace.verdict().to_json()
            evidence = trace.sql("SELECT kind, state FROM evidence ORDER BY kind").rows()
            # Earlier versions dropped idle states, of which a check takes no notice.
            verdict["trace"]["events"] -= trace.sql("SELECT count(*) AS n FROM cpu_idle").one()["n"]
        kinds = set(get_args(EvidenceKind)) - (set() if path == new or file.endswith(".pftrace") else LATER_KINDS)
        assert [row["kind"] for row in evidence] == sorted(kinds)
        evidence = [row for row in evidence if row["kind"] not in LATER_KINDS]
        of_trace = verdict["trace"]["evidence"]
        assert {row["state"] for row in of_trace if row["kind"] in LATER_KINDS} == {"absent"}
        of_trace[:] = [row for row in of_trace if row["kind"] not in LATER_KINDS]
        if "schema-4" in file:  # which did not say why
            for row in verdict["trace"]["evidence"]:
                del row["why"]
        found.append((verdict, evidence))
    assert found[0] == found[1]
    assert found[0][0]["wasted"]["core_s"] > 0


def test_every_kind_that_is_not_recorded_throughout_says_why(tmp_path: Path) -> None:
    path = tmp_path / "T.duckdb"
    import_source(TRACES / "foreign/trace-cmd-arm.txt", path, ImportOptions(), CheckOptions())
    with open_trace(path) as trace:
        rows = trace.sql("SELECT kind, state, why FROM evidence").rows()
    assert [row["kind"] for row in rows] == list(get_args(EvidenceKind))
    assert [row for row in rows if (row["state"] == "recorded") != (row["why"] is None)] == []
    states = {row["kind"]: row["state"] for row in rows}
    assert (states["migrations"], states["migration_stacks"], states["per_cpu_thread"]) == (
        "partial", "absent", "recorded",
    )  # fmt: skip


def test_a_table_that_only_earlier_versions_had_is_refused_in_a_current_file(make_trace: Callable[..., Path]) -> None:
    path = make_trace("CREATE TABLE summary (a INTEGER)")
    assert "only earlier versions had" in refused(path, errors.ForeignFile)


def test_an_excuse_of_which_nothing_is_said_counts_as_not_recorded(make_trace: Callable[..., Path]) -> None:
    path = make_trace("DELETE FROM evidence WHERE kind = 'throttled'; TRUNCATE verdict")
    assert ensure_checked(path, CheckOptions())
    with open_trace(path) as trace:
        recorded = {r["excuse"]: r["recorded"] for r in trace.metric("excuse_ledger")}
        states = {row["kind"]: (row["state"], row["why"]) for row in trace.metric("evidence")}
    assert states["throttled"] == ("absent", None) and states["cookie"] == ("absent", "not asked for")
    assert recorded == {excuse: excuse not in ("throttled", "cookie") for excuse in recorded}


def test_a_file_from_before_a_table_came_gets_it_with_the_next_check(make_trace: Callable[..., Path]) -> None:
    path = make_trace("DROP TABLE bubble_event; DROP TABLE thread_cpu")
    with open_trace(path) as trace, pytest.raises(errors.TableMissing, match="wastenot check"):
        trace.sql("SELECT * FROM bubble_event")
    assert ensure_checked(path, CheckOptions())
    with open_trace(path) as trace:
        assert missing_tables(trace._con) == ()
        assert trace.sql("SELECT count(*) AS n FROM bubble_event").one() == {"n": 0}
    assert not ensure_checked(path, CheckOptions())


@pytest.mark.parametrize("opened", [open_read_only, open_for_writing, lambda path: open_for_copying(path, path.parent)])
def test_no_asof_join_is_a_nested_loop(trace_path: Path, opened: Callable[[Path], duckdb.DuckDBPyConnection]) -> None:
    """DuckDB takes one where it expects few rows on the left, of which there may be many."""
    join = "FROM (FROM range(10) a(x)) a ASOF LEFT JOIN (FROM range(10) b(y)) b ON a.x >= b.y"
    with opened(trace_path) as con:
        plan = str(con.execute(f"EXPLAIN SELECT * {join}").fetchall())
    assert "Asof Join" in plan
    with duckdb.connect() as default:
        assert "Asof Join" not in str(default.execute(f"EXPLAIN SELECT * {join}").fetchall()), "the setting is needed"


def test_a_file_open_for_writing_elsewhere_names_the_process(trace_path: Path) -> None:
    hold = "import duckdb, sys; con = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(trace_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        message = refused(trace_path, errors.LockedTrace)
        assert f"PID {holder.pid}" in message
        holder.communicate()


def test_two_readers_share_a_trace(trace_path: Path) -> None:
    with open_trace(trace_path) as one, open_trace(trace_path) as other:
        assert one.verdict() == other.verdict()


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM thread",
        "CREATE TABLE t AS SELECT 1",
        "SELECT * FROM read_csv('/etc/passwd')",
        "COPY thread TO '/tmp/stolen.csv'",
        "ATTACH '/tmp/other.duckdb'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SELECT * FROM 'https://example.org/x.parquet'",
    ],
)
def test_sql_reaches_neither_files_nor_network_nor_the_trace(trace_path: Path, statement: str) -> None:
    with open_trace(trace_path) as trace, pytest.raises(errors.BadQuery) as caught:
        trace.sql(statement)
    assert "\n" not in str(caught.value)


def test_a_trace_without_findings_says_so(make_trace: Callable[..., Path]) -> None:
    path = make_trace("DELETE FROM verdict")
    with open_trace(path) as trace, pytest.raises(errors.NotChecked, match="wastenot check"):
        trace.verdict()
