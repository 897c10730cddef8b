"""The trace store: one DuckDB file per trace. Opening it, safely and with errors that say what is wrong."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

import duckdb
from wastenot.analyzer.errors import (
    DamagedTrace,
    ForeignFile,
    LeftoverOnly,
    LockedTrace,
    MissingTrace,
    NewerSchema,
    NoAccess,
    NoUpgrade,
    OlderSchema,
)
from wastenot.analyzer.tables import missing_tables, schema_sql, statements_by_table
from wastenot.schemas import upgrade as versions

READING_MEMORY = "384MB"
"""What DuckDB may use for the queries over a finished trace; sorts beyond it go to the disk."""

SPILLING = "4GB"
"""Room on the disk, in the folder for temporary files, for what does not fit into that."""

WRITING_MEMORY = "64MB"
"""DuckDB's share while a trace is built or checked; the rest is the checker's and the batches' on their way. A pool of
256 MB was no faster (8.2 against 8.3 s for 8.7 M events) and fills up before memory stops to grow."""

BLOCK_BYTES = 65_536
"""Size of a new file's blocks. With DuckDB's 262,144 an empty trace takes 3.2 MB, with 65,536 0.9 MB, and 2 M events
17 % less; writing and reading cost the same. With 16,384 large traces become four times as large."""

_MAGIC = b"DUCK"
_MAGIC_OFFSET = 8


def part_folder(path: Path) -> Path:
    """Where the recorder streams to before the trace is built: `T.duckdb.part` beside `T.duckdb`."""
    return path.with_name(path.name + ".part")


def is_trace(path: Path) -> bool:
    """The file is one of DuckDB's, as traces are."""
    try:
        with path.open("rb") as f:
            return f.read(_MAGIC_OFFSET + len(_MAGIC))[_MAGIC_OFFSET:] == _MAGIC
    except OSError:
        return False


def open_read_only(path: Path, memory: str = READING_MEMORY) -> duckdb.DuckDBPyConnection:
    """Open a finished trace for reading, with no way to files or network from its SQL.

    Raises the typed errors of `errors`: missing, foreign, damaged, newer schema, locked, no access.
    """
    _precheck(path)
    config: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": False,
        "lock_configuration": True,
        "memory_limit": memory,
        "temp_directory": str(Path(tempfile.gettempdir()) / f"wastenot-{os.getpid()}"),
        "max_temp_directory_size": SPILLING,
    }
    return _checked(path, _connect(path, read_only=True, config=config))


def open_for_writing(path: Path, *, new: bool = False) -> duckdb.DuckDBPyConnection:
    """Open a trace (or with `new` make a file) for the bulk inserts of a build or a check."""
    if not new:
        _precheck(path)
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": WRITING_MEMORY,
        "preserve_insertion_order": True,
        "default_block_size": BLOCK_BYTES,
    }
    con = _connect(path, read_only=False, config=config)
    return con if new else _checked(path, con, older=True)


def _precheck(path: Path) -> None:
    """Tell apart what DuckDB reports alike: missing, a folder, unreadable, no DuckDB file, cut short."""
    try:
        with path.open("rb") as f:
            head = f.read(_MAGIC_OFFSET + len(_MAGIC))
    except FileNotFoundError:
        part = part_folder(path)
        raise (LeftoverOnly(path, part) if part.is_dir() else MissingTrace(path)) from None
    except IsADirectoryError:
        raise ForeignFile(path, "a folder, not a trace file") from None
    except PermissionError:
        raise NoAccess(f"{path}: permission denied; run as its owner or change its mode") from None
    except OSError as e:
        raise NoAccess(f"{path}: {e.strerror}; check the path") from None
    if head[_MAGIC_OFFSET:] != _MAGIC:
        raise ForeignFile(path, "not a wastenot trace" if head else "empty, not a wastenot trace")


def _connect(
    path: Path, *, read_only: bool, config: dict[str, str | bool | int | float | list[str]]
) -> duckdb.DuckDBPyConnection:
    try:
        return duckdb.connect(str(path), read_only=read_only, config=config)
    except duckdb.Error as e:
        raise told(path, e) from None


def told(path: Path, error: duckdb.Error) -> Exception:
    """DuckDB's error about a file as one of ours."""
    text = " ".join(str(error).split())
    holder = re.search(r"Conflicting lock is held in (\S+) \(PID (\d+)\)", text)
    if holder:
        return LockedTrace(path, f"{Path(holder[1]).name} (PID {holder[2]})")
    if "ermission denied" in text:
        return NoAccess(f"{path}: permission denied; run as its owner or change its mode")
    if "not a valid DuckDB" in text:
        return ForeignFile(path, "not a wastenot trace")
    if re.search(r"version number|newer version|storage version", text):
        return ForeignFile(path, "written by another version of DuckDB than this wastenot reads")
    return DamagedTrace(path, text[:120])


def upgrade(path: Path, con: duckdb.DuckDBPyConnection) -> None:
    """Bring an older trace to this version's tables, each step in a transaction; nothing to do for a current one."""
    row = con.execute("SELECT schema_version FROM trace").fetchone()
    found = row[0] if row else versions.SCHEMA_VERSION
    try:
        steps = versions.path_of_upgrades(found, versions.SCHEMA_VERSION, versions.UPGRADERS)
    except versions.UpgradeError as e:
        raise NoUpgrade(f"{path}: {e}") from None
    for reached, statements in steps:
        con.execute(f"BEGIN; {statements}; UPDATE trace SET schema_version = {reached}; COMMIT")


def add_missing_tables(con: duckdb.DuckDBPyConnection) -> None:
    """Add the tables that the file lacks because they came later, and make the enumerations' names anew."""
    missing = missing_tables(con)
    if missing:
        macros = schema_sql().split("CREATE TABLE ", 1)[0]
        con.execute("BEGIN; " + macros + "".join(statements_by_table()[name] for name in missing) + "COMMIT")


def _checked(path: Path, con: duckdb.DuckDBPyConnection, *, older: bool = False) -> duckdb.DuckDBPyConnection:
    """Refuse a DuckDB file that is no trace, or comes from a later version, or (unless `older`) from an earlier one."""
    try:
        blocks = con.execute("SELECT block_size * total_blocks FROM pragma_database_size()").fetchone()
        row = con.execute("SELECT schema_version FROM trace").fetchone()
    except (duckdb.CatalogException, duckdb.BinderException):
        con.close()
        raise ForeignFile(path, "a DuckDB file without the tables of a trace") from None
    except duckdb.Error as e:
        con.close()
        raise told(path, e) from None
    if blocks is None or path.stat().st_size < blocks[0]:
        con.close()
        raise DamagedTrace(path, "it ends before its last block")
    if row is None:
        con.close()
        raise DamagedTrace(path, "its table `trace` is empty")
    known = versions.SCHEMA_VERSION
    if row[0] > known or (row[0] < known and not older):
        con.close()
        raise (NewerSchema if row[0] > known else OlderSchema)(path, row[0], known)
    return con
