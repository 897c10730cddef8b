"""The folders that `wastenot export --to parquet|csv` writes, read back: raw tables in, findings made anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
from wastenot.analyzer.errors import DamagedTrace, ForeignFile, NewerSchema
from wastenot.analyzer.tables import CHECKER_TABLES, table_names
from wastenot.schemas.upgrade import SCHEMA_VERSION

CSV_BUFFER = 4 << 20
"""Bytes that are read at once; DuckDB's 32 MB are too much of `store.WRITING_MEMORY`."""

FORMATS = {"wastenot-parquet": "parquet", "wastenot-csv": "csv"}


def kind_of(folder: Path) -> str | None:
    """parquet or csv when the folder is such an export; else None."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return FORMATS.get(manifest.get("format", "")) if isinstance(manifest, dict) else None


def read_into(
    con: duckdb.DuckDBPyConnection, folder: Path, kind: str, reading: Callable[[int, float], object] | None = None
) -> None:
    """Fill the raw tables of an empty trace from an export's folder.

    Raises NewerSchema, ForeignFile (an older schema) or DamagedTrace when a file is missing, cut, or not as the
    manifest says.
    """
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    version = manifest.get("schema_version")
    if not isinstance(version, int) or version > SCHEMA_VERSION:
        raise NewerSchema(folder, version if isinstance(version, int) else -1, SCHEMA_VERSION)
    if version < SCHEMA_VERSION:
        raise ForeignFile(folder, f"an export with schema version {version}, needed is {SCHEMA_VERSION}")
    files: dict[str, Any] = manifest["files"]
    wanted = {name: f for name, f in files.items() if f["table"] in table_names() and f["table"] not in CHECKER_TABLES}
    total, done = sum(f["rows"] for f in wanted.values()) or 1, 0
    for name, file in wanted.items():
        _insert(con, folder, folder / name, file, kind)
        done += file["rows"]
        if reading is not None:
            reading(done, done / total)


def _insert(con: duckdb.DuckDBPyConnection, folder: Path, path: Path, file: dict[str, Any], kind: str) -> None:
    table = file["table"]
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ForeignFile(folder, f"its manifest names a file outside ({path.name})")
    before = _count(con, table)
    try:
        if kind == "parquet":
            con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM read_parquet(?)", [str(path)])
        else:
            columns = con.execute(f"SELECT column_name, column_type FROM (DESCRIBE {table})").fetchall()
            types = "{" + ", ".join(f"'{name}': '{kind}'" for name, kind in columns) + "}"
            con.execute(
                f"INSERT INTO {table} BY NAME SELECT * FROM read_csv(?, header = true, columns = {types}, "
                "auto_detect = false, delim = ',', quote = '\"', escape = '\"', nullstr = '', "
                f"allow_quoted_nulls = false, buffer_size = {CSV_BUFFER})",
                [str(path)],
            )
    except duckdb.Error as e:
        raise DamagedTrace(path, " ".join(str(e).split())[:120]) from None
    if _count(con, table) - before != file["rows"]:
        raise DamagedTrace(path, f"{_count(con, table) - before} rows where the manifest says {file['rows']}")


def _count(con: duckdb.DuckDBPyConnection, table: str) -> int:
    row = con.execute(f"SELECT count(*) FROM {table}").fetchone()
    return row[0] if row else 0
