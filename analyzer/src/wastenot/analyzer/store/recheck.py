"""Making sure that a trace file exists, has this version's tables and holds the findings asked for."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from wastenot._native import WastenotError, version
from wastenot.analyzer.deferred import duckdb, pa
from wastenot.analyzer.errors import (
    AnalyzerError,
    DiskFull,
    LeftoverOnly,
    NoAccess,
    NotChecked,
    OlderSchema,
    OtherVersion,
    ReplacedMeanwhile,
)
from wastenot.analyzer.store.building import finish_recording
from wastenot.analyzer.store.checking import CheckOptions, Progress, is_current, run_check, writing_error
from wastenot.analyzer.store.opening import (
    READING_MEMORY,
    add_missing_tables,
    open_for_writing,
    open_read_only,
    part_folder,
    upgrade,
)
from wastenot.analyzer.store.tables import (
    CHECKER_TABLES,
    CHECKPOINT_TABLES,
    MADE_LATER,
    TableSet,
    statements_by_table,
    tables_not_made,
)
from wastenot.analyzer.store.temporary_files import Identity, finish, identity_of, temporary_beside

T = TypeVar("T")
ELSEWHERE = "copy the trace where you may write"
NOT_MADE = "tables that this needs have not been made: "
ATTEMPTS = 3
"""How often work on a copy is begun, where another process replaces the file meanwhile."""


def ensure_checked(
    path: Path, options: CheckOptions, progress: Progress | None = None, memory: str = READING_MEMORY
) -> bool:
    """Make sure that `path` holds the findings for `options`; True when the check had to run.

    A leftover part folder is finished first, a file with an older schema upgraded. The file itself is never rewritten
    in place: the work is done on a copy beside it, which then takes its name, so that what reads or serves the old
    file keeps a whole one. `memory` is that of the handles that this process has on it: DuckDB wants one for all.
    """
    return _again_where_replaced(path, lambda: _ensure_once(path, options, progress, memory))


def _again_where_replaced(path: Path, act: Callable[[], T]) -> T:
    """What `act` returns, which is done once more where another process has put another trace in place meanwhile."""
    for _ in range(ATTEMPTS - 1):
        try:
            return act()
        except ReplacedMeanwhile:
            if not path.exists():
                raise
    return act()


def _ensure_once(path: Path, options: CheckOptions, progress: Progress | None, memory: str) -> bool:
    try:
        con = open_read_only(path, memory)
    except LeftoverOnly:
        finish_recording(part_folder(path), path, options, progress)
        return True
    except OlderSchema:
        pass
    else:
        try:
            if is_current(con, options):
                return False
        finally:
            con.close()
    _check_anew(path, options, progress, memory, identity_of(path.resolve()), ELSEWHERE)
    return True


def _check_anew(
    path: Path,
    options: CheckOptions,
    progress: Progress | None,
    memory: str,
    before: Identity | None,
    advice: str,
) -> Identity | None:
    """Check a copy of the file, which had the identity `before` when that was decided.

    Returns the identity of what has taken its place. `advice` is what the message says to do where nothing can be
    written.
    """
    place = path.resolve()  # of a link, the file that it leads to
    with temporary_beside(place, advice) as copy:
        _copy(path, copy)
        con = open_for_writing(copy)
        try:
            upgrade(path, con)
            add_missing_tables(con)
            dropped = (*MADE_LATER, *CHECKPOINT_TABLES)
            for table in CHECKER_TABLES:
                con.execute(f"DROP TABLE IF EXISTS {table}" if table in dropped else f"TRUNCATE {table}")
            con.execute("CHECKPOINT")  # so that the new findings take the space of the old ones
            run_check(con, options, progress)
            con.execute("CHECKPOINT")
        except duckdb.Error as e:
            raise writing_error(path, e) from None
        except WastenotError as e:
            raise WastenotError(f"{path}: {e}") from None
        finally:
            con.close()
        made = identity_of(copy)
        if finish(copy, place, lambda: identity_of(place) == before):
            return made
    made = identity_of(place)
    if not _is_as_asked(path, options, memory):
        raise ReplacedMeanwhile(path)
    return made  # another process did the same


def _is_as_asked(path: Path, options: CheckOptions, memory: str) -> bool:
    try:
        con = open_read_only(path, memory)
    except AnalyzerError:
        return False
    try:
        return is_current(con, options)
    finally:
        con.close()


def require_checked(path: Path, memory: str = READING_MEMORY) -> None:
    """Raise NotChecked for a trace without findings."""
    con = open_read_only(path, memory)
    try:
        if con.execute("SELECT 1 FROM verdict").fetchone() is None:
            raise NotChecked(path)
    finally:
        con.close()


def make_tables(
    path: Path, progress: Progress | None = None, memory: str = READING_MEMORY, tables: TableSet = "all"
) -> Identity | None:
    """Make those tables of a checked trace that are made on demand, of the set asked for.

    Returns the identity of the file that has them now; None when all were there. The events are walked again, with the
    options of the findings that the trace holds, so that these stay what they are. Nothing is done to a trace that was
    not checked. Raises OtherVersion for findings of another version, and as `ensure_checked`.
    """
    return _again_where_replaced(path, lambda: _make_once(path, progress, memory, tables))


def _make_once(path: Path, progress: Progress | None, memory: str, tables: TableSet) -> Identity | None:
    before = identity_of(path.resolve())
    con = open_read_only(path, memory)
    try:
        found = con.execute("SELECT options, checker_version FROM verdict").fetchone()
        if found is None or not tables_not_made(con, tables):
            return None
    finally:
        con.close()
    if found[1] != version():
        raise OtherVersion(path, found[1])
    stored = CheckOptions.from_json(found[0])
    return _check_anew(path, replace(stored, tables=tables), progress, memory, before, NOT_MADE + ELSEWHERE)


def add_tables(path: Path, rows: Mapping[str, pa.Table], before: Identity | None, memory: str) -> Identity | None:
    """Add tables with their rows, in place of those of the same names, to a trace that had the identity `before` when
    the rows were made; returns the identity of the file that has them. Raises ReplacedMeanwhile, and as `make_tables`.
    """
    place = path.resolve()
    with temporary_beside(place, NOT_MADE + ELSEWHERE) as copy:
        _copy(path, copy)
        con = open_for_writing(copy)
        try:
            for table, content in rows.items():
                con.execute(f"DROP TABLE IF EXISTS {table}; {statements_by_table()[table]}")
                if not len(content):
                    continue
                con.register("rows_to_add", content)
                con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM rows_to_add")
                con.unregister("rows_to_add")
            con.execute("CHECKPOINT")
        except duckdb.Error as e:
            raise writing_error(path, e) from None
        finally:
            con.close()
        made = identity_of(copy)
        if finish(copy, place, lambda: identity_of(place) == before):
            return made
    made = identity_of(place)
    con = open_read_only(path, memory)
    try:
        if set(rows) & set(tables_not_made(con, "balance")):
            raise ReplacedMeanwhile(path)
    finally:
        con.close()
    return made  # another process did the same


def _copy(path: Path, copy: Path) -> None:
    try:
        shutil.copyfile(path, copy)
        stat = path.stat()
        copy.chmod(stat.st_mode & 0o777)
        with contextlib.suppress(OSError):
            os.chown(copy, stat.st_uid, stat.st_gid)
    except OSError as e:
        if e.errno == errno.ENOSPC:
            raise DiskFull(path) from None
        raise _no_access(path, e) from None


def _no_access(path: Path, error: OSError) -> AnalyzerError:
    return NoAccess(f"{path}: cannot copy it to store new findings ({error.strerror}); copy it where you may write")
