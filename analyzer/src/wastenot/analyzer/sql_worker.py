"""The process in which SQL of a user runs, under limits of memory and time that the kernel enforces.

python -P -m wastenot.analyzer.sql_worker

Reads a request per line on standard input (`sql_process.Request` as JSON) and answers each on standard output with
frames: a byte for the kind, eight for the length, then the bytes. `ready` comes once; `progress` is two numbers: how
much of a window is made, and of how much; `rows` is an Arrow stream of some rows; `end` a JSON object and the last
frame of an answer. The process ends with its standard input.
"""

from __future__ import annotations

import json
import math
import os
import resource
import struct
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, BinaryIO

import duckdb
import pyarrow as pa
from wastenot._native import WastenotError
from wastenot.analyzer.errors import AnalyzerError, BadQuery, TablesNotMade, drawing_of
from wastenot.analyzer.reading_sql import require_reading
from wastenot.analyzer.store.checking import Progress
from wastenot.analyzer.store.opening import open_read_only
from wastenot.analyzer.store.tables import not_made
from wastenot.analyzer.store.waits_macro import define_waits
from wastenot.analyzer.store.windows import Windows

READY, PROGRESS, ROWS, END = b"!", b"p", b"r", b"e"
HEAD = struct.Struct(">cQ")
"""Kind and length of a frame."""

PROGRESS_SECONDS = 0.1
"""Progress is sent at most so often."""

THREADS = 2
"""Threads of DuckDB in this process; the limit of processor time is for all together."""

BATCH_ROWS = 256
"""Rows that DuckDB turns into Arrow at once: a batch of long texts is held twice while its buffer grows."""

FRAME_BYTES = 1 << 20
"""Rows are sent when so many bytes of them are there."""

OUT_OF_MEMORY = ("bad_alloc", "Out of Memory")
"""How DuckDB says that memory was refused where it raises a general error."""

REUSABLE_SHARE = 4
"""A process that grew by more than a quarter of its memory limit is not used again: freed memory is seldom returned."""


class Worker:
    """A trace, open, and the queries over it."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._con: duckdb.DuckDBPyConnection | None = None
        self._windows: Windows | None = None
        self._base = 0

    def answer(self, request: dict[str, Any]) -> bool:
        """Run one query; False when this process must not be used again."""
        began = time.monotonic()
        end: dict[str, object] = {}
        try:
            if self._con is None:
                self._open(request)
            assert self._con is not None
            _limit_cpu(request["seconds"])
            end["cut"] = self._run(self._con, request)
        except (AnalyzerError, WastenotError) as e:
            end |= {"error": str(e), "kind": type(e).__name__, "drawing": getattr(e, "drawing", "")}
            end["table"] = getattr(e, "table", "")
        except MemoryError:
            end |= {"error": "out of memory", "kind": "MemoryError"}
        end["elapsed_ms"] = (time.monotonic() - began) * 1e3
        grown = address_space() - self._base
        again = "error" not in end and grown * REUSABLE_SHARE < request["memory_bytes"]
        self.send(END, json.dumps(end | {"again": again}).encode())
        return again

    def send(self, kind: bytes, body: bytes) -> None:
        """Write a frame."""
        self._out.write(HEAD.pack(kind, len(body)))
        self._out.write(body)
        self._out.flush()

    def _sent_progress(self) -> Progress:
        """Sends how far the making of a window is, at first and from time to time."""
        sent = -math.inf

        def send(done: int, total: int) -> None:
            nonlocal sent
            if (now := time.monotonic()) - sent >= PROGRESS_SECONDS:
                sent = now
                self.send(PROGRESS, json.dumps([done, total]).encode())

        return send

    def _open(self, request: dict[str, Any]) -> None:
        os.environ["TMPDIR"] = request["temporary"]
        half = request["memory_bytes"] >> 21
        self._con = open_read_only(Path(request["path"]), f"{half}MB", threads=THREADS)
        if window := request["window"]:
            self._windows = Windows(self._con, Path(request["path"]))
            start_ns, end_ns = window
            progress = self._sent_progress()
            with self._con.cursor() as cursor, self._windows.seen_by(cursor, start_ns, end_ns, progress=progress):
                pass  # made now: the limits are those of the query
        self._base = address_space()
        most = self._base + request["memory_bytes"]
        resource.setrlimit(resource.RLIMIT_AS, (most, most))

    def _run(self, con: duckdb.DuckDBPyConnection, request: dict[str, Any]) -> str | None:
        """Send the rows; None when that was all, else what cut them: `rows` or `bytes`."""
        require_reading(request["sql"], con)
        cursor = con.cursor()
        window = ExitStack()
        try:
            if self._windows is not None:
                window.enter_context(self._windows.seen_by(cursor, *request["window"]))
            define_waits(cursor, request["sql"])
            reader: Any = cursor.sql(request["sql"]).to_arrow_reader(BATCH_ROWS)  # rows as they are asked for
            sender = _Rows(self, reader.schema, request["rows"], request["bytes"])
            for batch in reader:
                if not sender.take(batch):
                    break
            sender.flush(last=True)
        except duckdb.OutOfMemoryException:
            raise MemoryError from None
        except pa.lib.ArrowMemoryError:
            raise MemoryError from None
        except (duckdb.Error, pa.ArrowException, OSError) as e:
            if any(sign in str(e) for sign in OUT_OF_MEMORY):
                raise MemoryError from None
            if (table := not_made(e)) is not None:
                raise TablesNotMade(Path(request["path"]), table) from None
            raise _refused(cursor, request["sql"], e) from None
        else:
            return sender.cut
        finally:
            window.close()
            cursor.close()


def _refused(cursor: duckdb.DuckDBPyConnection, sql: str, error: Exception) -> BadQuery:
    """The error of a query. Of a name that is not known, DuckDB reports the place only where the query is executed."""
    out = BadQuery.of(error)
    if isinstance(error, (duckdb.BinderException, duckdb.CatalogException)) and not out.drawing:
        with suppress(Exception):
            try:
                cursor.execute(sql)
            except duckdb.Error as again:
                out.drawing = drawing_of(again)
    return out


class _Rows:
    """Gathers batches and sends them, up to a number of rows and bytes."""

    def __init__(self, worker: Worker, schema: pa.Schema, rows: int, size: int) -> None:
        self._worker, self._schema = worker, schema
        self._rows, self._bytes = rows, size
        self._held: list[pa.RecordBatch] = []
        self._held_bytes = 0
        self._sent = False
        self.cut: str | None = None

    def take(self, batch: pa.RecordBatch) -> bool:
        """Keep what is allowed of a batch; False when no more is."""
        if batch.num_rows > self._rows:
            batch, self.cut = batch.slice(0, self._rows), "rows"
        while batch.num_rows and batch.nbytes > self._bytes:
            batch, self.cut = batch.slice(0, batch.num_rows // 2), "bytes"
        if batch.num_rows:
            self._rows -= batch.num_rows
            self._bytes -= batch.nbytes
            self._held.append(batch)
            self._held_bytes += batch.nbytes
            if self._held_bytes >= FRAME_BYTES:
                self.flush()
        elif self.cut == "bytes" and not self._sent and not self._held:
            raise BadQuery("query refused: one row of the result is larger than the result may be")
        return self.cut is None

    def flush(self, last: bool = False) -> None:
        """Send what is held; at the end at least the columns."""
        if not self._held and (self._sent or not last):
            return
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self._schema) as writer:
            for batch in self._held:
                writer.write_batch(batch)
        self._worker.send(ROWS, sink.getvalue().to_pybytes())
        self._held, self._held_bytes, self._sent = [], 0, True


def address_space() -> int:
    """Bytes of address space that this process has mapped."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


def _limit_cpu(seconds: float) -> None:
    """The kernel ends this process when it computes for longer on all its threads; its parent ends it sooner."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = math.ceil(used.ru_utime + used.ru_stime + seconds * THREADS) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _requests(source: BinaryIO) -> Iterator[dict[str, Any]]:
    """Requests; the process ends when its parent closes the pipe, also in the middle of a query."""
    condition = threading.Condition()
    waiting: list[bytes] = []

    def read() -> None:
        while line := source.readline():
            with condition:
                waiting.append(line)
                condition.notify()
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    while True:
        with condition:
            condition.wait_for(lambda: waiting)
            line = waiting.pop(0)
        yield json.loads(line)


def main() -> None:
    """Answer requests until one asks to end."""
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever a library prints is not part of an answer
    worker = Worker(out)
    worker.send(READY, b"")
    for request in _requests(sys.stdin.buffer):
        if not worker.answer(request):
            break
    os._exit(0)


if __name__ == "__main__":
    main()
