"""SQL that users of the browser give: run by processes of their own, ended with the client or at a limit."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
from fastapi import Request
from wastenot.analyzer.sql_process import Limits, QueryOutcome, SqlProcess
from wastenot.web.errors import ClientGone
from wastenot.web.library import OpenTrace
from wastenot.web.running import wait_for_disconnect
from wastenot.web.settings import Settings

Key = tuple[Path, tuple[int, int, int]]
"""A trace's file, and what changes when it is replaced."""


class _Run:
    """The process that runs one query. After `finish` it may run the next one, and `abandon` has no effect."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: SqlProcess | None = None
        self._abandoned = False

    def set_process(self, process: SqlProcess) -> None:
        """Set the process that runs the query."""
        with self._lock:
            self._process = process
            if self._abandoned:
                process.end()

    def finish(self) -> None:
        """The query has ended."""
        with self._lock:
            self._process = None

    def abandon(self) -> None:
        """The client has gone: end its process, at once or when it gets one."""
        with self._lock:
            self._abandoned = True
            if self._process is not None:
                self._process.end()


class SqlPool:
    """At most `sql_processes` queries at once. A process is used again for the same trace; one more is kept ready.

    Safe to use from several threads.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._threads = ThreadPoolExecutor(settings.sql_processes, "wastenot-sql")
        self._lock = threading.Lock()
        self._idle: list[tuple[Key, SqlProcess]] = []
        self._spare: SqlProcess | None = None
        self._running: set[SqlProcess] = set()
        self._closed = False

    def warm(self) -> None:
        """Start the process for the first query: not while a client waits."""
        with self._lock:
            if self._spare is None and not self._closed:
                with suppress(OSError):
                    self._spare = SqlProcess()

    def close(self) -> None:
        """End every process."""
        with self._lock:
            self._closed = True
            ending = [*self._running, *(process for _, process in self._idle)]
            ending += [self._spare] if self._spare else []
            self._idle, self._spare = [], None
        for process in ending:
            process.end()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def run(self, request: Request, opened: OpenTrace, sql: str, limit: int) -> tuple[pa.Table, QueryOutcome]:
        """The rows of a query, at most `limit`. Raises as `SqlProcess.run`, and ClientGone when the client goes."""
        run = _Run()
        begun = self._threads.submit(self._rows, opened, sql, limit, run)
        job = asyncio.wrap_future(begun)
        gone = asyncio.create_task(wait_for_disconnect(request))
        both: list[asyncio.Future[Any]] = [job, gone]
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if job.done():
                return job.result()
            raise ClientGone
        finally:
            gone.cancel()
            if not begun.done() and not begun.cancel():
                await asyncio.to_thread(run.abandon)
            job.cancel()

    def _rows(self, opened: OpenTrace, sql: str, limit: int, run: _Run) -> tuple[pa.Table, QueryOutcome]:
        settings, answered = self._settings, QueryOutcome()
        limits = Limits(settings.sql_seconds, settings.sql_memory_bytes, limit, settings.sql_bytes)
        key = (opened.path, opened.identity)
        process = self._take_process(key)
        run.set_process(process)
        try:
            return pa.concat_tables(process.run(opened.path, sql, limits, answered)), answered
        finally:
            run.finish()
            self._return_process(key, process)

    def _take_process(self, key: Key) -> SqlProcess:
        with self._lock:
            found = next((i for i, (known, _) in enumerate(self._idle) if known == key), None)
            if found is not None:
                process = self._idle.pop(found)[1]
            else:
                process, self._spare = self._spare or SqlProcess(), None
            self._running.add(process)
        if found is None:
            self.warm()
        return process

    def _return_process(self, key: Key, process: SqlProcess) -> None:
        with self._lock:
            self._running.discard(process)
            if process.usable and not self._closed:
                self._idle.append((key, process))
            ending = self._idle[: -self._settings.sql_processes]
            self._idle = self._idle[-self._settings.sql_processes :]
        for _, old in ending:
            old.end()
        if self._closed:
            process.end()
