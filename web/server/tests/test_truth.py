"""What the browser is sent equals SQL over the trace's tables, to rounding."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from wastenot.analyzer.store.opening import open_read_only
from wastenot.web import Settings
from wastenot.web.local import LocalServer

T = "/api/traces/busy"
PAIRS = 200
SHARES = 1e-6
"""Rounding of a 32-bit share."""


@pytest.fixture(scope="module")
def con(busy_trace: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The same file, read by plain SQL."""
    with open_read_only(busy_trace, Settings().trace_memory) as found:
        yield found


def one(con: duckdb.DuckDBPyConnection, sql: str, *values: object) -> Any:
    row = con.execute(sql, list(values)).fetchone()
    assert row is not None
    return row[0]


RAN_BY_EVENTS = """
WITH runs AS (
  SELECT ts_ns, cpu, current_tid AS tid, id FROM cpu_snapshot
  UNION ALL SELECT ts_ns, cpu, next_tid, id FROM sched_switch
),
spans AS (
  SELECT tid, ts_ns AS a, coalesce(lead(ts_ns) OVER (PARTITION BY cpu ORDER BY id), (SELECT end_ns FROM trace)) AS b
  FROM runs WHERE cpu = $cpu
),
cut AS (SELECT tid, least(b, $to) - greatest(a, $from) AS ns FROM spans WHERE a < $to AND b > $from)
SELECT tid, sum(ns)::BIGINT AS ns FROM cut GROUP BY tid HAVING sum(ns) > 0 ORDER BY ns DESC
"""
"""Which threads ran on a CPU in a window, by the raw events alone."""


def windows(served: LocalServer, count: int) -> Iterator[tuple[dict[str, Any], dict[str, Any] | None, int, int, int]]:
    """Random bins of random tiles: grid, the tile's row (None: nothing in it), CPU, start and end of the bin."""
    chosen = random.Random(20070725)
    grid = served.ask(f"{T}/tiles/meta").json()
    tiles: dict[tuple[int, int, int], dict[tuple[int, int], dict[str, Any]]] = {}
    for i in range(count):
        level = i % grid["levels"]
        width = grid["base_ns"] << level
        bins = max(1, (grid["end_ns"] - grid["start_ns"]) // width)
        bin, lane = chosen.randrange(bins), chosen.randrange(len(grid["cpus"]))
        key = (level, bin // 64, lane // 64)
        if key not in tiles:
            rows = served.ask(f"{T}/tiles/{key[0]}/{key[1]}/{key[2]}").arrow().to_pylist()
            tiles[key] = {(r["lane"], r["bin"]): r for r in rows}
            assert len(tiles[key]) == len(rows), "one row per lane and bin"
        begin = grid["start_ns"] + bin * width
        assert grid["wasted_known"]
        yield grid, tiles[key].get((lane % 64, bin % 64)), grid["cpus"][lane], begin, begin + width


def test_shares_and_dominant_threads_are_those_of_the_events(busy: LocalServer, con: duckdb.DuckDBPyConnection) -> None:
    tids = dict(con.execute("SELECT utid, tid FROM thread").fetchall())
    for grid, row, cpu, begin, end in windows(busy, PAIRS):
        ran = dict(con.execute(RAN_BY_EVENTS, {"cpu": cpu, "from": begin, "to": end}).fetchall())
        idle = ran.pop(0, 0)
        assert row is not None
        width = end - begin
        assert row["busy"] == pytest.approx(sum(ran.values()) / width, abs=SHARES)
        assert row["idle"] == pytest.approx(idle / width, abs=SHARES)
        assert row["busy"] + row["idle"] + row["unobserved"] == pytest.approx(1, abs=3 * SHARES) or end > grid["end_ns"]
        allowed = grid["dominant_error"] * row["busy"] + SHARES if len(ran) > 16 else SHARES
        exact = sorted(ran.values(), reverse=True)
        for place in range(4):
            utid, share = row[f"utid{place + 1}"], row[f"share{place + 1}"]
            if utid is not None:
                own = ran[tids[utid]] / width
                assert -SHARES <= own - share <= allowed, "a thread's own share"
            there = exact[place] / width if place < len(exact) else 0
            assert there - share <= allowed, "no thread of more weight is left out"
        shown = sum(row[f"share{place + 1}"] for place in range(4))
        assert row["rest"] == pytest.approx(row["busy"] - shown, abs=5 * SHARES)


def test_waiting_waste_and_arrivals_are_those_of_the_tables(busy: LocalServer, con: duckdb.DuckDBPyConnection) -> None:
    seen = {"waiting": 0, "wasted": 0, "migrations": 0}
    cut = "least(start_ns + dur_ns, $to) - greatest(start_ns, $from)"
    place = "start_ns < $to AND start_ns + dur_ns > $from"
    for _, row, cpu, begin, end in windows(busy, PAIRS):
        at = {"cpu": cpu, "from": begin, "to": end}
        exact = {
            "waiting": f"SELECT sum(queued * ({cut})) / ($to - $from) FROM runqueue WHERE cpu = $cpu AND {place}",
            "wasted": f"SELECT sum({cut}) / ($to - $from) FROM wasted_cpu WHERE cpu = $cpu AND {place}",
            "migrations": "SELECT count(*) FROM migration WHERE dest_cpu = $cpu AND ts_ns >= $from AND ts_ns < $to",
        }
        for measure, sql in exact.items():
            found = con.execute(sql, at).fetchone()
            value = float(found[0] or 0) if found else 0.0
            seen[measure] += value > 0
            assert (row[measure] if row else 0) == pytest.approx(value, rel=1e-6, abs=SHARES), (measure, at)
    assert all(n > 5 for n in seen.values()), f"the test saw something of everything: {seen}"


def test_the_matching_sums_to_the_waste(con: duckdb.DuckDBPyConnection) -> None:
    for table in ("avoidable_wait", "wasted_cpu"):
        assert one(con, f"SELECT sum(dur_ns)::BIGINT FROM {table}") == one(con, "SELECT wasted_ns FROM verdict")
    sums = "SELECT utid, sum(dur_ns) AS ns FROM avoidable_wait GROUP BY utid"
    differing = (
        f"SELECT count(*) FROM thread t LEFT JOIN ({sums}) m USING (utid) "
        "WHERE t.avoidable_wait_ns <> coalesce(m.ns, 0)"
    )
    assert one(con, differing) == 0


def test_the_curve_sums_to_the_waste_and_the_busy_time(busy: LocalServer, con: duckdb.DuckDBPyConnection) -> None:
    for bins in (1, 7, 1000):
        rows = busy.ask(f"{T}/curve?bins={bins}").arrow().to_pylist()
        assert len(rows) <= bins
        for column, exact in (
            ("wasted", "wasted_ns"),
            ("certain", "certain_ns"),
            ("idle_while_waiting", "idle_while_waiting_ns"),
            ("busy", "busy_ns"),
        ):
            total = sum(r[column] * r["dur_ns"] for r in rows)
            assert total == pytest.approx(one(con, f"SELECT {exact} FROM verdict"), rel=1e-9)
        assert max(r["wasted_max"] for r in rows) == one(con, "SELECT peak_wasted FROM verdict")


def states(table: pa.Table) -> dict[int, tuple[int, int | None]]:
    return {r["utid"]: (r["phase"], r["cpu"]) for r in table.to_pylist()}


def test_the_replay_at_random_instants_is_the_state_of_the_table(
    busy: LocalServer, con: duckdb.DuckDBPyConnection
) -> None:
    chosen = random.Random(7)
    begin, end = con.execute("SELECT start_ns, end_ns FROM verdict").fetchone() or (0, 0)
    for _ in range(20):
        a = chosen.randrange(begin, end - 3_000_000)
        b = a + chosen.randrange(1, 3_000_000)
        played = states(busy.ask(f"{T}/replay/state?at={a}").arrow())
        moves = busy.ask(f"{T}/replay/moves?start={a}&end={b}&limit=200000").arrow()
        assert moves.schema.metadata[b"truncated"] == b"false"
        rows = moves.to_pylist()
        assert [r["ts_ns"] for r in rows] == sorted(r["ts_ns"] for r in rows)
        for r in rows:
            if r["phase"] is None:
                played.pop(r["utid"], None)
            else:
                played[r["utid"]] = (r["phase"], r["cpu"])
        there = con.execute(
            "SELECT utid, phase, cpu FROM thread_state WHERE start_ns <= $1 AND start_ns + dur_ns > $1", [b]
        ).fetchall()
        assert played == {utid: (phase, cpu) for utid, phase, cpu in there}


def test_a_selection_sums_what_its_window_holds(busy: LocalServer, con: duckdb.DuckDBPyConnection) -> None:
    begin, end = con.execute("SELECT start_ns, end_ns FROM verdict").fetchone() or (0, 0)
    whole = busy.ask(f"{T}/selection").json()
    assert whole["wasted_core_s"] == pytest.approx(one(con, "SELECT wasted_ns / 1e9 FROM verdict"))
    assert whole["run_ns"] == one(con, "SELECT busy_ns FROM verdict")
    exact = dict(con.execute("SELECT utid, avoidable_wait_ns FROM thread").fetchall())
    assert all(t["avoidable_ns"] == exact[t["utid"]] for t in whole["threads"])
    middle = begin + (end - begin) // 3
    parts = [busy.ask(f"{T}/selection?start={a}&end={b}&cpus=0-31").json() for a, b in ((begin, middle), (middle, end))]
    both = busy.ask(f"{T}/selection?cpus=0-31").json()
    for figure in ("run_ns", "idle_ns", "wait_ns"):
        assert sum(p[figure] for p in parts) == both[figure]


def test_slices_and_waits_of_a_window_are_those_that_touch_it(
    busy: LocalServer, con: duckdb.DuckDBPyConnection
) -> None:
    begin = one(con, "SELECT start_ns FROM verdict") + 100_000_000
    end = begin + 5_000_000
    found = busy.ask(f"{T}/slices?start={begin}&end={end}&cpus=0-7,9").arrow().to_pylist()
    exact = con.execute(
        "SELECT cpu, start_ns - $1, dur_ns, utid FROM cpu_slice WHERE start_ns < $2 AND start_ns + dur_ns > $1 "
        "AND (cpu < 8 OR cpu = 9) ORDER BY start_ns, cpu", [begin, end],
    ).fetchall()  # fmt: skip
    assert [(r["cpu"], r["start_ns"], r["dur_ns"], r["utid"]) for r in found] == exact
    found = busy.ask(f"{T}/waits?start={begin}&end={end}").arrow().to_pylist()
    number = one(
        con,
        "SELECT count(*) FROM thread_state WHERE phase IN (1, 2, 7) AND start_ns < $2 AND start_ns + dur_ns > $1",
        begin,
        end,
    )
    assert len(found) == number > 0


def test_antagonists_are_those_whose_slices_overlap_the_waits(
    busy: LocalServer, con: duckdb.DuckDBPyConnection
) -> None:
    overlaps = """
        SELECT s.utid,
               sum(least(w.start_ns + w.dur_ns, s.start_ns + s.dur_ns) - greatest(w.start_ns, s.start_ns))::BIGINT
        FROM thread_state w JOIN cpu_slice s ON s.cpu = w.cpu AND s.start_ns < w.start_ns + w.dur_ns
          AND s.start_ns + s.dur_ns > w.start_ns
        WHERE w.utid = $utid AND w.phase IN (1, 2) AND s.utid IS NOT NULL GROUP BY 1
    """
    utids = con.execute("SELECT utid FROM thread WHERE wait_preempted_ns > 0 ORDER BY hash(utid) LIMIT 25").fetchall()
    for (utid,) in utids:
        found = busy.ask(f"{T}/antagonists/{utid}").json()["rows"]
        exact = dict(con.execute(overlaps, {"utid": utid}).fetchall())
        assert {r["antagonist_utid"]: r["waited_ns"] for r in found} == exact
        assert sum(r["share"] for r in found) == pytest.approx(1)
    assert len(utids) == 25
