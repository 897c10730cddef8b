"""The shipped scenarios, and the schedulers they can name."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from wastenot import replay
from wastenot._native import ArrowStream

SHIPPED = {s.name: s for s in replay.shipped()}


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_every_scenario_runs_and_says_in_a_line_what_it_shows(name: str) -> None:
    scenario = SHIPPED[name]
    assert scenario.about.endswith(".") and len(scenario.about) < 160
    assert scenario.expect and "\n" not in scenario.about + scenario.expect
    ended = replay.simulate(scenario)
    assert ended.events > 0 and (scenario.provokes is None or scenario.provokes in ended.faults)


def test_every_fault_has_a_scenario_and_a_full_description() -> None:
    for fault in replay.faults():
        assert SHIPPED[f"fault-{fault.name}"].provokes == fault.name
        assert fault.does and fault.fix and fault.source and fault.counterfactual


def test_a_fault_is_off_where_it_is_fixed_and_on_where_it_is_asked_for() -> None:
    pinned = SHIPPED["pinned"]
    assert replay.simulate(pinned).faults == ()
    assert replay.simulate(pinned, replay.Settings(fault=("cache-hot",))).faults == ("cache-hot",)
    shipped = replay.simulate(pinned, replay.Settings(fault=("shipped",), release="4.1"))
    assert set(shipped.faults) == {f.name for f in replay.faults() if "4.1" in f.shipped}
    assert replay.simulate(SHIPPED["nodes-ep"], replay.Settings(fixed=("all",))).faults == ()


def test_threads_between_two_far_nodes_take_twice_as_long_under_the_construction_bug() -> None:
    scenario = SHIPPED["nodes-ep"]
    slow = replay.simulate(scenario).ended_ns("ep")
    fast = replay.simulate(scenario, replay.Settings(fixed=("group-construction",))).ended_ns("ep")
    assert slow is not None and fast is not None
    assert slow / fast == pytest.approx(2, rel=0.05)


def test_a_scheduler_without_balancing_wastes_what_a_shared_queue_does_not() -> None:
    def run_ns(scheduler: str) -> int:
        ended = replay.simulate(SHIPPED["make"], replay.Settings(scheduler=scheduler))
        return ended.end_ns

    assert set(replay.schedulers()) > {"kernel", "fifo-machine", "queues"}
    assert run_ns("queues") > 4 * run_ns("fifo-machine")


def test_idle_cpus_that_are_not_called_do_not_steal() -> None:
    ends = {s: replay.simulate(SHIPPED["make"], replay.Settings(scheduler=s)).end_ns
            for s in ("queues", "queues-steal", "queues-call")}  # fmt: skip
    assert ends["queues-steal"] > 4 * ends["queues-call"]


def test_a_constant_can_be_scaled_and_others_are_refused() -> None:
    slower = replay.Settings(scale={"fork": (100, 1)})
    storm = SHIPPED["fork-storm"]
    assert replay.simulate(storm, slower).events < replay.simulate(storm).events
    with pytest.raises(replay.WastenotError, match=r"fork-storm: .* is not a constant; one of switch"):
        replay.simulate(storm, replay.Settings(scale={"gravity": (1, 1)}))


def test_what_emit_raises_goes_through() -> None:
    def emit(_table: str, _stream: ArrowStream) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replay.simulate(SHIPPED["pinned"], emit=emit)


def test_event_ids_are_dense_over_all_tables() -> None:
    ids: list[int] = []

    def emit(_table: str, stream: ArrowStream) -> None:
        table = pa.RecordBatchReader.from_stream(stream).read_all()
        if "id" in table.column_names:
            ids.extend(table.column("id").to_pylist())

    ended = replay.simulate(SHIPPED["database"], emit=emit)
    assert sorted(ids) == list(range(ended.events))


MOVES_OF_ATTEMPTS = """
    SELECT
        count(*) AS moves,
        count(*) FILTER (NOT EXISTS (
            FROM domain_group g
            WHERE g.cpu = a.dst_cpu AND g.level = a.domain_level
                AND list_contains(g.cpus, m.orig_cpu) AND NOT list_contains(g.cpus, a.dst_cpu)
        )) AS of_own_groups_alone
    FROM balance_attempt a
    JOIN sched_migrate_task m ON m.cpu = a.cpu AND m.ts_ns BETWEEN a.ts_ns AND a.ts_ns + a.dur_ns
    WHERE a.pulled > 0 AND a.domain_level IS NOT NULL"""


CROWD = """
about = "Threads that run and sleep, started on one node of a machine whose groups overlap."
expect = "attempts over nodes that move threads"
machine = "opteron"
release = "4.1"
faults = ["group-construction"]
evidence_level = "L2"

[workload]
limit = "1s"
programs.busy = [{ repeat = { times = 40, body = [
  { run = { uniform = ["3ms", "30ms"] } }, { sleep = { uniform = ["1ms", "9ms"] } }
] } }]
threads = [{ program = "busy", count = 90, threads = true, cpus = "8-63", from = 8 }]
"""


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_attempts_take_threads_out_of_groups_without_the_cpu_they_are_for(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "crowd.toml"
    path.write_text(CROWD)
    tables: dict[str, list[pa.Table]] = {}

    def emit(table: str, stream: ArrowStream) -> None:
        tables.setdefault(table, []).append(pa.RecordBatchReader.from_stream(stream).read_all())

    replay.simulate(replay.read(path), replay.Settings(seed=seed), emit)
    with duckdb.connect() as connection:
        for table in ("domain_group", "balance_attempt", "sched_migrate_task"):
            connection.register(table, pa.concat_tables(tables[table]))
        moves, of_own_groups_alone = connection.execute(MOVES_OF_ATTEMPTS).fetchall()[0]
    assert moves > 1000 and of_own_groups_alone == 0


def test_rt_app_tasks_become_programs(tmp_path: Path) -> None:
    path = tmp_path / "app.json"
    task = {"instance": 2, "loop": 10, "run": 1000, "sleep": 1000, "barrier": "b"}
    path.write_text(f'{{"tasks": {{ "t": {json.dumps(task)} /* two of them */ }} }}')
    ended = replay.simulate(replay.read(path))
    assert ended.finished and ended.threads[0]["threads"] == 2
    assert 20e6 <= ended.end_ns < 30e6


def test_rt_app_deadline_tasks_become_deadline_threads(tmp_path: Path) -> None:
    path = tmp_path / "app.json"
    timer = {"ref": "tick", "period": 10000, "mode": "absolute"}
    task = {"instance": 2, "loop": 20, "delay": 5000, "policy": "SCHED_DEADLINE", "dl-runtime": 3000}
    task |= {"dl-period": 10000, "run": 2000, "timer": timer}
    path.write_text(json.dumps({"tasks": {"t": task}}))
    scenario = replay.read(path)
    deadline = 'deadline = { runtime = "3000us", deadline = "10000us", period = "10000us" }'
    assert deadline in scenario.text and 'timer = { period = "10000us", late = "catch_up" }' in scenario.text
    ended = replay.simulate(scenario)
    assert ended.finished and 200e6 <= ended.end_ns < 210e6
    (threads,) = ended.threads
    # A job for each wakeup: what a thread does before it first sleeps is none.
    assert (threads["deadline_jobs"], threads["deadlines_missed"], threads["tardiness_max_ns"]) == (40, 0, 0)


def test_a_deadline_thread_that_is_not_admitted_is_named() -> None:
    text = SHIPPED["deadline-overload"].text.replace("rt_runtime_us = -1", "")
    with pytest.raises(
        replay.WastenotError, match=r'deadline thread "video" \(tid \d+\) is refused: .*EBUSY'
    ) as raised:
        replay.simulate(replay.parse(text, "overload"))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "missed"),
    [("deadline-near-bound", set()), ("deadline-overload", {"video"}), ("deadline-overrun", {"control"})],
)
def test_deadline_scenarios_miss_what_they_say(name: str, missed: set[str]) -> None:
    ended = replay.simulate(SHIPPED[name])
    assert {t["name"] for t in ended.threads if t["deadlines_missed"]} == missed
    assert sum(t["deadline_jobs"] for t in ended.threads) > 100


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("{", "line 1: "),
        ("[]", "not an rt-app workload"),
        ('{"tasks": {"t": 1}}', "task 't': an object"),
        ('{"tasks": {"t": {"run": 1, "iorun": 5}}}', "t: 'iorun' does not map"),
        ('{"tasks": {"t": {"run": "x"}}}', "t: run is not a whole number"),
        ('{"tasks": {"t": {"cpus": ["a"], "run": 1}}}', "t: cpus is not a list"),
        ('{"tasks": {"t": {"policy": "SCHED_DEADLINE", "run": 1}}}', "t: policy SCHED_DEADLINE without dl-runtime"),
        ('{"tasks": {"t": {"phases": {"p": {"dl-runtime": 1, "run": 1}}}}}', "t.p: 'dl-runtime' does not map"),
        ('{"tasks": {"t": {"run": 1, "timer": 5, "timer1": {"ref": "b", "period": 5}}}}', "two timers does not map"),
        ('{"tasks": {"t": {"timer": {"period": 5, "mode": "odd"}}}}', "timer: period 5, mode 'odd' does not map"),
        ('{"tasks": {"t": {"policy": "SCHED_SPORADIC", "run": 1}}}', "SCHED_SPORADIC does not map"),
    ],
)
def test_what_of_rt_app_does_not_map_is_named(tmp_path: Path, text: str, reported: str) -> None:
    path = tmp_path / "app.json"
    path.write_text(text)
    with pytest.raises(replay.WastenotError, match=r"app\.json: ") as raised:
        replay.read(path)
    assert reported in str(raised.value) and "\n" not in str(raised.value)
