"""Statistics of a selected range: of a drawn trace to the ns, of real ones against the tables."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from drawing import OVERLOADED, build_drawn
from wastenot.analyzer.store.opening import open_read_only
from wastenot.web import Settings
from wastenot.web.local import LocalServer, serving

FIGURES = ("run_ns", "wait_ns", "sleep_ns", "blocked_ns", "stopped_ns", "throttled_ns")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory, worker_drawing: str) -> Iterator[LocalServer]:
    folder = tmp_path_factory.mktemp("selection")
    build_drawn(worker_drawing, folder / "worker.duckdb")
    build_drawn(OVERLOADED, folder / "overloaded.duckdb")
    with serving(sorted(folder.glob("*.duckdb")), Settings(port=0, tables_seconds=60.0)) as served:
        yield served


def selection(served: LocalServer, trace: str, **parameters: object) -> dict[str, Any]:
    query = "&".join(f"{name}={value}" for name, value in parameters.items())
    answer: dict[str, Any] = served.ask(f"/api/traces/{trace}/selection?{query}").json()
    return answer


def by_tid(served: LocalServer, trace: str, answer: dict[str, Any]) -> dict[int, dict[str, int]]:
    rows = served.ask(f"/api/traces/{trace}/threads").arrow().to_pylist()
    tids = {row["utid"]: row["tid"] for row in rows}
    return {tids[t["utid"]]: {k: v for k, v in t.items() if k != "utid" and v != 0} for t in answer["threads"]}


def test_each_thread_has_what_it_did_within_the_range(drawn: LocalServer) -> None:
    found = selection(drawn, "worker", start=20_000, end=80_000)
    assert by_tid(drawn, "worker", found) == {
        101: {
            "run_ns": 25_000, "runs": 2, "wait_ns": 15_000, "waits": 2, "longest_wait_ns": 10_000,
            "blocked_ns": 20_000, "avoidable_ns": 10_000,
        },
        100: {
            "run_ns": 40_000, "runs": 2, "wait_ns": 20_000, "waits": 1, "longest_wait_ns": 20_000,
            "avoidable_ns": 20_000,
        },
    }  # fmt: skip
    assert [(c["placed_by"], c["avoidable_ns"], c["threads"], c["episodes"]) for c in found["causes"]] == [
        (None, 30_000, 2, 0)
    ]


def test_a_range_of_threads_has_them_also_when_they_only_slept(drawn: LocalServer) -> None:
    utid = {r["tid"]: r["utid"] for r in drawn.ask("/api/traces/worker/threads").arrow().to_pylist()}
    found = selection(drawn, "worker", start=20_000, end=80_000, lanes=f"t{utid[102]},t{utid[101]}")
    threads = by_tid(drawn, "worker", found)
    assert threads[102] == {"sleep_ns": 60_000}
    assert (threads[101]["run_ns"], threads[101]["blocked_ns"], found["wait_ns"]) == (25_000, 20_000, 15_000)
    assert set(threads) == {101, 102}


def test_a_range_of_a_cpu_counts_what_ran_and_waited_there(drawn: LocalServer) -> None:
    threads = by_tid(drawn, "worker", selection(drawn, "worker", start=20_000, end=80_000, cpus=1))
    assert threads == {
        101: {"run_ns": 5_000, "runs": 1, "wait_ns": 5_000, "waits": 1, "longest_wait_ns": 5_000, "blocked_ns": 20_000}
    }


def test_a_wait_in_an_episode_counts_for_its_cause(drawn: LocalServer) -> None:
    whole = selection(drawn, "overloaded")
    assert whole["episodes"], "the drawing has waste that lasts"
    assert sum(c["avoidable_ns"] for c in whole["causes"]) == sum(t["avoidable_ns"] for t in whole["threads"])
    assert whole["causes"][0]["placed_by"] is not None
    assert whole["causes"][0]["episodes"] >= 1
    inside = selection(drawn, "overloaded", start=60_000_000, end=70_000_000)
    (cause,) = inside["causes"]
    assert cause["avoidable_ns"] == sum(t["avoidable_ns"] for t in inside["threads"]) == 10_000_000


def test_lanes_without_a_thread_are_refused(drawn: LocalServer) -> None:
    answer = drawn.ask("/api/traces/worker/selection?lanes=t999")
    assert (answer.status, answer.json()["error"]) == (
        404,
        "lanes t999: no such thread, process or cgroup in worker.duckdb",
    )


def test_the_whole_trace_has_the_sums_of_the_threads(recorded: LocalServer, recorded_trace: Path) -> None:
    found = {t["utid"]: t for t in selection(recorded, "recorded")["threads"]}
    with open_read_only(recorded_trace, Settings().trace_memory) as con:
        exact = con.execute(
            "SELECT utid, run_ns, wait_wakeup_ns + wait_preempted_ns, sleep_ns, throttled_ns, avoidable_wait_ns "
            "FROM thread WHERE utid <> 0 AND run_ns + wait_wakeup_ns + wait_preempted_ns > 0"
        ).fetchall()
    names = ("run_ns", "wait_ns", "sleep_ns", "throttled_ns", "avoidable_ns")
    assert {u: tuple(t[name] for name in names) for u, t in found.items()} == {row[0]: row[1:] for row in exact}
    assert len(exact) > 30


def test_parts_of_a_range_add_up_and_causes_to_the_avoidable_wait(recorded: LocalServer, recorded_trace: Path) -> None:
    chosen = random.Random(11)
    with open_read_only(recorded_trace, Settings().trace_memory) as con:
        begin, end = con.execute("SELECT start_ns, end_ns FROM verdict").fetchone() or (0, 0)
    charged = 0
    for _ in range(6):
        a, b, c = sorted(chosen.randrange(begin, end) for _ in range(3))
        both = selection(recorded, "recorded", start=a, end=c)
        parts = [selection(recorded, "recorded", start=x, end=y) for x, y in ((a, b), (b, c))]
        for figure in ("run_ns", "wait_ns", "avoidable_ns"):
            total = sum(t[figure] for part in parts for t in part["threads"])
            assert total == sum(t[figure] for t in both["threads"])
        for part in (*parts, both):
            avoidable = sum(t["avoidable_ns"] for t in part["threads"])
            assert sum(cause["avoidable_ns"] for cause in part["causes"]) == avoidable
            charged += sum(cause["avoidable_ns"] for cause in part["causes"] if cause["placed_by"] is not None)
            span = part["end_ns"] - part["start_ns"]
            assert all(sum(t[figure] for figure in FIGURES) <= span for t in part["threads"])
    assert charged > 0
