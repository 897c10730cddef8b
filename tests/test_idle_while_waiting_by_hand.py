"""The oracles themselves, on traces small enough to integrate by hand (microseconds, two CPUs)."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from types import ModuleType

import duckdb
import pytest

US = 1000


class Trace:
    """A store under construction; each call is one event."""

    def __init__(self, con: duckdb.DuckDBPyConnection, oracle: ModuleType, oracle_sql: str) -> None:
        self.con = con
        self.oracle = oracle
        self.oracle_sql = oracle_sql
        self.id = 0
        self.renamed = False  # the SQL does not follow renames
        con.execute((files("wastenot.schemas") / "generated/schema.sql").read_text())

    def row(self, table: str, **columns: object) -> None:
        names = ", ".join(columns)
        self.con.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(columns))})", [*columns.values()])

    def event(self, table: str, us: int, **columns: object) -> None:
        self.row(table, id=self.id, ts_ns=us * US, **columns)
        self.id += 1

    def switch(self, us: int, cpu: int, prev: int, state: int, chosen: int) -> None:
        self.event("sched_switch", us, cpu=cpu, prev_tid=prev, prev_state=state, next_tid=chosen)

    def wakeup(self, us: int, tid: int, target: int) -> None:
        self.event("sched_wakeup", us, cpu=target, tid=tid, target_cpu=target, is_new=False)

    def upper_us(self, end_us: int) -> float:
        self.row(
            "trace",
            schema_version=1,
            source="drawn",
            recorder="test",
            clock="monotonic",
            start_ns=0,
            end_ns=end_us * US,
            end_reason="source",
            complete=True,
            events=self.id,
            evidence_level="L0",
            notes=[],
            unverified=[],
            options="{}",
        )
        idle_while_waiting = self.oracle.idle_while_waiting_ns(self.con)
        if not self.renamed:
            row = self.con.execute(self.oracle_sql).fetchone()
            assert row == (idle_while_waiting,), "the sweep and the SQL disagree"
        return float(idle_while_waiting) / US


@pytest.fixture
def trace(oracle: ModuleType, oracle_sql: str) -> Iterator[Trace]:
    with duckdb.connect() as con:
        yield Trace(con, oracle, oracle_sql)


R, S = 0, 2


def idle_cpu_1_busy_cpu_0(trace: Trace) -> None:
    trace.switch(0, 1, 9, S, 0)
    trace.switch(0, 0, 0, R, 5)


def test_a_waiter_beside_an_idle_cpu_counts_from_its_wakeup_until_it_runs(trace: Trace) -> None:
    idle_cpu_1_busy_cpu_0(trace)
    trace.wakeup(10, 6, 0)
    trace.switch(40, 0, 5, S, 6)
    assert trace.upper_us(100) == 30


def test_a_preempted_thread_goes_on_waiting(trace: Trace) -> None:
    idle_cpu_1_busy_cpu_0(trace)
    trace.switch(20, 0, 5, R, 6)
    assert trace.upper_us(100) == 80


def test_the_longest_waiter_of_an_idle_cpu_is_about_to_run(trace: Trace) -> None:
    idle_cpu_1_busy_cpu_0(trace)
    trace.wakeup(10, 6, 1)
    assert trace.upper_us(100) == 0


def test_a_second_waiter_of_an_idle_cpu_counts_only_beside_another_idle_cpu(trace: Trace) -> None:
    idle_cpu_1_busy_cpu_0(trace)
    trace.wakeup(10, 6, 1)
    trace.wakeup(20, 7, 1)
    trace.switch(50, 0, 5, S, 0)
    trace.switch(60, 1, 0, R, 6)
    trace.switch(70, 0, 0, R, 8)
    assert trace.upper_us(100) == 20


def test_a_silent_cpu_is_not_idle(trace: Trace) -> None:
    trace.switch(0, 0, 0, R, 5)
    trace.wakeup(10, 6, 0)
    assert trace.upper_us(100) == 0


def test_an_offline_cpu_is_not_idle(trace: Trace) -> None:
    idle_cpu_1_busy_cpu_0(trace)
    trace.wakeup(10, 6, 0)
    trace.event("cpu_hotplug", 30, cpu=1, online=False)
    assert trace.upper_us(100) == 20


def test_a_queued_thread_moves_with_a_migration_and_a_sleeping_one_does_not(trace: Trace) -> None:
    idle_cpu_1_busy_cpu_0(trace)
    trace.wakeup(10, 6, 0)
    trace.event("sched_migrate_task", 30, cpu=1, tid=6, orig_cpu=0, dest_cpu=1)
    trace.event("sched_migrate_task", 40, cpu=1, tid=9, orig_cpu=1, dest_cpu=0)
    assert trace.upper_us(100) == 20


def test_a_wakeup_of_a_running_thread_changes_nothing(trace: Trace) -> None:
    idle_cpu_1_busy_cpu_0(trace)
    trace.wakeup(10, 5, 0)
    assert trace.upper_us(100) == 0


def test_an_exec_by_a_non_leader_renames_the_thread(trace: Trace) -> None:
    idle_cpu_1_busy_cpu_0(trace)
    trace.renamed = True
    trace.event("process_exec", 10, cpu=0, tid=4, old_tid=5)
    trace.switch(20, 0, 4, R, 7)
    trace.switch(50, 0, 7, S, 4)
    assert trace.upper_us(100) == 30


def test_a_throttled_thread_waits_but_in_no_queue(trace: Trace) -> None:
    idle_cpu_1_busy_cpu_0(trace)
    trace.event("throttle", 10, cpu=0, tid=5, throttled=True, error_ns=0)
    trace.switch(10, 0, 5, R, 0)
    trace.event("throttle", 40, cpu=0, tid=5, throttled=False, error_ns=0)
    assert trace.upper_us(100) == 30


def test_a_trace_with_losses_is_refused(trace: Trace) -> None:
    idle_cpu_1_busy_cpu_0(trace)
    trace.event("lost_events", 10, end_ns=20 * US, cpu=0, count=1, what="any")
    with pytest.raises(trace.oracle.LostEventsError, match="1 rows in lost_events"):
        trace.upper_us(100)


def test_a_thread_whose_leaving_was_not_recorded_waits_for_nothing_until_it_is_woken(trace: Trace) -> None:
    idle_cpu_1_busy_cpu_0(trace)
    trace.switch(20, 0, 7, R, 8)  # 5 ran here, and no event shows that it stopped; 7 waits
    trace.switch(30, 0, 8, S, 7)
    trace.wakeup(50, 5, 0)
    assert trace.upper_us(100) == 10 + 50


def test_a_dying_cpu_that_still_switches_is_not_idle_until_it_is_back(trace: Trace) -> None:
    idle_cpu_1_busy_cpu_0(trace)
    trace.wakeup(10, 6, 0)
    trace.event("cpu_hotplug", 30, cpu=1, online=False)
    trace.switch(40, 1, 0, R, 11)
    trace.switch(50, 1, 11, S, 0)
    trace.event("cpu_hotplug", 70, cpu=1, online=True)
    trace.switch(80, 1, 11, S, 0)
    assert trace.upper_us(100) == 20 + 20
