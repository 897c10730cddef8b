"""Statistics of a selected range: of a drawn trace to the ns, of real ones against the tables."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from drawing import OVERLOADED, build_drawn
from wastenot.analyzer import CheckOptions
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
    return {
        tids[t["utid"]]: {k: v for k, v in t.items() if k != "utid" and v not in (0, None)} for t in answer["threads"]
    }


def test_each_thread_has_what_it_did_within_the_range(drawn: LocalServer) -> None:
    found = selection(drawn, "worker", start=20_000, end=80_000)
    assert by_tid(drawn, "worker", found) == {
        101: {
            "run_ns": 25_000, "runs": 2, "wait_ns": 15_000, "waits": 2, "longest_wait_ns": 10_000,
            "longest_wait_at_ns": 20_000, "blocked_ns": 20_000, "avoidable_ns": 10_000,
        },
        100: {
            "run_ns": 40_000, "runs": 2, "wait_ns": 20_000, "waits": 1, "longest_wait_ns": 20_000,
            "longest_wait_at_ns": 30_000, "avoidable_ns": 20_000,
        },
    }  # fmt: skip
    assert [(c["placed_by"], c["avoidable_ns"], c["threads"], c["episodes"]) for c in found["causes"]] == [
        (None, 30_000, 2, 0)
    ]


def test_waits_of_a_range_are_split_into_those_after_a_wakeup_and_after_a_preemption(drawn: LocalServer) -> None:
    found = selection(drawn, "worker", start=20_000, end=80_000)
    assert found["waits"] == [
        {"after": "wakeup", "waits": 2, "wait_ns": 15_000, "longest_ns": 10_000},
        {"after": "preemption", "waits": 1, "wait_ns": 20_000, "longest_ns": 20_000},
    ]
    assert selection(drawn, "worker", start=20_000, end=80_000, cpus=1)["waits"] == [
        {"after": "wakeup", "waits": 1, "wait_ns": 5_000, "longest_ns": 5_000}
    ]
    assert selection(drawn, "worker", start=75_000, end=80_000)["waits"] == []


def walked(rows: list[tuple[int, int, int, int, int]], start: int, end: int, cpus: set[int]) -> dict[str, list[int]]:
    """The parts of waits by kind, from rows (utid, start, end, phase, cpu) in order of thread and time."""
    parts: dict[tuple[int, int, int], int] = {}
    number, last = 0, (-1, -1)
    for utid, a, b, phase, cpu in rows:
        if phase not in (1, 2, 7):
            continue
        number += (utid, a) != last
        last = (utid, b)
        if (inside := min(b, end) - max(a, start)) > 0 and (not cpus or cpu in cpus):
            parts[number, utid, phase] = parts.get((number, utid, phase), 0) + inside
    kinds = {1: "wakeup", 2: "preemption", 7: "throttling"}
    return {name: [ns for (_, _, p), ns in parts.items() if p == phase] for phase, name in kinds.items()}


def test_waits_of_any_range_are_those_of_a_walk_over_the_states(recorded: LocalServer, recorded_trace: Path) -> None:
    chosen = random.Random(7)
    with open_read_only(recorded_trace, Settings().trace_memory) as con:
        begin, end = con.execute("SELECT start_ns, end_ns FROM verdict").fetchone() or (0, 0)
        rows = con.execute(
            "SELECT utid, start_ns, start_ns + dur_ns, phase, cpu FROM thread_state ORDER BY utid, start_ns"
        ).fetchall()
        cpus = [cpu for (cpu,) in con.execute("SELECT DISTINCT cpu FROM cpu_slice ORDER BY cpu").fetchall()]
    compared = 0
    for few in (False, False, True, True):
        a, b = sorted(chosen.randrange(begin, end) for _ in range(2))
        of = set(chosen.sample(cpus, max(1, len(cpus) // 2))) if few else set()
        found = selection(recorded, "recorded", start=a, end=b, cpus=",".join(map(str, sorted(of))))
        exact = {kind: parts for kind, parts in walked(rows, a, b, of).items() if parts}
        assert {w["after"]: (w["waits"], w["wait_ns"], w["longest_ns"]) for w in found["waits"]} == {
            kind: (len(parts), sum(parts), max(parts)) for kind, parts in exact.items()
        }
        assert sum(w["wait_ns"] for w in found["waits"] if w["after"] != "throttling") == found["wait_ns"]
        compared += len(exact)
    assert compared >= 6


def test_the_waits_of_the_whole_trace_are_those_of_latency(recorded: LocalServer) -> None:
    whole = {w["after"]: w for w in selection(recorded, "recorded")["waits"]}
    total = recorded.ask("/api/traces/recorded/latency").json()["total"]
    assert "throttling" not in whole
    for kind in ("wakeup", "preemption"):
        assert {"waits": whole[kind]["waits"], "wait_ns": whole[kind]["wait_ns"]} == {
            name: total[kind][name] for name in ("waits", "wait_ns")
        }
        assert whole[kind]["longest_ns"] == total[kind]["longest_ns"]


def test_a_wait_over_queues_is_one_and_its_time_without_quota_counts_apart(tmp_path: Path, worker_drawing: str) -> None:
    path = tmp_path / "quota.duckdb"
    build_drawn(worker_drawing, path, CheckOptions(tables="all"))
    states = (
        "(1, 10, 5, 1, 0), (1, 15, 5, 1, 3), (1, 20, 20, 7, 3), (1, 40, 10, 1, 2), (1, 50, 30, 0, 2), (1, 80, 9, 2, 2)"
    )
    with duckdb.connect(str(path)) as con:
        con.execute(f"TRUNCATE thread_state; INSERT INTO thread_state VALUES {states}")
    with serving([path], Settings(port=0)) as served:

        def waits(**place: object) -> dict[str, tuple[int, int, int]]:
            found = selection(served, "quota", **place)["waits"]
            return {w["after"]: (w["waits"], w["wait_ns"], w["longest_ns"]) for w in found}

        assert waits(start=0, end=100) == {"wakeup": (1, 20, 20), "preemption": (1, 9, 9), "throttling": (1, 20, 20)}
        assert waits(start=12, end=45, cpus="0,2") == {"wakeup": (1, 8, 8)}
        assert waits(start=25, end=35) == {"throttling": (1, 10, 10)}


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
        101: {
            "run_ns": 5_000, "runs": 1, "wait_ns": 5_000, "waits": 1, "longest_wait_ns": 5_000,
            "longest_wait_at_ns": 70_000, "blocked_ns": 20_000,
        }
    }  # fmt: skip


def test_a_wait_in_an_episode_counts_for_its_cause(drawn: LocalServer) -> None:
    whole = selection(drawn, "overloaded")
    assert whole["episodes"], "the drawing has waste that lasts"
    assert sum(c["avoidable_ns"] for c in whole["causes"]) == sum(t["avoidable_ns"] for t in whole["threads"])
    assert whole["causes"][0]["placed_by"] is not None
    assert whole["causes"][0]["episodes"] >= 1
    assert whole["causes"][0]["worst_episode_id"] in whole["episodes"]
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


def reasons(served: LocalServer, trace: str, **parameters: object) -> dict[str, int] | None:
    query = "&".join(f"{name}={value}" for name, value in parameters.items())
    found = served.ask(f"/api/traces/{trace}/selection/reasons?{query}").json()["reasons"]
    return None if found is None else {row["reason"]: row["wait_ns"] for row in found}


def test_why_threads_waited_in_a_range_is_the_wait_ledger_of_it(drawn: LocalServer) -> None:
    utid = {r["tid"]: r["utid"] for r in drawn.ask("/api/traces/worker/threads").arrow().to_pylist()}
    whole = reasons(drawn, "worker", start=20_000, end=80_000)
    assert whole is not None and whole["avoidable"] == 30_000
    assert sum(whole.values()) == selection(drawn, "worker", start=20_000, end=80_000)["wait_ns"] == 35_000
    of_one = reasons(drawn, "worker", start=20_000, end=80_000, lanes=f"t{utid[101]}")
    assert of_one is not None and sum(of_one.values()) == 15_000 and of_one["avoidable"] == 10_000
    on_one = reasons(drawn, "worker", start=20_000, end=80_000, cpus=1)
    assert on_one is not None and sum(on_one.values()) == 5_000
    assert reasons(drawn, "worker", start=0, end=1) == {}


def test_reasons_name_what_kept_a_thread_from_idle_cpus_and_for_whom_it_waited(tmp_path: Path) -> None:
    drawing = """
        cpus 0-1
        window 0us 100us
        0us thread 100 a on 0 running mask 0 cgroup 1
        0us thread 101 b on 0 asleep mask 0 cgroup 2
        0us thread 102 b on 0 asleep mask 0 cgroup 2
        0us cpu 1 idle
        10us wakeup 101 on 0
        20us wakeup 102 on 0
    """
    build_drawn(drawing, tmp_path / "named.duckdb")
    with duckdb.connect(str(tmp_path / "named.duckdb")) as con:
        con.execute("INSERT INTO cgroup BY NAME SELECT 1 AS cgroup_id, '/system.slice/a.service' AS path")
        con.execute("INSERT INTO cgroup BY NAME SELECT 2 AS cgroup_id, '/system.slice/b.service' AS path")
    with serving([tmp_path / "named.duckdb"], Settings(port=0)) as served:
        found = served.ask("/api/traces/named/selection/reasons?start=30000&end=40000").json()["reasons"]
    assert [(row["reason"], row["wait_ns"], row["of"], row["others"]) for row in found] == [
        ("confined", 10_000, [{"name": "outside its affinity mask", "wait_ns": 10_000}], 0),
        ("neighbour", 10_000, [{"name": "a.service", "wait_ns": 10_000}], 0),
    ]


def test_a_range_with_too_many_events_around_it_has_no_reasons(tmp_path: Path) -> None:
    build_drawn(OVERLOADED, tmp_path / "long.duckdb")
    with serving([tmp_path / "long.duckdb"], Settings(port=0, window_events=3)) as served:
        assert reasons(served, "long", start=60_000_000, end=70_000_000) is None
        assert reasons(served, "long"), "the ledger of the whole trace is there"
