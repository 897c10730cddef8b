"""Exports to Perfetto, opened by Perfetto's own trace processor: it must see what we see."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from drawing import build_drawn
from wastenot.analyzer import CheckOptions, build, export_perfetto

HERE = Path(__file__).parent
SHIPPED = HERE.parents[1] / "fixtures/traces/two-cpus.part"

DRAWING = """
cpus 0-1
node 0-1
window 0us 40ms
0us  cpu 0 idle
0us  cpu 1 idle
0us  thread 100 first on 0 asleep
0us  thread 101 second on 0 asleep mask 0
1us  wakeup 100 on 0
2us  switch 0: 0 R -> 100
3us  wakeup 101 on 0
4ms  name 101 second name
5ms  switch 0: 100 R+ -> 101
9ms  affinity 101 0-1
20ms switch 0: 101 S -> 100
30ms migrate 100 from 0 to 1
30ms switch 0: 100 R -> 0
30.1ms switch 1: 0 R -> 100
31ms irq 0 for 30us
39ms switch 1: 100 S -> 0
"""

Rows = list[dict[str, Any]]
Query = Callable[..., list[Rows]]


Pair = tuple[Path, duckdb.DuckDBPyConnection]


def exported(folder: Path) -> Iterator[Pair]:
    """The export of a trace, and the trace."""
    export_perfetto(folder / "T.duckdb", folder / "T.pftrace")
    with duckdb.connect(str(folder / "T.duckdb"), read_only=True) as con:
        yield folder / "T.pftrace", con


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("drawn")
    build_drawn(DRAWING, folder / "T.duckdb")
    yield from exported(folder)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("recorded")
    shutil.copytree(SHIPPED, folder / "T.duckdb.part")
    build(folder / "T.duckdb.part", folder / "T.duckdb", CheckOptions())
    yield from exported(folder)


RAN = "SELECT cpu, count(*) AS n, sum(dur) AS ns FROM sched WHERE utid != 0 AND dur >= 0 GROUP BY cpu ORDER BY cpu"


def test_every_cpu_ran_as_often_and_as_long(drawn: Pair, query: Query) -> None:
    trace, con = drawn
    ours = con.execute(
        "SELECT cpu, count(*), sum(dur_ns)::BIGINT FROM cpu_slice WHERE utid > 0 GROUP BY cpu ORDER BY cpu"
    ).fetchall()
    assert ours == [(0, 3, 29_998_000), (1, 1, 8_900_000)]
    assert [tuple(row.values()) for row in query(trace, RAN)[0]] == ours


def test_every_switch_of_a_recording_is_there(recorded: Pair, query: Query) -> None:
    # The recorded machine hides some switches. The trace processor ends a slice when the next switch names its thread.
    trace, con = recorded
    ours = con.execute(
        "SELECT cpu, count(*), sum(next_ns - ts_ns)::BIGINT FROM"
        " (SELECT cpu, ts_ns, next_tid, lead(ts_ns) OVER later AS next_ns, lead(prev_tid) OVER later AS leaves"
        " FROM sched_switch WINDOW later AS (PARTITION BY cpu ORDER BY id))"
        " WHERE next_tid <> 0 AND next_tid = leaves GROUP BY cpu ORDER BY cpu"
    ).fetchall()
    assert [tuple(row.values()) for row in query(trace, RAN)[0]] == ours


@pytest.mark.parametrize("which", ["drawn", "recorded"])
def test_the_counter_adds_up_to_the_waste(which: str, query: Query, request: pytest.FixtureRequest) -> None:
    trace, con = request.getfixturevalue(which)
    integral = (
        "SELECT name, cast(sum(value * (next_ts - ts)) AS INT) AS ns FROM (SELECT t.name, c.ts, c.value,"
        " lead(c.ts) OVER (PARTITION BY c.track_id ORDER BY c.ts) AS next_ts"
        " FROM counter c JOIN track t ON c.track_id = t.id)"
        " WHERE next_ts IS NOT NULL GROUP BY name ORDER BY name"
    )
    rows = query(trace, integral)[0]
    ours = con.execute("SELECT idle_while_waiting_ns, wasted_ns FROM verdict").fetchone()
    assert [row["name"] for row in rows] == ["idle while waiting", "wasted cores"]
    assert tuple(row["ns"] for row in rows) == ours
    assert ours is not None and ours[1] > 0


@pytest.mark.parametrize("which", ["drawn", "recorded"])
def test_episodes_are_slices_with_their_figures(which: str, query: Query, request: pytest.FixtureRequest) -> None:
    trace, con = request.getfixturevalue(which)
    seen = query(
        trace,
        "SELECT s.name, s.ts, s.dur, extract_arg(s.arg_set_id, 'debug.wasted core-ns') AS core_ns,"
        " extract_arg(s.arg_set_id, 'debug.idle CPUs') AS idle FROM slice s"
        " WHERE extract_arg(s.arg_set_id, 'debug.episode') IS NOT NULL ORDER BY s.name, s.ts, core_ns",
    )[0]
    # An episode is a slice of its grade; one with a known cause is another one, of its cause.
    ours = con.execute(
        "WITH reported AS ("
        " SELECT *, grade_name(grade) AS name FROM episode UNION ALL"
        " SELECT *, CASE WHEN not_moved_because > 0 THEN not_moved_because_name(not_moved_because)"
        " ELSE placed_by_name(placed_by) END AS name FROM episode)"
        " SELECT name, start_ns, end_ns - start_ns, core_ns, array_to_string(idle_cpus, ',')"
        " FROM reported WHERE name <> 'unknown' ORDER BY name, start_ns, core_ns"
    ).fetchall()
    assert len(ours) > 0
    assert [tuple(row.values()) for row in seen] == ours


@pytest.mark.parametrize("which", ["drawn", "recorded"])
def test_threads_have_their_names_and_nothing_is_complained_of(
    which: str, query: Query, request: pytest.FixtureRequest
) -> None:
    trace, con = request.getfixturevalue(which)
    threads, complaints = query(
        trace,
        "SELECT DISTINCT tid, name FROM thread WHERE tid > 0",
        "SELECT name FROM stats WHERE value > 0 AND severity != 'info'",
    )
    ours = con.execute("SELECT tid, name FROM thread WHERE switches > 0 AND name IS NOT NULL AND tid > 0").fetchall()
    assert set(ours) <= {(row["tid"], row["name"]) for row in threads}
    # The recorded machine hides some switches; the checker counts them too.
    hidden = [{"name": "mismatched_sched_switch_tids"}] if which == "recorded" else []
    assert complaints == hidden


def test_interrupts_and_cpus_are_there(drawn: Pair, query: Query) -> None:
    trace, _ = drawn
    spans, cpus = query(
        trace,
        "SELECT ts, dur, name FROM slice WHERE name IN ('hardirq', 'softirq', 'mixed')",
        "SELECT count(*) AS n FROM cpu",
    )
    assert spans == [{"ts": 31_000_000, "dur": 30_000, "name": spans[0]["name"]}]
    assert cpus == [{"n": 2}]
