"""Episodes, and which threads waited: the lists and the page of one episode."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import RootModel
from wastenot.schemas.generated.enums import Grade as GradeName
from wastenot.web.episode import page_of, with_sentence
from wastenot.web.models import Episode, EpisodePage, Rows
from wastenot.web.parameters import Number
from wastenot.web.trace_request import RequestedDetails, RequestedFindings

router = APIRouter(prefix="/traces/{id}", tags=["episodes"])
Limit = Annotated[int, Query(ge=1, le=10_000)]
Grade = Annotated[
    Literal[GradeName, "all"] | None,
    Query(description="One grade, or all; else those that wasted as much as a lasting one, and recurrent ones."),
]


class _Episodes(RootModel[list[Episode]]):
    pass


@router.get("/episodes", response_model=list[Episode])
async def episodes(asked: RequestedFindings, grade: Grade = None, limit: Limit = 1000) -> Response:
    """Episodes, those that wasted most first."""
    rows = await asked.on_trace(lambda trace: trace.episodes(grade, limit).rows())
    return await asked.json(lambda: _Episodes.model_validate([with_sentence(row) for row in rows]))


@router.get("/episodes/{n}", response_model=EpisodePage)
async def episode(asked: RequestedFindings, n: Number) -> Response:
    """One episode, why it came about and what proves it."""
    return await asked.json(await asked.on_trace(lambda trace: page_of(trace, n)))


@router.get("/top/{by}", response_model=Rows)
async def top(
    asked: RequestedDetails, by: Literal["thread", "process", "cgroup", "bubble"], limit: Limit = 200
) -> Response:
    """Which threads, processes, cgroups or bubbles waited beside an idle CPU, most first."""
    rows = await asked.on_trace(lambda trace: trace.top(by, limit).rows())
    return await asked.json(lambda: Rows(rows=_plain(rows)))


@router.get("/antagonists/{utid}", response_model=Rows)
async def antagonists(asked: RequestedDetails, utid: Number) -> Response:
    """Which threads ran on the CPUs while a thread waited there, longest first."""
    rows = await asked.on_trace(lambda trace: trace.antagonists(utid).rows())
    return await asked.json(lambda: Rows(rows=_plain(rows)))


def _plain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Decimals of SQL as numbers."""
    return [{k: float(v) if type(v).__name__ == "Decimal" else v for k, v in row.items()} for row in rows]
