"""Lanes of threads show what the threads did: a drawn trace to the ns, a simulated one against SQL over its tables."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from drawing import build_drawn
from wastenot.analyzer.store.opening import open_read_only
from wastenot.web import Settings
from wastenot.web.local import LocalServer, Serve, serving

RUNNING, RUNNABLE, PREEMPTED, SLEEPING, BLOCKED, STOPPED = range(6)
DONE: dict[int, list[tuple[int, int, int, int | None]]] = {
    100: [(0, 30, RUNNING, 0), (30, 50, PREEMPTED, 0), (50, 100, RUNNING, 0)],
    101: [
        (0, 11, SLEEPING, None), (11, 30, RUNNABLE, 0), (30, 50, RUNNING, 0), (50, 70, BLOCKED, None),
        (70, 75, RUNNABLE, 1), (75, 90, RUNNING, 1), (90, 100, STOPPED, None),
    ],
    102: [(0, 100, SLEEPING, None)],
}  # fmt: skip
"""From, to in µs, phase, CPU: what the drawing says of each thread."""
SHARES = {"running": (0,), "waiting": (1, 2), "sleeping": (3,), "blocked": (4,), "stopped": (5,), "throttled": (7,)}
T = "/api/traces/worker"


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory, worker_drawing: str) -> Iterator[LocalServer]:
    path = tmp_path_factory.mktemp("lanes") / "worker.duckdb"
    build_drawn(worker_drawing, path)
    with serving([path], Settings(port=0, tables_seconds=60.0)) as served:
        yield served


def utids(served: LocalServer, trace: str = T) -> dict[int, int]:
    return {row["tid"]: row["utid"] for row in served.ask(f"{trace}/threads").arrow().to_pylist()}


def test_states_are_those_that_were_drawn(worker: LocalServer) -> None:
    utid = utids(worker)
    lanes = ",".join(f"t{utid[tid]}" for tid in DONE)
    rows = worker.ask(f"{T}/states?lanes={lanes}").arrow().to_pylist()
    for lane, tid in enumerate(DONE):
        own = [
            (r["start_ns"] / 1e3, (r["start_ns"] + r["dur_ns"]) / 1e3, r["phase"], r["cpu"])
            for r in rows
            if r["lane"] == lane
        ]
        cpus = [(a, b, phase, cpu if phase < 3 else None) for a, b, phase, cpu in own]
        assert cpus == DONE[tid]
        assert {r["utid"] for r in rows if r["lane"] == lane} == {utid[tid]}


def test_states_of_a_window_are_whole_and_those_that_touch_it(worker: LocalServer) -> None:
    lane = f"t{utids(worker)[101]}"
    rows = worker.ask(f"{T}/states?lanes={lane}&start=20000&end=50000").arrow().to_pylist()
    assert [(r["start_ns"], r["dur_ns"], r["phase"]) for r in rows] == [(-9000, 19000, 1), (10000, 20000, 0)]
    cut = worker.ask(f"{T}/states?lanes={lane}&limit=2").arrow()
    assert (cut.num_rows, cut.schema.metadata[b"truncated"]) == (2, b"true")


def test_tiles_have_the_share_of_each_bin(worker: LocalServer) -> None:
    utid = utids(worker)
    grid = worker.ask(f"{T}/tiles/meta").json()
    lanes = ",".join(f"t{utid[tid]}" for tid in DONE)
    compared = 0
    for level in range(grid["levels"]):
        width = grid["base_ns"] << level
        for x in range(-(-100_000 // (width * 64))):
            rows = worker.ask(f"{T}/tiles/lanes/{level}/{x}?lanes={lanes}").arrow().to_pylist()
            found = {(r["lane"], r["bin"]): r for r in rows}
            assert len(found) == len(rows)
            for lane, tid in enumerate(DONE):
                for bin in range(64):
                    begin = (x * 64 + bin) * width
                    end = begin + width
                    if begin >= 100_000:
                        assert (lane, bin) not in found
                        continue
                    row = found[lane, bin]
                    for name, phases in SHARES.items():
                        there = sum(
                            max(min(b * 1000, end) - max(a * 1000, begin), 0)
                            for a, b, phase, _ in DONE[tid]
                            if phase in phases
                        )
                        assert row[name] == pytest.approx(there / width, abs=1e-6), (tid, level, x, bin, name)
                        compared += there > 0
                    ran = {cpu for a, b, phase, cpu in DONE[tid] if phase == 0 and a * 1000 < end and b * 1000 > begin}
                    assert (row["cpu"] in ran) if ran else (row["cpu"] is None and row["cpu_share"] is None)
    assert compared >= 20


def test_a_lane_of_a_process_or_cgroup_adds_up_its_threads(recorded_trace: Path, recorded: LocalServer) -> None:
    t = "/api/traces/recorded"
    grid = recorded.ask(f"{t}/tiles/meta").json()
    chosen = random.Random(5)
    with open_read_only(recorded_trace, Settings().trace_memory) as con:
        groups = con.execute(
            "SELECT 'p', upid, list(utid) FROM thread WHERE utid <> 0 AND upid IS NOT NULL GROUP BY upid "
            "HAVING count(*) > 1 UNION ALL "
            "SELECT 'c', cgroup_id, list(utid) FROM thread WHERE cgroup_id IS NOT NULL AND utid <> 0 GROUP BY cgroup_id"
        ).fetchall()
        assert {kind for kind, _, _ in groups} == {"p", "c"}
        seen = 0
        for kind, id, members in groups:
            level = grid["levels"] - 1 - chosen.randrange(min(3, grid["levels"]))
            width = grid["base_ns"] << level
            x = chosen.randrange(-(-(grid["end_ns"] - grid["start_ns"]) // (width * 64)))
            rows = recorded.ask(f"{t}/tiles/lanes/{level}/{x}?lanes={kind}{id}").arrow().to_pylist()
            for row in chosen.sample(rows, min(20, len(rows))):
                begin = grid["start_ns"] + (x * 64 + row["bin"]) * width
                for name, phases in SHARES.items():
                    exact = _threads(con, members, phases, begin, begin + width)
                    assert row[name] == pytest.approx(exact, rel=1e-5, abs=1e-6)
                    seen += exact > 0
        assert seen > 40


def _threads(
    con: duckdb.DuckDBPyConnection, members: list[int], phases: tuple[int, ...], begin: int, end: int
) -> float:
    """Threads that were in one of the phases, on average between two instants."""
    row = con.execute(
        "SELECT coalesce(sum(least(start_ns + dur_ns, $2) - greatest(start_ns, $1)), 0) / ($2 - $1) FROM thread_state "
        "WHERE utid IN (SELECT unnest($3)) AND phase IN (SELECT unnest($4)) "
        "AND start_ns < $2 AND start_ns + dur_ns > $1",
        [begin, end, members, list(phases)],
    ).fetchone()
    assert row is not None
    return float(row[0])


@pytest.mark.parametrize(
    "lanes", ["", "x1", "t", "t1,", "t1 OR 1=1", "t-1", "t99999999999999999999", ",".join(["t1"] * 257)]
)
def test_what_does_not_name_lanes_is_refused(worker: LocalServer, lanes: str) -> None:
    answer = worker.ask(f"{T}/states?lanes={lanes.replace(' ', '%20')}")
    assert answer.status == 422
    assert "\n" not in answer.json()["error"]


def test_a_lane_without_a_thread_is_empty(worker: LocalServer) -> None:
    assert worker.ask(f"{T}/states?lanes=t999,p999,c999").arrow().num_rows == 0
    assert worker.ask(f"{T}/tiles/lanes/0/0?lanes=t999").arrow().num_rows == 0
    assert worker.ask(f"{T}/tiles/lanes/0/9999?lanes=t1").status == 404


def test_a_trace_without_the_tables_gives_the_same(
    tmp_path: Path, serve: Serve, worker: LocalServer, worker_drawing: str
) -> None:
    path = tmp_path / "worker.duckdb"
    build_drawn(worker_drawing, path)
    windowed = serve([path], tables_at_once=0)
    lane = f"t{utids(worker)[101]}"
    for address in (f"{T}/states?lanes={lane}&start=20000&end=50000", f"{T}/tiles/lanes/0/0?lanes={lane}"):
        assert windowed.ask(address).arrow().to_pylist() == worker.ask(address).arrow().to_pylist()
    with open_read_only(path, Settings().trace_memory) as con, pytest.raises(duckdb.Error):
        con.execute("SELECT count(*) FROM thread_state")
