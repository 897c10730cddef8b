"""A slow, obvious checker: docs/semantics.md, sections on state and invariant, and nothing else.

One dict of CPUs, one of threads. After every event the whole state is looked at, the matchings are found by brute force
and multiplied by the time until the next event. It shares no code with the checker; where the two agree to the
nanosecond, the definitions have been read the same way twice.

`walk` takes events as (time, table, row), rows by the column names of the raw tables (docs/reference/tables.md);
`events_of` reads them from a trace.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import duckdb

EXCUSES = (
    "per_cpu_thread", "migration_disabled", "cpuset", "affinity", "throttled", "isolated", "cookie", "irq_busy",
)  # fmt: skip
RUNNABLE = {"R", "R+"}
DEAD = {"X", "Z"}
SHORTEST_IRQ_NS = 20_000

PER_CPU_NAMES = re.compile(
    r"(kworker/\d+:.*|(ksoftirqd|migration|cpuhp|idle_inject|irq_work|rcuc|ktimers|watchdog)/\d+)$"
)
"""Kernel threads that are per CPU by their name: users of kernel/smpboot.c, workers of a CPU (not `kworker/u8:1`)."""

Row = dict[str, Any]
Event = tuple[int, str, Row]
Cpus = frozenset[int]


@dataclass
class Cpu:
    """A CPU."""

    online: bool = True
    is_back_at_next: bool = False
    """A snapshot said that it is offline: its next switch or snapshot brings it back."""
    current: Thread | None = None
    """What runs; SWAPPER for swapper, None where nothing is known."""
    blind_until: int = -1
    in_doubt: bool = False
    exit_inferred: bool = False
    """Its latest exit from idle was inferred."""
    idle_since: int = 0
    irq_until: int = -1
    isolated: bool = False
    siblings: tuple[int, ...] = ()


@dataclass(eq=False)
class Thread:
    """A thread."""

    tid: int
    name: str = ""
    place: str = "unknown"
    """unknown, running, queued, off or dead."""
    cpu: int = 0
    since: int = 0
    """Since when it is in that place; a wait goes on when the thread is moved."""
    arrived: int = 0
    """Order of arrival on its queue."""
    mask: Cpus | None = None
    cpuset: Cpus | None = None
    cookie: int = 0
    is_bound: bool = False
    """A recorder said that it is a per-CPU kernel thread."""
    migration_disabled: bool = False
    throttled: bool = False
    run_ns: int = 0
    wait_ns: int = 0
    is_bound_by_name: bool = False

    @property
    def per_cpu(self) -> bool:
        """A per-CPU kernel thread: recorded as one, or by its name where its mask is not known."""
        return self.is_bound or (self.mask is None and self.is_bound_by_name)


SWAPPER = Thread(0, "swapper")


@dataclass
class Result:
    """Integrals in core-nanoseconds, and what each thread did with its time."""

    idle_while_waiting: int = 0
    wasted: int = 0
    certain: int = 0
    excused: dict[str, int] = field(default_factory=lambda: dict.fromkeys(EXCUSES, 0))
    threads: Counter[tuple[int, str, int, int]] = field(default_factory=Counter)
    inferred: Counter[str] = field(default_factory=Counter)
    """Repairs and contradictions that were met."""


@dataclass(frozen=True)
class Machine:
    """What does not change: CPUs that are online, isolated ones, SMT siblings."""

    online: tuple[int, ...]
    isolated: Cpus = frozenset()
    siblings: dict[int, tuple[int, ...]] = field(default_factory=dict)


def largest_matching(edges: list[list[int]]) -> int:
    """Size of a maximum matching; `edges` lists for each waiting thread the CPUs it may use."""
    taken: dict[int, int] = {}

    def place(thread: int, tried: set[int]) -> bool:
        for cpu in edges[thread]:
            if cpu not in tried:
                tried.add(cpu)
                if cpu not in taken or place(taken[cpu], tried):
                    taken[cpu] = thread
                    return True
        return False

    return sum(place(thread, set()) for thread in range(len(edges)))


class Walk:
    """The state of a trace, event after event."""

    def __init__(self, machine: Machine, start_ns: int) -> None:
        self.cpus = {cpu: Cpu() for cpu in machine.online}
        self.machine = machine
        self.by_tid: dict[int, Thread] = {}
        self.threads: list[Thread] = []
        self.now = start_ns
        self.arrivals = 0
        self.result = Result()
        self.known: dict[Any, list[int]] = {}

    # ---- time

    def reach(self, ts_ns: int) -> None:
        """Let time pass, with the figures of the state as it is."""
        ends = {cpu.irq_until for cpu in self.cpus.values() if self.now < cpu.irq_until < ts_ns}
        for until in [*sorted(ends), ts_ns]:
            if until > self.now:
                self.add_up(until - self.now)
                self.now = until

    def add_up(self, dur_ns: int) -> None:
        idle = [n for n, cpu in self.cpus.items() if self.is_idle(n, cpu)]
        if not idle:
            return
        waiting = [t for t in self.threads if t.place == "queued" and not self.is_about_to_run(t)]
        if not waiting:
            return
        sizes, certain = self.matchings(idle, waiting)
        self.result.idle_while_waiting += sizes[0] * dur_ns
        self.result.wasted += sizes[-1] * dur_ns
        self.result.certain += certain * dur_ns
        for n, excuse in enumerate(EXCUSES):
            self.result.excused[excuse] += (sizes[n] - sizes[n + 1]) * dur_ns

    def matchings(self, idle: list[int], waiting: list[Thread]) -> tuple[list[int], int]:
        """M_0 to M_8, and M_8 over threads whose mask is known."""
        refusals = [[self.excuse(thread, cpu) for cpu in idle] for thread in waiting]
        certain = [thread.mask is not None or thread.per_cpu for thread in waiting]
        key = (tuple(map(tuple, refusals)), tuple(certain))
        if key not in self.known:
            sizes = [
                largest_matching([[n for n, first in enumerate(row) if first > k] for row in refusals])
                for k in range(len(EXCUSES) + 1)
            ]
            sure = [row for row, is_sure in zip(refusals, certain, strict=True) if is_sure]
            last = largest_matching([[n for n, first in enumerate(row) if first > len(EXCUSES)] for row in sure])
            self.known[key] = [*sizes, last]
        found = self.known[key]
        return found[:-1], found[-1]

    def excuse(self, thread: Thread, number: int) -> int:
        """Position (from 1) of the first excuse between a waiting thread and an idle CPU; beyond the last: none."""
        cpu = self.cpus[number]
        running = [self.cpus[s].current for s in self.machine.siblings.get(number, ()) if s in self.cpus]
        refuses = (
            thread.per_cpu,
            thread.migration_disabled,
            thread.cpuset is not None and number not in thread.cpuset,
            thread.mask is not None and number not in thread.mask,
            thread.throttled,
            number in self.machine.isolated,
            any(other not in (None, SWAPPER) and other.cookie != thread.cookie for other in running if other),
            self.now < cpu.irq_until,
        )
        return next((n for n, does in enumerate(refuses, 1) if does), len(EXCUSES) + 1)

    # ---- state

    def queue(self, cpu: int) -> list[Thread]:
        """Threads with quota on the queue of a CPU, longest there first."""
        there = [t for t in self.threads if t.place == "queued" and t.cpu == cpu and not t.throttled]
        return sorted(there, key=lambda t: t.arrived)

    def is_idle(self, number: int, cpu: Cpu) -> bool:
        return cpu.online and cpu.current is SWAPPER and not cpu.in_doubt and not self.queue(number)

    def is_about_to_run(self, thread: Thread) -> bool:
        cpu = self.cpus.get(thread.cpu)
        return cpu is not None and cpu.current is SWAPPER and self.queue(thread.cpu)[:1] == [thread]

    def is_blind(self, cpu: Cpu) -> bool:
        return not cpu.online or self.now < cpu.blind_until

    def thread(self, tid: int) -> Thread:
        """The thread that has this tid now."""
        if tid == 0:
            return SWAPPER
        thread = self.by_tid.get(tid)
        return self.new(tid) if thread is None or thread.place == "dead" else thread

    def new(self, tid: int) -> Thread:
        thread = Thread(tid, since=self.now)
        old = self.by_tid.get(tid)
        if old is not None and old.place != "dead":
            self.put(old, "dead")
        self.by_tid[tid] = thread
        self.threads.append(thread)
        return thread

    def put(self, thread: Thread, place: str, cpu: int | None = None) -> None:
        """The thread is somewhere else from now on."""
        if thread is SWAPPER:
            return
        if thread.place == "running" and self.cpus.get(thread.cpu, Cpu()).current is thread:
            self.cpus[thread.cpu].current = None
            if cpu is not None and cpu != thread.cpu:
                self.result.inferred["on_two_cpus"] += 1
        self.account(thread)
        if place == "queued" and not (thread.place == "queued" and thread.cpu == cpu):
            self.arrivals += 1
            thread.arrived = self.arrivals
        thread.place = place
        thread.cpu = thread.cpu if cpu is None else cpu
        if place == "dead":
            self.threads.remove(thread)
            self.count(thread)

    def account(self, thread: Thread) -> None:
        lasted = self.now - thread.since
        if thread.place == "running":
            thread.run_ns += lasted
        elif thread.place == "queued" and not thread.throttled:
            thread.wait_ns += lasted
        thread.since = self.now

    def count(self, thread: Thread) -> None:
        if thread.run_ns or thread.wait_ns:
            self.result.threads[thread.tid, thread.name, thread.run_ns, thread.wait_ns] += 1

    def runs(self, cpu: int, thread: Thread) -> None:
        """The thread runs there from now on."""
        if thread is not SWAPPER:
            self.put(thread, "running", cpu)
            self.set_throttled(thread, False)
        self.cpus[cpu].current = thread

    def set_throttled(self, thread: Thread, throttled: bool) -> None:
        self.account(thread)
        thread.throttled = throttled

    def forget_cpu(self, number: int) -> None:
        """Neither what runs there nor its queue is known any more."""
        cpu = self.cpus[number]
        if cpu.current not in (None, SWAPPER) and cpu.current is not None:
            self.put(cpu.current, "unknown")
        cpu.current = None
        for thread in [t for t in self.threads if t.place == "queued" and t.cpu == number]:
            self.put(thread, "unknown")

    def enqueue(self, thread: Thread, number: int) -> None:
        cpu = self.cpus.get(number)
        if cpu is None or self.is_blind(cpu):
            self.put(thread, "unknown", number)
        else:
            self.put(thread, "queued", number)

    # ---- events, by table

    def apply(self, table: str, row: Row) -> None:
        """One row; tables that change nothing have no method."""
        method = getattr(self, f"on_{table}", None)
        if method is not None:
            method(row)

    def on_sched_switch(self, row: Row) -> None:
        number = row["cpu"]
        cpu = self.cpus[number]
        prev, next_ = self.thread(row["prev_tid"]), self.thread(row["next_tid"])
        cpu.online, cpu.is_back_at_next = cpu.online or cpu.is_back_at_next, False
        if self.is_blind(cpu):
            self.leaves(prev, row["prev_state"], number)
            self.put(next_, "unknown", number)
            return
        self.settle_prev(number, cpu, prev)
        cpu.current = None
        self.leaves(prev, row["prev_state"], number)
        self.runs(number, next_)
        if next_ is SWAPPER:
            cpu.idle_since = self.now
            if cpu.exit_inferred:
                for thread in self.queue(number):
                    if thread.cookie == 0:
                        self.result.inferred["left_unseen"] += 1
                        self.put(thread, "unknown")

    def settle_prev(self, number: int, cpu: Cpu, prev: Thread) -> None:
        """Whether the thread that leaves is the one that was known to run, and what follows where it is not."""
        if cpu.current is SWAPPER and prev is SWAPPER:
            cpu.in_doubt = cpu.exit_inferred = False
        elif cpu.current is SWAPPER:
            self.result.inferred["missing_idle_exit"] += 1
            placed = prev.place == "queued" and prev.cpu == number and not prev.throttled
            cpu.exit_inferred = True
            cpu.in_doubt = not placed
            if placed:
                began = max(cpu.idle_since, prev.since)
                prev.wait_ns += began - prev.since
                prev.run_ns += self.now - began
                prev.since = self.now
        elif cpu.current is not None and cpu.current is not prev:
            self.result.inferred["switch_prev"] += 1
            self.put(cpu.current, "unknown")
        elif cpu.current is None and prev is SWAPPER:
            cpu.in_doubt = cpu.exit_inferred = False

    def leaves(self, thread: Thread, state: str, number: int) -> None:
        if thread is SWAPPER:
            return
        if state in RUNNABLE:
            self.put(thread, "off")  # a new wait begins
            self.enqueue(thread, number)
        else:
            self.put(thread, "dead" if state in DEAD else "off", number)

    def on_sched_wakeup(self, row: Row) -> None:
        thread = self.thread(row["tid"])
        if thread is not SWAPPER and thread.place != "running":
            self.enqueue(thread, row["target_cpu"])

    def on_sched_migrate_task(self, row: Row) -> None:
        thread = self.thread(row["tid"])
        if thread.place == "queued":
            self.enqueue(thread, row["dest_cpu"])
        elif thread.place != "running":
            thread.cpu = row["dest_cpu"]

    def on_process_fork(self, row: Row) -> None:
        parent = self.thread(row["parent_tid"])
        child = self.new(row["child_tid"])
        child.name = parent.name
        child.mask, child.cpuset, child.cookie = parent.mask, parent.cpuset, parent.cookie
        child.place = "off"

    def on_process_exec(self, row: Row) -> None:
        old = row["old_tid"]
        if old is None or old == row["tid"]:
            return
        thread = self.thread(old)
        leader = self.by_tid.get(row["tid"])
        if leader is not None and leader.place != "dead":
            self.put(leader, "dead")
        del self.by_tid[old]
        thread.tid = row["tid"]
        self.by_tid[thread.tid] = thread

    def on_thread_name(self, row: Row) -> None:
        self.named(self.thread(row["tid"]), row["name"])

    def named(self, thread: Thread, name: str) -> None:
        thread.name = name
        thread.is_bound_by_name = PER_CPU_NAMES.match(name) is not None

    def on_affinity(self, row: Row) -> None:
        thread = self.thread(row["tid"])
        thread.mask = row["mask"]
        if row["cpuset"] is not None:
            thread.cpuset = row["cpuset"]
        elif thread.cpuset is not None and thread.mask is not None and not thread.mask <= thread.cpuset:
            thread.cpuset = None

    def on_migration_disable(self, row: Row) -> None:
        self.thread(row["tid"]).migration_disabled = row["disabled"]

    def on_core_cookie(self, row: Row) -> None:
        self.thread(row["tid"]).cookie = row["cookie"]

    def on_throttle(self, row: Row) -> None:
        thread = self.thread(row["tid"])
        if thread.place == "queued" and thread.throttled != row["throttled"]:
            self.arrivals += 1
            thread.arrived = self.arrivals
        self.set_throttled(thread, row["throttled"])

    on_dl_parameters = on_throttle
    """A thread whose deadline server has no runtime is on no queue."""

    def on_irq_span(self, row: Row) -> None:
        cpu = self.cpus[row["cpu"]]
        if row["dur_ns"] > SHORTEST_IRQ_NS:
            cpu.irq_until = max(cpu.irq_until, self.now + row["dur_ns"])

    def on_run_span(self, row: Row) -> None:
        cpu = self.cpus[row["cpu"]]
        if cpu.current is SWAPPER and not self.is_blind(cpu):
            self.result.inferred["missing_idle_exit"] += 1
            cpu.exit_inferred, cpu.in_doubt = True, False
            self.runs(row["cpu"], self.thread(row["tid"]))

    def on_cpu_hotplug(self, row: Row) -> None:
        cpu = self.cpus.setdefault(row["cpu"], Cpu(online=False))
        self.forget_cpu(row["cpu"])
        cpu.online, cpu.is_back_at_next = row["online"], False

    def on_lost_events(self, row: Row) -> None:
        for number in self.cpus if row["cpu"] is None else [row["cpu"]]:
            self.forget_cpu(number)
            self.cpus[number].blind_until = max(self.cpus[number].blind_until, row["end_ns"])

    def on_cpu_snapshot(self, row: Row) -> None:
        cpu = self.cpus.setdefault(row["cpu"], Cpu(online=False))
        if not row["online"]:
            self.forget_cpu(row["cpu"])
            cpu.online, cpu.is_back_at_next = False, True
            return
        cpu.online, cpu.is_back_at_next = cpu.online or cpu.is_back_at_next, False
        if row["current_tid"] is not None and cpu.current is None and not self.is_blind(cpu):
            thread = self.thread(row["current_tid"])
            here = thread.place == "queued" and thread.cpu == row["cpu"] and not thread.throttled
            if thread is SWAPPER or thread.place == "unknown" or here:
                self.runs(row["cpu"], thread)

    def on_thread_snapshot(self, row: Row) -> None:
        thread = self.thread(row["tid"])
        if thread is SWAPPER:
            return
        silent = row["queue"] == "unknown"
        thread.mask = row["mask"] if row["mask"] is not None else thread.mask
        thread.cpuset = row["cpuset"] if row["cpuset"] is not None else thread.cpuset
        thread.is_bound |= row["per_cpu_thread"]
        self.named(thread, row["name"])
        if not silent:
            thread.cookie, thread.migration_disabled = row["cookie"], row["migration_disabled"]
            self.set_throttled(thread, row["throttled"])
        if silent or thread.place != "unknown":
            return
        if row["queue"] == "queued":
            self.enqueue(thread, row["cpu"])
        elif row["queue"] == "off":
            self.put(thread, "off", row["cpu"])
        elif self.cpus[row["cpu"]].current is None and not self.is_blind(self.cpus[row["cpu"]]):
            self.runs(row["cpu"], thread)


def walk(events: Iterable[Event], machine: Machine, start_ns: int, end_ns: int) -> Result:
    """The figures of a window."""
    state = Walk(machine, start_ns)
    for ts_ns, table, row in events:
        if ts_ns <= end_ns:
            state.reach(ts_ns)
            state.apply(table, row)
    state.reach(end_ns)
    for thread in state.threads:
        state.account(thread)
        state.count(thread)
    return state.result


# ---- a trace as events

TABLES = {
    "sched_switch": "cpu, prev_tid, task_state_name(prev_state) AS prev_state, next_tid",
    "sched_wakeup": "tid, target_cpu",
    "sched_migrate_task": "tid, dest_cpu",
    "process_fork": "parent_tid, child_tid",
    "process_exec": "tid, old_tid",
    "thread_name": "tid, name",
    "affinity": "tid, mask_id, cpuset_mask_id",
    "migration_disable": "tid, disabled",
    "core_cookie": "tid, cookie",
    "throttle": "tid, throttled",
    "dl_parameters": "tid, throttled",
    "irq_span": "cpu, dur_ns",
    "run_span": "cpu, tid",
    "cpu_hotplug": "cpu, online",
    "lost_events": "cpu, end_ns",
    "cpu_snapshot": "cpu, online, current_tid",
    "thread_snapshot": "tid, name, queue_state_name(queue) AS queue, cpu, mask_id, cpuset_mask_id, migration_disabled, "
    "throttled, cookie, per_cpu_thread",
}
"""Raw tables that change the state, and the columns that do."""


def events_of(con: duckdb.DuckDBPyConnection) -> Iterator[Event]:
    """All rows of the raw tables in the order of their ids, masks as sets."""
    masks = {number: frozenset(cpus) for number, cpus in con.execute("SELECT mask_id, cpus FROM mask").fetchall()}
    found: list[tuple[int, int, str, Row]] = []
    for table, columns in TABLES.items():
        for row in con.sql(f"SELECT id, ts_ns, {columns} FROM {table}").to_arrow_table().to_pylist():
            if "mask_id" in row:
                row |= {"mask": masks.get(row["mask_id"]), "cpuset": masks.get(row["cpuset_mask_id"])}
            found.append((row["id"], row["ts_ns"], table, row))
    for _, ts_ns, table, row in sorted(found, key=lambda event: event[0]):
        yield ts_ns, table, row


def machine_of(con: duckdb.DuckDBPyConnection) -> Machine:
    """CPUs of the trace."""
    cpus = con.execute("SELECT cpu, online, isolated, node, package, core FROM cpu").fetchall()
    cores: dict[Any, list[int]] = {}
    for number, _, _, *core in cpus:
        if core[-1] is not None:
            cores.setdefault(tuple(core), []).append(number)
    siblings = {c: tuple(o for o in core if o != c) for core in cores.values() for c in core}
    return Machine(tuple(c[0] for c in cpus if c[1]), frozenset(c[0] for c in cpus if c[2]), siblings)


def of_trace(con: duckdb.DuckDBPyConnection) -> Result:
    """The figures of an open trace, over its window."""
    window = con.execute("SELECT start_ns, end_ns FROM trace").fetchone()
    assert window is not None
    return walk(events_of(con), machine_of(con), *window)


def main() -> None:
    """Print the figures of a trace."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("trace", help="T.duckdb")
    with duckdb.connect(parser.parse_args().trace, read_only=True) as con:
        result = of_trace(con)
    for name in ("idle_while_waiting", "wasted", "certain"):
        print(f"{name} {getattr(result, name)} ns")
    for excuse, ns in result.excused.items():
        print(f"{excuse} {ns} ns")


if __name__ == "__main__":
    main()
