"""Tiles of the timeline: fixed rectangles of 64 bins of time by 64 CPUs, at every level of detail."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

import duckdb
import pyarrow as pa
from wastenot.analyzer.errors import NotChecked
from wastenot.web import tiling
from wastenot.web.errors import WebError
from wastenot.web.library import OpenTrace
from wastenot.web.machine import lanes_of
from wastenot.web.tiling import COLUMNS, LANES
from wastenot.web.trace_request import run_columns, run_query

READ = ("tile_slices", "tile_queues", "tile_wasted", "tile_arrivals")
"""Queries that make up a tile which is not stored."""


KEPT = 16
"""Threads that the checker's summaries keep: a thread's share is at most busy / (KEPT + 1) too low (see `tile_run`)."""
UNIT_NS = 1024
"""Width of a bin of the tables' level 0."""
NOTHING = 255
"""Lowest stored level of a trace without stored tiles."""
PER_BIN_LEVELS = 3
"""Levels below the lowest stored one that are read from the slices: there a bin of a CPU holds one slice on average."""


@dataclass(frozen=True)
class Grid:
    """How a trace's tiles lie: level L has bins of base_ns << L, which is level `lowest` + L of the tables."""

    lowest: int
    levels: int
    start_ns: int
    end_ns: int
    cpus: list[int]
    changes: list[tuple[int, int]]
    """From when on (ns) which level of the tables is the lowest stored one."""

    @property
    def is_stored_at_all(self) -> bool:
        """The checker wrote levels of detail; else every tile is read from the slices, and its waste is not known."""
        return any(level != NOTHING for _, level in self.changes)

    @property
    def base_ns(self) -> int:
        """Width of the narrowest bins."""
        return UNIT_NS << self.lowest

    def holds(self, level: int, x: int, y: int) -> bool:
        """The tile lies in the grid."""
        bins = -(-(self.end_ns - self.start_ns) // (self.base_ns << level)) if 0 <= level < self.levels else 0
        return 0 <= x * COLUMNS < max(bins, 1) and 0 <= y * LANES < max(len(self.cpus), 1) and 0 <= level < self.levels

    def is_stored(self, level: int, x: int) -> bool:
        """The tables hold the tile; changes never lie within one of a stored level."""
        begin = self.start_ns + x * COLUMNS * (self.base_ns << level)
        present = max((c for c in self.changes if c[0] <= begin), default=(0, 255))
        return level + self.lowest >= present[1]


def grid_of(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace) -> Grid:
    """The grid of a trace; read once per open trace."""
    found = opened.kept.get("grid")
    if not isinstance(found, Grid):
        found_facts = run_query(cursor, opened, "tile_grid").to_pylist()
        if not found_facts:
            raise NotChecked(opened.path)
        facts = found_facts[0]
        changes = [(row["start_ns"], row["level"]) for row in run_query(cursor, opened, "tile_changes").to_pylist()]
        changes = changes or [(facts["start_ns"], NOTHING)]
        found = make_grid(facts["start_ns"], facts["end_ns"], facts["mean_ns"], changes, lanes_of(cursor, opened))
        opened.kept["grid"] = found
    return found


def make_grid(start_ns: int, end_ns: int, mean_ns: int, changes: list[tuple[int, int]], cpus: list[int]) -> Grid:
    """The grid: from bins of about one slice where slices are densest, up to the trace in one tile."""
    settled = [level for at, level in changes if (at - start_ns) * 64 >= end_ns - start_ns and level != NOTHING]
    dense = min(settled or [changes[-1][1]]) - PER_BIN_LEVELS
    mean = (max(mean_ns, 1) // UNIT_NS).bit_length() - 1
    lowest = max(0, min(dense, mean))
    levels = 1
    while end_ns - start_ns > ((UNIT_NS << lowest) << (levels - 1)) * COLUMNS:
        levels += 1
    return Grid(lowest, levels, start_ns, end_ns, cpus, changes)


def tile_of(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace, level: int, x: int, y: int) -> pa.Table:
    """The rows of one tile. WebError 404 for a tile outside the grid."""
    grid = grid_of(cursor, opened)
    if not grid.holds(level, x, y):
        raise WebError(404, f"tile {level}/{x}/{y}: outside the trace; tiles/meta gives its levels and length")
    cpus = grid.cpus[y * LANES : (y + 1) * LANES]
    width = grid.base_ns << level
    if grid.is_stored(level, x):
        place = {"level": level + grid.lowest, "tile": x}
        runs, loads = (run_columns(cursor, opened, name, **place) for name in ("tile_run", "tile_load"))
        return tiling.stored(runs, loads, cpus, width)
    start = grid.start_ns + x * COLUMNS * width
    window = {"start": start, "end": start + COLUMNS * width}
    rows = [run_columns(cursor, opened, name, **window) for name in READ]
    return tiling.read(rows[0], rows[1], rows[2], rows[3], cpus, width)


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
