"""A schedule as the second oracle takes it: what happened, before any tracer wrote it down."""

from __future__ import annotations

from collections.abc import Iterator

from oracle.obvious import Event, Machine, Result, walk
from releases.schedule import PINNED, Schedule
from releases.schedule import Event as Happened

STATES = {"preempted": "R+", "yield": "R", "dead": "X", "zombie": "Z"}
"""State in which a thread is left at a switch; all other ways to leave are sleep."""


def events_of(schedule: Schedule) -> Iterator[Event]:
    """The schedule as rows of the raw tables."""
    named: dict[int, str] = {}
    for event in schedule.events:
        for tid, name in ((event.tid, event.name), (event.next_tid, event.next_name)):
            if tid and named.get(tid) != name and (event.kind != "fork" or tid == event.tid):
                named[tid] = name
                yield from naming(event.ts_ns, tid, name)
        if event.kind.startswith("softirq"):
            continue
        yield from row(event)
        if event.kind == "fork":
            named[event.next_tid] = event.next_name
            yield from naming(event.ts_ns, event.next_tid, event.next_name)


def naming(ts_ns: int, tid: int, name: str) -> Iterator[Event]:
    """A name, and the mask that is declared for it."""
    yield ts_ns, "thread_name", {"tid": tid, "name": name}
    if name in PINNED:
        yield ts_ns, "affinity", {"tid": tid, "mask": frozenset(PINNED[name]), "cpuset": None}


def row(event: Happened) -> Iterator[Event]:
    if event.kind == "switch":
        switch = {"cpu": event.cpu, "prev_tid": event.tid, "next_tid": event.next_tid}
        yield event.ts_ns, "sched_switch", switch | {"prev_state": STATES.get(event.how, "S")}
    elif event.kind in ("wakeup", "wakeup_new"):
        yield event.ts_ns, "sched_wakeup", {"tid": event.tid, "target_cpu": event.target}
    elif event.kind == "migrate":
        yield event.ts_ns, "sched_migrate_task", {"tid": event.tid, "dest_cpu": event.target}
    elif event.kind == "fork":
        yield event.ts_ns, "process_fork", {"parent_tid": event.tid, "child_tid": event.next_tid}


def interrupts(schedule: Schedule) -> list[Event]:
    """Softirq work on idle CPUs as spans, stamped with their begin."""
    begun: dict[int, Happened] = {}
    spans: list[Event] = []
    for event in schedule.events:
        if event.kind == "softirq_entry":
            begun[event.cpu] = event
        elif event.kind == "softirq_exit":
            first = begun.pop(event.cpu)
            spans.append((first.ts_ns, "irq_span", {"cpu": event.cpu, "dur_ns": event.ts_ns - first.ts_ns}))
    return spans


def truth(schedule: Schedule) -> Result:
    """The figures of the schedule."""
    events = sorted([*events_of(schedule), *interrupts(schedule)], key=lambda event: event[0])
    first, last = schedule.events[0].ts_ns, schedule.events[-1].ts_ns
    return walk(events, Machine(tuple(range(schedule.cpus))), first, last)
