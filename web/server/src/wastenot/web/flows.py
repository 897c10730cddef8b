"""Who woke threads, what they waited for and where they ran: flows on the timeline, and one thread at one instant."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import duckdb
import pyarrow as pa
from wastenot.web.library import OpenTrace
from wastenot.web.models import (
    IdleMeanwhile,
    InstantStack,
    InstantWait,
    Placement,
    RanMeanwhile,
    ThreadInstant,
    WaitedAfter,
    Wakeup,
)
from wastenot.web.trace_request import run_query

REACH_NS = 100_000_000
"""How long before its wakeup the waking of a thread is looked for."""
QUEUES = 16
"""Most queues that a wait is followed over."""
MOST_STACKS = 12
"""Most stacks that are listed of a thread at one instant."""
MOST_NAMED = 20
"""Most threads that are listed as having run during a wait."""

RUNNING, QUEUED, STATES_WITHOUT_CPU = 0, (1, 2, 7), (3, 4, 5)
"""Codes of `thread_phase`."""
AFTER: dict[int, WaitedAfter] = {1: "wakeup", 2: "preemption", 7: "throttling"}
"""What a wait began with, by the phase that it began in."""


def flows_of(
    cursor: duckdb.DuckDBPyConnection, opened: OpenTrace, utids: list[int], start: int, end: int, limit: int
) -> pa.Table:
    """The wakeups of threads within a window, each until the thread ran, however much later."""
    until = end
    for _ in range(QUEUES):
        window = {"start": until - 1, "end": until, "utids": utids}
        later = run_query(cursor, opened, "waits_until", **window).column("until_ns").to_pylist()[0]
        if later is None or later < until:
            break
        until = later + 1
    reach = {"from": start, "to": end, "reach": REACH_NS, "start": start - REACH_NS, "end": until}
    return run_query(cursor, opened, "flows", **reach, utids=utids, limit=limit)


def instant_of(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace, utid: int, at: int) -> ThreadInstant | None:
    """What a thread did at an instant, how it came to that, and who it is; None for an unknown thread."""
    facts = run_query(cursor, opened, "thread_facts", utid=utid, at=at).to_pylist()
    if not facts:
        return None
    state = _state(cursor, opened, utid, at)
    pieces = _wait(cursor, opened, utid, state)
    wakeup = _wakeup(cursor, opened, utid, state, pieces)
    wait = _described(cursor, opened, pieces, state, facts[0]["allowed"])
    known = {key: value for key, value in facts[0].items() if key != "allowed_why"}
    return ThreadInstant(
        utid=utid,
        at_ns=at,
        phase=None if state is None else state["phase"],
        cpu=None if state is None else state["cpu"],
        start_ns=None if state is None else state["start_ns"],
        end_ns=None if state is None else state["start_ns"] + state["dur_ns"],
        wait=wait,
        wakeup=wakeup,
        placement=_placement(cursor, opened, facts[0]["tid"], wakeup),
        stacks=_stacks(cursor, opened, facts[0]["tid"], state, pieces, wakeup),
        lacks=_lacks(facts[0], state, wait, wakeup),
        **known,
    )


def _state(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace, utid: int, at: int) -> dict[str, Any] | None:
    rows = run_query(cursor, opened, "state_of", utid=utid, at=at).to_pylist()
    return rows[0] if rows else None


def _wait(
    cursor: duckdb.DuckDBPyConnection, opened: OpenTrace, utid: int, state: dict[str, Any] | None
) -> list[dict[str, Any]]:
    """The wait that a state belongs to, or that a run ended: queue by queue, in order of time."""
    if state is None or state["phase"] in STATES_WITHOUT_CPU:
        return []
    pieces = [] if state["phase"] == RUNNING else [state]
    first: dict[str, Any] | None = state
    while first is not None and len(pieces) < QUEUES:
        first = _state(cursor, opened, utid, first["start_ns"] - 1)
        if first is None or first["phase"] not in QUEUED:
            break
        pieces.insert(0, first)
    last: dict[str, Any] | None = None if state["phase"] == RUNNING else state
    while last is not None and len(pieces) < 2 * QUEUES:
        last = _state(cursor, opened, utid, last["start_ns"] + last["dur_ns"])
        if last is None or last["phase"] not in QUEUED:
            break
        pieces.append(last)
    return pieces


def _described(
    cursor: duckdb.DuckDBPyConnection,
    opened: OpenTrace,
    pieces: list[dict[str, Any]],
    state: dict[str, Any] | None,
    allowed: list[int] | None,
) -> InstantWait | None:
    """A wait with the threads that ran meanwhile on the CPUs it was queued on, and the CPUs that idled."""
    if not pieces or state is None:
        return None
    ran: dict[tuple[int | None, int], int] = defaultdict(int)
    for piece in pieces:
        if piece["cpu"] is None:
            continue
        window = {"start": piece["start_ns"], "end": piece["start_ns"] + piece["dur_ns"], "cpu": piece["cpu"]}
        for row in run_query(cursor, opened, "ran_meanwhile", **window).to_pylist():
            ran[row["utid"], piece["cpu"]] += row["ns"]
    longest = sorted(ran.items(), key=lambda item: -item[1])
    start, end = pieces[0]["start_ns"], pieces[-1]["start_ns"] + pieces[-1]["dur_ns"]
    idle = run_query(cursor, opened, "idle_meanwhile", start=start, end=end).to_pylist()
    return InstantWait(
        start_ns=start,
        dur_ns=end - start,
        after=AFTER[pieces[0]["phase"]],
        throttled_ns=sum(p["dur_ns"] for p in pieces if p["phase"] == 7),
        cpus=list(dict.fromkeys(p["cpu"] for p in pieces if p["cpu"] is not None)),
        idle=[IdleMeanwhile(**row) for row in idle if allowed is None or row["cpu"] in allowed],
        behind=[RanMeanwhile(utid=utid, cpu=cpu, ns=ns) for (utid, cpu), ns in longest[:MOST_NAMED]],
        behind_total=len(longest),
    )


def _wakeup(
    cursor: duckdb.DuckDBPyConnection,
    opened: OpenTrace,
    utid: int,
    state: dict[str, Any] | None,
    pieces: list[dict[str, Any]],
) -> Wakeup | None:
    """The wakeup that a wait or run began with; of a thread without a CPU the one that ended that."""
    if state is None:
        return None
    woken = state["start_ns"] + state["dur_ns"] if state["phase"] in STATES_WITHOUT_CPU else state["start_ns"]
    if pieces:
        if pieces[0]["phase"] != 1:
            return None
        woken = pieces[0]["start_ns"]
    rows = flows_of(cursor, opened, [utid], woken, woken + 1, 1).to_pylist()
    return Wakeup(**rows[0]) if rows else None


def _placement(
    cursor: duckdb.DuckDBPyConnection, opened: OpenTrace, tid: int, wakeup: Wakeup | None
) -> Placement | None:
    """Which CPUs the kernel scanned for the thread when that woke it, and which it chose."""
    if wakeup is None:
        return None
    earliest = wakeup.waking_ns - (0 if wakeup.waking_known else REACH_NS)
    event = {"tid": tid, "wakeup": wakeup.wakeup_id, "from": earliest, "is_new": wakeup.is_new}
    rows = run_query(cursor, opened, "placement_of", **event).to_pylist()
    return Placement(**rows[0]) if rows else None


def _stacks(
    cursor: duckdb.DuckDBPyConnection,
    opened: OpenTrace,
    tid: int,
    state: dict[str, Any] | None,
    pieces: list[dict[str, Any]],
    wakeup: Wakeup | None,
) -> list[InstantStack]:
    """The kernel stacks from the wakeup or preemption that led to a state until its end."""
    if state is None:
        return []
    starts = [state["start_ns"], *(piece["start_ns"] for piece in pieces), *([wakeup.waking_ns] if wakeup else [])]
    window = {"start": min(starts), "end": state["start_ns"] + state["dur_ns"]}
    rows = run_query(cursor, opened, "stacks_of_thread", tid=tid, **window, limit=MOST_STACKS).to_pylist()
    return [InstantStack(**row) for row in rows]


def _lacks(
    facts: dict[str, Any], state: dict[str, Any] | None, wait: InstantWait | None, wakeup: Wakeup | None
) -> list[str]:
    """What the recording does not say of the thread then."""
    lacks = []
    if state is None:
        lacks.append("its state: no event of it was recorded until then, or it did not exist")
    elif state["phase"] in (RUNNING, *QUEUED) and wakeup is None and (wait is None or wait.after == "wakeup"):
        lacks.append("its wakeup: it ran or waited since before the recording started, or events were lost")
    if wakeup is not None and wakeup.waker_utid is None:
        lacks.append(f"its waker: CPU {wakeup.waker_cpu} was not observed then")
    elif wakeup is not None and not wakeup.waking_known and not wakeup.is_new:
        lacks.append("when the wakeup was decided (no sched_waking): the waker ran where sched_wakeup was written")
    if facts["prio"] is None:
        lacks.append("priority")
    if facts["policy"] is None:
        lacks.append("policy: the trace has no snapshot of the thread")
    if facts["process"] is None:
        lacks.append("process")
    if facts["cgroup"] is None:
        lacks.append("cgroup")
    if facts["allowed"] is None:
        why = facts["allowed_why"] or "no event of this thread says it; a new thread has those of its parent"
        lacks.append(f"allowed CPUs: {why}")
    return lacks
