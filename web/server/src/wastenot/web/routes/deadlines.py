"""Deadlines: which jobs met theirs, whose fault each miss is, and the jobs of a window to draw."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response
from wastenot.analyzer.deadlines import DeclaredTask, parse_task
from wastenot.analyzer.errors import BadArgument
from wastenot.web.answers import ARROW_RESPONSE
from wastenot.web.deadlines import MOST_JOBS, jobs_in, walks_of
from wastenot.web.deadlines_models import Deadlines
from wastenot.web.errors import WebError
from wastenot.web.parameters import End, Limit, Start
from wastenot.web.routes.timeline import window
from wastenot.web.trace_request import RequestedFindings

router = APIRouter(prefix="/traces/{id}", tags=["deadlines"])

MOST_TASKS = 64

Tasks = Annotated[
    list[Annotated[str, Query(min_length=1, max_length=1000)]] | None,
    Query(max_length=MOST_TASKS, description="NAME=RUNTIME/DEADLINE/PERIOD, as `wastenot deadlines --task` takes it."),
]


def declared(task: list[str] | None) -> list[DeclaredTask]:
    """The declared tasks of a request. WebError for a text that is not a task."""
    try:
        return [parse_task(text, "task") for text in task or ()]
    except BadArgument as error:
        raise WebError(422, str(error)) from None


@router.get("/deadlines", response_model=Deadlines)
async def deadlines(asked: RequestedFindings, task: Tasks = None) -> Response:
    """Which jobs of deadline tasks missed, and whose fault each miss is: the object of `wastenot deadlines --json` with
    its words."""
    tasks = declared(task)
    found = await asked.on_trace(lambda trace: walks_of(asked.opened).find(trace, tasks))
    return await asked.json(lambda: Deadlines.model_validate(found.answer))


@router.get("/deadlines/jobs", response_class=Response, responses=ARROW_RESPONSE)
async def deadline_jobs(
    asked: RequestedFindings, start: Start = None, end: End = None, limit: Limit = 20_000, task: Tasks = None
) -> Response:
    """Jobs that touch a window, in the order of their releases; where they are more than `limit`, the missed ones alone
    (metadata `missed_only`)."""
    tasks = declared(task)
    begin, until = await window(asked, start, end)
    found = await asked.on_trace(lambda trace: walks_of(asked.opened).find(trace, tasks))
    jobs = jobs_in(found, begin, until, limit)
    if jobs is None:
        raise WebError(413, f"more than {MOST_JOBS:,} jobs are not drawn; `wastenot deadlines --jobs FILE` writes them")
    part = {"truncated": str(jobs.truncated).lower(), "missed_only": str(jobs.missed_only).lower()}
    return await asked.arrow(jobs.rows, **part)
