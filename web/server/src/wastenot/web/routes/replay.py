"""What the replay plays: the state at an instant and the changes from there, and the bubbles they sit in."""

from __future__ import annotations

from fastapi import APIRouter, Response
from wastenot.web.answers import ARROW_RESPONSE
from wastenot.web.bubbles import Kind, bubbles_of, replay_of
from wastenot.web.models import Bubbles
from wastenot.web.parameters import End, Instant, Limit, Start
from wastenot.web.routes.timeline import limited_rows, rows_of_window, window
from wastenot.web.trace_request import RequestedDetails, RequestedFindings, RequestedOverview, RequestedWindow

router = APIRouter(prefix="/traces/{id}", tags=["replay"])


@router.get("/replay/state", response_class=Response, responses=ARROW_RESPONSE)
async def state(asked: RequestedWindow, at: Instant) -> Response:
    """What every thread was doing at an instant."""
    return await asked.arrow(await asked.query("state_at", at=at), at_ns=at)


@router.get("/replay/moves", response_class=Response, responses=ARROW_RESPONSE)
async def moves(asked: RequestedWindow, start: Start = None, end: End = None, limit: Limit = 50_000) -> Response:
    """Changes after `start`, to `end`, in order; applied to the state at `start`, they give that at `end`."""
    return await rows_of_window(asked, "moves", start, end, limit)


@router.get("/replay/waste", response_class=Response, responses=ARROW_RESPONSE)
async def waste(asked: RequestedOverview, start: Start = None, end: End = None, limit: Limit = 200_000) -> Response:
    """How many cores were wasted at each instant of a window, exactly."""
    return await rows_of_window(asked, "replay_waste", start, end, limit)


@router.get("/replay/wasted_cpus", response_class=Response, responses=ARROW_RESPONSE)
async def wasted_cpus(
    asked: RequestedOverview, start: Start = None, end: End = None, limit: Limit = 200_000
) -> Response:
    """Which CPUs were wasted when, exactly: at every instant as many as `replay/waste` counts."""
    return await rows_of_window(asked, "replay_wasted_cpus", start, end, limit)


@router.get("/replay/unobserved", response_class=Response, responses=ARROW_RESPONSE)
async def unobserved(asked: RequestedWindow, start: Start = None, end: End = None, limit: Limit = 200_000) -> Response:
    """When nothing is known of a CPU."""
    return await rows_of_window(asked, "replay_unobserved", start, end, limit)


@router.get("/replay/pairs", response_class=Response, responses=ARROW_RESPONSE)
async def pairs(asked: RequestedFindings, limit: Limit = 200_000) -> Response:
    """Which thread waited for which idle CPU, per episode; longest first."""
    return await limited_rows(asked, await asked.query("replay_pairs", limit=limit + 1), limit, 0)


@router.get("/replay/bubbles/state", response_class=Response, responses=ARROW_RESPONSE)
async def bubbles_state(asked: RequestedDetails, at: Instant) -> Response:
    """What held every declared bubble and its threads at an instant: rows of `entity_holder`."""
    return await asked.arrow(await asked.on_trace(lambda trace: replay_of(trace, asked.opened).state(at)), at_ns=at)


@router.get("/replay/bubbles/moves", response_class=Response, responses=ARROW_RESPONSE)
async def bubbles_moves(
    asked: RequestedDetails, start: Start = None, end: End = None, limit: Limit = 50_000
) -> Response:
    """Changes of declared bubbles and their threads after `start`, to `end`, in order, each with what it changes from.

    Columns: ts_ns, id, utid or bubble_id; holder, holder_id, state, priority (holder NULL: it has ended); from_holder,
    from_holder_id, from_state (NULL: it starts). Applied to the state at `start`, they give that at `end`.
    """
    begin, until = await window(asked, start, end)
    table, whole = await asked.on_trace(lambda trace: replay_of(trace, asked.opened).moves(begin + 1, until + 1, limit))
    return await asked.arrow(table, truncated=str(not whole).lower(), origin_ns=begin)


@router.get("/bubbles", response_model=Bubbles)
async def bubbles(asked: RequestedDetails, kind: Kind | None = None) -> Response:
    """Bubbles: cgroup, process, thread (natural); by creating thread (creation); as the application said (declared).

    By default declared ones where there are some, else natural ones.
    """
    return await asked.json(await asked.on_trace(lambda trace: bubbles_of(trace, kind)))
