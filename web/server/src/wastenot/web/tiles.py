"""Tiles of the timeline: fixed rectangles of 64 bins of time by 64 CPUs, at every level of detail."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa
from wastenot.web.asked import run_query
from wastenot.web.errors import WebError
from wastenot.web.library import OpenTrace
from wastenot.web.machine import lanes_of

COLUMNS = 64
LANES = 64
TOP = 4


@dataclass(frozen=True)
class Grid:
    """How a trace's tiles lie: level L has bins of base_ns << L from start_ns on."""

    base_ns: int
    levels: int
    start_ns: int
    end_ns: int
    cpus: list[int]
    stored: bool
    """The tiles were written by the checker; else they are computed from the slices."""

    def bins(self, level: int) -> int:
        """Bins of a level that cover the trace."""
        width = self.base_ns << level
        return max(1, -(-(self.end_ns - self.start_ns) // width))


def grid_of(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace) -> Grid:
    """The grid of a trace; read once per open trace. WebError 409 when it was never checked."""
    found = opened.kept.get("grid")
    if not isinstance(found, Grid):
        rows: list[dict[str, Any]] = run_query(cursor, opened, "tile_base").to_pylist()
        if not rows:
            raise WebError(409, f"{opened.path.name}: not checked yet; run `wastenot check` on it")
        base, start, end = rows[0]["base_ns"], rows[0]["start_ns"], rows[0]["end_ns"]
        levels = 1
        while (end - start) > (base << (levels - 1)) * COLUMNS:
            levels += 1
        found = Grid(base, levels, start, end, lanes_of(cursor, opened), False)
        opened.kept["grid"] = found
    return found


def tile_of(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace, level: int, x: int, y: int) -> pa.Table:
    """The rows of one tile. WebError 404 for a tile outside the grid."""
    grid = grid_of(cursor, opened)
    inside = (
        0 <= level < grid.levels and 0 <= x * COLUMNS < grid.bins(level) and 0 <= y * LANES < max(1, len(grid.cpus))
    )
    if not inside:
        raise WebError(404, f"tile {level}/{x}/{y}: outside the trace; tiles/meta gives its levels and length")
    width = grid.base_ns << level
    cpus = grid.cpus[y * LANES : (y + 1) * LANES]
    return run_query(cursor, opened, "tile", start=grid.start_ns + x * COLUMNS * width, width=width, cpus=cpus)


class TileCache:
    """Encoded tiles, the most recently used ones up to a number of bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[object, ...], bytes] = OrderedDict()
        self._bytes, self._most = 0, most_bytes

    def get(self, key: tuple[object, ...]) -> bytes | None:
        """What is kept under the key."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: tuple[object, ...], body: bytes) -> None:
        """Keep a body, and let the oldest go."""
        with self._lock:
            self._bytes += len(body) - len(self._kept.pop(key, b""))
            self._kept[key] = body
            while self._bytes > self._most:
                self._bytes -= len(self._kept.popitem(last=False)[1])
