"""Wasted cores and busy CPUs over time."""

from __future__ import annotations

import duckdb
import pyarrow as pa
from wastenot.web.asked import run_query
from wastenot.web.library import OpenTrace
from wastenot.web.tiles import UNIT_NS, Grid, grid_of


def curve_of(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace, start: int, end: int, bins: int) -> pa.Table:
    """At most `bins` bins that cover the window.

    Wide bins are those of the levels of detail, which tell the busy time; so the first one may begin before `start`.
    """
    grid = grid_of(cursor, opened)
    width = max(1, -(-(end - start) // bins))
    level = _level(grid, start, width)
    if level is None:
        busy = run_query(cursor, opened, "busy_read", start=start, end=end, width=width)
    else:
        width = UNIT_NS << level
        first = (start - grid.start_ns) // width
        start = grid.start_ns + first * width
        number = -(-(end - start) // width)
        stored = min(level, grid.lowest + grid.levels - 1)
        per = 1 << (level - stored)
        place = {"level": stored, "per": per, "first": first * per, "bins": number * per}
        busy = run_query(cursor, opened, "busy_stored", **place)
        end = min(start + number * width, grid.end_ns)
    table = run_query(cursor, opened, "curve", start=start, end=end, width=width)
    durations = table.column("dur_ns").to_pylist()
    busy_ns = [0] * len(durations)
    for bin, ns in zip(busy.column("bin").to_pylist(), busy.column("busy_ns").to_pylist(), strict=True):
        if bin < len(busy_ns):
            busy_ns[bin] = ns
    return table.append_column("busy", pa.array([b / d for b, d in zip(busy_ns, durations, strict=True)], pa.float64()))


def _level(grid: Grid, start: int, width: int) -> int | None:
    """The level with the narrowest bins that are no narrower than `width`; None where it is not stored throughout."""
    level = max(0, (width - 1).bit_length() - UNIT_NS.bit_length() + 1)
    lowest = [lowest for at, lowest in grid.changes if at > start]
    before = [lowest for at, lowest in grid.changes if at <= start]
    stored = max([*lowest, *before[-1:]], default=0)
    return level if level >= stored and start >= grid.start_ns else None
