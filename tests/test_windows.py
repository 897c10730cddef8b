"""Recordings of fixtures/traces: rows of a window, made from a checkpoint, are those of the whole tables."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from samples import sample
from wastenot.analyzer import CheckOptions, ImportOptions, Trace, import_source, open_trace
from wastenot.analyzer.store.recheck import make_tables
from wastenot.analyzer.store.tables import WINDOW_TABLES, tables_not_made

TRACES = Path(__file__).parents[1] / "fixtures" / "traces"
ALL_SOURCES = [
    *(path for path in sorted(TRACES.glob("guest-*/*")) if not path.name.startswith("kallsyms")),
    *sorted(TRACES.glob("*.part")),
    *sorted(TRACES.glob("rig/*.part")),
]
SOURCES = sample(ALL_SOURCES, 12)

CHECKPOINT_EVENTS = 700
SHARES = ((0, 1), (0.001, 0.002), (0.31, 0.3105), (0.5, 0.55), (0.62, 0.62), (0.9, 1))
"""Windows, as shares of the recording; an empty one is an instant."""

Rows = dict[str, list[tuple[object, ...]]]


def rows_of(trace: Trace, start: int, end: int) -> Rows:
    """The rows of each table that touch a window, by SQL over whatever rows the table has."""
    intervals = f"start_ns < {end} AND start_ns + dur_ns > {start}"
    instants = f"ts_ns >= {start} AND ts_ns < {end}"
    found = {}
    for table in WINDOW_TABLES:
        condition = instants if table == "migration" else intervals
        rows = trace.sql(f"SELECT * FROM {table} WHERE {condition} ORDER BY ALL").rows()
        found[table] = [tuple(row.values()) for row in rows]
    return found


def stamps_of_checkpoints(trace: Trace) -> list[int]:
    """Stamps of some checkpoints: first of those at which threads moved."""
    moves = "(SELECT count(*) FROM sched_migrate_task m WHERE m.ts_ns = c.ts_ns)"
    rows = trace.sql(f"SELECT ts_ns FROM checkpoint c ORDER BY {moves} DESC, ts_ns LIMIT 2").rows()
    return [row["ts_ns"] for row in rows]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_rows_of_a_window_are_those_of_the_whole_tables(source: Path, tmp_path: Path) -> None:
    if source.suffix == ".part":
        source = Path(shutil.copytree(source, tmp_path / "copied.part"))
    bare, whole = tmp_path / "bare.duckdb", tmp_path / "whole.duckdb"
    import_source(source, bare, ImportOptions(), CheckOptions(checkpoint_events=CHECKPOINT_EVENTS))
    shutil.copyfile(bare, whole)
    make_tables(whole)
    with open_trace(bare) as trace, open_trace(whole) as made:
        start, end, events = trace.sql("SELECT v.start_ns, v.end_ns, events FROM verdict v, trace").rows()[0].values()
        (cuts,) = trace.sql("SELECT count(*) AS cuts FROM checkpoint").rows()[0].values()
        assert cuts >= events // (2 * CHECKPOINT_EVENTS)
        # Events before a checkpoint may have its stamp: windows that start or end there too.
        stamps = stamps_of_checkpoints(trace)
        of_shares = [(start + int((end - start) * first), start + int((end - start) * last)) for first, last in SHARES]
        of_checkpoints = [window for t in stamps for window in ((t, t), (t, t + 1_000_000), (t - 1_000_000, t))]
        for a, last in of_shares + of_checkpoints:
            b = max(last, a + 1)
            expected = rows_of(made, a, b)
            with open_trace(bare) as fresh:  # it has kept no other window, which could hold this one
                assert rows_of(fresh.window(a, b), a, b) == expected
            assert rows_of(made.window(a, b), a, b) == expected
            assert any(expected.values()) or a < start
        with trace.cursor() as cursor:
            assert set(WINDOW_TABLES) <= set(tables_not_made(cursor)), "no query made the tables of the whole trace"
