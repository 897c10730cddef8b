"""`idle_while_waiting` a second time: a numpy sweep over the raw tables of a trace, sharing nothing with the checker.

Definitions, from `docs/semantics.md` sections 1 and 2:

- A thread is *running* from the switch that chose it until the switch that put it off. It is *queued* on a CPU after a
  switch that left it in state R or R+ (there), after a wakeup (on its target, unless it runs), and after a migration of
  a queued thread (on its destination). Otherwise it is off. It is unknown before its first event, and after a switch
  that shows another thread where it ran: how it left there was not recorded.
- A CPU *runs swapper* after a switch whose next is tid 0 (or a snapshot that says so) while it is online.
- `idle` = CPUs that run swapper with an empty queue. `waiting` = queued threads, less one for each CPU that runs
  swapper with a queue: that one is about to run. Throttled threads wait, but in no queue that a CPU could run.
- `idle_while_waiting` = min(idle, waiting); `idle_while_waiting_ns` returns its integral over the window of the trace.

A trace with lost events is refused: what a loss destroys is the checker's business, not this sweep's.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import duckdb
import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

STATE_R, STATE_R_PREEMPTED = 0, 1  # schemas/enums.toml: task_state
QUEUE_RUNNING, QUEUE_QUEUED = 0, 1  # schemas/enums.toml: queue_state
UNKNOWN, OFF, QUEUED, RUNNING = 0, 1, 2, 3
KEEP = -1  # this event does not say


class LostEventsError(ValueError):
    """The trace has lost events; this sweep does not cover them."""


@dataclass(frozen=True)
class ThreadEvents:
    """Events that say something about a thread, sorted by thread and then by event id."""

    tid: Ints
    id: Ints
    ts_ns: Ints
    phase: Ints  # phase after the event, or KEEP
    cpu: Ints  # CPU after the event, or KEEP
    kind: Ints  # SWITCH, WAKEUP, MIGRATE, THROTTLE or DISPLACED
    throttled: Ints  # 0, 1 or KEEP


SWITCH, WAKEUP, MIGRATE, THROTTLE, DISPLACED = 0, 1, 2, 3, 4


def table(con: duckdb.DuckDBPyConnection, name: str, columns: str) -> list[Ints]:
    """Columns of a table as int64 arrays, in event order; NULL becomes KEEP."""
    wanted = columns.split()
    casts = ", ".join(f"coalesce({c}::BIGINT, {KEEP}) AS {c}" for c in wanted)
    arrays = con.execute(f"SELECT {casts} FROM {name} ORDER BY id").fetchnumpy()
    return [np.asarray(arrays[c], dtype=np.int64) for c in wanted]


def thread_events(con: duckdb.DuckDBPyConnection) -> ThreadEvents:
    """Everything the raw tables say about threads, one row per event and thread."""
    parts: list[tuple[Ints, Ints, Ints, Ints, Ints, Ints, Ints]] = []

    def add(
        tid: Ints, ids: Ints, ts: Ints, phase: Ints | int, cpu: Ints | int, kind: int, throttled: Ints | int
    ) -> None:
        def full(value: Ints | int) -> Ints:
            return np.full(len(tid), value, dtype=np.int64) if isinstance(value, int) else value

        parts.append((tid, ids, ts, full(phase), full(cpu), full(kind), full(throttled)))

    tid, ids, ts, queue, cpu, throttled = table(con, "thread_snapshot", "tid id ts_ns queue cpu throttled")
    phase = np.select([queue == QUEUE_RUNNING, queue == QUEUE_QUEUED, queue == 2], [RUNNING, QUEUED, OFF], UNKNOWN)
    add(tid, ids, ts, phase, cpu, SWITCH, throttled)
    ids, ts, cpu, prev, state, chosen = table(con, "sched_switch", "id ts_ns cpu prev_tid prev_state next_tid")
    runnable = (state == STATE_R) | (state == STATE_R_PREEMPTED)
    add(prev, ids, ts, np.where(runnable, QUEUED, OFF), cpu, SWITCH, KEEP)
    add(chosen, ids, ts, RUNNING, cpu, SWITCH, KEEP)
    tid, ids, ts, cpu = table(con, "sched_wakeup", "tid id ts_ns target_cpu")
    add(tid, ids, ts, QUEUED, cpu, WAKEUP, KEEP)
    tid, ids, ts, cpu = table(con, "sched_migrate_task", "tid id ts_ns dest_cpu")
    add(tid, ids, ts, KEEP, cpu, MIGRATE, KEEP)
    tid, ids, ts, throttled = table(con, "throttle", "tid id ts_ns throttled")
    add(tid, ids, ts, KEEP, KEEP, THROTTLE, throttled)
    tid, ids, ts, throttled = table(con, "dl_parameters", "tid id ts_ns throttled")
    add(tid, ids, ts, KEEP, KEEP, THROTTLE, throttled)

    add(*displaced(con), DISPLACED, KEEP)

    tid, ids, ts, phase, cpu, kind, throttled = (np.concatenate(column) for column in zip(*parts, strict=True))
    tid = follow_renames(con, tid, ids)
    order = np.lexsort((ids, tid))
    order = order[tid[order] != 0]  # tid 0 is swapper, never a thread
    return ThreadEvents(*(a[order] for a in (tid, ids, ts, phase, cpu, kind, throttled)))


def displaced(con: duckdb.DuckDBPyConnection) -> tuple[Ints, Ints, Ints, int, Ints]:
    """(tid, id, ts_ns, phase, cpu) for switches whose prev is not what ran there by the events before."""
    ids, ts, cpu, prev, chosen = table(con, "sched_switch", "id ts_ns cpu prev_tid next_tid")
    seen, _, where, current = table(con, "cpu_snapshot", "id ts_ns cpu current_tid")
    off, _, gone = table(con, "cpu_hotplug", "id ts_ns cpu")
    event = np.concatenate([ids, seen, off])
    at = np.concatenate([cpu, where, gone])
    runs = np.concatenate([chosen, current, np.full(len(off), KEEP)])
    order = np.lexsort((event, at))
    before = np.full(len(event), KEEP)
    same_cpu = at[order][1:] == at[order][:-1]
    before[order[1:]] = np.where(same_cpu, runs[order][:-1], KEEP)
    before = before[: len(ids)]
    wrong = (before != KEEP) & (before != 0) & (before != prev)
    return before[wrong], ids[wrong], ts[wrong], UNKNOWN, cpu[wrong]


def follow_renames(con: duckdb.DuckDBPyConnection, tid: Ints, ids: Ints) -> Ints:
    """An exec by a non-leader gives it the leader's tid: one key per thread through that."""
    at, new, old = table(con, "process_exec", "id tid old_tid")
    key = tid.copy()
    fresh = int(key.max(initial=0)) + 1
    for event, leader, renamed in zip(at, new, old, strict=True):
        if renamed in (KEEP, leader):
            continue
        before = ids < event
        key[before & (key == leader)] = fresh
        key[~before & (key == renamed)] = fresh + 1
        key[before & (key == renamed)] = leader
        fresh += 2
    return key


def last_reported(said: npt.NDArray[np.bool_], first: npt.NDArray[np.bool_]) -> Ints:
    """For each row the newest row at or before it, of the same thread, where `said` holds; -1 where there is none."""
    rows = np.arange(len(said))
    start = np.maximum.accumulate(np.where(first, rows, 0))
    newest = np.maximum.accumulate(np.where(said, rows, -1))
    return np.where(newest >= start, newest, -1)


def with_default(values: Ints, at: Ints, default: int) -> Ints:
    """`values[at]`, `default` where `at` is -1."""
    return np.where(at >= 0, values[at], default)


@dataclass(frozen=True)
class Changes:
    """Changes of per-CPU queue lengths (cpu >= 0) and of the number of throttled waiters (cpu == KEEP)."""

    id: Ints
    ts_ns: Ints
    cpu: Ints
    delta: Ints


def queue_changes(e: ThreadEvents) -> Changes:
    """Who enters and leaves which queue, from each thread's events in order."""
    first = np.ones(len(e.tid), dtype=bool)
    first[1:] = e.tid[1:] != e.tid[:-1]
    switched = e.kind == SWITCH
    ran = last_reported(switched, first)
    ran_there = (with_default(e.phase, ran, UNKNOWN) == RUNNING) & (with_default(e.cpu, ran, KEEP) == e.cpu)
    switched |= (e.kind == DISPLACED) & ran_there
    # Only switches start and end a run, so a wakeup is ignored while the newest of them says that it runs.
    runs = with_default(e.phase, last_reported(switched, first), UNKNOWN) == RUNNING
    said = switched | ((e.kind == WAKEUP) & ~runs)
    newest = last_reported(said, first)
    phase = with_default(e.phase, newest, UNKNOWN)
    placed = said | ((e.kind == MIGRATE) & (phase == QUEUED))
    cpu = with_default(e.cpu, last_reported(placed, first), KEEP)
    throttled = with_default(e.throttled, last_reported(e.throttled != KEEP, first), 0) == 1
    # Where it stands after each event: a queue's CPU, -1 for the throttled waiters, -2 for nowhere.
    place = np.where(phase != QUEUED, -2, np.where(throttled, KEEP, cpu))
    before = np.empty_like(place)
    before[1:] = place[:-1]
    before[first] = -2
    moved = place != before
    leaves, enters = moved & (before != -2), moved & (place != -2)
    return Changes(
        np.concatenate([e.id[leaves], e.id[enters]]),
        np.concatenate([e.ts_ns[leaves], e.ts_ns[enters]]),
        np.concatenate([before[leaves], place[enters]]),
        np.concatenate([np.full(int(leaves.sum()), -1), np.full(int(enters.sum()), 1)]),
    )


def swapper_changes(con: duckdb.DuckDBPyConnection) -> tuple[Ints, Ints, Ints, Ints]:
    """(id, ts_ns, cpu, runs swapper from now on) in event order, for snapshots, switches and hotplug."""
    ids, ts, cpu, chosen = table(con, "sched_switch", "id ts_ns cpu next_tid")
    parts = [(ids, ts, cpu, (chosen == 0).astype(np.int64))]
    ids, ts, cpu, online, current = table(con, "cpu_snapshot", "id ts_ns cpu online current_tid")
    parts.append((ids, ts, cpu, ((online == 1) & (current == 0)).astype(np.int64)))
    ids, ts, cpu, online = table(con, "cpu_hotplug", "id ts_ns cpu online")
    parts.append((ids, ts, cpu, np.zeros(len(ids), dtype=np.int64)))  # known again from its next switch
    taken, away = ids, np.stack([cpu, online])
    ids, ts, cpu, swapper = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(ids, kind="stable")
    ids, ts, cpu, swapper = ids[order], ts[order], cpu[order], swapper[order]
    for event, (number, comes) in zip(taken, away.T, strict=True):  # a CPU that goes offline still switches
        later = (ids >= event) & (cpu == number)
        back = taken[(taken > event) & (away[0] == number) & (away[1] == 1)]
        if not comes:
            swapper[later & (ids < (back[0] if len(back) else np.iinfo(np.int64).max))] = 0
    return ids, ts, cpu, swapper


def idle_while_waiting_ns(con: duckdb.DuckDBPyConnection) -> int:
    """∫ idle_while_waiting dt over the window of the trace, core-ns. Raises LostEventsError."""
    row = con.execute("SELECT start_ns, end_ns, (SELECT count(*) FROM lost_events) FROM trace").fetchone()
    assert row is not None
    start, end, losses = row
    if losses:
        raise LostEventsError(f"{losses} rows in lost_events; this sweep covers traces without losses only")
    queues = queue_changes(thread_events(con))
    ids, ts, cpus, swapper = swapper_changes(con)

    outside = queues.cpu == KEEP
    at = [queues.id[outside]]
    when = [queues.ts_ns[outside]]
    idle_steps = [np.zeros(int(outside.sum()), dtype=np.int64)]
    waiting_steps = [queues.delta[outside]]
    for cpu in np.unique(np.concatenate([cpus, queues.cpu[~outside]])):
        of_queue, of_swapper = queues.cpu == cpu, cpus == cpu
        event = np.concatenate([queues.id[of_queue], ids[of_swapper]])
        order = np.argsort(event, kind="stable")
        # Queue length and what runs, after each event of this CPU.
        delta = np.concatenate([queues.delta[of_queue], np.zeros(int(of_swapper.sum()), dtype=np.int64)])[order]
        runs = np.concatenate([np.full(int(of_queue.sum()), KEEP), swapper[of_swapper]])[order]
        length = np.cumsum(delta)
        known = last_reported(runs != KEEP, np.arange(len(runs)) == 0)
        runs_swapper = with_default(runs, known, 0) == 1
        idle = (runs_swapper & (length == 0)).astype(np.int64)
        about_to_run = (runs_swapper & (length > 0)).astype(np.int64)
        at.append(event[order])
        when.append(np.concatenate([queues.ts_ns[of_queue], ts[of_swapper]])[order])
        idle_steps.append(np.diff(idle, prepend=0))
        waiting_steps.append(delta - np.diff(about_to_run, prepend=0))

    order = np.argsort(np.concatenate(at), kind="stable")
    time = np.clip(np.maximum.accumulate(np.concatenate(when)[order]), start, end)
    idle = np.cumsum(np.concatenate(idle_steps)[order])
    waiting = np.cumsum(np.concatenate(waiting_steps)[order])
    return int((np.minimum(idle, waiting) * np.diff(time, append=end)).sum())


def main() -> None:
    """Command line: print the integral for a trace file, beside the checker's."""
    parser = argparse.ArgumentParser(
        description="idle_while_waiting of a trace by a numpy sweep, beside the checker's figure"
    )
    parser.add_argument("trace")
    with duckdb.connect(parser.parse_args().trace, read_only=True) as con:
        checked = con.execute("SELECT idle_while_waiting_ns FROM verdict").fetchone()
        print(f"sweep {idle_while_waiting_ns(con)} ns, checker {checked[0] if checked else 'not checked'} ns")


if __name__ == "__main__":
    main()
