"""Wakers, waits and runs: drawn traces to the ns, real ones against the analyzer's own query and the raw tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from drawing import build_drawn
from wastenot.analyzer.queries import query
from wastenot.analyzer.store.opening import open_read_only
from wastenot.web import Settings
from wastenot.web.local import LocalServer, Serve, serving

MOVED = """
cpus 0-1
window 0us 100us
0us cpu 0 runs 100
0us cpu 1 runs 102
0us thread 100 hog on 0 running mask 0-1
0us thread 102 other on 1 running mask 0-1
0us thread 101 worker on 0 asleep mask 0,1 cgroup 12 prio 49
10us wakeup 101 on 0
20us migrate 101 from 0 to 1
40us switch 1: 102 S -> 101 prio 49
60us affinity 101 1
"""
"""Thread 101 is woken on CPU 0, moved to CPU 1 while it waits, and runs there."""


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory, worker_drawing: str) -> Iterator[LocalServer]:
    folder = tmp_path_factory.mktemp("flows")
    for name, drawing in (("worker", worker_drawing), ("moved", MOVED)):
        build_drawn(drawing, folder / f"{name}.duckdb")
    with serving(sorted(folder.glob("*.duckdb")), Settings(port=0, tables_seconds=60.0)) as served:
        yield served


def utids(served: LocalServer, trace: str = "worker") -> dict[int, int]:
    return {row["tid"]: row["utid"] for row in served.ask(f"/api/traces/{trace}/threads").arrow().to_pylist()}


def flows(served: LocalServer, trace: str, lanes: str, **window: int) -> list[dict[str, Any]]:
    more = "".join(f"&{name}={value}" for name, value in window.items())
    found = served.ask(f"/api/traces/{trace}/flows?lanes={lanes}{more}").arrow().to_pylist()
    return [{key: value for key, value in row.items() if key != "wakeup_id"} for row in found]


def instant(served: LocalServer, trace: str, utid: int, at: int) -> dict[str, Any]:
    answer: dict[str, Any] = served.ask(f"/api/traces/{trace}/threads/{utid}/instant?at={at}").json()
    return answer


def test_flows_are_those_that_were_drawn(drawn: LocalServer) -> None:
    utid = utids(drawn)
    assert flows(drawn, "worker", f"t{utid[101]}") == [
        {
            "utid": utid[101], "waking_ns": 10_000, "waking_known": True, "waker_cpu": 0, "waker_utid": utid[100],
            "wakeup_ns": 11_000, "target_cpu": 0, "is_new": False, "run_ns": 30_000, "run_cpu": 0,
        },
        {
            "utid": utid[101], "waking_ns": 70_000, "waking_known": True, "waker_cpu": 0, "waker_utid": utid[100],
            "wakeup_ns": 70_000, "target_cpu": 1, "is_new": False, "run_ns": 75_000, "run_cpu": 1,
        },
    ]  # fmt: skip
    assert flows(drawn, "worker", f"t{utid[100]},t{utid[102]}") == []


def test_a_wait_over_two_queues_is_followed_to_its_run_however_short_the_window(drawn: LocalServer) -> None:
    utid = utids(drawn, "moved")
    expected = {
        "utid": utid[101], "waking_ns": 10_000, "waking_known": False, "waker_cpu": 0, "waker_utid": utid[100],
        "wakeup_ns": 10_000, "target_cpu": 0, "is_new": False, "run_ns": 40_000, "run_cpu": 1,
    }  # fmt: skip
    assert flows(drawn, "moved", f"t{utid[101]}", start=10_000, end=10_001) == [expected]
    assert flows(drawn, "moved", f"t{utid[101]}", start=10_001, end=60_000) == []


def test_an_instant_of_a_run_has_its_wait_its_waker_and_who_ran_meanwhile(drawn: LocalServer) -> None:
    utid = utids(drawn)
    found = instant(drawn, "worker", utid[101], 40_000)
    assert (found["phase"], found["cpu"], found["start_ns"], found["end_ns"]) == (0, 0, 30_000, 50_000)
    assert found["wait"] == {
        "start_ns": 11_000, "dur_ns": 19_000, "after": "wakeup", "throttled_ns": 0, "cpus": [0], "behind_total": 1,
        "behind": [{"utid": utid[100], "cpu": 0, "ns": 19_000}], "idle": [{"cpu": 1, "ns": 19_000}],
    }  # fmt: skip
    assert found["wakeup"]["waker_utid"] == utid[100]
    assert (found["wakeup"]["waking_ns"], found["wakeup"]["run_ns"]) == (10_000, 30_000)
    assert (found["tid"], found["name"], found["allowed"]) == (101, "worker", [0, 1])


def test_an_instant_after_a_preemption_has_who_took_the_cpu_and_no_wakeup(drawn: LocalServer) -> None:
    utid = utids(drawn)
    for at in (35_000, 60_000):  # while it waits, and in the run after it
        found = instant(drawn, "worker", utid[100], at)
        assert found["wait"] == {
            "start_ns": 30_000, "dur_ns": 20_000, "after": "preemption", "throttled_ns": 0, "cpus": [0],
            "behind": [{"utid": utid[101], "cpu": 0, "ns": 20_000}], "behind_total": 1,
            "idle": [{"cpu": 1, "ns": 20_000}],
        }  # fmt: skip
        assert found["wakeup"] is None
    first = instant(drawn, "worker", utid[100], 10_000)
    assert first["wait"] is None
    assert any(text.startswith("its wakeup: ") for text in first["lacks"])


def test_an_instant_of_a_blocked_thread_has_the_wakeup_that_ends_it(drawn: LocalServer) -> None:
    utid = utids(drawn)
    found = instant(drawn, "worker", utid[101], 60_000)
    assert (found["phase"], found["cpu"], found["wait"]) == (4, None, None)
    assert (found["wakeup"]["wakeup_ns"], found["wakeup"]["run_ns"]) == (70_000, 75_000)
    assert instant(drawn, "worker", utid[102], 60_000)["wakeup"] is None


def test_an_instant_of_a_wait_over_two_queues_names_both(drawn: LocalServer) -> None:
    utid = utids(drawn, "moved")
    for at in (12_000, 30_000, 50_000):  # on the first queue, on the second, running
        wait = instant(drawn, "moved", utid[101], at)["wait"]
        assert (wait["start_ns"], wait["dur_ns"], wait["cpus"]) == (10_000, 30_000, [0, 1])
        assert wait["behind"] == [
            {"utid": utid[102], "cpu": 1, "ns": 20_000},
            {"utid": utid[100], "cpu": 0, "ns": 10_000},
        ]


def test_priority_cgroup_and_allowed_cpus_are_those_of_the_instant(drawn: LocalServer) -> None:
    utid = utids(drawn, "moved")
    before, after = (instant(drawn, "moved", utid[101], at) for at in (50_000, 70_000))
    assert (before["allowed"], after["allowed"]) == ([0, 1], [1])
    assert (before["prio"], before["policy"]) == (49, "normal")
    assert any(text.startswith("when the wakeup was decided") for text in before["lacks"])


@pytest.mark.parametrize("at", [-5, 100_000])
def test_an_instant_outside_the_trace_says_that_the_state_is_not_known(drawn: LocalServer, at: int) -> None:
    found = instant(drawn, "worker", utids(drawn)[101], at)
    assert (found["phase"], found["wait"], found["wakeup"]) == (None, None, None)
    assert any(text.startswith("its state: ") for text in found["lacks"])


def test_an_unknown_thread_is_refused(drawn: LocalServer) -> None:
    answer = drawn.ask("/api/traces/worker/threads/999/instant?at=5")
    assert (answer.status, answer.json()["error"]) == (404, "utid 999: no such thread in worker.duckdb")


def test_wakers_are_those_of_the_analyzer_and_runs_those_of_the_states(
    recorded: LocalServer, recorded_trace: Path
) -> None:
    with open_read_only(recorded_trace, Settings().trace_memory) as con:
        most = con.execute("SELECT list(utid) FROM (FROM thread WHERE utid <> 0 ORDER BY wakeups DESC LIMIT 40)")
        (chosen,) = most.fetchone() or ([],)
        exact = con.execute(query("rank_wakes", "wastenot.analyzer").sql, {"utids": chosen}).fetchall()
        runs: dict[int, list[int]] = {}
        for utid, start in con.execute("SELECT utid, start_ns FROM thread_state WHERE phase = 0 ORDER BY 2").fetchall():
            runs.setdefault(utid, []).append(start)
        queued = set(con.execute("SELECT utid, start_ns FROM thread_state WHERE phase IN (0, 1, 2, 7)").fetchall())
        begin, end = con.execute("SELECT start_ns, end_ns FROM verdict").fetchone() or (0, 0)
    lanes = ",".join(f"t{utid}" for utid in chosen)
    found = flows(recorded, "recorded", lanes)
    assert len(found) > 300
    assert [(r["wakeup_ns"], r["utid"], r["waker_utid"]) for r in found] == exact
    known = 0
    for row in found:
        later = [at for at in runs.get(row["utid"], []) if at >= row["wakeup_ns"]]
        expected = later[0] if later and (row["utid"], row["wakeup_ns"]) in queued else None
        assert row["run_ns"] == expected, row
        known += expected is not None
    assert known > 250
    cuts = [begin, begin + (end - begin) // 3, begin + (end - begin) // 2, end + 1]
    parts = [flows(recorded, "recorded", lanes, start=a, end=b) for a, b in pairwise(cuts)]
    assert [row for part in parts for row in part] == found


def test_a_trace_without_the_tables_gives_the_same(
    tmp_path: Path, serve: Serve, drawn: LocalServer, worker_drawing: str
) -> None:
    build_drawn(worker_drawing, tmp_path / "worker.duckdb")
    windowed = serve([tmp_path / "worker.duckdb"], tables_at_once=0)
    utid = utids(drawn)
    assert flows(windowed, "worker", f"t{utid[101]}") == flows(drawn, "worker", f"t{utid[101]}")
    assert instant(windowed, "worker", utid[101], 40_000) == instant(drawn, "worker", utid[101], 40_000)
