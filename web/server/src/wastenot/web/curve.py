"""Wasted cores, busy CPUs and CPUs that were not observed, over time."""

from __future__ import annotations

import duckdb
import pyarrow as pa
from wastenot.web.library import OpenTrace
from wastenot.web.tiles import UNIT_NS, Grid, grid_of
from wastenot.web.trace_request import run_query


def curve_of(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace, start: int, end: int, bins: int) -> pa.Table:
    """At most `bins` bins that cover the window: the columns of `curve.sql`, and `busy` and `unobserved` (mean CPUs).

    Wide bins are those of the levels of detail, which hold the busy time; so the first one may start before `start`.
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
    known = {"busy": [0] * len(durations), "idle": [0] * len(durations)}
    for row in busy.to_pylist():
        if row["bin"] < len(durations):
            for name, values in known.items():
                values[row["bin"]] = row[f"{name}_ns"]
    # What is neither busy nor idle was not observed: offline, lost, or before a CPU's first event.
    cpus = len(grid.cpus)
    rows = list(zip(known["busy"], known["idle"], durations, strict=True))
    mean = {
        "busy": [b / d for b, _, d in rows],
        "unobserved": [min(max(cpus - (b + i) / d, 0.0), cpus) for b, i, d in rows],
    }
    for name, means in mean.items():
        table = table.append_column(name, pa.array(means, pa.float64()))
    return table


def _level(grid: Grid, start: int, width: int) -> int | None:
    """The level with the narrowest bins that are no narrower than `width`; None where it is not stored throughout."""
    level = max(0, (width - 1).bit_length() - UNIT_NS.bit_length() + 1)
    lowest = [lowest for at, lowest in grid.changes if at > start]
    before = [lowest for at, lowest in grid.changes if at <= start]
    stored = max([*lowest, *before[-1:]], default=0)
    return level if level >= stored and start >= grid.start_ns else None
