"""Traces with the tables that are made on demand: made by a child process, one trace at a time, beside all requests."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from dataclasses import dataclass

from wastenot.analyzer.store.tables import TableSet
from wastenot.web.errors import TablesBeingMade, WebError
from wastenot.web.library import Library, OpenTrace
from wastenot.web.settings import Settings

END_S = 5.0
"""How long a process may take to remove what it wrote, when it is ended."""


@dataclass
class _Making:
    tables: TableSet
    began: float
    events: int = 0
    """Walked so far."""
    share: float = 0.0
    task: asyncio.Task[None] | None = None

    def left_s(self) -> float | None:
        """Seconds until it is done, at the rate so far; None while that is not known."""
        gone = time.monotonic() - self.began
        return gone * (1 - self.share) / self.share if self.share > 0.01 and gone > 0.5 else None


class TablesOnDemand:
    """Has the tables of a trace made when a request needs them first."""

    def __init__(self, library: Library, settings: Settings) -> None:
        self._library, self._wait_s = library, settings.tables_seconds
        self._at_once = settings.tables_at_once
        self._making: dict[str, _Making] = {}
        self._one_at_a_time = asyncio.Lock()

    async def open(self, id: str, tables: TableSet) -> OpenTrace:
        """The trace with the tables of a set. TablesBeingMade when that takes longer than a request waits; WebError."""
        until = time.monotonic() + self._wait_s
        while True:
            opened = await asyncio.to_thread(self._library.open, id)
            if opened.has(tables) or not opened.is_checked:
                return opened
            making = self._making.get(id)
            if making is None:
                making = self._making[id] = _Making(self._set_to_make(opened, tables), time.monotonic())
                making.task = asyncio.create_task(self._make(id, making))
            del opened  # no request holds the former file while it waits
            assert making.task is not None
            await asyncio.wait([making.task], timeout=max(until - time.monotonic(), 0))
            if not making.task.done():
                raise TablesBeingMade(making.events, making.share, making.left_s())
            # One request reports how it failed; the next one after that starts anew.
            if self._making.get(id) is making:
                del self._making[id]
            making.task.result()
            # Nothing more can be made; a request may still hold the former file.
            if making.tables == "all" and tables != "balance":
                return await asyncio.to_thread(self._library.open, id)

    def _set_to_make(self, opened: OpenTrace, tables: TableSet) -> TableSet:
        """All that a check makes at once where that does not take long: the details are often asked for next."""
        return tables if opened.events > self._at_once or tables == "balance" else "all"

    async def _make(self, id: str, making: _Making) -> None:
        async with self._one_at_a_time:
            making.began = time.monotonic()
            await self._run(id, making)
            await asyncio.to_thread(self._library.open_with, id, making.tables)

    async def _run(self, id: str, making: _Making) -> None:
        path = self._library.path(id)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "wastenot.web.making_tables", str(path), making.tables,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            assert process.stdout is not None and process.stderr is not None
            errors = asyncio.create_task(process.stderr.read())
            done = False
            while line := await process.stdout.readline():
                report = json.loads(line)
                if "error" in report:
                    raise WebError(report["status"], report["error"])
                done = done or bool(report.get("done"))
                making.events, making.share = report.get("events", making.events), report.get("share", making.share)
            status, text = await process.wait(), (await errors).decode(errors="replace").strip()
            if not done:
                last = text.splitlines()[-1] if text else f"status {status}"
                raise WebError(500, f"{path.name}: its tables were not made: the process ended ({last[:200]})")
        finally:
            await _end(process)

    async def close(self) -> None:
        """End what runs."""
        for making in list(self._making.values()):
            if making.task is not None:
                making.task.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await making.task
        self._making.clear()


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), END_S)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
