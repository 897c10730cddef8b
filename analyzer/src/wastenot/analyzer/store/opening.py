"""The trace store: one DuckDB file per trace. Opening it, safely and with errors that say what is wrong."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from wastenot import collector
from wastenot.analyzer.deferred import duckdb
from wastenot.analyzer.errors import (
    AnalyzerError,
    DamagedTrace,
    ForeignFile,
    LeftoverOnly,
    LockedTrace,
    MissingTrace,
    NewerSchema,
    NoAccess,
    NoUpgrade,
    OlderSchema,
    OpenOtherwise,
)
from wastenot.analyzer.store.catalog import require_declared, require_plain
from wastenot.analyzer.store.spill_folder import spill_folder
from wastenot.analyzer.store.tables import enumeration_macros, missing_tables, statements_by_table
from wastenot.schemas import upgrade as versions

READING_MEMORY = "384MB"
"""What DuckDB may use for the queries over a finished trace; sorts beyond it go to the disk."""

SPILLING = "4GB"
"""Space on the disk, in the folder for temporary files, for what does not fit into that."""

WRITING_MEMORY = "64MB"
"""DuckDB's share while a trace is built or checked; the rest is the checker's and the batches' on their way. A pool of
256 MB was no faster (8.2 against 8.3 s for 8.7 M events) and fills up before memory stops to grow."""

BLOCK_BYTES = 65_536
"""Size of a new file's blocks. With DuckDB's 262,144 an empty trace takes 3.2 MB, with 65,536 0.9 MB, and 2 M events
17 % less; writing and reading cost the same. With 16,384 large traces become four times as large."""

LOCKED: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": False,
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
    "lock_configuration": True,
}
"""What holds before the first byte of a trace is read: no way to files, network, extensions and Python's variables."""

PLANS: dict[str, str | bool | int | float | list[str]] = {"asof_loop_join_threshold": 0}
"""No ASOF JOIN by a nested loop, which DuckDB takes where it expects fewer rows than this: it expects few of the first
steps of our queries, and 200,000 rows beside 600,000 are then compared one by one."""

LOGS = (".wal", ".wal.checkpoint", ".wal.recovery")
"""Files beside a database that DuckDB would read with it. A finished trace has none."""

_MAGIC = b"DUCK"
_MAGIC_OFFSET = 8


def part_folder(path: Path) -> Path:
    """Where the recorder streams to before the trace is built: `T.duckdb.part` beside `T.duckdb`."""
    return path.parent / f"{path.name}.part"


def is_trace(path: Path) -> bool:
    """The file is one of DuckDB's, as traces are."""
    try:
        return _head(path)[_MAGIC_OFFSET:] == _MAGIC
    except OSError:
        return False


def _head(path: Path) -> bytes:
    """The first bytes of a regular file; nothing of a FIFO or a device, which are not waited for."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise IsADirectoryError(path)
        return os.read(fd, _MAGIC_OFFSET + len(_MAGIC)) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    finally:
        os.close(fd)


def open_read_only(path: Path, memory: str = READING_MEMORY, threads: int | None = None) -> duckdb.DuckDBPyConnection:
    """Open a finished trace for reading, with no way to files or network from its SQL; `threads` None: one per CPU.

    Raises the typed errors of `errors`: missing, foreign, damaged, newer schema, locked, no access.
    """
    require_trace(path)
    config = {
        **LOCKED,
        **({} if threads is None else {"threads": threads}),
        "memory_limit": memory,
        "temp_directory": str(spill_folder()),
        "max_temp_directory_size": SPILLING,
    }
    return _checked(path, _connect(path, read_only=True, config=config))


def open_for_writing(path: Path, *, new: bool = False, reading: Path | None = None) -> duckdb.DuckDBPyConnection:
    """Open a trace (or with `new` make a file) for the bulk inserts of a build or a check.

    A new file's SQL may read the files in the folder `reading`, and no others.
    """
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": WRITING_MEMORY,
        "preserve_insertion_order": True,
        "default_block_size": BLOCK_BYTES,
    }
    if not new:
        require_trace(path)
        return _checked(path, _connect(path, read_only=False, config={**LOCKED, **config}), older=True)
    if reading is None:
        return _connect(path, read_only=False, config={**LOCKED, **config})
    later = ("enable_external_access", "lock_configuration")
    con = _connect(path, read_only=False, config={**{k: v for k, v in LOCKED.items() if k not in later}, **config})
    restrict_to(con, folder=reading)
    return con


def open_for_copying(path: Path, target: Path) -> duckdb.DuckDBPyConnection:
    """Open a finished trace for COPY into the folder `target`: its SQL can read the trace and write there, no more.

    The connection has no cursors of use: only itself has the trace's tables in its search path.
    """
    require_trace(path)
    con = duckdb.connect(
        ":memory:",
        config={
            **PLANS,
            "autoload_known_extensions": False,
            "autoinstall_known_extensions": False,
            "python_enable_replacements": False,
            "memory_limit": READING_MEMORY,
        },
    )
    whole = path.resolve()
    restrict_to(con, folder=target, files=[whole, *(whole.with_name(whole.name + log) for log in LOGS)])
    try:
        con.execute(f"ATTACH {quoted(str(whole))} AS copied (READ_ONLY, TYPE duckdb)")
    except duckdb.Error as e:
        con.close()
        raise file_error(path, e) from None
    con.execute("USE copied")
    return _checked(path, con)


def restrict_to(con: duckdb.DuckDBPyConnection, *, folder: Path, files: list[Path] | None = None) -> None:
    """Leave a fresh connection's SQL one folder and some files, and lock that."""
    con.execute(f"SET allowed_directories = [{quoted(str(folder.resolve()))}]")
    con.execute(f"SET allowed_paths = [{', '.join(quoted(str(file)) for file in files or [])}]")
    con.execute("SET enable_external_access = false")
    con.execute("SET lock_configuration = true")


def quoted(text: str) -> str:
    """The text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def require_trace(path: Path) -> None:
    """Raise the typed error for what cannot be a trace, without opening it with DuckDB.

    Distinguishes what DuckDB reports alike: missing, a folder, unreadable, not a DuckDB file, a log beside it.
    """
    try:
        head = _head(path)
    except FileNotFoundError:
        part = part_folder(path)
        raise (LeftoverOnly(path, part) if part.is_dir() else MissingTrace(path)) from None
    except IsADirectoryError:
        raise ForeignFile(path, *_recording(path, "a folder, not a trace file")) from None
    except PermissionError:
        raise NoAccess(f"{path}: permission denied; run as its owner or change its mode") from None
    except OSError as e:
        raise NoAccess(f"{path}: {e.strerror}; check the path") from None
    if head[_MAGIC_OFFSET:] != _MAGIC:
        if not path.is_file():
            raise ForeignFile(path, "not a regular file")
        raise ForeignFile(path, *_recording(path, "not a wastenot trace" if head else "empty, not a wastenot trace"))
    for log in LOGS:
        beside = path.with_name(path.name + log)
        if beside.exists() or beside.is_symlink():
            raise ForeignFile(path, f"{beside.name} beside it holds changes of another program; wastenot leaves none")


def _recording(path: Path, otherwise: str) -> tuple[str, str]:
    """What the file is instead of a trace, and what to do: a recording of another tool can be imported."""
    try:
        kind = collector.recognise(path)
    except collector.WastenotError:
        kind = None
    if path.is_dir() and path.name.endswith(".duckdb.part"):
        trace = path.with_name(path.name.removesuffix(".part"))
        return "a recording that was not finished", f"`wastenot check {trace}` makes a trace of it"
    if kind is None:
        return otherwise, ""
    return f"a recording ({kind}), not a trace", f"`wastenot import {path}` makes a trace of it"


def _connect(
    path: Path, *, read_only: bool, config: dict[str, str | bool | int | float | list[str]]
) -> duckdb.DuckDBPyConnection:
    try:
        # In this order: once such a setting was made, a locked configuration takes no folder for temporary files.
        return duckdb.connect(str(path), read_only=read_only, config={**config, **PLANS})
    except duckdb.Error as e:
        raise file_error(path, e) from None


def file_error(path: Path, error: duckdb.Error) -> Exception:
    """DuckDB's error about a file as one of ours."""
    text = " ".join(str(error).split())
    holder = re.search(r"Conflicting lock is held in (\S+) \(PID (\d+)\)", text)
    if holder:
        return LockedTrace(path, f"{Path(holder[1]).name} (PID {holder[2]})")
    if "different configuration" in text:
        return OpenOtherwise(path)
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
    if steps:
        con.execute(enumeration_macros())
        require_declared(path, con)


def add_missing_tables(con: duckdb.DuckDBPyConnection) -> None:
    """Add the tables that the file lacks because they came later, and make the enumerations' names anew.

    A table that lacks columns is one that a check fills, and is made anew without rows.
    """
    missing = "".join(f"DROP TABLE IF EXISTS {name}; {statements_by_table()[name]}" for name in missing_tables(con))
    con.execute(f"BEGIN; {enumeration_macros()} {missing} COMMIT")


def _checked(path: Path, con: duckdb.DuckDBPyConnection, *, older: bool = False) -> duckdb.DuckDBPyConnection:
    """Refuse a DuckDB file that is not a trace, or is from a later version, or (unless `older`) from an earlier one."""
    try:
        require_plain(path, con)
        size = "SELECT block_size, used_blocks FROM system.main.pragma_database_size()"
        blocks = con.execute(size).fetchone()
        row = con.execute("SELECT schema_version FROM trace").fetchone()
        if row is not None and row[0] == versions.SCHEMA_VERSION:
            require_declared(path, con)
    except AnalyzerError:
        con.close()
        raise
    except (duckdb.CatalogException, duckdb.BinderException):
        con.close()
        raise ForeignFile(path, "a DuckDB file without the tables of a trace") from None
    except duckdb.Error as e:
        con.close()
        raise file_error(path, e) from None
    # Free blocks at the end need not be on the disk.
    if blocks is None or path.stat().st_size < blocks[0] * blocks[1]:
        con.close()
        raise DamagedTrace(path, "it ends before its last block")
    if row is None:
        con.close()
        raise DamagedTrace(path, "its table `trace` is empty")
    if not isinstance(row[0], int):
        con.close()
        raise ForeignFile(path, "its schema version is not a number")
    known = versions.SCHEMA_VERSION
    if row[0] > known or (row[0] < known and not older):
        con.close()
        raise (NewerSchema if row[0] > known else OlderSchema)(path, row[0], known)
    return con
