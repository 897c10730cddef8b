"""Across a long gap the stored tiles are what the slices say, and asking for them costs no more than elsewhere."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from drawing import build_drawn
from wastenot.analyzer.store.recheck import make_tables
from wastenot.analyzer.trace import run_on
from wastenot.web import tiling
from wastenot.web.curve import curve_of
from wastenot.web.library import OpenTrace
from wastenot.web.settings import Settings
from wastenot.web.tiles import READ, grid_of, tile_of
from wastenot.web.trace_request import run_columns

GAP = """
cpus 0-3
window 0s 1000010s
0us cpu 0 runs 100
0us cpu 1 idle
0us cpu 2 idle
0us thread 100 burn on 0 running mask 0-3
0us thread 101 burn on 0 asleep mask 0-3
0us thread 102 burn on 0 asleep mask 0-3
1ms wakeup 101 on 0
2ms wakeup 102 on 0
3ms switch 2: 0 R -> 103
900000s switch 1: 0 R -> 104
1000001s switch 0: 100 S -> 101
1000002s switch 0: 101 S -> 102
1000003s switch 2: 103 S -> 0
"""
"""A thread runs beside two that wait and an idle CPU for ten days without an event; of CPU 3 nothing is known."""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenTrace]:
    path = tmp_path_factory.mktemp("gap") / "gap.duckdb"
    build_drawn(GAP, path)
    make_tables(path)
    found = OpenTrace("gap", path, Settings())
    yield found
    found.trace.close()


@pytest.mark.parametrize("row_ranges_known", [False, True])
def test_stored_tiles_are_what_the_slices_say(opened: OpenTrace, row_ranges_known: bool) -> None:
    if row_ranges_known:
        opened.read_row_ranges()
    chosen, compared = random.Random(3), 0
    with opened.cursor() as cursor:
        grid = grid_of(cursor, opened)
        for level in range(grid.levels):
            width = grid.base_ns << level
            tiles = -(-(grid.end_ns - grid.start_ns) // (width * tiling.COLUMNS))
            for x in {0, tiles - 1, tiles // 2, chosen.randrange(tiles), chosen.randrange(tiles)}:
                if not grid.is_stored(level, x):
                    continue
                start = grid.start_ns + x * tiling.COLUMNS * width
                window = {"start": start, "end": start + tiling.COLUMNS * width}
                rows = [run_columns(cursor, opened, name, **window) for name in READ]
                read = tiling.read(rows[0], rows[1], rows[2], rows[3], grid.cpus, width)
                assert tile_of(cursor, opened, level, x, 0).to_pylist() == read.to_pylist()
                compared += read.num_rows > 0
    assert compared > 10


def test_the_curve_over_the_gap_has_the_busy_time_of_the_slices(opened: OpenTrace) -> None:
    with opened.cursor() as cursor:
        grid = grid_of(cursor, opened)
        for bins in (1, 100, 1000):
            curve = curve_of(cursor, opened, grid.start_ns, grid.end_ns, bins)
            busy = sum(b * d for b, d in zip(curve["busy"].to_pylist(), curve["dur_ns"].to_pylist(), strict=True))
            exact = run_on(cursor, opened.path, "SELECT busy_ns FROM verdict").to_pylist()[0]["busy_ns"]
            assert busy == pytest.approx(exact, rel=1e-9)
