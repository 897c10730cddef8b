"""Uploads, and the imports that make traces of them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from wastenot.web.jobs import Jobs
from wastenot.web.models import Job, StartedImport
from wastenot.web.parameters import Affinity

router = APIRouter(tags=["jobs"])


def _jobs(request: Request) -> Jobs:
    found: Jobs = request.app.state.jobs
    return found


@router.post(
    "/traces",
    response_model=StartedImport,
    status_code=202,
    openapi_extra={
        "requestBody": {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
    },
)
async def upload(
    request: Request,
    name: Annotated[
        str, Query(min_length=1, max_length=255, description="The file's name; only its last part is used.")
    ],
    affinity: Affinity = None,
) -> StartedImport:
    """Send a recording of any tool, or a trace of ours, as the body; it is imported under a new id."""
    return StartedImport(job=await _jobs(request).receive(request, name, tuple(affinity or ())))


@router.get("/jobs/{job}", response_model=Job)
async def job(request: Request, job: str) -> Job:
    """How far an import is."""
    return _jobs(request).status(job)


@router.delete("/jobs/{job}", response_model=Job)
async def cancel(request: Request, job: str) -> Job:
    """Stop an import and remove what it made."""
    return await _jobs(request).cancel(job)
