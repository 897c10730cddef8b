"""Rows of a window of a trace, where the tables that hold them were not made: by a walk from checkpoint to checkpoint.

They go into a database in memory beside the open file, which is not written: also where it cannot be, they can be had.
"""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wastenot._native import Rows, WastenotError, checker, version
from wastenot.analyzer.deferred import duckdb
from wastenot.analyzer.errors import BadArgument, DamagedTrace, NotChecked, OtherVersion, WindowTooLarge
from wastenot.analyzer.store.catalog import declared_columns
from wastenot.analyzer.store.checking import Progress
from wastenot.analyzer.store.tables import CHECKER_ENTITIES, WINDOW_TABLES, event_tables, tables_not_made
from wastenot.analyzer.store.writing import BatchWriter

_NUMBERS = itertools.count(1)
"""Of the windows of this process: all its handles on a file share one database, and so the names beside it."""

MOST_NS = 1 << 62
"""Stamps lie within so many nanoseconds of 0."""

MOST_COUNTED = 32
"""Answers about waits that are kept."""
WAIT_S = 0.1
"""How often `progress` is called while another walk goes on."""

MOST_CPU, MOST_UTID = 2**15 - 1, 2**31 - 1
"""What the columns of tables hold at most."""


@dataclass(frozen=True)
class WindowLimits:
    """What windows may take. A row takes 20 to 30 bytes."""

    rows: int = 4_000_000
    """Most rows of one window."""
    kept_rows: int = 8_000_000
    """Windows are kept for further queries while all of them together have no more rows; the least recently used goes
    first."""
    events: int | None = None
    """Most events that a walk may read; None: any number."""
    margin: int = 0
    """How many times its own length a window is made longer on each side, where that is not too large: the next one
    that is asked for is often near."""


@dataclass
class _Window:
    """Rows in memory that touch a window."""

    place: str
    """Name of their database."""
    start_ns: int
    end_ns: int
    rows: int
    users: int = 0

    def holds(self, start_ns: int, end_ns: int) -> bool:
        return self.start_ns <= start_ns and end_ns <= self.end_ns


@dataclass(frozen=True)
class _EventsAround:
    """What a walk over a window reads."""

    streams: dict[str, Any]
    state: bytes | None
    trace: str
    """What stands before the names of the trace's tables."""
    last: int | None
    """Id of the event at the checkpoint where the walk ends; None: at the end of the trace."""
    report: Callable[[int], None] | None

    def arguments(self, start_ns: int, end_ns: int) -> tuple[dict[str, Any], int, int, bytes | None, bool]:
        """The first arguments of `checker.check_window` and `checker.window_waits`."""
        return self.streams, start_ns, end_ns, self.state, self.last is None


class Windows:
    """The windows of one open trace. Its cursors share them; safe to use from several threads."""

    def __init__(
        self, con: duckdb.DuckDBPyConnection, path: Path, limits: WindowLimits | None = None, source: str | None = None
    ) -> None:
        """`con`: the open trace, which is the database `source` there, by default that of the connection."""
        self._con, self._path, self._limits = con, path, limits or WindowLimits()
        self._source = source
        self._lock = threading.Lock()
        self._changing = threading.Lock()
        self._kept: OrderedDict[str, _Window] = OrderedDict()
        self._counting = threading.Lock()
        self._counted: OrderedDict[tuple[object, ...], tuple[Rows, int]] = OrderedDict()

    @contextmanager
    def seen_by(
        self,
        cursor: duckdb.DuckDBPyConnection,
        start_ns: int,
        end_ns: int,
        tables: Sequence[str] = WINDOW_TABLES,
        progress: Progress | None = None,
    ) -> Iterator[None]:
        """Let a cursor's queries see a window in place of `tables` (of WINDOW_TABLES), from `start_ns` to `end_ns`.

        These then have exactly the rows of the whole trace's tables that touch it. Where the file has those tables
        nothing is made. What the cursor saw before it sees again afterwards, another window too. Raises WindowTooLarge,
        NotChecked, OtherVersion, and WastenotError for damaged checkpoints.
        """
        require_window(start_ns, end_ns)
        with ExitStack() as stack:
            if set(tables_not_made(cursor)).isdisjoint(WINDOW_TABLES):
                place = f"{_quoted_name(self._database(cursor))}.main"
            else:
                place = f"{stack.enter_context(self._used(start_ns, end_ns, progress)).place}.main"
            outer = _temporary_views(cursor, tables)
            for table in tables:
                touches = _touching(table, start_ns, end_ns)
                cursor.execute(f"CREATE OR REPLACE TEMP VIEW {table} AS SELECT * FROM {place}.{table} WHERE {touches}")
            try:
                yield
            finally:
                for table in tables:
                    cursor.execute(f"DROP VIEW IF EXISTS temp.{table}")
                for view in outer:
                    cursor.execute(view)

    def _database(self, cursor: duckdb.DuckDBPyConnection) -> str:
        if self._source is not None:
            return self._source
        (name,) = cursor.execute("SELECT current_database()").fetchone() or ("",)
        return str(name)

    @contextmanager
    def _used(self, start_ns: int, end_ns: int, progress: Progress | None) -> Iterator[_Window]:
        """A window that holds this one, made if there is none, and kept while it is used."""
        with self._changing:
            window = self._take(start_ns, end_ns)
            if window is None:
                window = self._make_with_margin(start_ns, end_ns, progress)
                window.users = 1
                with self._lock:
                    self._kept[window.place] = window
                self._drop_some()
        try:
            yield window
        finally:
            with self._lock:
                window.users -= 1

    def _take(self, start_ns: int, end_ns: int) -> _Window | None:
        with self._lock:
            window = next((w for w in reversed(self._kept.values()) if w.holds(start_ns, end_ns)), None)
            if window is not None:
                self._kept.move_to_end(window.place)
                window.users += 1
            return window

    def close(self) -> None:
        """Drop the windows that no query uses; those in use go with the last handle on the file."""
        with self._lock:
            places = [place for place, window in self._kept.items() if not window.users]
            for place in places:
                del self._kept[place]
        if places:
            with self._con.cursor() as cursor:
                for place in places:
                    cursor.execute(f"DETACH {place}")

    def _drop_some(self) -> None:
        """Drop windows that no query uses while there are too many rows."""
        with self._lock:
            rows = sum(window.rows for window in self._kept.values())
            dropped = []
            for window in list(self._kept.values()):
                if rows > self._limits.kept_rows and not window.users:
                    dropped.append(self._kept.pop(window.place))
                    rows -= window.rows
        with self._con.cursor() as cursor:
            for window in dropped:
                cursor.execute(f"DETACH {window.place}")

    def _make_with_margin(self, start_ns: int, end_ns: int, progress: Progress | None) -> _Window:
        margin = (end_ns - start_ns) * self._limits.margin
        if margin:
            with suppress(WindowTooLarge):
                return self._make(max(start_ns - margin, -MOST_NS), min(end_ns + margin, MOST_NS), progress)
        return self._make(start_ns, end_ns, progress)

    def _make(self, start_ns: int, end_ns: int, progress: Progress | None) -> _Window:
        with self._con.cursor() as cursor:
            place = self._new_place(cursor)
            cursor.execute(f"ATTACH ':memory:' AS {place} (READ_WRITE)")
            try:
                for table in WINDOW_TABLES:
                    columns = ", ".join(f'"{name}" {kind}' for name, kind in declared_columns()[table].items())
                    cursor.execute(f"CREATE TABLE {place}.main.{table} ({columns})")
                rows = self._walk(cursor, place, start_ns, end_ns, progress)
            except BaseException:
                cursor.execute(f"DETACH {place}")
                raise
        return _Window(place, start_ns, end_ns, rows)

    def _new_place(self, cursor: duckdb.DuckDBPyConnection) -> str:
        """A name for a window's database, which is not that of the file's."""
        own = self._database(cursor).casefold()
        return next(place for place in (f"window_{n}" for n in _NUMBERS) if place != own)

    def _walk(
        self, cursor: duckdb.DuckDBPyConnection, place: str, start_ns: int, end_ns: int, progress: Progress | None
    ) -> int:
        """Fill a window's tables; returns the number of rows."""
        with self._events_around(cursor, start_ns, end_ns, progress) as around:
            with BatchWriter(self._con, f"{place}.main.") as writer:

                def emit(table: str, stream: object) -> None:
                    writer.emit(table, stream)
                    self._require_few(sum(writer.rows_written.values()))

                checker.check_window(*around.arguments(start_ns, end_ns), emit, around.report)
            rows = sum(writer.rows_written.values())
            trace, last = around.trace, around.last
        if last is not None:
            rows += _add_spanning(cursor, trace, place, last, start_ns, end_ns)
        self._require_few(rows)
        return rows

    def waits(
        self,
        start_ns: int,
        end_ns: int,
        cpus: Sequence[int] = (),
        utids: Sequence[int] = (),
        progress: Progress | None = None,
    ) -> tuple[Rows, int]:
        """How long threads waited within a window, and why: rows of `cgroup_wait`, by a walk over the events around it;
        and how much of that was no wait, by later events of the window, ns.

        Of the waits on the queues of `cpus` and of the threads `utids`; of all where one is empty. One walk at a time;
        what was asked for last is kept. `progress` is called now and then, and ends it by raising. Raises as `seen_by`.
        """
        require_window(start_ns, end_ns)
        _require_numbers("CPU", cpus, MOST_CPU)
        _require_numbers("utid", utids, MOST_UTID)
        key = (start_ns, end_ns, tuple(cpus), tuple(utids))
        while not self._counting.acquire(timeout=WAIT_S):
            if progress is not None:
                progress(0, 1)  # which raises where the answer is not wanted any more
        try:
            if key not in self._counted:
                self._counted[key] = self._count(start_ns, end_ns, cpus, utids, progress)
                if len(self._counted) > MOST_COUNTED:
                    self._counted.popitem(last=False)
            self._counted.move_to_end(key)
            return self._counted[key]
        finally:
            self._counting.release()

    def _count(
        self, start_ns: int, end_ns: int, cpus: Sequence[int], utids: Sequence[int], progress: Progress | None
    ) -> tuple[Rows, int]:
        found: list[Rows] = []
        with self._con.cursor() as cursor, self._events_around(cursor, start_ns, end_ns, progress) as around:
            refuted_ns = checker.window_waits(
                *around.arguments(start_ns, end_ns),
                list(cpus),
                list(utids),
                lambda _table, stream: found.append(Rows(stream)),
                around.report,
            )
        return Rows.joined(found), refuted_ns

    @contextmanager
    def _events_around(
        self, cursor: duckdb.DuckDBPyConnection, start_ns: int, end_ns: int, progress: Progress | None
    ) -> Iterator[_EventsAround]:
        """The events from the last checkpoint before a window to the first after it, for a walk."""
        database = self._database(cursor)
        trace = f"{_quoted_name(database)}.main."
        found = cursor.execute(f"SELECT checker_version FROM {trace}verdict").fetchone()
        if found is None:
            raise NotChecked(self._path)
        if found[0] != version():
            raise OtherVersion(self._path, found[0])
        first, last = _checkpoints(cursor, trace, start_ns, end_ns)
        state = None if first is None else _state(cursor, trace, first, self._path)
        (events,) = cursor.execute(f"SELECT events FROM {trace}trace").fetchone() or (0,)
        read = (events if last is None else last) - (first or 0)
        if self._limits.events is not None and read > self._limits.events:
            raise WindowTooLarge(self._path, f"{self._limits.events:,} events")
        if progress is not None:
            progress(0, read)
        report = None if progress is None else lambda done: progress(min(done, read), read)
        # Not on an ExitStack: its frame would keep an exception, and by that the open file, until garbage is collected.
        cursors = {table: self._con.cursor() for table in _filled(cursor, database)}
        try:
            streams = {
                table: source.sql(f"SELECT * FROM {trace}{table} WHERE {_condition(table, first, last)}")
                for table, source in cursors.items()
            }
            try:
                yield _EventsAround(streams, state, trace, last, report)
            except WastenotError as e:
                raise WastenotError(f"{self._path}: {e}") from None
        finally:
            for source in cursors.values():
                source.close()

    def _require_few(self, rows: int) -> None:
        if rows > self._limits.rows:
            raise WindowTooLarge(self._path, f"{self._limits.rows:,} rows")


def require_window(start_ns: int, end_ns: int) -> None:
    """Raises BadArgument where no trace has such a window."""
    if start_ns >= end_ns:
        raise BadArgument(f"window {start_ns} .. {end_ns} ns: its end is not after its start")
    if start_ns < -MOST_NS or end_ns > MOST_NS:
        raise BadArgument(f"window {start_ns} .. {end_ns} ns: no trace has such times")


def _require_numbers(what: str, numbers: Sequence[int], most: int) -> None:
    for number in numbers:
        if not 0 <= number <= most:
            raise BadArgument(f"{what} {number}: no trace has it; 0 to {most} are possible")


def _quoted_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _temporary_views(cursor: duckdb.DuckDBPyConnection, tables: Sequence[str]) -> list[str]:
    """The statements that make the temporary views of these names which the cursor has."""
    sql = "SELECT view_name, sql FROM duckdb_views() WHERE temporary AND NOT internal"
    return [statement for name, statement in cursor.execute(sql).fetchall() if name in tables]


def _touching(table: str, start_ns: int, end_ns: int) -> str:
    """The condition on rows of a table that touch a window."""
    if table == "migration":
        return f"ts_ns >= {start_ns} AND ts_ns < {end_ns}"
    return f"start_ns < {end_ns} AND start_ns + dur_ns > {start_ns}"


def _checkpoints(
    cursor: duckdb.DuckDBPyConnection, trace: str, start_ns: int, end_ns: int
) -> tuple[int | None, int | None]:
    """Ids of the events at the last checkpoint before a window and the first after it; None: there is none.

    Events before a checkpoint may have its very stamp, and a window that starts there has the moves that they made.
    """
    try:
        cursor.execute(f"SELECT 1 FROM {trace}checkpoint_interval LIMIT 0")
        before = cursor.execute(f"SELECT max(event_id) FROM {trace}checkpoint WHERE ts_ns < {start_ns}").fetchone()
        after = cursor.execute(f"SELECT min(event_id) FROM {trace}checkpoint WHERE ts_ns >= {end_ns}").fetchone()
    except duckdb.CatalogException:  # checked before checkpoints were written
        return None, None
    return (before[0] if before else None), (after[0] if after else None)


def _state(cursor: duckdb.DuckDBPyConnection, trace: str, event: int, path: Path) -> bytes:
    found = cursor.execute(f"SELECT state FROM {trace}checkpoint WHERE event_id = {event}").fetchone()
    if found is None or not isinstance(found[0], bytes):
        raise DamagedTrace(path, "a checkpoint has no state")
    return found[0]


def _filled(cursor: duckdb.DuckDBPyConnection, database: str) -> list[str]:
    """Tables that a walk reads and that have rows."""
    wanted = {*event_tables(), *CHECKER_ENTITIES}
    sql = "SELECT table_name FROM duckdb_tables() WHERE database_name = ? AND estimated_size > 0"
    return [name for (name,) in cursor.execute(sql, [database]).fetchall() if name in wanted]


def _condition(table: str, first: int | None, last: int | None) -> str:
    """The condition on the rows of a table that a walk from one checkpoint to another reads."""
    if table not in event_tables():
        return "true"
    return f"{'true' if first is None else f'id >= {first}'} AND {'true' if last is None else f'id < {last}'}"


def _add_spanning(
    cursor: duckdb.DuckDBPyConnection, trace: str, place: str, last: int, start_ns: int, end_ns: int
) -> int:
    """Add the rows of the window that span the checkpoint at which the walk ended; returns their number."""
    rows = 0
    for table in (name for name in WINDOW_TABLES if name != "migration"):
        columns = ", ".join(f'"{name}"' for name in declared_columns()[table])
        added = cursor.execute(
            f"INSERT INTO {place}.main.{table} ({columns}) SELECT {columns} FROM {trace}checkpoint_interval "
            f"WHERE table_name = '{table}' AND checkpoint_id >= {last} AND {_touching(table, start_ns, end_ns)}"
        ).fetchone()
        rows += added[0] if added else 0
    return rows
