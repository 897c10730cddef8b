"""Waits of deadline tasks for locks, and the threads that held them: priority inversion.

The kernel stack with which a thread leaves its CPU says what it waits for. The thread that then wakes it has
released a lock, where that is one that its owner alone unlocks: a futex with priority inheritance, or a mutex of the
kernel. A plain futex may as well be a condition variable or a semaphore, so that nothing is said of who held it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import duckdb
    from wastenot._native import Rows

Kind = Literal["pi_futex", "kernel_mutex", "futex"]

FUNCTIONS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    ("pi_futex", ("futex_lock_pi",)),
    ("kernel_mutex", ("__mutex_lock", "__ww_mutex_lock", "mutex_lock")),
    ("futex", ("futex_wait", "__futex_wait", "futex_do_wait", "futex_wait_queue", "futex_wait_queue_me")),
)
"""Functions of the kernel (kernel/futex, kernel/locking), any of which in a stack says what is waited for; the first
kind of which there is one counts."""
LISTED = 100
"""The longest waits, in `longest`."""

_STACKS = """
SELECT stack_id, [split_part(symbol, '+', 1) FOR symbol IN symbols] FROM stack
WHERE stack_id IN (SELECT stack_id FROM event_stack WHERE stack_event_name(of) = 'sched_switch')
"""
_WAITS = """
WITH
kinds AS (SELECT unnest($stacks) AS stack_id, unnest($kinds) AS kind),
-- The events of the tasks: few of all, which the joins below would sort.
wakeups AS MATERIALIZED (SELECT id, ts_ns, cpu, tid FROM sched_wakeup WHERE tid IN (SELECT unnest($tids))),
wakings AS MATERIALIZED (SELECT id, cpu, tid FROM sched_waking WHERE tid IN (SELECT unnest($tids))),
outs AS MATERIALIZED (SELECT id, prev_tid FROM sched_switch WHERE prev_tid IN (SELECT unnest($tids))),
ins AS MATERIALIZED (SELECT id, next_tid, next_prio FROM sched_switch WHERE next_tid IN (SELECT unnest($tids))),
sleeps AS (
  SELECT s.id, s.ts_ns, s.prev_tid AS tid, s.prev_prio, kinds.kind
  FROM event_stack e JOIN kinds USING (stack_id)
  JOIN sched_switch s ON s.ts_ns = e.ts_ns AND s.cpu = e.cpu AND s.prev_tid = e.tid
  WHERE stack_event_name(e.of) = 'sched_switch' AND e.tid IN (SELECT unnest($tids))
    AND task_state_name(s.prev_state) NOT IN ('R', 'R+')
),
woken AS (
  SELECT sleeps.*, w.id AS woken_id, w.ts_ns AS woken_ns, w.cpu AS wakeup_cpu
  FROM sleeps ASOF JOIN wakeups w ON w.tid = sleeps.tid AND sleeps.id <= w.id
),
-- The waker runs where the wakeup starts; where that was not reported, it is the CPU that put the thread on a queue.
waking AS (
  SELECT woken.* EXCLUDE (woken_id, wakeup_cpu),
    if(z.id > woken.id, z.id, woken_id) AS waking_id, if(z.id > woken.id, z.cpu, wakeup_cpu) AS waker_cpu
  FROM woken ASOF LEFT JOIN wakings z ON z.tid = woken.tid AND woken.woken_id >= z.id
  -- Where the thread is on a CPU before, the wakeup that ended the wait was not reported.
  ASOF LEFT JOIN outs o ON o.prev_tid = woken.tid AND woken.id < o.id
  ASOF LEFT JOIN ins i ON i.next_tid = woken.tid AND woken.id < i.id
  WHERE coalesce(o.id > woken_id, true) AND coalesce(i.id > woken_id, true)
)
SELECT
  w.tid, w.ts_ns, w.woken_ns, w.kind, coalesce(w.prev_prio, i.next_prio) AS prio,
  -- Where the CPU's next switch is from another thread, what it ran is not known.
  CASE WHEN coalesce(n.prev_tid = c.next_tid, true) THEN nullif(c.next_tid, 0) END AS by_tid
FROM waking w
ASOF LEFT JOIN sched_switch c ON c.cpu = w.waker_cpu AND w.waking_id > c.id
ASOF LEFT JOIN sched_switch n ON n.cpu = w.waker_cpu AND w.waking_id < n.id
ASOF LEFT JOIN ins i ON i.next_tid = w.tid AND w.id > i.id
ORDER BY w.id
"""
_HOLDERS = """
SELECT tid, ts_ns, does, prio FROM (
  SELECT id, next_tid AS tid, ts_ns, 'run' AS does, next_prio AS prio FROM sched_switch
  UNION ALL
  SELECT id, prev_tid, ts_ns, if(task_state_name(prev_state) IN ('R', 'R+'), 'wait', 'sleep'), prev_prio
  FROM sched_switch
  UNION ALL
  SELECT id, tid, ts_ns, 'wake', prio FROM sched_wakeup
  UNION ALL
  SELECT
    id, tid, ts_ns,
    CASE queue_state_name(queue) WHEN 'running' THEN 'run' WHEN 'queued' THEN 'wait' ELSE 'sleep' END, prio
  FROM thread_snapshot
) WHERE tid IN (SELECT unnest($tids)) ORDER BY id
"""
_NAMES = """
SELECT tid, min(utid), any_value(name ORDER BY utid) FROM thread WHERE tid IN (SELECT unnest($tids)) GROUP BY tid
"""
_JOBS = """
SELECT utid, activation_ns, deadline_ns, end_ns, missed FROM jobs_of_walk
WHERE utid IN (SELECT unnest($utids)) ORDER BY utid, activation_ns
"""
_BOOSTED = "SELECT DISTINCT tid FROM dl_parameters WHERE runtime_ns = 0"


def lock_waits(
    con: duckdb.DuckDBPyConnection, tables: Collection[str], report: dict[str, Any], jobs: Rows
) -> dict[str, Any]:
    """What the report has as `locks` (docs/semantics.md). Names in its `misses` who held a mutex of the kernel."""
    tids = {task["tid"]: task for task in report["tasks"]}
    boosted = con.execute(_BOOSTED).fetchall() if "dl_parameters" in tables else []
    stacks = con.execute(_STACKS).fetchall() if {"event_stack", "stack"} <= set(tables) else []
    kinds = {stack_id: kind for stack_id, functions in stacks if (kind := _kind(functions)) is not None}
    found: list[tuple[Any, ...]] = []
    if kinds and tids:
        values = {"stacks": list(kinds), "kinds": list(kinds.values()), "tids": list(tids)}
        found = con.execute(_WAITS, values).fetchall()
    named = sorted({row[5] for row in found if row[5] is not None} | {tid for (tid,) in boosted})
    names = {
        tid: {"utid": utid, "tid": tid, "name": name}
        for tid, utid, name in (con.execute(_NAMES, {"tids": named}).fetchall() if named else [])
    }
    doings = _doings(con, [row[5] for row in found if row[5] is not None and row[3] != "futex"])
    rows = [_row(row, tids, names, doings) for row in found]
    proved = [row for row in rows if row["is_inversion"]]
    _name_holders(report["misses"], rows)
    split, late = _split(con, proved, jobs)
    return {
        "recorded": bool(stacks),
        "waits": len(rows),
        "total_ns": sum(row["end_ns"] - row["start_ns"] for row in rows),
        "inversions": len(proved),
        "inversion_ns": sum(row["end_ns"] - row["start_ns"] for row in proved),
        "not_known": sum(row["kind"] == "futex" for row in rows),
        "split_jobs": split,
        "late": late,
        "boosted": [names[tid] for (tid,) in sorted(boosted) if tid in names],
        "longest_inversion": max(proved, key=lambda row: row["end_ns"] - row["start_ns"], default=None),
        "longest": sorted(rows, key=lambda row: row["start_ns"] - row["end_ns"])[:LISTED],
    }


def _kind(functions: Sequence[str]) -> Kind | None:
    """What a thread with this stack waits for; compilers add suffixes to names (`.isra.0`)."""
    names = {function.partition(".")[0] for function in functions}
    return next((kind for kind, of_kind in FUNCTIONS if not names.isdisjoint(of_kind)), None)


class _Doings:
    """What a thread did from when on, and the lowest of its priorities: its own, however it was boosted."""

    def __init__(self) -> None:
        self.at: list[int] = []
        self.does: list[str] = []
        self.prio: int | None = None

    def add(self, ts_ns: int, does: str, prio: int | None) -> None:
        if does == "wake":
            if self.does and self.does[-1] != "sleep":
                return
            does = "wait"
        self.at.append(ts_ns)
        self.does.append(does)
        if prio is not None:
            self.prio = prio if self.prio is None else max(self.prio, prio)

    def spent(self, start_ns: int, end_ns: int) -> dict[str, int]:
        """How long it did each in that time, ns."""
        out = {"run": 0, "wait": 0, "sleep": 0}
        first = max(bisect_left(self.at, start_ns) - 1, 0)
        for i in range(first, len(self.at)):
            if self.at[i] >= end_ns:
                break
            until = self.at[i + 1] if i + 1 < len(self.at) else end_ns
            out[self.does[i]] += max(min(until, end_ns) - max(self.at[i], start_ns), 0)
        return out


def _doings(con: duckdb.DuckDBPyConnection, tids: Sequence[int]) -> dict[int, _Doings]:
    out: dict[int, _Doings] = defaultdict(_Doings)
    if tids:
        for tid, ts_ns, does, prio in con.execute(_HOLDERS, {"tids": sorted(set(tids))}).fetchall():
            out[tid].add(ts_ns, does, prio)
    return out


def _row(
    found: tuple[Any, ...], tasks: dict[int, dict[str, Any]], names: dict[int, Any], doings: dict[int, _Doings]
) -> dict[str, Any]:
    tid, start_ns, end_ns, kind, prio, by_tid = found
    by = names.get(by_tid) if kind != "futex" and by_tid != tid else None
    of = doings.get(by_tid) if by is not None else None
    spent = of.spent(start_ns, end_ns) if of is not None else None
    is_lower = of is not None and of.prio is not None and prio is not None and of.prio > prio
    return {
        "thread": {k: tasks[tid][k] for k in ("utid", "tid", "name")},
        "start_ns": start_ns,
        "end_ns": end_ns,
        "kind": kind,
        "held_by": by,
        "is_inversion": is_lower,
        "holder_ran_ns": spent and spent["run"],
        "holder_waited_ns": spent and spent["wait"],
    }


def _name_holders(misses: Sequence[dict[str, Any]], rows: Sequence[dict[str, Any]]) -> None:
    """Who held a mutex of the kernel kept a job from running: it is blocked meanwhile, and goes on."""
    for miss in misses:
        for row in rows:
            if (
                row["held_by"] is not None and row["kind"] == "kernel_mutex"
                and row["thread"]["utid"] == miss["thread"]["utid"] and row["start_ns"] >= miss["activation_ns"]
                and (miss["end_ns"] is None or row["end_ns"] <= miss["end_ns"])
            ):  # fmt: skip
                dur_ns = row["end_ns"] - row["start_ns"]
                held = {"on": "blocked", "kind": "thread", "thread": row["held_by"], "dur_ns": dur_ns}
                miss["kept_by"].append({**held, "cpu": None, "irq_kind": None, "vector": None})
                miss["kept_by"].sort(key=lambda kept: -kept["dur_ns"])


def _split(con: duckdb.DuckDBPyConnection, inversions: Sequence[dict[str, Any]], jobs: Rows) -> tuple[int, int]:
    """How many jobs such a wait ended, so that what follows counts as a job of its own; and how often the last of them
    ended after the deadline of the first, though each met its own.
    """
    ended = {(row["thread"]["utid"], row["start_ns"]): row["end_ns"] for row in inversions}
    if not ended:
        return 0, 0
    con.register("jobs_of_walk", jobs)
    try:
        found = con.execute(_JOBS, {"utids": sorted({utid for utid, _ in ended})}).fetchall()
    finally:
        con.unregister("jobs_of_walk")
    split = late = 0
    goes_on: tuple[int, int] | None = None  # the thread, and when it is woken
    first_deadline_ns, any_missed = 0, False
    for utid, activation_ns, deadline_ns, end_ns, missed in found:
        if goes_on != (utid, activation_ns):
            first_deadline_ns, any_missed = deadline_ns, False
        any_missed |= missed
        woken_ns = ended.get((utid, end_ns))
        goes_on = None if woken_ns is None else (utid, woken_ns)
        split += woken_ns is not None
        late += woken_ns is None and not any_missed and end_ns is not None and end_ns > first_deadline_ns
    return split, late
