"""Kernel stacks of the moves, wakeups and switches of a window."""

from __future__ import annotations

from typing import Any

import duckdb
from wastenot.analyzer.text.causes import LIVE_SOURCES
from wastenot.web.flows import REACH_NS
from wastenot.web.library import OpenTrace
from wastenot.web.models import StackCount, StackCounts, StackOf
from wastenot.web.trace_request import run_query

MOST_STACKS = 2_000
"""Stacks that are listed at most."""
ASKED_FOR: dict[StackOf, str] = {
    "moves": "without --no-stacks",
    "wakeups": "with --wakeup-stacks",
    "switches": "with --switch-stacks",
}
"""How `wastenot record` is asked for them."""


def stacks_of(
    cursor: duckdb.DuckDBPyConnection,
    opened: OpenTrace,
    of: StackOf,
    start: int,
    end: int,
    cpus: list[int],
    utids: list[int],
) -> StackCounts:
    """How often each kernel stack occurred in a window, on CPUs or of threads (empty: all)."""
    reach: dict[str, Any] = {"reach": REACH_NS} if of == "wakeups" else {}
    place = {"start": start, "end": end, "cpus": cpus, "utids": utids}
    rows = run_query(cursor, opened, f"stacks_of_{of}", **place, **reach).to_pylist()
    events = sum(row["events"] for row in rows)
    found = [row for row in rows if row["symbols"] is not None]
    listed = [{k: v for k, v in row.items() if k != "stack_id"} for row in found[:MOST_STACKS]]
    return StackCounts(
        of=of,
        start_ns=start,
        end_ns=end,
        cpus=cpus,
        events=events,
        ns=sum(row["ns"] for row in rows),
        with_stack=sum(row["events"] for row in found),
        stacks=[StackCount(**row) for row in listed],
        truncated=len(found) > len(listed),
        why_absent=None if found or not events else _why_absent(cursor, opened, of),
    )


def _why_absent(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace, of: StackOf) -> str:
    """Why events have no stacks: elsewhere in the trace they may have some."""
    recorded = opened.trace.on(cursor).metric("trace").one()
    if recorded["source"] in LIVE_SOURCES:
        return f"not recorded here; `wastenot record` takes stacks of {of} {ASKED_FOR[of]}"
    how = "perf records them with `-g`, trace-cmd with `-T`"
    return f"the {recorded['source']} trace has no kernel stacks of {of} here; {how}"
