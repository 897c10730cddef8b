"""A page about a trace, or a time of it, to save: it needs no server."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response
from wastenot.web.parameters import End, Start
from wastenot.web.report import report_page
from wastenot.web.routes.timeline import window
from wastenot.web.trace_request import RequestedDetails

router = APIRouter(prefix="/traces/{id}", tags=["reports"])

PAGE_RESPONSE: dict[int | str, dict[str, Any]] = {
    200: {"description": "A page that opens without a server", "content": {"text/html": {"schema": {"type": "string"}}}}
}
"""For OpenAPI."""


@router.get("/report", response_class=Response, responses=PAGE_RESPONSE)
async def report(asked: RequestedDetails, start: Start = None, end: End = None) -> Response:
    """The page of `wastenot report`; with a start or an end that of a window."""
    span = None if start is None and end is None else await window(asked, start, end)
    page, _ = await asked.run(lambda cursor: report_page(cursor, asked.opened, window=span))
    # Not shown under this server's address: its script is not the user interface's.
    return Response(page, media_type="text/html", headers={"content-disposition": "attachment"})
