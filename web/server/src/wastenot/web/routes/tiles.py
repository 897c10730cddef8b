"""The tiles of the timeline: of its CPUs, and of lanes of threads."""

from __future__ import annotations

from fastapi import APIRouter, Response
from wastenot.web import answers
from wastenot.web.answers import ARROW, ARROW_RESPONSE
from wastenot.web.models import TilesMeta
from wastenot.web.parameters import LaneKeys, Number
from wastenot.web.thread_lanes import lane_keys, lane_tile_of
from wastenot.web.tiles import KEPT, TileCache, grid_of, tile_of
from wastenot.web.tiling import COLUMNS, LANES, TOP
from wastenot.web.trace_request import RequestedOverview, RequestedWindow

router = APIRouter(prefix="/traces/{id}/tiles", tags=["timeline"])


@router.get("/meta", response_model=TilesMeta)
async def meta(asked: RequestedOverview) -> Response:
    """How the tiles lie."""
    grid = await asked.run(lambda cursor: grid_of(cursor, asked.opened))
    return await asked.json(
        TilesMeta(
            version=asked.opened.version,
            base_ns=grid.base_ns,
            levels=grid.levels,
            start_ns=grid.start_ns,
            end_ns=grid.end_ns,
            columns=COLUMNS,
            lanes=LANES,
            top=TOP,
            cpus=grid.cpus,
            wasted_known=grid.is_stored_at_all,
            dominant_error=1 / (KEPT + 1),
        )
    )


@router.get("/lanes/{level}/{x}", response_class=Response, responses=ARROW_RESPONSE)
async def lane_tile(asked: RequestedWindow, level: Number, x: Number, lanes: LaneKeys) -> Response:
    """One tile of lanes of threads: a row per lane and bin in which a state is known."""
    keys = lane_keys(lanes)
    table = await asked.run(lambda cursor: lane_tile_of(cursor, asked.opened, keys, level, x))
    return await asked.arrow(table)


@router.get("/{level}/{x}/{y}", response_class=Response, responses=ARROW_RESPONSE)
async def tile(asked: RequestedOverview, level: Number, x: Number, y: Number) -> Response:
    """One tile: a row per lane and bin that has anything. With `?v=` from tiles/meta it may be kept for ever."""
    cache: TileCache = asked.request.app.state.tiles
    encoding = answers.encoding_for(asked.request)
    version = asked.opened.version
    key = (version, level, x, y, encoding)
    body = cache.get(key)
    if body is None:
        body = await asked.run(
            lambda cursor: answers.compressed(answers.ipc(tile_of(cursor, asked.opened, level, x, y)), encoding)
        )
        cache.put(key, body)
    return answers.answer(asked.request, body, ARROW, version, encoding)
