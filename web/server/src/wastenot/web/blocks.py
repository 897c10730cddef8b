"""Which row numbers of a table hold a window's rows, so that a query reads only these.

The checker writes intervals when they end: rows of one time lie together, but for the few long intervals that end much
later. Of every block of rows the earliest start and the latest end are kept (16 bytes for 2,048 rows); a window needs
the blocks that it overlaps. The rows of a tile are adjacent within their level and are found likewise; rows that fill
several tiles, as in a long gap, are kept by their numbers. Row numbers hold for as long as the file is open.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
from wastenot.analyzer.store.tables import WINDOW_TABLES, tables_not_made

BLOCK = 2048
"""Rows of a block: a vector of DuckDB's, the least that it reads."""
RANGES = 4
"""Most ranges of rows that a query reads; rows between two near ranges are read too."""

INTERVALS = ("cpu_slice", "runqueue", "thread_state", "wasted_cpu", "avoidable_wait", "wasted")
TILES = ("tile_run", "tile_load")

MARK = re.compile(r"\bFROM (\w+) /\* of the (?:window|tile) \*/")
"""In a query: of this table only rows matter that touch the window $start to $end or the instant $at, or that lie in
the tile $level, $tile."""

OF_WINDOW = re.compile(r"\bFROM (\w+) /\* (?:instants )?of the window \*/")

Ints = npt.NDArray[np.int64]
RowRange = tuple[int, int]
"""First and last row."""


@dataclass(frozen=True)
class Blocks:
    """Start of the earliest and end of the latest interval of each block, ns."""

    starts: Ints
    ends: Ints

    def ranges_of(self, start: int, end: int) -> list[RowRange]:
        """Ranges that hold all intervals with any instant from `start` to `end`, both included."""
        return row_ranges(np.flatnonzero((self.starts <= end) & (self.ends >= start)))


def row_ranges(blocks: npt.NDArray[np.intp], most: int = RANGES) -> list[RowRange]:
    """At most `most` ranges of rows that cover the blocks (ascending), split at the widest gaps."""
    if not len(blocks):
        return []
    gaps = np.diff(blocks)
    widest = np.argsort(-gaps, kind="stable")[: most - 1]
    cuts = np.sort(widest[gaps[widest] > 1])
    firsts, lasts = blocks[np.r_[0, cuts + 1]], blocks[np.r_[cuts, len(blocks) - 1]]
    return [(int(a) * BLOCK, (int(b) + 1) * BLOCK - 1) for a, b in zip(firsts, lasts, strict=True)]


@dataclass(frozen=True)
class LongRows:
    """Rows of tiles that fill more than one: level, first and last tile, row number."""

    level: Ints
    first: Ints
    last: Ints
    row: Ints

    def over(self, level: int, tile: int) -> Ints:
        """Numbers of the rows that fill a tile."""
        rows: Ints = self.row[(self.level == level) & (self.first <= tile) & (self.last >= tile)]
        return rows


def tables_of_window(sql: str) -> list[str]:
    """Tables of which a query reads only what touches its window; instants too, whose rows are not narrowed."""
    return OF_WINDOW.findall(sql)


def tables_in(sql: str) -> list[str]:
    """Tables that a query names of those of which a window's rows can be made alone."""
    return [table for table in WINDOW_TABLES if re.search(rf"\b{table}\b", sql)]


def window_of(parameters: Mapping[str, Any]) -> tuple[int, int]:
    """First and last instant of a query's window."""
    at = parameters.get("at")
    return (parameters["start"], parameters["end"]) if at is None else (at, at)


class RowRanges:
    """Ranges of row numbers by time, of one open trace. Until they are read, queries are not changed."""

    def __init__(self) -> None:
        self._started = False
        self._intervals: dict[str, Blocks] = {}
        self._tiles: dict[str, dict[tuple[int, int], RowRange]] = {}
        self._long: dict[str, LongRows] = {}

    def claim_reading(self) -> bool:
        """True for the first caller, which then has them read."""
        first, self._started = not self._started, True
        return first

    def read(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Read them, table by table: two columns of each. Some may be missing yet."""
        absent = tables_not_made(cursor)
        for table in (t for t in TILES if t not in absent):
            sql = f"SELECT level, tile, min(rowid) AS first, max(rowid) AS last FROM {table} GROUP BY level, tile"
            found = [column.tolist() for column in cursor.execute(sql).fetchnumpy().values()]
            long = "level, tile AS first, tile + bins // 64 - 1 AS last, rowid AS row"
            self._long[table] = LongRows(**cursor.execute(f"SELECT {long} FROM {table} WHERE bins > 64").fetchnumpy())
            self._tiles[table] = {(level, tile): (a, b) for level, tile, a, b in zip(*found, strict=True)}
        for table in (t for t in INTERVALS if t not in absent):
            times = "min(start_ns) AS starts, max(start_ns + dur_ns) AS ends"
            sql = f"SELECT {times} FROM {table} GROUP BY rowid // {BLOCK} ORDER BY rowid // {BLOCK}"
            self._intervals[table] = Blocks(**cursor.execute(sql).fetchnumpy())

    def narrow_query(self, sql: str, parameters: Mapping[str, Any]) -> str:
        """The query, reading only what matters of the tables that it marks; its answer stays the same."""

        def reading(marked: re.Match[str]) -> str:
            rows = self._rows(marked[1], parameters)
            if rows is None:
                return marked[0]
            parts = [f"FROM {marked[1]} WHERE rowid BETWEEN {a} AND {b}" for a, b in rows or [(1, 0)]]
            return f"FROM ({' UNION ALL '.join(parts)}) AS {marked[1]}"

        return MARK.sub(reading, sql)

    def _rows(self, table: str, parameters: Mapping[str, Any]) -> list[RowRange] | None:
        """The rows that matter; None: not known."""
        if table in self._tiles:
            level, tile = parameters["level"], parameters["tile"]
            found = self._tiles[table].get((level, tile))
            over = self._long[table].over(level, tile)
            if not len(over):
                return [found] if found else []
            own = np.arange(found[0] // BLOCK, found[1] // BLOCK + 1) if found else np.array([], np.int64)
            return row_ranges(np.union1d(own, over // BLOCK))
        if table not in self._intervals:
            return None
        return self._intervals[table].ranges_of(*window_of(parameters))
