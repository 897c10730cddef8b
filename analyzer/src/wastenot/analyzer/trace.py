"""A trace opened for reading: the Python API of wastenot.

from wastenot.analyzer import open_trace

with open_trace("T.duckdb") as trace:
    print(trace.verdict())
    trace.episodes(grade="persistent").pandas()
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from operator import index
from pathlib import Path
from types import TracebackType
from typing import Any, SupportsIndex

from wastenot._native import Rows
from wastenot.analyzer.deferred import Deferred, duckdb, pa
from wastenot.analyzer.errors import (
    BadArgument,
    BadQuery,
    NotChecked,
    OpenOtherwise,
    StaleFindings,
    TableMissing,
    TablesNotMade,
)
from wastenot.analyzer.model.bubbles import BubbleReplay, BubbleTree, read_tree, tree_of
from wastenot.analyzer.model.latency import Latency, WaitingCurve, read_latency, read_waiting_curve
from wastenot.analyzer.model.top import (
    BY,
    EVER,
    TOP_SORTS,
    figures_of_window,
    ledger_of_window,
    sorted_rows,
    with_antagonists,
    with_histograms,
    with_labels,
    without_absent,
)
from wastenot.analyzer.queries import query, query_names
from wastenot.analyzer.reading_sql import require_reading
from wastenot.analyzer.result import Result
from wastenot.analyzer.store.checking import CheckOptions, Progress
from wastenot.analyzer.store.opening import READING_MEMORY, file_error, open_read_only
from wastenot.analyzer.store.recheck import add_tables, make_tables
from wastenot.analyzer.store.tables import (
    WINDOW_TABLES,
    MissedTables,
    TableSet,
    came_later,
    missing_tables,
    not_made,
    tables_not_made,
)
from wastenot.analyzer.store.temporary_files import Identity, identity_of
from wastenot.analyzer.store.waits_macro import define_waits
from wastenot.analyzer.store.windows import WindowLimits, Windows, require_window
from wastenot.analyzer.verdict import Episode, Verdict, read_verdict
from wastenot.schemas.generated.enums import GRADE_SEVERITIES, GRADE_WORST_FIRST

GRADES: tuple[str, ...] = GRADE_WORST_FIRST
"""All grades, worst first."""

SEVERITIES: tuple[str, ...] = GRADE_SEVERITIES
"""How much an episode wasted, worst first; the last two only of recurrent episodes."""

_balance = Deferred("wastenot.analyzer.balance.tables")
"""Imports numpy, which most queries do not need."""

REFUTED = "SELECT coalesce(sum(value), 0)::BIGINT FROM data_quality WHERE what = 'refuted_wait_ns'"

MOST_ROWS = 2**62
"""A limit of rows that no metric reaches."""

LEADING = SEVERITIES[:2]
"""Severities that a report leads with; recurrent episodes are listed whatever they wasted."""


@dataclass(frozen=True)
class WaitsInWindow:
    """How long threads waited within a window, and why."""

    ledger: Result
    """Rows as of the metric `cgroup_waits`."""
    refuted_ns: int
    """Of them time in which no thread waited, by later events of the window."""


def open_trace(
    path: str | Path,
    memory: str = READING_MEMORY,
    progress: Progress | None = None,
    windows: WindowLimits | None = None,
) -> Trace:
    """Open a finished trace read-only; its queries may use so much `memory`. Raises the typed errors of `errors`.

    `progress` is called while tables are made that are made on demand; `windows` limits those that are kept.
    """
    return Trace(Path(path), memory, progress, windows)


class Trace:
    """A trace file, open read-only. Close it, or use it as a context manager.

    A query that needs a table which is made on demand has the file made anew with it: see `make_tables`.
    """

    def __init__(
        self,
        path: Path,
        memory: str = READING_MEMORY,
        progress: Progress | None = None,
        windows: WindowLimits | None = None,
    ) -> None:
        self.path = path
        self._memory, self._progress, self._window_limits = memory, progress, windows
        self._opened = identity_of(path.resolve())
        self._con = open_read_only(path, memory)
        self._windows = Windows(self._con, path, windows)
        self._changed = threading.Condition()
        self._queries, self._is_made_anew = 0, False

    def _made(self, tables: TableSet) -> bool:
        """Make them; True when one was not there."""
        self._require_check()
        return self.make_tables(tables)

    def make_tables(self, tables: TableSet = "all") -> bool:
        """Make the tables of a set that are made on demand, where the file lacks them; cursors taken before are closed.

        True when one was not there. A copy of the file gets them and then takes its name. Queries of other threads
        wait. Raises NoAccess or DiskFull where that cannot be, OtherVersion, and OpenOtherwise while this process has
        the file open elsewhere: DuckDB would show the former one to all. Nothing is made of a trace without a verdict.
        """
        with self._changed:
            self._changed.wait_for(lambda: not self._is_made_anew)
            if self._has_tables(tables):
                return False
        if tables == "balance":
            self._make_balance()
        else:
            self._replace_file(tables, lambda: make_tables(self.path, self._progress, self._memory, tables))
        return True

    def _make_balance(self) -> None:
        self.make_tables("all")
        if not len(self._run("SELECT 1 FROM verdict", None)):
            return
        of = self._opened
        rows = _balance.balance_tables(self)
        self._replace_file("balance", lambda: add_tables(self.path, rows, of, self._memory))

    def _replace_file(self, tables: TableSet, replace: Callable[[], Identity | None]) -> None:
        """Close the file, have another one with the tables of a set take its name, and open that."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_made_anew)
            if self._has_tables(tables):
                return
            self._is_made_anew = True
            self._changed.wait_for(lambda: not self._queries)
        made_as = None
        try:
            self._windows.close()
            self._con.close()
            made_as = replace()
        finally:
            try:
                self._opened = identity_of(self.path.resolve())
                self._con = open_read_only(self.path, self._memory)
                self._windows = Windows(self._con, self.path, self._window_limits)
            finally:
                with self._changed:
                    self._is_made_anew = False
                    self._changed.notify_all()
        with self._changed:
            self._changed.wait_for(lambda: not self._is_made_anew)
            with self._con.cursor() as cursor:
                checked = cursor.execute("SELECT 1 FROM verdict").fetchone() is not None
            is_replaced = made_as is not None and identity_of(self.path.resolve()) != made_as
            if checked and not is_replaced and not self._has_tables(tables):
                raise OpenOtherwise(self.path)

    def _has_tables(self, tables: TableSet) -> bool:
        """Whether the file has them. Under the lock, while it is not made anew: the connection changes then."""
        with self._con.cursor() as cursor:
            return not tables_not_made(cursor, tables)

    def window(self, start_ns: SupportsIndex, end_ns: SupportsIndex) -> Trace:
        """The same trace with the tables in `WINDOW_TABLES` of a window (ns as the trace has them).

        They have exactly the rows that touch the window: whole ones, also those that start before it or end after it.
        Where the file lacks those tables, only these rows are made, by a walk over the events around the window, and
        kept in memory while the trace is open, within the limits that `open_trace` was given; nothing is written. All
        other tables stay as they are. A query may raise WindowTooLarge, and TablesNotMade for another table that is
        made on demand: ask the whole trace for that. The verdict, episodes, metrics and bubbles are of the whole trace
        too, and refused here (BadArgument), as are cursors: `sql` and `table` read a window.
        """
        return _OfWindow(self, *_whole_numbers(start_ns, end_ns))

    def show_window(
        self,
        cursor: duckdb.DuckDBPyConnection,
        start_ns: int,
        end_ns: int,
        tables: Sequence[str] = WINDOW_TABLES,
    ) -> AbstractContextManager[None]:
        """Let the queries on a cursor of this trace see a window's `tables`: see `window`."""
        return self._windows.seen_by(cursor, start_ns, end_ns, tables, self._progress)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own to the open file, under the same restrictions. Close it after use."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_made_anew)
            return self._con.cursor()

    def on(self, cursor: duckdb.DuckDBPyConnection) -> Trace:
        """The same trace with all its queries on one cursor, so that they can be interrupted."""
        return _OnCursor(self, cursor)

    def verdict(self, worst: int = 5) -> Verdict:
        """The verdict, with the `worst` episodes. Raises NotChecked when the trace holds events only."""
        self._require_episodes()
        return read_verdict(self, worst)

    def episodes(self, grade: str | None = None, limit: int | None = None, severity: str | None = None) -> Result:
        """Episodes, those that wasted most first.

        Of one `grade`, or of all with `grade="all"`: as the checker found them, so that one waste can be several
        (`part_of`, `within`). Of one `severity` or worse, else those that wasted as much as a lasting one and recurrent
        ones: timed ones that no other contains, whose `adds_ns` add up to no more than was wasted, and recurrent ones.
        """
        if grade is not None and grade not in (*GRADES, "all"):
            raise BadArgument(f"grade {grade!r}: not a grade; one of {', '.join(GRADES)}, all")
        if severity is not None and severity not in SEVERITIES:
            raise BadArgument(f"severity {severity!r}: not a severity; one of {', '.join(SEVERITIES)}")
        self._require_episodes()
        grades = [] if severity else ["recurrent"] if grade is None else list(GRADES) if grade == "all" else [grade]
        severities = SEVERITIES[: SEVERITIES.index(severity) + 1] if severity else LEADING if grade is None else ()
        most = limit if limit is not None else 2**62
        parts = grade is not None
        return self.metric("episodes", grades=grades, severities=list(severities), parts=parts, limit=most)

    def episode(self, number: int, events: int = 50) -> Episode:
        """One episode with its threads and the first `events` events it rests on. BadArgument when there is none."""
        self._require_episodes()
        found = self.metric("episode", episode=number).rows()
        if not found:
            row = self.sql("SELECT min(episode_id) AS low, max(episode_id) AS high FROM episode").one()
            there = "this trace has none" if row["low"] is None else f"this trace has {row['low']} to {row['high']}"
            raise BadArgument(f"episode {number}: no such episode; {there}")
        bounds = self.metric("episode_bounds", episode=number).one()
        row = {**found[0], **self._place(number)}
        rests_on = bounds.pop("rests_on")
        facts = self.metric("trace").one()
        return Episode(
            row,
            self.metric("episode_threads", episodes=[number]),
            self.metric("episode_events", episode=number, limit=events, **bounds),
            self.metric("episode_causes", episode=number),
            rests_on,
            dict(CheckOptions.from_json(self.metric("verdict").one()["options"]).thresholds_ns),
            facts["tick_ns"],
            self.metric("evidence").rows(),
            facts,
        )

    def _place(self, number: int) -> dict[str, Any]:
        """The row that contains an episode, and the episodes that it contains (see `episodes.sql`)."""
        everything = {"grades": list(GRADES), "severities": [], "parts": True, "limit": 2**62}
        statement = f"""WITH placed AS ({query("episodes").sql})
            SELECT episode_id, within, adds_ns FROM placed WHERE episode_id = $number OR within = $number"""
        rows = Result(self._run(statement, {**everything, "number": number})).rows()
        own = next(row for row in rows if row["episode_id"] == number)
        holds = sorted(row["episode_id"] for row in rows if row["within"] == number)
        return {"within": own["within"], "adds_ns": own["adds_ns"], "holds": holds}

    def top(
        self,
        by: str = "thread",
        limit: int = 20,
        tree: str | None = None,
        sort: str = "avoidable",
        window: tuple[int, int] | None = None,
    ) -> Result:
        """Threads that waited beside an idle CPU. `by`: thread, process, cgroup (these with antagonists) or bubble.

        `sort`: by avoidable wait, by all wait, or (not bubbles) by the longest or the 99th percentile of single waits.
        `window` (not bubbles): what they did within it, ns as the trace has them; single waits that touch it are whole.

        Cgroups have a label (pod, container, unit: `model.cgroup_names`) and the split of their waits by reason.
        Bubbles are those of `tree` (declared, natural, creation); see `bubbles`.
        """
        if by == "bubble":
            if window is not None:
                raise BadArgument("top by bubble: of a whole trace")
            return self.metric("bubbles", tree=tree_of(self, tree), limit=limit)
        if by not in BY:
            raise BadArgument(f"top by {by!r}: one of {', '.join(BY)}, bubble")
        if sort not in TOP_SORTS:
            raise BadArgument(f"top sorted by {sort!r}: one of {', '.join(TOP_SORTS)}")
        self._require_check()
        if window is not None:
            return self._top_in_window(by, limit, sort, window)
        rows = with_antagonists(self, by, self._first_rows(by, sort, limit))
        return with_labels(rows) if by == "cgroup" else rows

    def _top_in_window(self, by: str, limit: int, sort: str, window: tuple[int, int]) -> Result:
        try:
            first, last = window
        except (TypeError, ValueError):
            raise BadArgument(f"window {window!r}: a start and an end in ns") from None
        start_ns, end_ns = _whole_numbers(first, last)
        require_window(start_ns, end_ns)
        span = {"start_ns": start_ns, "end_ns": end_ns}
        self.make_tables("all")
        with ExitStack() as stack:
            cursor = stack.enter_context(self._counted_cursor())
            stack.enter_context(errors_of(self.path))
            stack.enter_context(figures_of_window(cursor, span))
            if by == "cgroup":
                waits, _ = self._windows.waits(start_ns, end_ns, progress=self._progress)
                stack.enter_context(ledger_of_window(cursor, waits))
            on = self.on(cursor)
            rows = with_antagonists(on, by, without_absent(on._first_rows(by, sort, limit, span)), span)
        return with_labels(rows) if by == "cgroup" else rows

    def _first_rows(self, by: str, sort: str, limit: int, span: Mapping[str, int] | None = None) -> Result:
        """The rows of `top` in this order; only its own needs no more than the first."""
        if sort == "avoidable":
            return self.metric(BY[by].metric, limit=limit)
        rows = self.metric(BY[by].metric, limit=MOST_ROWS)
        if span is None:
            span = self.sql("SELECT start_ns, end_ns + 1 AS end_ns FROM verdict").one()
        latency = self.metric("latency", by=by, keys=[], after="any", sort="longest", limit=MOST_ROWS - 1, **span)
        first = sorted_rows(rows, [row for row in latency if not row["is_total"]], by, sort, limit)
        return with_histograms(self, by, first, span)

    def latency(
        self,
        by: str = "thread",
        window: tuple[int, int] | None = None,
        after: str = "any",
        sort: str = "longest",
        limit: int = 20,
        worst: int = 20,
        of: str | Collection[int | None] | None = None,
    ) -> Latency:
        """How long threads waited for a CPU: percentiles and histograms `by` thread, process or cgroup, and the longest
        waits. `window`: those that touch it (ns as the trace has them); `after`: a wakeup, a preemption or any. `of`:
        those of some groups alone: a name or number as text (all that it fits), or keys (utid, upid, cgroup_id)."""
        self._require_check()
        return read_latency(self, by, window, after, sort, limit, worst, of)

    def waiting_curve(
        self,
        by: str = "thread",
        of: str | Collection[int | None] | None = None,
        window: tuple[int, int] | None = None,
        after: str = "any",
        bins: int = 400,
    ) -> WaitingCurve:
        """How many threads waited for a CPU over time, in at most `bins` bins; of some groups alone as in `latency`."""
        self._require_check()
        return read_waiting_curve(self, by, of, window, after, bins)

    def cgroup_waits(self) -> Result:
        """The wait ledger: how long threads of each cgroup were runnable and did not run, and why, longest first."""
        self._require_check()
        return self.metric("cgroup_waits")

    def waits_in_window(
        self,
        start_ns: SupportsIndex,
        end_ns: SupportsIndex,
        cpus: Sequence[int] = (),
        utids: Sequence[int] = (),
        progress: Progress | None = None,
    ) -> WaitsInWindow:
        """The wait ledger of a window (ns as the trace has them), with the columns of `cgroup_waits`.

        Of the waits on the queues of `cpus` and of the threads `utids`; of all where one is empty. Made by a walk over
        the events around the window, within the limits that `open_trace` was given: raises WindowTooLarge. What a later
        event of the window shows not to have been a wait counts as in the ledger of the whole trace; later ones do not.
        `progress` (by default that of `open_trace`) is called now and then. Raises BadArgument for a window that no
        trace has, and such numbers.
        """
        self._require_check()
        start_ns, end_ns = _whole_numbers(start_ns, end_ns)
        require_window(start_ns, end_ns)
        whole = self.metric("verdict").one()
        if not cpus and not utids and start_ns <= whole["start_ns"] and end_ns >= whole["end_ns"]:
            (refuted_ns,) = self.sql(REFUTED).one().values()
            return WaitsInWindow(self.metric("cgroup_waits"), refuted_ns)
        with self._counted_cursor() as cursor, errors_of(self.path):
            waits, refuted_ns = self._windows.waits(start_ns, end_ns, cpus, utids, progress or self._progress)
            with ledger_of_window(cursor, waits):
                return WaitsInWindow(self.on(cursor).metric("cgroup_waits"), refuted_ns)

    def bubbles(self, tree: str | None = None) -> BubbleTree:
        """The bubbles of a tree and what belongs to them.

        `tree`: declared, natural or creation; by default declared where something was declared, else natural.
        """
        return read_tree(self, tree)

    def bubble_replay(self) -> BubbleReplay:
        """Where the threads and bubbles of the declared tree were, ready to be asked for any instant."""
        tree_of(self, "declared")
        return BubbleReplay(self.table("entity_holder").arrow())

    def antagonists(self, utid: int) -> Result:
        """Threads that ran on the CPUs while thread `utid` waited there, longest first."""
        self._require_check()
        return self.metric("antagonists", utids=[utid], **EVER)

    def metric(self, name: str, **parameters: Any) -> Result:
        """One of the documented metrics (`sql/*.sql`), with its parameters. BadArgument for an unknown one."""
        try:
            found = query(name)
        except KeyError:
            raise BadArgument(f"metric {name!r}: no such metric; one of {', '.join(query_names())}") from None
        return Result(self._run(found.sql, parameters or None), name)

    def sql(self, statement: str, parameters: dict[str, Any] | list[Any] | None = None) -> Result:
        """A query over the documented tables. Cannot write, nor reach files or network. BadQuery when it is refused."""
        with self._counted_cursor() as cursor:
            require_reading(statement, cursor)
        return Result(self._run(statement, parameters))

    def table(self, name: str) -> Result:
        """All rows of one table."""
        return Result(self._run(f'SELECT * FROM "{name}"', None), name)

    def close(self) -> None:
        """Close the file."""
        self._windows.close()
        self._con.close()

    def __enter__(self) -> Trace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        facts = self.metric("trace").one()
        return f"<Trace {self.path}: {facts['events']:,} events of {facts['source']} on {facts['cpus']} CPUs>"

    def _repr_html_(self) -> str:
        return self.metric("trace")._repr_html_()

    def _run(self, statement: str, parameters: dict[str, Any] | list[Any] | None) -> Rows:
        missed = MissedTables(self._made)
        while True:
            try:
                return self._run_once(statement, parameters)
            except TablesNotMade as absent:
                table, refusal = absent.table, absent.refusal()
            missed.make(table, refusal)

    def _run_once(self, statement: str, parameters: dict[str, Any] | list[Any] | None) -> Rows:
        with self._counted_cursor() as cursor:
            return rows_on(cursor, self.path, statement, parameters)

    @contextmanager
    def _counted_cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor for one query, which `make_tables` waits for and which waits for it."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_made_anew)
            cursor = self._con.cursor()
            self._queries += 1
        try:
            yield cursor
        finally:
            cursor.close()
            with self._changed:
                self._queries -= 1
                self._changed.notify_all()

    def _require_check(self) -> None:
        if not len(self._run("SELECT 1 FROM verdict", None)):
            raise NotChecked(self.path)

    def _require_episodes(self) -> None:
        """Raise StaleFindings where an earlier version made the episodes, without their severity."""
        self._require_check()
        cursor = self.cursor()
        try:
            stale = "episode" in missing_tables(cursor)
        finally:
            cursor.close()
        if stale:
            raise StaleFindings(self.path, "episode.severity")


def _whole_numbers(start_ns: SupportsIndex, end_ns: SupportsIndex) -> tuple[int, int]:
    """The ends of a window as integers, those of numpy too; raises BadArgument."""
    try:
        return index(start_ns), index(end_ns)
    except TypeError:
        raise BadArgument(f"window {start_ns!r} .. {end_ns!r}: not whole numbers of ns") from None


class _OfWindow(Trace):
    """A trace of which some tables show a window. Closing it leaves the whole one open."""

    def __init__(self, whole: Trace, start_ns: int, end_ns: int) -> None:
        self.path = whole.path
        self._whole, self._start_ns, self._end_ns = whole, start_ns, end_ns

    def make_tables(self, tables: TableSet = "all") -> bool:
        return self._whole.make_tables(tables)

    def window(self, start_ns: SupportsIndex, end_ns: SupportsIndex) -> Trace:
        """The part of this window between two times."""
        start_ns, end_ns = _whole_numbers(start_ns, end_ns)
        return self._whole.window(max(start_ns, self._start_ns), min(end_ns, self._end_ns))

    def show_window(
        self,
        cursor: duckdb.DuckDBPyConnection,
        start_ns: int,
        end_ns: int,
        tables: Sequence[str] = WINDOW_TABLES,
    ) -> AbstractContextManager[None]:
        """Let the queries on a cursor see `tables` of the part of this window between two times."""
        start_ns, end_ns = max(start_ns, self._start_ns), min(end_ns, self._end_ns)
        return self._whole.show_window(cursor, start_ns, end_ns, tables)

    def metric(self, name: str, **_: Any) -> Result:
        """None: a metric sums up a whole trace."""
        raise BadArgument(f"metric {name!r}: of the whole trace; ask that, or this window by SQL")

    def __repr__(self) -> str:
        return f"<window of {self._start_ns} to {self._end_ns} ns of {self._whole!r}>"

    def _repr_html_(self) -> str:
        return self._whole._repr_html_()

    def _run(self, statement: str, parameters: dict[str, Any] | list[Any] | None) -> Rows:
        return self._run_once(statement, parameters)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """None: a cursor shows the whole trace."""
        raise BadArgument("cursor: of the whole trace; take one there, and `window(…).on(cursor)` of that")

    def bubbles(self, tree: str | None = None) -> BubbleTree:
        """None: bubbles are of a whole trace."""
        raise BadArgument(f"bubbles {tree or ''}: of the whole trace; ask that, or this window by SQL")

    def bubble_replay(self) -> BubbleReplay:
        """None: likewise."""
        raise BadArgument("bubble_replay: of the whole trace; ask that")

    def on(self, cursor: duckdb.DuckDBPyConnection) -> Trace:
        return _OfWindow(self._whole.on(cursor), self._start_ns, self._end_ns)

    def close(self) -> None:
        pass

    @contextmanager
    def _counted_cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        whole = self._whole
        with whole._counted_cursor() as cursor, whole.show_window(cursor, self._start_ns, self._end_ns):
            yield cursor


class _OnCursor(Trace):
    def __init__(self, whole: Trace, cursor: duckdb.DuckDBPyConnection) -> None:
        self.path = whole.path
        self._con, self._windows, self._progress = cursor, whole._windows, whole._progress

    def cursor(self) -> duckdb.DuckDBPyConnection:
        return self._con.cursor()

    def close(self) -> None:
        self._con.close()

    @contextmanager
    def _counted_cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        yield self._con

    def _run(self, statement: str, parameters: dict[str, Any] | list[Any] | None) -> Rows:
        return rows_on(self._con, self.path, statement, parameters)


def run_on(
    cursor: duckdb.DuckDBPyConnection,
    path: Path,
    statement: str,
    parameters: dict[str, Any] | list[Any] | None = None,
) -> pa.Table:
    """All rows of a query over the trace at `path`. BadQuery when DuckDB refuses it; errors of the file."""
    with errors_of(path):
        define_waits(cursor, statement)
        found = cursor.sql(statement, params=parameters)
        return pa.table({}) if found is None else found.to_arrow_table()


def rows_on(
    cursor: duckdb.DuckDBPyConnection,
    path: Path,
    statement: str,
    parameters: dict[str, Any] | list[Any] | None = None,
) -> Rows:
    """`run_on` without pyarrow."""
    with errors_of(path):
        define_waits(cursor, statement)
        found = cursor.sql(statement, params=parameters)
        if found is None:
            return Rows(pa.table({}))
        return Rows(found.materialize())  # here errors are DuckDB's; in the middle of a stream they are texts


@contextmanager
def errors_of(path: Path) -> Iterator[None]:
    """DuckDB's errors about a query over the trace at `path` as ours: BadQuery, or those of the file."""
    try:
        yield
    except (duckdb.IOException, duckdb.InternalException, duckdb.FatalException) as e:
        raise file_error(path, e) from None
    except duckdb.CatalogException as e:
        if (table := not_made(e)) is not None:
            raise TablesNotMade(path, table) from None
        if (table := came_later(e)) is not None:
            raise TableMissing(path, table) from None
        raise BadQuery.of(e) from None
    except duckdb.Error as e:
        raise BadQuery.of(e) from None
