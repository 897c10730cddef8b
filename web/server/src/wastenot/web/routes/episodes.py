"""Episodes, which threads waited and how long: the lists and the page of one episode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import RootModel
from wastenot.analyzer import Trace
from wastenot.analyzer.errors import NoSuchGroup
from wastenot.analyzer.render.json import latency_json
from wastenot.schemas.generated.enums import Grade as GradeName
from wastenot.web.episode import page_of, with_sentence
from wastenot.web.errors import WebError
from wastenot.web.models import Episode, EpisodePage, Latency, Rows, WaitingCurve
from wastenot.web.parameters import End, Number, Start
from wastenot.web.trace_request import RequestedDetails, RequestedFindings

router = APIRouter(prefix="/traces/{id}", tags=["episodes"])
Limit = Annotated[int, Query(ge=1, le=10_000)]
Grade = Annotated[
    Literal[GradeName, "all"] | None,
    Query(description="One grade, or all; else those that wasted as much as a lasting one, and recurrent ones."),
]
By = Literal["thread", "process", "cgroup"]
After = Literal["any", "wakeup", "preemption"]
Key = Annotated[
    str | None,
    Query(
        pattern=r"^([0-9]{1,18}|none)$",
        description="The waits of one group alone: utid, upid or cgroup_id, or none: of which it is not recorded.",
    ),
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
    """Which threads, processes, cgroups or bubbles waited beside an idle CPU, most first.

    `of_recorder` marks the threads and the process of the recorder itself.
    """
    rows = await asked.on_trace(lambda trace: trace.top(by, limit).rows())
    id = {"thread": "utid", "process": "upid"}.get(by)
    if id is not None:
        recorder = set((await asked.query("recorder_threads"))[id].to_pylist())
        rows = [{**row, "of_recorder": True} if row[id] in recorder else row for row in rows]
    return await asked.json(lambda: Rows(rows=_plain(rows)))


@router.get("/latency", response_model=Latency)
async def latency(
    asked: RequestedDetails,
    by: By = "thread",
    key: Key = None,
    after: After = "any",
    sort: Literal["longest", "p99", "total", "waits"] = "longest",
    start: Start = None,
    end: End = None,
    limit: Limit = 200,
    worst: Limit = 20,
) -> Response:
    """How long threads waited for a CPU, those waits that touch the window: percentiles, histograms, the longest."""

    def read(trace: Trace) -> dict[str, Any]:
        window = None if start is None and end is None else _window_in(trace, start, end)
        with _not_found(asked.opened.path.name):
            return latency_json(trace.latency(by, window, after, sort, limit, worst, _keys(key)))

    found = await asked.on_trace(read)
    return await asked.json(lambda: Latency.model_validate(found))


@router.get("/latency/curve", response_model=WaitingCurve)
async def waiting_curve(
    asked: RequestedDetails,
    by: By = "thread",
    key: Key = None,
    after: After = "any",
    start: Start = None,
    end: End = None,
    bins: Annotated[int, Query(ge=1, le=20_000)] = 400,
) -> Response:
    """How many threads waited for a CPU over time, on average in each of at most `bins` bins of equal length."""

    def read(trace: Trace) -> WaitingCurve:
        with _not_found(asked.opened.path.name):
            curve = trace.waiting_curve(by, _keys(key), _window_in(trace, start, end), after, bins)
        return WaitingCurve(start_ns=curve.start_ns, width_ns=curve.width_ns, waiting=curve.waiting)

    return await asked.json(await asked.on_trace(read))


def _window_in(trace: Trace, start: int | None, end: int | None) -> tuple[int, int]:
    """The window that is asked for, in whole or in part; the rest is the trace's."""
    bounds = trace.metric("verdict").one()
    window = (bounds["start_ns"] if start is None else start, bounds["end_ns"] if end is None else end)
    if window[0] >= window[1]:
        raise WebError(422, f"window {window[0]} .. {window[1]} ns: its end is not after its start")
    return window


def _keys(key: str | None) -> list[int | None] | None:
    return None if key is None else [None if key == "none" else int(key)]


@contextmanager
def _not_found(name: str) -> Iterator[None]:
    """Answers with 404 where the group that is asked for is not in the trace of that name."""
    try:
        yield
    except NoSuchGroup as error:
        raise WebError(404, f"key {error.which}: no such {error.by} in {name}") from None


@router.get("/antagonists/{utid}", response_model=Rows)
async def antagonists(asked: RequestedDetails, utid: Number) -> Response:
    """Which threads ran on the CPUs while a thread waited there, longest first."""
    rows = await asked.on_trace(lambda trace: trace.antagonists(utid).rows())
    return await asked.json(lambda: Rows(rows=_plain(rows)))


def _plain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Decimals of SQL as numbers."""
    return [{k: float(v) if type(v).__name__ == "Decimal" else v for k, v in row.items()} for row in rows]
