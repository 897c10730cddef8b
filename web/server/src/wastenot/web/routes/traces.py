"""The traces, their verdicts, machines, threads, and comparisons of two and of repeated runs."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from functools import partial
from typing import Any

from fastapi import APIRouter, Request, Response
from wastenot import _native
from wastenot.analyzer import AnalyzerError, Trace
from wastenot.analyzer.comparison.baseline import baseline_text, read_baseline
from wastenot.analyzer.comparison.comparison import compare_runs
from wastenot.analyzer.comparison.copies import require_distinct
from wastenot.analyzer.comparison.json_view import comparison_json
from wastenot.analyzer.comparison.runs import Run, figures_of
from wastenot.analyzer.text.causes import KnownAnswer, known_answers
from wastenot.analyzer.text.sentences import verdict_text
from wastenot.analyzer.text.units import percent
from wastenot.analyzer.verdict import Verdict
from wastenot.web import answers
from wastenot.web.answers import ARROW_RESPONSE
from wastenot.web.comparing import ComparedTrace, comparison, machine_facts
from wastenot.web.errors import WebError
from wastenot.web.identity import identity_of
from wastenot.web.library import OpenTrace
from wastenot.web.machine import machine_of
from wastenot.web.models import BaselineFile, Comparison, Health, Identity, Machine, RunComparison, TraceRow
from wastenot.web.models import Verdict as VerdictModel
from wastenot.web.parameters import Baselines, BaseSide, Side, TraceId
from wastenot.web.trace_request import RequestedFindings, TraceRequest, library, opened_by, runner

router = APIRouter(tags=["traces"])

BASELINE_RESPONSE: dict[int | str, dict[str, Any]] = {
    200: {"description": "A baseline, to be kept in a file", "content": {"application/json": {}}}
}
"""For OpenAPI."""
FACTS = ("source", "kernel", "cpus", "events", "start_ns", "end_ns", "epoch_ns", "evidence_level", "complete")


@router.get("/health", response_model=Health)
async def health(request: Request) -> Health:
    """Whether the server runs; needs no token."""
    return Health(status="ok", version=_native.version(), traces=len(await asyncio.to_thread(library(request).ids)))


@router.get("/traces", response_model=list[TraceRow])
async def traces(request: Request) -> list[TraceRow]:
    """All traces, in the order in which they were given."""
    ids = await asyncio.to_thread(library(request).ids)
    return list(await asyncio.gather(*(_row(request, id) for id in ids)))


async def _row(request: Request, id: str) -> TraceRow:
    kept: dict[Any, TraceRow] = request.app.state.rows
    path = await asyncio.to_thread(library(request).path, id)
    try:
        stat = await asyncio.to_thread(path.stat)
        key = (id, stat.st_ino, stat.st_size, stat.st_mtime_ns)
        if key not in kept:
            opened = await opened_by(request, id, "verdict")
            row = await runner(request).run(request, opened.cursor(), lambda c: facts_of(opened, opened.trace.on(c)))
            kept[key] = row.model_copy(update={"size_bytes": stat.st_size})
        return kept[key]
    except AnalyzerError as e:
        return _broken(id, path.name, str(e))
    except OSError as e:
        return _broken(id, path.name, f"{path.name}: {e.strerror}")


def _broken(id: str, name: str, error: str) -> TraceRow:
    empty = dict.fromkeys(TraceRow.model_fields)
    return TraceRow.model_validate({**empty, "id": id, "name": name, "error": error})


def facts_of(opened: OpenTrace, trace: Trace) -> TraceRow:
    """What the list says about a trace."""
    facts = trace.metric("trace").one()
    figures = trace.metric("verdict").rows()
    threads = trace.sql("SELECT count(*) AS n FROM thread WHERE utid <> 0").one()["n"]
    return TraceRow(
        id=opened.id,
        name=opened.path.name,
        version=opened.version,
        size_bytes=None,
        threads=threads,
        wasted_core_s=figures[0]["wasted_ns"] / 1e9 if figures else None,
        wasted_share=figures[0]["share"] if figures else None,
        certain_core_s=_certain_ns(trace, figures[0]) / 1e9 if figures else None,
        doubt=_doubt(trace, figures[0]) if figures else None,
        **{k: facts[k] for k in FACTS},
    )


def _is_suspect(trace: Trace) -> bool:
    return any(row["what"] == "suspect" and row["value"] for row in trace.metric("data_quality").rows())


def _certain_ns(trace: Trace, figures: dict[str, Any]) -> int:
    return 0 if _is_suspect(trace) else int(figures["certain_ns"])


def _doubt(trace: Trace, figures: dict[str, Any]) -> str | None:
    """A short remark to show beside the share; None where all of it is certain."""
    if _is_suspect(trace):
        return "suspect: a self-check failed"
    wasted, certain = figures["wasted_ns"], figures["certain_ns"]
    if certain >= wasted:
        return None
    return f"{percent(certain / wasted)} of it certain" if certain else "none of it certain"


@router.get("/traces/{id}/verdict", response_model=VerdictModel)
async def verdict(asked: RequestedFindings) -> Response:
    """The object of `wastenot check --json`, with the verdict in words."""
    return await asked.json(await _verdict(asked))


async def _verdict(asked: TraceRequest) -> VerdictModel:
    return await asked.on_trace(lambda trace: verdict_model(trace.verdict(worst=20)))


def verdict_model(v: Verdict) -> VerdictModel:
    """The verdict with its sentences."""
    text = verdict_text(v)
    found = v.to_json()
    if v.main_reason is not None:
        found["main_reason"]["answers"] = [_known_answer(answer) for answer in known_answers(v.main_reason.cause)]
    return VerdictModel.model_validate(
        found | {"sentence": v.sentence(), "text": asdict(text), "notes": text.notes, "figures": v.figures}
    )


def _known_answer(answer: KnownAnswer) -> dict[str, Any]:
    others = [{"clause": clause, "share": share} for clause, share in answer.others]
    return asdict(answer) | {"others": others}


@router.get("/traces/{id}/machine", response_model=Machine)
async def machine(asked: RequestedFindings) -> Response:
    """CPUs in the order of the lanes, the tree they form, scheduling domains, distances."""
    return await asked.json(await asked.run(lambda cursor: machine_of(cursor, asked.opened)))


@router.get("/traces/{id}/identity", response_model=Identity)
async def identity(asked: RequestedFindings) -> Response:
    """When, where and of what the trace was recorded, and which kinds of evidence it holds."""
    return await asked.json(await asked.run(lambda cursor: identity_of(cursor, asked.opened)))


@router.get("/traces/{id}/threads", response_class=Response, responses=ARROW_RESPONSE)
async def threads(asked: RequestedFindings) -> Response:
    """Every thread: what the utids in all other answers mean."""
    return await asked.arrow(await asked.query("threads"))


@router.get("/compare", response_model=Comparison)
async def compare(request: Request, a: TraceId, b: TraceId) -> Response:
    """Two traces on the same measures."""
    both = [(await _row(request, id), TraceRequest(request, await opened_by(request, id, "verdict"))) for id in (a, b)]
    sides = []
    for row, asked in both:
        model, shape = await asked.run(partial(machine_facts, opened=asked.opened))
        sides.append(ComparedTrace(row, await _verdict(asked), model, shape))
    return await asyncio.to_thread(lambda: answers.json_answer(request, comparison(*sides)))


@router.get("/compare/runs", response_model=RunComparison)
async def compare_repeated(request: Request, new: Side, base: BaseSide = None, baseline: Baselines = None) -> Response:
    """Repeated runs of two sides: the object of `wastenot compare --json`."""
    of_base, names = base or [], baseline or []
    if not of_base and not names:
        raise WebError(422, "base: no runs; give traces or a baseline")
    for side, ids in (("base", of_base), ("new", new), ("baseline", names)):
        if len(set(ids)) < len(ids):
            raise WebError(
                422, f"{side}: {'a file' if ids is names else 'a trace'} is given twice, and would count as two runs"
            )
    runs = {id: await _figures(request, id) for id in dict.fromkeys([*of_base, *new])}

    def compared() -> Response:
        kept = [run for name in names for run in _baseline(request, name)]
        sides = [*kept, *(runs[id] for id in of_base)], [runs[id] for id in new]
        for side, of_side in zip(("base", "new"), sides, strict=True):
            require_distinct(side, of_side)
        return answers.json_answer(request, RunComparison.model_validate(comparison_json(compare_runs(*sides))))

    return await asyncio.to_thread(compared)


@router.get("/compare/baselines", response_model=list[BaselineFile])
async def baselines(request: Request) -> list[BaselineFile]:
    """Baselines in the folders that are served."""

    def read() -> list[BaselineFile]:
        return [_baseline_file(request, name) for name in library(request).baselines()]

    return await asyncio.to_thread(read)


@router.get("/compare/baseline", response_class=Response, responses=BASELINE_RESPONSE)
async def save_baseline(request: Request, run: Side) -> Response:
    """The file of `wastenot compare --save-baseline` of these runs."""
    if len(set(run)) < len(run):
        raise WebError(422, "run: a trace is given twice, and would count as two runs")
    runs = [await _figures(request, id) for id in run]
    require_distinct("base", runs)
    headers = {"content-disposition": 'attachment; filename="base.json"'}
    return Response(baseline_text(runs), media_type="application/json", headers=headers)


def _baseline(request: Request, name: str) -> list[Run]:
    """The runs of a baseline in a folder that is served."""
    path = library(request).baselines().get(name)
    if path is None:
        raise WebError(404, f"baseline {name!r}: no such file; api/compare/baselines lists them")
    try:
        return read_baseline(path)
    except AnalyzerError as e:
        raise WebError(422, str(e).replace(str(path), name)) from None


def _baseline_file(request: Request, name: str) -> BaselineFile:
    try:
        runs = _baseline(request, name)
    except WebError as e:
        return BaselineFile(name=name, runs=0, kernels=[], error=str(e))
    kernels = dict.fromkeys(run.facts.kernel for run in runs if run.facts.kernel)
    return BaselineFile(name=name, runs=len(runs), kernels=list(kernels), error=None)


async def _figures(request: Request, id: str) -> Run:
    """The figures of a trace, read once while it is the same."""
    kept: dict[str, tuple[str, Run]] = request.app.state.runs
    asked = TraceRequest(request, await opened_by(request, id, "verdict"))
    version = asked.opened.version
    if id not in kept or kept[id][0] != version:
        kept[id] = (version, await asked.on_trace(figures_of))
    return kept[id][1]
