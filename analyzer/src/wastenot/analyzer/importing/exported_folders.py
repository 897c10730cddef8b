"""The folders that `wastenot export --to parquet|csv` writes, read back: raw tables in, findings made anew."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wastenot.analyzer.deferred import Deferred, duckdb, pa
from wastenot.analyzer.errors import DamagedTrace, ForeignFile, NewerSchema
from wastenot.analyzer.store.tables import CHECKER_TABLES, table_names
from wastenot.schemas.upgrade import SCHEMA_VERSION

if TYPE_CHECKING:
    from pyarrow import parquet
else:
    parquet = Deferred("pyarrow.parquet")

CSV_BUFFER = 4 << 20
"""Bytes that are read at once; DuckDB's 32 MB are too much of `WRITING_MEMORY`."""

MANIFEST_BYTES = 16 << 20
"""Largest manifest: a hundred bytes for each of 16 million event ids and table, so far beyond any trace."""

FOOTER_LIST = 65_536
"""Most entries of a list in a Parquet footer, and bytes of a text. DuckDB allocates as many as a list says to
have (4 GB for ten million in a file of 3 kB); 65,536 row groups hold eight thousand million rows."""

_GLOB = re.compile(r"([*?\[])")
"""Characters of a path that DuckDB takes for a pattern; in brackets they mean themselves."""

FORMATS = {"wastenot-parquet": "parquet", "wastenot-csv": "csv"}


def kind_of(folder: Path) -> str | None:
    """parquet or csv when the folder is such an export; else None."""
    try:
        named = _manifest(folder).get("format")
    except (OSError, ValueError):
        return None
    return FORMATS.get(named) if isinstance(named, str) else None


def _manifest(folder: Path) -> dict[str, Any]:
    """The export's list of files; ValueError when there is none that can be read."""
    path = folder / "manifest.json"
    if not path.is_file() or path.stat().st_size > MANIFEST_BYTES:
        raise ValueError("no manifest")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("not an object")
    return found


def read_into(
    con: duckdb.DuckDBPyConnection, folder: Path, kind: str, reading: Callable[[int, float], object] | None = None
) -> None:
    """Fill the raw tables of an empty trace from an export's folder.

    Raises NewerSchema, ForeignFile (an older schema) or DamagedTrace when a file is missing, cut, or not as the
    manifest says.
    """
    manifest = _manifest(folder)
    version = manifest.get("schema_version")
    if not isinstance(version, int) or isinstance(version, bool) or version > SCHEMA_VERSION:
        raise NewerSchema(folder, version if isinstance(version, int) else -1, SCHEMA_VERSION)
    if version < SCHEMA_VERSION:
        raise ForeignFile(folder, f"an export with schema version {version}, needed is {SCHEMA_VERSION}")
    files = manifest.get("files")
    if not isinstance(files, dict) or not all(_is_entry(file) for file in files.values()):
        raise DamagedTrace(folder / "manifest.json", "it does not list files with their tables and rows")
    wanted = {name: f for name, f in files.items() if f["table"] in table_names() and f["table"] not in CHECKER_TABLES}
    total, done = sum(f["rows"] for f in wanted.values()) or 1, 0
    for name, file in wanted.items():
        _insert(con, _inside(folder, name), file, kind)
        done += file["rows"]
        if reading is not None:
            reading(done, done / total)
    versions = [row[0] for row in con.execute("SELECT schema_version FROM trace LIMIT 2").fetchall()]
    if versions != [SCHEMA_VERSION]:  # the file that is made would be refused
        raise DamagedTrace(folder, f"its table `trace` says schema version {versions}, its manifest {version}")


def _is_entry(file: object) -> bool:
    """One file of the manifest: its table's name and its number of rows."""
    return isinstance(file, dict) and isinstance(file.get("table"), str) and type(file.get("rows")) is int


def _inside(folder: Path, name: str) -> Path:
    """A file that the manifest names; ForeignFile when it is outside the folder, if only through a symbolic link."""
    try:
        plain = Path(os.path.normpath(folder / name))
        base = Path(os.path.normpath(folder))
        is_inside = plain.is_relative_to(base) and plain.resolve() == folder.resolve() / plain.relative_to(base)
        is_there = is_inside and plain.is_file()
    except (OSError, ValueError):
        raise DamagedTrace(folder / "manifest.json", "a file that it names cannot exist") from None
    if not is_inside:
        raise ForeignFile(folder, f"its manifest names a file outside ({ascii(name)[:60]})")
    if not is_there:
        raise DamagedTrace(plain, "missing, or not a regular file")
    return plain


def _insert(con: duckdb.DuckDBPyConnection, path: Path, file: dict[str, Any], kind: str) -> None:
    table, place = file["table"], _GLOB.sub(r"[\1]", str(path.resolve()))
    before = _count(con, table)
    if kind == "parquet":
        _require_footer(path)
    try:
        if kind == "parquet":
            con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM read_parquet(?)", [place])
        else:
            columns = con.execute(f"SELECT column_name, column_type FROM (DESCRIBE {table})").fetchall()
            types = "{" + ", ".join(f"'{name}': '{kind}'" for name, kind in columns) + "}"
            con.execute(
                f"INSERT INTO {table} BY NAME SELECT * FROM read_csv(?, header = true, columns = {types}, "
                "auto_detect = false, delim = ',', quote = '\"', escape = '\"', nullstr = '', "
                f"allow_quoted_nulls = false, buffer_size = {CSV_BUFFER})",
                [place],
            )
    except duckdb.Error as e:
        raise DamagedTrace(path, " ".join(str(e).split())[:120]) from None
    if _count(con, table) - before != file["rows"]:
        raise DamagedTrace(path, f"{_count(con, table) - before} rows where the manifest says {file['rows']}")


def _require_footer(path: Path) -> None:
    """Raise DamagedTrace for a Parquet file whose footer has longer lists or texts than FOOTER_LIST, or is not one."""
    limits = {"thrift_string_size_limit": FOOTER_LIST, "thrift_container_size_limit": FOOTER_LIST}
    try:
        with parquet.ParquetFile(path, **limits):
            pass
    except (pa.ArrowException, OSError, ValueError) as e:
        raise DamagedTrace(path, f"its footer: {' '.join(str(e).split())[:100]}") from None


def _count(con: duckdb.DuckDBPyConnection, table: str) -> int:
    row = con.execute(f"SELECT count(*) FROM {table}").fetchone()
    return row[0] if row else 0
