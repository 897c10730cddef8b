"""The traces that a server shows, by id; opened when they are asked for, read anew when their file was replaced."""

from __future__ import annotations

import contextlib
import hashlib
import re
import threading
import time
from collections import OrderedDict
from pathlib import Path

import duckdb
from wastenot._native import version
from wastenot.analyzer import Trace, open_trace
from wastenot.analyzer.comparison.baseline import seems_baseline
from wastenot.analyzer.errors import StaleFindings
from wastenot.analyzer.store.recheck import make_tables
from wastenot.analyzer.store.tables import TABLE_SETS, TableSet, missing_tables, tables_made
from wastenot.analyzer.store.temporary_files import identity_of
from wastenot.analyzer.store.windows import WindowLimits
from wastenot.web.blocks import RowRanges
from wastenot.web.errors import WebError
from wastenot.web.settings import Settings

FORMER_S = 10.0
"""How long requests that hold the former file of a trace are waited for."""

WINDOW_MARGIN = 1
"""How many times its length a window is made longer on each side: the next one asked for is near."""

LOOK_S = 1.0
"""How often it is looked at how much memory the open traces hold."""


def slug(name: str) -> str:
    """A file's name as an id for addresses: letters, digits, dots, dashes and underscores."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name.removesuffix(".duckdb")).strip("-.") or "trace"


class OpenTrace:
    """A trace under its id, open; `version` changes when its file or the program does.

    `tables`: which set of tables it has; some views need more than every check stores.
    """

    def __init__(self, id: str, path: Path, settings: Settings) -> None:
        self.id, self.path = id, path
        limits = WindowLimits(settings.window_rows, settings.windows_rows, settings.window_events, WINDOW_MARGIN)
        self.trace: Trace = open_trace(path, settings.trace_memory, windows=limits)
        with self.trace.cursor() as cursor:
            lacks = missing_tables(cursor)
            self.tables = tables_made(cursor)
            self.is_checked = cursor.execute("SELECT 1 FROM verdict").fetchone() is not None
            (self.events,) = cursor.execute("SELECT events FROM trace").fetchone() or (0,)
        if lacks:
            raise StaleFindings(path, lacks[0])
        self.identity = identity_of(path) or (0, 0, 0)
        text = f"{version()} {self.identity}"
        self.version = hashlib.sha256(text.encode()).hexdigest()[:16]
        self.kept: dict[str, object] = {}
        """Small things about the trace that were computed once."""
        self.row_ranges = RowRanges()

    def has(self, tables: TableSet) -> bool:
        """It has the tables of that set."""
        return TABLE_SETS.index(self.tables) >= TABLE_SETS.index(tables)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A connection of its own to the open file; close it after use."""
        return self.trace.cursor()

    def memory_bytes(self) -> int:
        """What DuckDB holds in memory for it now."""
        with self.cursor() as cursor:
            found = cursor.execute(
                "SELECT coalesce(sum(memory_usage_bytes), 0)::BIGINT FROM duckdb_memory()"
            ).fetchone()
            return int(found[0]) if found else 0

    def read_row_ranges(self) -> None:
        """Read where the rows of each time are; until then queries read all rows."""
        # The trace may have been closed meanwhile; a damaged file is reported by the next request for it.
        with contextlib.suppress(duckdb.Error), self.cursor() as cursor:
            self.row_ranges.read(cursor)


class Library:
    """Traces by id, of files and of folders (their *.duckdb). Safe to use from several threads."""

    def __init__(self, paths: list[Path], settings: Settings) -> None:
        self._lock = threading.RLock()
        self._paths: dict[str, Path] = {}
        self._open: OrderedDict[str, OpenTrace] = OrderedDict()
        self._settings, self._looked_at = settings, 0.0
        self._folders = [path for path in paths if path.is_dir()]
        for path in paths:
            if path not in self._folders:
                self.add(path)

    def add(self, path: Path) -> str:
        """Show one more trace; returns its id, which no other trace has."""
        path = path.resolve()
        with self._lock:
            for id, known in self._paths.items():
                if known == path:
                    return id
            base, n = slug(path.name), 1
            id = base
            while id in self._paths:
                n += 1
                id = f"{base}-{n}"
            self._paths[id] = path
            return id

    def ids(self) -> list[str]:
        """Ids of all traces, in the order in which they were added; what is new in a folder, by name, comes last."""
        for folder in self._folders:
            for path in sorted(folder.glob("*.duckdb")):
                self.add(path)
        with self._lock:
            return list(self._paths)

    def baselines(self) -> dict[str, Path]:
        """Baselines (`compare --save-baseline`) in the folders, by their names; of two alike the first."""
        found: dict[str, Path] = {}
        for folder in self._folders:
            for path in sorted(folder.glob("*.json")):
                if path.name not in found and seems_baseline(path):
                    found[path.name] = path
        return found

    def path(self, id: str) -> Path:
        """Where a trace lies; WebError 404 for an unknown id."""
        if id not in self._paths:
            self.ids()  # a folder may hold it by now
        with self._lock:
            if id not in self._paths:
                raise WebError(404, f"trace {id!r}: no such trace; api/traces lists them")
            return self._paths[id]

    def open(self, id: str) -> OpenTrace:
        """The trace, open. WebError 404, or the analyzer's errors about the file."""
        path = self.path(id)
        with self._lock:
            identity = identity_of(path)
            found = self._open.get(id)
            if found is not None and identity is not None and found.identity != identity:
                del self._open[id]
                found = None
            if found is None:
                found = OpenTrace(id, path, self._settings)
                self._open[id] = found
            self._open.move_to_end(id)
            self._close_some()
            return found

    def make_tables(self, id: str) -> OpenTrace:
        """Make all tables of a trace that are made on demand, and open it with them; one caller at a time."""
        path = self.path(id)
        self._forget(id)
        make_tables(path, memory=self._settings.trace_memory)
        return self.open_with(id, "all")

    def open_with(self, id: str, tables: TableSet) -> OpenTrace:
        """Open a trace whose tables were just made.

        Requests that began before hold the former file, which DuckDB would show to later ones too: they are waited
        for, no longer than `FORMER_S`. The next request opens what is not as it should be by then anew.
        """
        self._forget(id)
        until = time.monotonic() + FORMER_S
        while not (found := self.open(id)).has(tables) and found.is_checked:
            self._forget(id)
            if time.monotonic() >= until:
                break
            del found
            time.sleep(0.05)
        return found

    def _forget(self, id: str) -> None:
        with self._lock:
            self._open.pop(id, None)

    def _close_some(self) -> None:
        """Close those not used for longest while there are too many or, looked at now and then, too large ones."""
        while len(self._open) > self._settings.open_traces:
            self._open.popitem(last=False)  # closed when the last query over it has ended
        now = time.monotonic()
        if now - self._looked_at < LOOK_S:
            return
        self._looked_at = now
        held = [found.memory_bytes() for found in self._open.values()]
        while len(self._open) > 1 and sum(held) > self._settings.traces_bytes:
            self._open.popitem(last=False)
            held.pop(0)

    def close(self) -> None:
        """Close every file."""
        with self._lock:
            for found in self._open.values():
                found.trace.close()
            self._open.clear()
