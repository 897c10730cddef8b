"""Queries in threads, stopped when their client has gone or when they take too long."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import duckdb
from fastapi import Request
from wastenot.web.errors import ClientGone, WebError

T = TypeVar("T")


class Runner:
    """Runs functions over a DuckDB cursor in at most `threads` threads."""

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, "wastenot-query")
        self._stopped: set[int] = set()

    def require_wanted(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Raises InterruptException when the work on a cursor was stopped: for work that is not DuckDB's."""
        if id(cursor) in self._stopped:
            raise duckdb.InterruptException

    def close(self) -> None:
        """Forget what waits; what runs ends by itself."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def run_unawaited(self, work: Callable[[], None]) -> None:
        """Run something whose result is not awaited; nothing when the server ends."""
        with contextlib.suppress(RuntimeError):
            self._pool.submit(work)

    async def run(
        self,
        request: Request,
        cursor: duckdb.DuckDBPyConnection,
        work: Callable[[duckdb.DuckDBPyConnection], T],
        seconds: float | None = None,
    ) -> T:
        """`work(cursor)`, interrupted when the client disconnects (ClientGone) or after `seconds` (WebError)."""
        running = self._pool.submit(work, cursor)
        job = asyncio.wrap_future(running)
        gone = asyncio.create_task(wait_for_disconnect(request))
        both: list[asyncio.Future[Any]] = [job, gone]
        try:
            await asyncio.wait(both, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if job.done():
                return job.result()
            await self._stop(running, cursor)
            if gone.done():
                raise ClientGone
            raise WebError(400, f"query stopped: it took longer than {seconds:g} s")
        finally:
            gone.cancel()
            if not running.done():  # this request itself is being cancelled
                await asyncio.shield(self._stop(running, cursor))
            job.cancel()
            cursor.close()

    async def _stop(self, running: Future[T], cursor: duckdb.DuckDBPyConnection) -> None:
        """Interrupt repeatedly until it ends: an interrupt between two statements is lost."""
        self._stopped.add(id(cursor))
        try:
            while not running.done() and not running.cancel():
                cursor.interrupt()
                await asyncio.sleep(0.02)
        finally:
            self._stopped.discard(id(cursor))


async def wait_for_disconnect(request: Request) -> None:
    """Return when the client has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
