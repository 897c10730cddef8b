"""A request about one trace: its queries, which end when the client goes, and its answer."""

from __future__ import annotations

import asyncio
import os
import weakref
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Annotated, Any, TypeVar

import duckdb
import numpy.typing as npt
import pyarrow as pa
from fastapi import Depends, Request, Response
from pydantic import BaseModel
from wastenot.analyzer import Trace
from wastenot.analyzer.errors import TablesNotMade, WindowTooLarge
from wastenot.analyzer.queries import query
from wastenot.analyzer.store.tables import TableSet, set_with
from wastenot.analyzer.trace import errors_of, run_on
from wastenot.web import answers
from wastenot.web.blocks import tables_in, tables_of_window, window_of
from wastenot.web.library import Library, OpenTrace
from wastenot.web.running import Runner
from wastenot.web.settings import Settings
from wastenot.web.tables_on_demand import TablesOnDemand

T = TypeVar("T")
Columns = dict[str, npt.NDArray[Any]]

LATER_S = 1.0
"""After the first question about a trace, when the first picture is sent: row ranges are read."""


class NotModified(Exception):
    """The client has the answer already."""

    def __init__(self, response: Response) -> None:
        self.response = response


class TraceRequest:
    """One request about one trace."""

    def __init__(self, request: Request, opened: OpenTrace) -> None:
        self.request, self.opened = request, opened

    async def run(self, work: Callable[[duckdb.DuckDBPyConnection], T], seconds: float | None = None) -> T:
        """`work` over a cursor of the trace, in a thread."""
        return await self.with_tables(
            lambda: runner(self.request).run(self.request, self.opened.cursor(), work, seconds)
        )

    async def with_tables(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """What `attempt` returns, anew when a table that it asked for had to be made."""
        while True:
            try:
                return await attempt()
            except TablesNotMade as absent:
                needed = set_with(absent.table)
                if self.opened.has(needed):
                    raise absent.refusal() from None
                if not self.opened.is_checked:
                    raise
                absent.__traceback__ = None  # its frames hold the former file, which has a successor soon
            id = self.opened.id
            del self.opened  # no request holds the former file while it waits
            self.opened = await opened_by(self.request, id, needed)

    async def on_trace(self, work: Callable[[Trace], T]) -> T:
        """`work` over the trace as the analyzer offers it, in a thread."""
        return await self.run(lambda cursor: work(self.opened.trace.on(cursor)))

    async def query(self, name: str, **parameters: Any) -> pa.Table:
        """All rows of one of this component's queries (`sql/*.sql`)."""
        return await self.run(lambda cursor: run_query(cursor, self.opened, name, **parameters))

    async def arrow(self, table: pa.Table, **metadata: Any) -> Response:
        """Rows as the answer, which stays good as long as the trace is the same."""
        return await asyncio.to_thread(answers.arrow, self.request, table, self.opened.version, metadata)

    async def json(self, model: BaseModel | Callable[[], BaseModel]) -> Response:
        """A model, or what a function makes of rows, as the answer, likewise."""

        def written() -> Response:
            made = model if isinstance(model, BaseModel) else model()
            return answers.json_answer(self.request, made, self.opened.version)

        return await asyncio.to_thread(written)


def run_query(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace, name: str, **parameters: Any) -> pa.Table:
    """All rows of one of this component's queries. Raises TablesNotMade."""
    with _readable(cursor, opened, name, parameters) as sql:
        return run_on(cursor, opened.path, sql, parameters or None)


def run_columns(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace, name: str, **parameters: Any) -> Columns:
    """The columns of a query of this component, none of which may hold NULL: for small answers that must be quick."""
    with _readable(cursor, opened, name, parameters) as sql, errors_of(opened.path):
        return cursor.execute(sql, parameters).fetchnumpy()


@contextmanager
def _readable(
    cursor: duckdb.DuckDBPyConnection, opened: OpenTrace, name: str, parameters: dict[str, Any]
) -> Iterator[str]:
    """One of this component's queries, to be run on the cursor meanwhile.

    Where a table that it marks as read only in its window was not made, the rows of that window are made alone. Raises
    TablesNotMade where those are too many.
    """
    sql = query(name, "wastenot.web").sql
    absent = [table for table in tables_of_window(sql) if not opened.has(set_with(table))]
    if not absent or not opened.is_checked:
        yield opened.row_ranges.narrow_query(sql, parameters)
        return
    start, end = window_of(parameters)
    with ExitStack() as stack, suppress(WindowTooLarge):
        stack.enter_context(opened.trace.show_window(cursor, start - 1, end + 1, tables_in(sql)))
        yield sql
        return
    # Not where that was caught: it would be this error's context, whose frames hold the file that has a successor soon.
    raise TablesNotMade(opened.path, absent[0])


def library(request: Request) -> Library:
    """The server's traces."""
    found: Library = request.app.state.library
    return found


def settings(request: Request) -> Settings:
    """The server's settings."""
    found: Settings = request.app.state.settings
    return found


def runner(request: Request) -> Runner:
    """Where the server's queries run."""
    found: Runner = request.app.state.runner
    return found


async def opened_by(request: Request, id: str, tables: TableSet = "all") -> OpenTrace:
    """The trace `id`, opened beside the event loop, with the tables of a set.

    Requests that wait for those that are made on demand hold no thread, so that all others are answered meanwhile.
    """
    if tables == "verdict":
        opened = await asyncio.to_thread(library(request).open, id)
    else:
        on_demand: TablesOnDemand = request.app.state.tables
        opened = await on_demand.open(id, tables)
    if opened.has("overview") and opened.row_ranges.claim_reading():
        loop = asyncio.get_running_loop()
        loop.call_later(LATER_S, runner(request).run_unawaited, partial(_read_row_ranges, weakref.ref(opened)))
    return opened


def _read_row_ranges(found: weakref.ref[OpenTrace]) -> None:
    """A trace that was closed meanwhile is not opened again: its file may have been replaced."""
    opened = found()
    if opened is not None:
        opened.read_row_ranges()


async def _asked(request: Request, id: str, tables: TableSet) -> TraceRequest:
    opened = await opened_by(request, id, tables)
    if request.method == "GET":
        unchanged = answers.not_modified(request, opened.version)
        if unchanged is not None:
            raise NotModified(unchanged)
    return TraceRequest(request, opened)


async def _asked_for_findings(request: Request, id: str) -> TraceRequest:
    return await _asked(request, id, "verdict")


async def _asked_for_overview(request: Request, id: str) -> TraceRequest:
    return await _asked(request, id, "overview")


async def _asked_for_window(request: Request, id: str) -> TraceRequest:
    opened = await opened_by(request, id, "verdict")
    at_once = opened.events <= settings(request).tables_at_once and os.access(opened.path.parent, os.W_OK)
    del opened  # no request holds the former file while it waits
    return await _asked(request, id, "all" if at_once else "verdict")


async def _asked_for_details(request: Request, id: str) -> TraceRequest:
    return await _asked(request, id, "all")


RequestedFindings = Annotated[TraceRequest, Depends(_asked_for_findings)]
"""Parameter of an endpoint under `traces/{id}` that reads only what every check stores."""
RequestedOverview = Annotated[TraceRequest, Depends(_asked_for_overview)]
"""Parameter of one that also reads tables of the overview: they are made when one such is first asked for."""
RequestedWindow = Annotated[TraceRequest, Depends(_asked_for_window)]
"""Parameter of one that reads rows of a window: of a trace that is large, or cannot be written, only these are made."""
RequestedDetails = Annotated[TraceRequest, Depends(_asked_for_details)]
"""Parameter of one that reads any table, likewise."""
