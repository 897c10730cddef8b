"""Exports for other tools: Parquet and CSV, one folder per trace with a manifest and a page; one file for Perfetto."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from wastenot._native import collector
from wastenot.analyzer.deferred import duckdb
from wastenot.analyzer.errors import DamagedTrace, NotChecked, OutputExists
from wastenot.analyzer.store.checking import Progress, writing_error
from wastenot.analyzer.store.opening import open_for_copying, open_read_only, quoted
from wastenot.analyzer.store.recheck import make_tables
from wastenot.analyzer.store.tables import (
    CHECKPOINT_TABLES,
    MADE_LATER,
    WINDOW_TABLES,
    event_tables,
    schema_sql,
    table_names,
    tables_not_made,
)
from wastenot.analyzer.store.temporary_files import finish, temporary_beside, temporary_folder
from wastenot.analyzer.store.windows import Windows
from wastenot.schemas.upgrade import SCHEMA_VERSION

PART_IDS = 16_777_216
"""Event ids per part of a Parquet export."""

MOST_ID = 1 << 62
"""Largest id of an event that is taken for one."""

ROW_GROUP = 122_880
"""Rows per Parquet row group: the unit that a reader can skip by time, and that an import takes in at once."""

PARQUET_PAGE = """\
# A wastenot trace as Parquet

`events/<table>/<part>.parquet` holds the raw events, `tables/<table>.parquet` the entities and the checker's findings.
Event ids count through all event tables in the one order of the trace. Part n of every table holds the ids from
n x {ids:,} on, so that the parts of one number are one stretch of time of the whole trace. Within a part, rows are
sorted by `id` in row groups of {rows:,}, so that readers can skip by `id` or `ts_ns`. Empty tables and parts are left
out; `schema.sql` has the columns, their units and their meaning, and the macros that turn codes into names.
`manifest.json` lists the files with their rows.

    SELECT count(*) FROM 'events/sched_switch/*.parquet';

The folder is complete: `wastenot import` makes the same trace from it again.
"""

CSV_PAGE = """\
# A wastenot trace as CSV

One `<table>.csv` per table with a header line; lists are written as `[1, 2]`, NULL as nothing. Empty tables are left
out. `schema.sql` has the columns, their units and their meaning. `manifest.json` lists the files with their rows.
`wastenot import` makes the same trace from it again.
"""


WINDOW_PAGE = """\
# A window of a wastenot trace

From {start} to {end} ns: the events of that time, and all rows of intervals and moves that touch it, whole as they are
in the whole trace. The other tables are those of the whole trace; levels of detail and bubbles are left out.
`schema.sql` has the columns, their units and their meaning, `manifest.json` the files with their rows.
`wastenot import` cannot make a trace from it.
"""

Window = tuple[int, int]
"""From when to when, ns."""


def export_parquet(
    trace: Path, folder: Path, *, force: bool = False, progress: Progress | None = None, window: Window | None = None
) -> dict[str, int]:
    """Write a trace as a folder of Parquet files; returns the rows per table.

    Raises OutputExists, NoAccess, DiskFull, and the errors of opening the trace. With `force` an existing folder that
    is such an export is replaced. `progress` is called while tables are made that are made on demand. Of a `window` the
    events and rows of that are written, and nothing is made in the file.
    """
    options = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP}"
    page = PARQUET_PAGE.format(rows=ROW_GROUP, ids=PART_IDS)
    return _export(trace, folder, force, "parquet", options, _in_parts, page, progress, window)


def export_csv(
    trace: Path, folder: Path, *, force: bool = False, progress: Progress | None = None, window: Window | None = None
) -> dict[str, int]:
    """Write a trace as a folder of CSV files; returns the rows per table. Raises as `export_parquet`."""
    return _export(trace, folder, force, "csv", "FORMAT csv, HEADER true", _whole, CSV_PAGE, progress, window)


def export_perfetto(trace: Path, file: Path, *, force: bool = False, progress: Progress | None = None) -> int:
    """Write a trace as a Perfetto trace: scheduling events per CPU, names, episodes, causes and wasted cores as tracks.

    Returns the number of events. `wastenot import` makes the same trace from it again. Raises OutputExists, NoAccess,
    DiskFull, WastenotError, and the errors of opening the trace.
    """
    if file.exists() and not force:
        raise OutputExists(file)
    make_tables(trace, progress)
    con = open_read_only(trace)
    try:
        if tables_not_made(con):
            raise NotChecked(trace)
        _require_plain_ids(con, trace)
        with temporary_beside(file) as temporary:
            cursors = {table: con.cursor() for table in (*event_tables(), *collector.perfetto_tables())}
            streams = {
                table: cursor.sql(f"SELECT * FROM {table}").to_arrow_reader(ROW_GROUP)
                for table, cursor in cursors.items()
            }
            events, _, _ = collector.write_perfetto(streams, temporary)
            finish(temporary, file)
    finally:
        con.close()
    return events


def _require_plain_ids(con: duckdb.DuckDBPyConnection, trace: Path) -> None:
    """Raise DamagedTrace for ids that no count of events reaches: the writer reckons with the ids that follow."""
    for table in event_tables():
        least, most = con.execute(f"SELECT min(id), max(id) FROM {table}").fetchall()[0]
        if least is not None and (least < 0 or most > MOST_ID):
            raise DamagedTrace(trace, f"{table} has the id {least if least < 0 else most}")


Places = Callable[[duckdb.DuckDBPyConnection, str], Iterator[tuple[str, str]]]
"""The files that a table becomes: the name of each, and the condition on its rows."""


def _in_parts(con: duckdb.DuckDBPyConnection, table: str) -> Iterator[tuple[str, str]]:
    if table not in event_tables():
        yield f"tables/{table}.parquet", "true"
        return
    # Only parts that hold something: ids of a damaged trace may lie far apart.
    for (part,) in con.execute(f"SELECT DISTINCT id // {PART_IDS} AS part FROM {table} ORDER BY part").fetchall():
        condition = f"id >= {part * PART_IDS} AND id < {(part + 1) * PART_IDS}"
        yield f"events/{table}/{part:05}.parquet", condition


def _whole(_con: duckdb.DuckDBPyConnection, table: str) -> Iterator[tuple[str, str]]:
    yield f"{table}.csv", "true"


def _export(
    trace: Path,
    folder: Path,
    force: bool,
    name: str,
    options: str,
    places: Places,
    page: str,
    progress: Progress | None,
    window: Window | None,
) -> dict[str, int]:
    open_read_only(trace).close()
    if folder.exists() and not (force and (folder / "manifest.json").is_file()):
        raise OutputExists(folder)
    if window is None:
        make_tables(trace, progress)
    else:
        name, page = f"{name}-window", WINDOW_PAGE.format(start=window[0], end=window[1])
    with _folder_beside(folder) as temporary, ExitStack() as stack:
        rows: dict[str, int] = {}
        files: dict[str, dict[str, object]] = {}
        con = open_for_copying(trace, temporary)
        try:
            absent = set(tables_not_made(con, "balance"))
            if window is not None:
                stack.enter_context(Windows(con, trace, source="copied").seen_by(con, *window, progress=progress))
                absent = set(MADE_LATER) - set(WINDOW_TABLES)
            left_out = {*absent, *CHECKPOINT_TABLES}  # checkpoints are of use to this file alone
            for table in (name for name in table_names() if name not in left_out):
                within = _within(table, window)
                rows[table] = _count(con, f"{table} WHERE {within}")
                if not rows[table]:
                    continue
                for place, part in places(con, table):
                    condition = f"{part} AND {within}"
                    count = _count(con, f"{table} WHERE {condition}")
                    if count:
                        target = temporary / place
                        target.parent.mkdir(parents=True, exist_ok=True)
                        place_sql = quoted(str(target.resolve()))
                        con.execute(f"COPY (SELECT * FROM {table} WHERE {condition}) TO {place_sql} ({options})")
                        files[place] = {"table": table, "rows": count}
        except duckdb.Error as e:
            raise writing_error(folder, e) from None
        finally:
            stack.close()
            con.close()
        (temporary / "schema.sql").write_text(schema_sql(), encoding="utf-8")
        (temporary / "README.md").write_text(page, encoding="utf-8")
        manifest = {"format": f"wastenot-{name}", "schema_version": SCHEMA_VERSION, "files": files}
        (temporary / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
        if folder.exists():
            shutil.rmtree(folder)
        temporary.replace(folder)
    return rows


def _within(table: str, window: Window | None) -> str:
    """The condition on events of a window; the tables of intervals show no others."""
    if window is None or table not in event_tables():
        return "true"
    return f"ts_ns >= {window[0]} AND ts_ns < {window[1]}"


def _count(con: duckdb.DuckDBPyConnection, what: str) -> int:
    row = con.execute(f"SELECT count(*) FROM {what}").fetchone()
    return row[0] if row else 0


@contextlib.contextmanager
def _folder_beside(target: Path) -> Iterator[Path]:
    """A folder beside the target that is removed again unless it was renamed."""
    with temporary_folder(target) as parent:
        temporary = parent / target.name
        temporary.mkdir()
        yield temporary
