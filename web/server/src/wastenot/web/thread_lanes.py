"""The lanes of threads on the timeline: tiles on the grid of the CPUs' tiles, and single states below it."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb
import pyarrow as pa
from wastenot.web.errors import WebError
from wastenot.web.library import OpenTrace
from wastenot.web.parameters import MOST_ID
from wastenot.web.tiles import grid_of
from wastenot.web.tiling import COLUMNS
from wastenot.web.trace_request import run_query

MOST_LANES = 256
"""Lanes of a request."""


@dataclass(frozen=True)
class LaneKey:
    """A lane: `t12` is thread utid 12, `p3`, `c5` and `b7` all threads of process upid 3, cgroup 5 and bubble 7."""

    kind: str
    id: int


def lane_keys(text: str) -> list[LaneKey]:
    """`t12,p3` as lanes; WebError for anything else."""
    keys = [LaneKey(part[:1], int(part[1:])) for part in text.split(",")]
    if len(keys) > MOST_LANES:
        raise WebError(422, f"lanes: at most {MOST_LANES} in a request, not {len(keys)}")
    if any(key.id > MOST_ID for key in keys):
        raise WebError(422, f"lanes: numbers up to {MOST_ID}")
    return keys


def members_of(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace, keys: list[LaneKey]) -> dict[str, list[int]]:
    """The threads of lanes, as parameters of queries; a lane without a thread has none."""
    ids = {"kinds": [key.kind for key in keys], "ids": [key.id for key in keys]}
    in_bubbles = any(key.kind == "b" for key in keys)
    rows = run_query(cursor, opened, "lane_members_in_bubbles" if in_bubbles else "lane_members", **ids)
    return {"lanes": rows.column("lane").to_pylist(), "utids": rows.column("utid").to_pylist()}


def lane_tile_of(
    cursor: duckdb.DuckDBPyConnection, opened: OpenTrace, keys: list[LaneKey], level: int, x: int
) -> pa.Table:
    """What the threads of lanes did in the bins of tile `x` of a level. WebError 404 for a tile outside the grid."""
    grid = grid_of(cursor, opened)
    if not grid.holds(level, x, 0):
        raise WebError(404, f"tile {level}/{x}: outside the trace; tiles/meta gives its levels and length")
    width = grid.base_ns << level
    start = grid.start_ns + x * COLUMNS * width
    window = {"start": start, "end": start + COLUMNS * width}
    return run_query(cursor, opened, "lane_tile", **window, width=width, **members_of(cursor, opened, keys))
