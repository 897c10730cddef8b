"""SQL of a user, run by a process of its own: its limits, and what comes of it when it exceeds them."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from wastenot.analyzer import errors
from wastenot.analyzer.errors import AnalyzerError, BadQuery, QueryLimit, TablesNotMade
from wastenot.analyzer.sql_worker import END, HEAD, PROGRESS, READY, ROWS
from wastenot.analyzer.store.checking import Progress
from wastenot.analyzer.store.temporary_files import claimed_folder, sweep

START_SECONDS = 60.0
"""Longest time until a new process is ready."""


@dataclass(frozen=True)
class Limits:
    """What one query may take. The kernel enforces memory and processor time, this process the time by the clock."""

    seconds: float = 30.0
    """From the question, or the last progress of making its window, to the end of the answer."""
    memory_bytes: int = 768 << 20
    """Address space beyond what the process has when the trace is open."""
    rows: int = 1_000_000
    result_bytes: int = 64 << 20
    """Size of the result as Arrow."""


@dataclass
class QueryOutcome:
    """How a query ended: whether its result was cut, and its time."""

    cut: str | None = None
    """`rows` or `bytes` when it was longer than that limit."""
    elapsed_ms: float = 0.0


class SqlProcess:
    """A process that runs queries over one trace, one at a time; as a context manager it ends with it.

    `end` may be called from any thread.
    """

    def __init__(self) -> None:
        parent = Path(tempfile.gettempdir())
        sweep(parent)
        self._temporary, self._lock = claimed_folder(parent, f"wastenot-{os.getuid()}-sql")
        self._ending = threading.Lock()
        self.usable = True
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "wastenot.analyzer.sql_worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                env={**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2"},
            )
        except BaseException:
            shutil.rmtree(self._temporary, ignore_errors=True)
            os.close(self._lock)
            raise
        self._is_ready = False

    def __enter__(self) -> SqlProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def run(
        self,
        path: Path,
        sql: str,
        limits: Limits,
        answered: QueryOutcome,
        window: tuple[int, int] | None = None,
        progress: Progress | None = None,
    ) -> Iterator[pa.Table]:
        """The rows of a query, in parts; at least one. `answered` is filled at the end.

        With a `window` (from and to, ns) it sees the tables of that: see `Trace.window`; `progress` is that of making
        them. Raises BadQuery, QueryLimit, or the errors of opening the trace and of making a window. A process serves
        one path and window only.
        """
        request = {
            "path": str(path.absolute()), "sql": sql, "rows": limits.rows, "bytes": limits.result_bytes,
            "seconds": limits.seconds, "memory_bytes": limits.memory_bytes, "temporary": str(self._temporary),
            "window": window,
        }  # fmt: skip
        assert self._process.stdin is not None
        if not self.usable:
            raise QueryLimit("query stopped")
        done = False
        try:
            if not self._is_ready:
                self._frame(time.monotonic() + START_SECONDS, limits)
                self._is_ready = True
            until = time.monotonic() + limits.seconds
            with suppress(BrokenPipeError):
                self._process.stdin.write(json.dumps(request).encode() + b"\n")
            while True:
                kind, body = self._frame(until, limits)
                if kind == END:
                    break
                if kind == PROGRESS:
                    until = time.monotonic() + limits.seconds
                    if progress is not None:
                        progress(*json.loads(body))
                if kind == ROWS:
                    yield pa.ipc.open_stream(body).read_all()
            done = True
        finally:
            if not done:
                self.end()
        end = json.loads(body)
        if not end["again"]:
            self.end()
        if "error" in end:
            raise self._error(end, limits)
        answered.cut, answered.elapsed_ms = end["cut"], end["elapsed_ms"]

    def end(self) -> None:
        """Kill the process and remove what it left; nothing when that is done."""
        with self._ending:
            if not self.usable:
                return
            self.usable = False
            self._process.kill()
            self._process.wait()
            shutil.rmtree(self._temporary, ignore_errors=True)
            os.close(self._lock)

    def _error(self, end: dict[str, str], limits: Limits) -> AnalyzerError:
        if end["kind"] == "MemoryError":
            return _too_much_memory(limits)
        kind = getattr(errors, end["kind"], BadQuery)
        error: AnalyzerError = kind.__new__(kind)
        Exception.__init__(error, end["error"])
        if isinstance(error, BadQuery):
            error.drawing = end.get("drawing", "")
        if isinstance(error, TablesNotMade):
            error.table = end["table"]
        return error

    def _frame(self, until: float, limits: Limits) -> tuple[bytes, bytes]:
        kind, length = HEAD.unpack(self._read(HEAD.size, until, limits))
        if kind not in (READY, PROGRESS, ROWS, END) or length > limits.result_bytes * 2 + (1 << 24):
            raise BadQuery("internal error: malformed answer of the process that runs queries; please report")
        return kind, self._read(length, until, limits)

    def _read(self, size: int, until: float, limits: Limits) -> bytes:
        """So many bytes of the process's output; QueryLimit when they do not come in time or it has died."""
        assert self._process.stdout is not None
        out = self._process.stdout.fileno()
        poll = select.poll()
        poll.register(out, select.POLLIN | select.POLLHUP)
        parts: list[bytes] = []
        while size:
            if not poll.poll(max(0.0, until - time.monotonic()) * 1e3):
                if not self._is_ready:
                    raise QueryLimit(f"query stopped: its process was not ready within {START_SECONDS:g} s")
                raise QueryLimit(f"query stopped: it took longer than {limits.seconds:g} s")
            part = os.read(out, min(size, 1 << 20))
            if not part:
                raise self._death(limits)
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _death(self, limits: Limits) -> AnalyzerError:
        status = self._process.wait()
        if not self.usable:
            return QueryLimit("query stopped")
        if status == -signal.SIGXCPU:
            return QueryLimit(f"query stopped: it computed for longer than {limits.seconds:g} s")
        if status in (-signal.SIGABRT, -signal.SIGKILL, -signal.SIGSEGV, -signal.SIGBUS, 1):
            return _too_much_memory(limits)
        return BadQuery(f"query stopped: its process ended unexpectedly (status {status})")


def _too_much_memory(limits: Limits) -> QueryLimit:
    return QueryLimit(f"query stopped: it needs more than {limits.memory_bytes / 2**20:,.0f} MiB of memory")
