"""Kernel stacks of moves, wakeups and switches: drawn traces to the event, a real one against the raw tables."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from drawing import build_drawn
from wastenot.analyzer import CheckOptions, ImportOptions, import_source
from wastenot.analyzer.store.opening import open_read_only
from wastenot.web import Settings
from wastenot.web.local import LocalServer, serving

TRACES = Path(__file__).resolve().parents[3] / "fixtures/traces"

DRAWN = """
cpus 0-1
window 0us 100us
0us cpu 0 runs 100
0us cpu 1 idle
0us thread 100 hog on 0 running mask 0-1
0us thread 101 worker on 0 asleep mask 0-1
10us waking 101 last 0
10us stack waking 101 on 0 by try_to_wake_up < futex_wake
11us wakeup 101 on 0
11us stack wakeup 101 on 0 by ttwu_do_activate < sched_ttwu_pending
20us migrate 101 from 0 to 1 by newidle
25us switch 1: 0 R -> 101
60us switch 1: 101 D -> 0
60us stack switch 101 on 1 by schedule < io_schedule
70us wakeup 101 on 1
70us stack wakeup 101 on 1 by try_to_wake_up < blk_done
75us switch 1: 0 R -> 101
80us switch 1: 101 S -> 0
80us stack switch 101 on 1 by schedule < futex_wait
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    folder = tmp_path_factory.mktemp("stacks")
    build_drawn(DRAWN, folder / "drawn.duckdb", CheckOptions(tables="all"))
    import_source(TRACES / "guest-6.1/perf.data", folder / "real.duckdb", ImportOptions(), CheckOptions())
    with serving(sorted(folder.glob("*.duckdb")), Settings(port=0, tables_seconds=60.0)) as server:
        yield server


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real trace once more, for queries of the tests' own."""
    path = tmp_path_factory.mktemp("raw") / "real.duckdb"
    import_source(TRACES / "guest-6.1/perf.data", path, ImportOptions(), CheckOptions())
    return path


def stacks(served: LocalServer, trace: str, of: str, **parameters: object) -> dict[str, Any]:
    query = "".join(f"&{name}={value}" for name, value in parameters.items())
    answer: dict[str, Any] = served.ask(f"/api/traces/{trace}/stacks?of={of}{query}").json()
    return answer


def counted(answer: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """Events and time by the outermost function."""
    return {stack["symbols"][-1]: (stack["events"], stack["ns"]) for stack in answer["stacks"]}


def test_switches_have_the_state_and_the_time_until_the_thread_ran_again(served: LocalServer) -> None:
    found = stacks(served, "drawn", "switches")
    assert counted(found) == {"futex_wait": (1, 20_000), "io_schedule": (1, 15_000)}
    assert [stack["state"] for stack in found["stacks"]] == ["sleeping", "blocked"]
    assert (found["events"], found["with_stack"], found["ns"]) == (2, 2, 35_000)
    # Until the end of the window, where it ran no more within it.
    assert counted(stacks(served, "drawn", "switches", start=50_000, end=70_000)) == {"io_schedule": (1, 10_000)}


def test_a_wakeup_has_the_stack_of_its_waker_and_not_of_the_interrupt_that_completes_it(served: LocalServer) -> None:
    assert counted(stacks(served, "drawn", "wakeups")) == {"futex_wake": (1, 0), "blk_done": (1, 0)}
    assert counted(stacks(served, "drawn", "wakeups", start=11_000, end=12_000)) == {"futex_wake": (1, 0)}


def test_moves_count_by_the_cpu_that_they_lead_to(served: LocalServer) -> None:
    assert counted(stacks(served, "drawn", "moves")) == {"idle_balance": (1, 0)}
    assert stacks(served, "drawn", "moves", cpus="0")["events"] == 0


def test_a_range_can_be_of_threads(served: LocalServer) -> None:
    utid = {row["tid"]: row["utid"] for row in served.ask("/api/traces/drawn/threads").arrow().to_pylist()}
    assert stacks(served, "drawn", "wakeups", lanes=f"t{utid[101]}")["events"] == 2
    assert stacks(served, "drawn", "wakeups", lanes=f"t{utid[100]}")["events"] == 0


def test_an_instant_has_the_stacks_of_the_wakeup_the_move_and_the_switch_that_ends_its_run(served: LocalServer) -> None:
    utid = {row["tid"]: row["utid"] for row in served.ask("/api/traces/drawn/threads").arrow().to_pylist()}[101]

    def outermost(at: int) -> list[tuple[str, str]]:
        found = served.ask(f"/api/traces/drawn/threads/{utid}/instant?at={at}").json()["stacks"]
        return [(stack["of"], stack["symbols"][-1]) for stack in found]

    run = [
        ("sched_waking", "futex_wake"), ("sched_wakeup", "sched_ttwu_pending"),
        ("sched_migrate_task", "idle_balance"), ("sched_switch", "io_schedule"),
    ]  # fmt: skip
    assert outermost(30_000) == run
    assert outermost(65_000) == [
        ("sched_switch", "io_schedule"),
        ("sched_wakeup", "blk_done"),
    ]  # blocked: from start to end


def test_without_stacks_the_answer_says_how_to_record_them(served: LocalServer) -> None:
    found = stacks(served, "drawn", "wakeups", start=0, end=5_000)
    assert (found["events"], found["why_absent"]) == (0, None)
    found = stacks(served, "drawn", "switches", start=0, end=30_000)
    assert (found["events"], found["with_stack"], found["why_absent"]) == (0, 0, None)


@pytest.mark.parametrize("seed", range(6))
def test_stacks_of_a_real_trace_are_those_of_its_raw_events(served: LocalServer, raw: Path, seed: int) -> None:
    """Brute force: each event of a random window with the row of `event_stack` of its time, CPU and thread."""
    draw = random.Random(seed)
    with open_read_only(raw) as file:
        first, last = file.execute("SELECT start_ns, end_ns FROM trace").fetchone() or (0, 0)
        start, end = sorted(draw.sample(range(first, last), 2)) if seed else (first, last)
        cpus = [c for (c,) in file.execute("SELECT cpu FROM cpu ORDER BY cpu").fetchall()]
        chosen = draw.sample(cpus, max(1, len(cpus) // 2)) if seed % 2 else []
        symbols = dict(file.execute("SELECT stack_id, symbols FROM stack").fetchall())
        rows = file.execute("SELECT ts_ns, cpu, tid, stack_event_name(of), stack_id FROM event_stack").fetchall()
        of_event = {row[:4]: row[4] for row in rows}
        switches = file.execute(
            "SELECT ts_ns, cpu, prev_tid, task_state_name(prev_state), next_tid FROM sched_switch "
            "WHERE ts_ns >= ? AND ts_ns < ? ORDER BY id",
            [start, end],
        ).fetchall()
    runs: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for at, (ts, _, _, _, tid) in enumerate(switches):
        runs[tid].append((at, ts))
    expected: Counter[tuple[str, ...]] = Counter()
    times: Counter[tuple[str, ...]] = Counter()
    for at, (ts, cpu, tid, letter, _) in enumerate(switches):
        stack = of_event.get((ts, cpu, tid, "sched_switch"))
        if tid == 0 or stack is None or (chosen and cpu not in chosen):
            continue
        key = tuple(symbols[stack])
        expected[key] += 1
        if letter not in ("X", "Z"):
            times[key] += next((back for later, back in runs[tid] if later > at), end) - ts
    found = stacks(served, "real", "switches", start=start, end=end, cpus=",".join(map(str, chosen)))
    assert not found["truncated"]
    got, got_times = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    for stack in found["stacks"]:
        got[tuple(stack["symbols"])] += stack["events"]
        got_times[tuple(stack["symbols"])] += stack["ns"]
    assert got == expected
    assert +got_times == +times
    if seed == 0:
        assert len(expected) > 1
