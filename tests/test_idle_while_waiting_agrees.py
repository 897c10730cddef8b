"""Checker, numpy and plain SQL agree on idle_while_waiting to the nanosecond, on random histories of a scheduler."""

from __future__ import annotations

import random
from types import ModuleType

import duckdb
import pyarrow as pa
import pytest
from drawing import draw
from wastenot.analyzer.store.checking import CheckOptions, run_check
from wastenot.analyzer.store.tables import schema_sql

OFF, QUEUED, RUNNING = "off", "queued", "running"


class History:
    """A scheduler that takes its decisions at random, and the drawing of what it did."""

    def __init__(self, seed: int, cpus: int, threads: int, events: int) -> None:
        self.random = random.Random(seed)
        self.now = 0
        self.current = [0] * cpus
        self.place: dict[int, tuple[str, int]] = {}
        self.throttled: set[int] = set()
        self.lines = [f"cpus 0-{cpus - 1}", "tick 4ms"]
        self.lines += [f"0ns cpu {cpu} idle" for cpu in range(cpus)]
        for tid in range(100, 100 + threads):
            cpu = self.random.randrange(cpus)
            queued = self.random.random() < 0.2
            self.place[tid] = (QUEUED, cpu) if queued else (OFF, cpu)
            self.lines.append(f"0ns thread {tid} t{tid} on {cpu} {'queued' if queued else 'asleep'} mask 0-{cpus - 1}")
        for _ in range(events):
            self.now += self.random.choice((0, 1, 7, 1000, 30_000))
            self.random.choice(
                (self.switch, self.switch, self.switch, self.wakeup, self.wakeup, self.migrate, self.throttle)
            )()
        self.lines.insert(1, f"window 0ns {self.now + 500}ns")

    def say(self, text: str) -> None:
        self.lines.append(f"{self.now}ns {text}")

    def runnable(self, cpu: int) -> list[int]:
        return [t for t, place in self.place.items() if place == (QUEUED, cpu) and t not in self.throttled]

    def switch(self) -> None:
        cpu = self.random.randrange(len(self.current))
        previous = self.current[cpu]
        others = self.runnable(cpu)
        state = "R"
        if previous:
            state = self.random.choice(("S", "D", "R")) if previous not in self.throttled else "R"
            self.place[previous] = (QUEUED, cpu) if state == "R" else (OFF, cpu)
        chosen = self.random.choice(others) if others else 0
        if chosen == previous:
            return
        self.say(f"switch {cpu}: {previous} {state} -> {chosen}")
        self.current[cpu] = chosen
        if chosen:
            self.place[chosen] = (RUNNING, cpu)

    def wakeup(self) -> None:
        tid = self.random.choice(list(self.place))
        state, cpu = self.place[tid]
        if state == OFF:
            cpu = self.random.randrange(len(self.current))
            self.place[tid] = (QUEUED, cpu)
        self.say(f"wakeup {tid} on {cpu}")  # of a thread that runs or waits: changes nothing

    def migrate(self) -> None:
        tid = self.random.choice(list(self.place))
        state, cpu = self.place[tid]
        if state == RUNNING:
            return
        target = self.random.randrange(len(self.current))
        self.say(f"migrate {tid} from {cpu} to {target}")
        self.place[tid] = (state, target)

    def throttle(self) -> None:
        tid = self.random.choice(list(self.place))
        if tid in self.throttled:
            self.throttled.discard(tid)
            self.say(f"throttle {tid} off")
        elif self.place[tid][0] == QUEUED:
            self.throttled.add(tid)
            self.say(f"throttle {tid} on")


@pytest.mark.parametrize("seed", range(20))
def test_three_ways_to_one_figure(seed: int, oracle: ModuleType, oracle_sql: str) -> None:
    history = History(seed, cpus=1 + seed % 5, threads=3 + seed, events=600)
    with duckdb.connect() as con:
        con.execute(schema_sql())
        for table, stream in draw("\n".join(history.lines)).items():
            con.register("drawn", pa.RecordBatchReader.from_stream(stream).read_all())
            con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM drawn")
            con.unregister("drawn")
        run_check(con, CheckOptions(strict=True))
        checked = con.execute("SELECT idle_while_waiting_ns FROM verdict").fetchone()
        by_sql = con.execute(oracle_sql).fetchone()
        assert checked is not None and by_sql is not None
        assert checked[0] > 0 or len(history.current) == 1, "a history in which nothing is to be counted proves nothing"
        assert (checked[0], by_sql[0]) == (oracle.idle_while_waiting_ns(con),) * 2
