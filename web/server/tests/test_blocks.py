"""Reading only the blocks of a window gives what reading the whole table gives."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wastenot.analyzer.queries import query
from wastenot.analyzer.trace import run_on
from wastenot.web.blocks import BLOCK, INTERVALS, MARK, RANGES, RowRanges, row_ranges
from wastenot.web.library import OpenTrace
from wastenot.web.settings import Settings

MARKED = sorted(
    path.name.removesuffix(".sql")
    for path in files("wastenot.web").joinpath("sql").iterdir()
    if MARK.search(path.read_text(encoding="utf-8"))
)
THREADS = list(range(1, 200))
OTHERS: dict[str, Any] = {"cpus": [], "limit": 1_000_000, "utids": THREADS, "lanes": THREADS, "reach": 50_000}


@pytest.fixture(scope="module")
def opened(busy_trace: Path) -> Iterator[OpenTrace]:
    """A trace whose row ranges were read."""
    found = OpenTrace("busy", busy_trace, Settings())
    found.read_row_ranges()
    yield found
    found.trace.close()


@pytest.mark.parametrize("name", MARKED)
def test_a_query_of_a_window_answers_as_over_all_rows(opened: OpenTrace, name: str) -> None:
    chosen = random.Random(name)
    asked = query(name, "wastenot.web")
    with opened.cursor() as cursor:
        row = run_on(cursor, opened.path, "SELECT start_ns, end_ns FROM verdict").to_pylist()[0]
        tiles = run_on(cursor, opened.path, "SELECT DISTINCT level, tile FROM tile_run").to_pylist()
        found = 0
        for _ in range(12):
            start = chosen.randrange(row["start_ns"], row["end_ns"])
            end = min(row["end_ns"], start + chosen.choice([1, 100_000, 10_000_000]))
            place = chosen.choice(tiles)
            width = max(1, (end - start) // 50)
            within = {"from": start, "to": end, "cpu": chosen.randrange(64), "utid": chosen.choice(THREADS)}
            known = {"start": start, "end": end, "at": start, "width": width, **within, **place, **OTHERS}
            named = set(re.findall(r"\$(\w+)", asked.sql.partition("SELECT")[2]))
            parameters = {k: v for k, v in known.items() if k in named}
            narrow = opened.row_ranges.narrow_query(asked.sql, parameters)
            assert narrow != asked.sql and not MARK.search(narrow)
            some, all_ = (run_on(cursor, opened.path, sql, parameters).to_pylist() for sql in (narrow, asked.sql))
            assert sorted(map(str, some)) == sorted(map(str, all_))
            found += len(all_)
    assert found or name == "replay_unobserved", "the test saw rows"


def test_windows_without_rows_have_none(opened: OpenTrace) -> None:
    with opened.cursor() as cursor:
        for start, end in ((-1000, -1), (2**62, 2**62 + 1)):
            sql = opened.row_ranges.narrow_query("FROM cpu_slice /* of the window */", {"start": start, "end": end})
            assert run_on(cursor, opened.path, sql).num_rows == 0
        sql = opened.row_ranges.narrow_query("FROM tile_run /* of the tile */", {"level": 3, "tile": 10**9})
        assert run_on(cursor, opened.path, sql).num_rows == 0


def test_until_the_row_ranges_are_read_queries_are_not_changed() -> None:
    sql = "FROM cpu_slice /* of the window */"
    assert RowRanges().narrow_query(sql, {"at": 1}) == sql


def test_row_ranges_cover_their_blocks_and_are_split_at_the_widest_gaps() -> None:
    def rows(*blocks: int) -> list[tuple[int, int]]:
        return [(a // BLOCK, b // BLOCK) for a, b in row_ranges(np.array(blocks, np.intp))]

    assert rows() == []
    assert rows(7) == [(7, 7)]
    assert rows(1, 2, 3) == [(1, 3)]
    assert rows(1, 2, 9, 40, 41, 99) == [(1, 2), (9, 9), (40, 41), (99, 99)]
    assert rows(1, 3, 50, 100, 102, 150) == [(1, 3), (50, 50), (100, 102), (150, 150)]
    chosen = random.Random(5)
    for _ in range(200):
        blocks = sorted(chosen.sample(range(1000), chosen.randrange(1, 60)))
        found = row_ranges(np.array(blocks, np.intp))
        assert len(found) <= RANGES and all(b < c for (_, b), (c, _) in pairwise(found))
        assert all(any(a <= n * BLOCK and (n + 1) * BLOCK - 1 <= b for a, b in found) for n in blocks)


def test_a_block_of_one_long_interval_is_found(opened: OpenTrace) -> None:
    with opened.cursor() as cursor:
        for table in INTERVALS:
            longest = run_on(
                cursor,
                opened.path,
                f"SELECT start_ns AS a, dur_ns AS d FROM {table} ORDER BY d DESC LIMIT 1",
            ).to_pylist()[0]
            sql = f"SELECT max(dur_ns) AS d FROM {table} /* of the window */"
            inside = opened.row_ranges.narrow_query(sql, {"at": longest["a"] + longest["d"] // 2})
            assert run_on(cursor, opened.path, inside).column("d").to_pylist() == [longest["d"]]
