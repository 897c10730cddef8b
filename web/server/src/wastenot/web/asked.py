"""What an endpoint is asked about: a trace, for one client, whose queries end when the client goes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import duckdb
import pyarrow as pa
from fastapi import Depends, Request, Response
from pydantic import BaseModel
from wastenot.analyzer import Trace
from wastenot.analyzer.queries import query
from wastenot.analyzer.trace import run_on
from wastenot.web import answers
from wastenot.web.library import Library, OpenTrace
from wastenot.web.running import Runner
from wastenot.web.settings import Settings

T = TypeVar("T")


class NotModified(Exception):
    """The client has the answer already."""

    def __init__(self, response: Response) -> None:
        self.response = response


class Asked:
    """One request about one trace."""

    def __init__(self, request: Request, opened: OpenTrace) -> None:
        self.request, self.opened = request, opened

    async def run(self, work: Callable[[duckdb.DuckDBPyConnection], T], seconds: float | None = None) -> T:
        """`work` over a cursor of the trace, in a thread."""
        return await runner(self.request).run(self.request, self.opened.cursor(), work, seconds)

    async def on_trace(self, work: Callable[[Trace], T]) -> T:
        """`work` over the trace as the analyzer offers it, in a thread."""
        return await self.run(lambda cursor: work(self.opened.trace.on(cursor)))

    async def query(self, name: str, **parameters: Any) -> pa.Table:
        """All rows of one of this room's queries (`sql/*.sql`)."""
        return await self.run(lambda cursor: run_query(cursor, self.opened, name, **parameters))

    def arrow(self, table: pa.Table, **metadata: Any) -> Response:
        """Rows as the answer, which stays good as long as the trace is the same."""
        return answers.arrow(self.request, table, self.opened.version, metadata)

    def json(self, model: BaseModel) -> Response:
        """A model as the answer, likewise."""
        return answers.json_answer(self.request, model, self.opened.version)


def run_query(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace, name: str, **parameters: Any) -> pa.Table:
    """All rows of one of this room's queries."""
    return run_on(cursor, opened.path, query(name, "wastenot.web").sql, parameters or None)


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


async def opened_by(request: Request, id: str) -> OpenTrace:
    """The trace `id`, opened beside the event loop."""
    return await asyncio.get_running_loop().run_in_executor(None, library(request).open, id)


async def _asked(request: Request, id: str) -> Asked:
    opened = await opened_by(request, id)
    if request.method == "GET":
        unchanged = answers.not_modified(request, opened.version)
        if unchanged is not None:
            raise NotModified(unchanged)
    return Asked(request, opened)


At = Annotated[Asked, Depends(_asked)]
"""Parameter of an endpoint under `traces/{id}`."""
