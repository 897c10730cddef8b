"""What the timeline draws: curve, slices, waits, moves, wakeups, load-balance attempts; statistics of a selection."""

from __future__ import annotations

from typing import Annotated

import duckdb
import pyarrow as pa
from fastapi import APIRouter, Query, Response
from wastenot.analyzer.trace import run_on
from wastenot.web.answers import ARROW_RESPONSE
from wastenot.web.curve import curve_of
from wastenot.web.errors import WebError
from wastenot.web.flows import flows_of, instant_of
from wastenot.web.models import (
    PowerOf,
    ScansOf,
    SelectedReasons,
    Selection,
    StackCounts,
    StackOf,
    ThreadInstant,
)
from wastenot.web.parameters import Cpus, End, Instant, LaneKeys, Limit, Number, Start, cpu_list
from wastenot.web.selection import selection_of
from wastenot.web.stacks import stacks_of
from wastenot.web.thread_lanes import lane_keys, members_of
from wastenot.web.trace_request import RequestedFindings, RequestedOverview, RequestedWindow, TraceRequest, runner
from wastenot.web.wait_reasons import reasons_of

router = APIRouter(prefix="/traces/{id}", tags=["timeline"])


async def window(asked: TraceRequest, start: int | None, end: int | None) -> tuple[int, int]:
    """The window asked for, the whole trace where it is open. WebError when it ends before it starts."""
    kept = asked.opened.kept
    if "window" not in kept:
        sql = "SELECT start_ns, end_ns FROM verdict"
        rows = await asked.run(lambda cursor: run_on(cursor, asked.opened.path, sql).to_pylist())
        if not rows:
            raise WebError(409, f"{asked.opened.path.name}: not checked yet; run `wastenot check` on it")
        kept["window"] = (rows[0]["start_ns"], rows[0]["end_ns"])
    whole = kept["window"]
    assert isinstance(whole, tuple)
    begin, until = whole[0] if start is None else start, whole[1] if end is None else end
    if until <= begin:
        raise WebError(422, f"window: its end {until} is not after its start {begin}")
    return begin, until


async def limited_rows(asked: TraceRequest, table: pa.Table, limit: int, origin: int) -> Response:
    """The first `limit` of limit + 1 rows that were asked for."""
    cut = table.num_rows > limit
    return await asked.arrow(table.slice(0, limit), truncated=str(cut).lower(), origin_ns=origin)


async def rows_of_window(
    asked: TraceRequest, metric: str, start: int | None, end: int | None, limit: int, **more: object
) -> Response:
    """The rows of a metric that takes a window, at most `limit` of them."""
    begin, until = await window(asked, start, end)
    table = await asked.query(metric, start=begin, end=until, limit=limit + 1, **more)
    return await limited_rows(asked, table, limit, begin)


@router.get("/curve", response_class=Response, responses=ARROW_RESPONSE)
async def curve(
    asked: RequestedOverview, start: Start = None, end: End = None, bins: Annotated[int, Query(ge=1, le=20_000)] = 1000
) -> Response:
    """Wasted cores and busy CPUs over time, in at most `bins` bins of equal length."""
    begin, until = await window(asked, start, end)
    table = await asked.run(lambda cursor: curve_of(cursor, asked.opened, begin, until, bins))
    return await asked.arrow(table, origin_ns=begin)


@router.get("/slices", response_class=Response, responses=ARROW_RESPONSE)
async def slices(
    asked: RequestedWindow, start: Start = None, end: End = None, cpus: Cpus = "", limit: Limit = 50_000
) -> Response:
    """What CPUs did, slice by slice; start_ns counts from metadata `origin_ns`."""
    return await rows_of_window(asked, "slices", start, end, limit, cpus=cpu_list(cpus))


@router.get("/states", response_class=Response, responses=ARROW_RESPONSE)
async def states(
    asked: RequestedWindow, lanes: LaneKeys, start: Start = None, end: End = None, limit: Limit = 50_000
) -> Response:
    """What the threads of lanes did, state by state; start_ns counts from metadata `origin_ns`."""
    keys = lane_keys(lanes)
    members = await asked.run(lambda cursor: members_of(cursor, asked.opened, keys))
    return await rows_of_window(asked, "lane_states", start, end, limit, **members)


@router.get("/flows", response_class=Response, responses=ARROW_RESPONSE)
async def flows(
    asked: RequestedWindow, lanes: LaneKeys, start: Start = None, end: End = None, limit: Limit = 4_000
) -> Response:
    """The wakeups of threads: by which thread, where they were queued, when and where they ran."""
    begin, until = await window(asked, start, end)
    keys = lane_keys(lanes)

    def found(cursor: duckdb.DuckDBPyConnection) -> pa.Table:
        utids = members_of(cursor, asked.opened, keys)["utids"]
        return flows_of(cursor, asked.opened, utids, begin, until, limit + 1)

    return await limited_rows(asked, await asked.run(found), limit, begin)


@router.get("/threads/{utid}/instant", response_model=ThreadInstant)
async def thread_instant(asked: RequestedWindow, utid: Number, at: Instant) -> Response:
    """A thread at an instant: state, wait and behind which threads, waker, priority, policy, cgroup, allowed CPUs."""
    found = await asked.run(lambda cursor: instant_of(cursor, asked.opened, utid, at))
    if found is None:
        raise WebError(404, f"utid {utid}: no such thread in {asked.opened.path.name}")
    return await asked.json(found)


@router.get("/waits", response_class=Response, responses=ARROW_RESPONSE)
async def waits(
    asked: RequestedWindow, start: Start = None, end: End = None, cpus: Cpus = "", limit: Limit = 50_000
) -> Response:
    """Threads that were queued; start_ns counts from metadata `origin_ns`."""
    return await rows_of_window(asked, "waits", start, end, limit, cpus=cpu_list(cpus))


@router.get("/wasted", response_class=Response, responses=ARROW_RESPONSE)
async def wasted(
    asked: RequestedOverview, start: Start = None, end: End = None, cpus: Cpus = "", limit: Limit = 50_000
) -> Response:
    """When CPUs were wasted: rows of `wasted_cpu`; start_ns counts from metadata `origin_ns`."""
    return await rows_of_window(asked, "wasted_cpus", start, end, limit, cpus=cpu_list(cpus))


@router.get("/avoidable", response_class=Response, responses=ARROW_RESPONSE)
async def avoidable(
    asked: RequestedWindow, start: Start = None, end: End = None, cpus: Cpus = "", limit: Limit = 50_000
) -> Response:
    """Threads that waited beside a wasted CPU: rows of `avoidable_wait`; start_ns counts from metadata `origin_ns`."""
    return await rows_of_window(asked, "avoidable_waits", start, end, limit, cpus=cpu_list(cpus))


@router.get("/migrations", response_class=Response, responses=ARROW_RESPONSE)
async def migrations(asked: RequestedOverview, start: Start = None, end: End = None, limit: Limit = 50_000) -> Response:
    """Moves of threads between CPUs."""
    return await rows_of_window(asked, "migrations", start, end, limit)


@router.get("/wakeups", response_class=Response, responses=ARROW_RESPONSE)
async def wakeups(asked: RequestedFindings, start: Start = None, end: End = None, limit: Limit = 50_000) -> Response:
    """Wakeups: which thread was woken where."""
    return await rows_of_window(asked, "wakeups", start, end, limit)


@router.get("/attempts", response_class=Response, responses=ARROW_RESPONSE)
async def attempts(asked: RequestedFindings, start: Start = None, end: End = None, limit: Limit = 50_000) -> Response:
    """Load-balance attempts."""
    return await rows_of_window(asked, "attempts", start, end, limit)


@router.get("/scans", response_class=Response, responses=ARROW_RESPONSE)
async def scans(
    asked: RequestedFindings, start: Start = None, end: End = None, limit: Limit = 4_000, of: ScansOf = "placements"
) -> Response:
    """CPUs that placements of threads, or load-balance attempts, scanned, and the one that each chose."""
    return await rows_of_window(asked, {"placements": "scans", "attempts": "attempt_scans"}[of], start, end, limit)


@router.get("/interrupts", response_class=Response, responses=ARROW_RESPONSE)
async def interrupts(
    asked: RequestedFindings, start: Start = None, end: End = None, cpus: Cpus = "", limit: Limit = 20_000
) -> Response:
    """Interrupt work of more than 20 us; start_ns counts from metadata `origin_ns`."""
    return await rows_of_window(asked, "interrupts", start, end, limit, cpus=cpu_list(cpus))


@router.get("/power", response_class=Response, responses=ARROW_RESPONSE)
async def power(
    asked: RequestedFindings,
    of: PowerOf,
    start: Start = None,
    end: End = None,
    cpus: Cpus = "",
    limit: Limit = 20_000,
) -> Response:
    """Idle states of CPUs (their numbers) or frequencies (kHz); start_ns counts from metadata `origin_ns`."""
    return await rows_of_window(asked, "power", start, end, limit, of=of, cpus=cpu_list(cpus))


@router.get("/selection", response_model=Selection)
async def selection(
    asked: RequestedWindow, start: Start = None, end: End = None, cpus: Cpus = "", lanes: LaneKeys | None = None
) -> Response:
    """Statistics of a window and some CPUs, or of the threads of some lanes."""
    begin, until = await window(asked, start, end)
    chosen = cpu_list(cpus)
    utids = [] if lanes is None else await _utids(asked, lanes)
    return await asked.json(
        await asked.run(lambda cursor: selection_of(cursor, asked.opened, begin, until, chosen, utids))
    )


@router.get("/selection/reasons", response_model=SelectedReasons)
async def selection_reasons(
    asked: RequestedFindings, start: Start = None, end: End = None, cpus: Cpus = "", lanes: LaneKeys | None = None
) -> Response:
    """Why threads waited in a window: on some CPUs, or those of some lanes."""
    begin, until = await window(asked, start, end)
    chosen = cpu_list(cpus)
    utids = [] if lanes is None else await _utids(asked, lanes)
    queries = runner(asked.request)

    def found(cursor: duckdb.DuckDBPyConnection) -> SelectedReasons:
        trace = asked.opened.trace.on(cursor)
        return reasons_of(trace, begin, until, chosen, utids, lambda _done, _of: queries.require_wanted(cursor))

    return await asked.json(await asked.run(found))


@router.get("/stacks", response_model=StackCounts)
async def stacks(
    asked: RequestedFindings,
    of: StackOf,
    start: Start = None,
    end: End = None,
    cpus: Cpus = "",
    lanes: LaneKeys | None = None,
) -> Response:
    """Kernel stacks of moves to, wakeups to or switches on some CPUs, or of the threads of some lanes, in a window."""
    begin, until = await window(asked, start, end)
    chosen = cpu_list(cpus)
    utids = [] if lanes is None else await _utids(asked, lanes)
    return await asked.json(
        await asked.run(lambda cursor: stacks_of(cursor, asked.opened, of, begin, until, chosen, utids))
    )


async def _utids(asked: TraceRequest, lanes: str) -> list[int]:
    """The threads of lanes, each once. WebError where there is none: an empty list would stand for all."""
    keys = lane_keys(lanes)
    members = await asked.run(lambda cursor: members_of(cursor, asked.opened, keys))
    if not members["utids"]:
        raise WebError(404, f"lanes {lanes}: no such thread, process or cgroup in {asked.opened.path.name}")
    return sorted(set(members["utids"]))
