"""Exports: complete, documented folders that appear whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from wastenot.analyzer import errors, export_csv, export_parquet
from wastenot.analyzer.store.tables import event_tables, schema_sql


def test_parquet_holds_every_row_and_makes_the_same_trace_again(trace_path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    rows = export_parquet(trace_path, out)
    manifest = json.loads((out / "manifest.json").read_text())
    assert {f["table"]: f["rows"] for f in manifest["files"].values()} == {t: n for t, n in rows.items() if n}
    con = duckdb.connect()
    con.execute(schema_sql())
    con.execute(f"ATTACH '{trace_path}' AS original (READ_ONLY)")
    for place, file in manifest["files"].items():
        table = file["table"]
        con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM '{out / place}'")
        assert con.sql(f"FROM {table}").fetchall() == con.sql(f"FROM original.{table}").fetchall()
        assert place.startswith("events/") == (table in event_tables())
    assert (out / "schema.sql").read_text() == schema_sql()
    assert "manifest.json" in (out / "README.md").read_text()


def test_csv_has_a_file_with_a_header_per_table(trace_path: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export_csv(trace_path, out)
    lines = (out / "sched_wakeup.csv").read_text().splitlines()
    assert lines == [
        "id,ts_ns,cpu,tid,target_cpu,prio,is_new",
        "1,1000000000,0,101,0,120,false",
        "2,1000000000,0,102,0,120,true",
    ]
    assert not (out / "affinity.csv").exists()


def test_an_existing_folder_is_not_replaced_unless_it_is_an_export_and_force_is_given(
    trace_path: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    export_csv(trace_path, out)
    with pytest.raises(errors.OutputExists):
        export_csv(trace_path, out)
    export_parquet(trace_path, out, force=True)
    assert not (out / "sched_wakeup.csv").exists()
    precious = tmp_path / "precious"
    precious.mkdir()
    with pytest.raises(errors.OutputExists):
        export_csv(trace_path, precious, force=True)


def test_a_folder_that_is_not_there_is_named(trace_path: Path, tmp_path: Path) -> None:
    with pytest.raises(errors.NoAccess, match="no such folder"):
        export_csv(trace_path, tmp_path / "no" / "out")


def test_a_file_that_is_not_a_trace_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("no trace")
    with pytest.raises(errors.ForeignFile):
        export_csv(tmp_path / "x", tmp_path / "out")
    assert [p.name for p in tmp_path.iterdir()] == ["x"]
