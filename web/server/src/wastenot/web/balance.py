"""The balance of parallel programs as the page shows it: the JSON of the command, its sentences, cells to draw."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from wastenot.analyzer.balance.advice import Advice, advise
from wastenot.analyzer.balance.application import Application, Balance
from wastenot.analyzer.balance.decomposition import EXTRINSIC, PARTS, PLACE
from wastenot.analyzer.balance.measuring import Selection, balance_of
from wastenot.analyzer.balance.metrics import efficiency
from wastenot.analyzer.balance.timelines import Ints
from wastenot.analyzer.render import advice as advice_words
from wastenot.analyzer.render import balance as words
from wastenot.analyzer.result import Queryable

MOST_COLUMNS = 300
"""Columns that a picture of iterations and ranks has; windows of a segment are taken together where they are more."""

MOST_CELLS = 40_000
"""Ranks times columns that are sent at most, but for one column per segment."""

WAITING = ("wait", "spin", "blocked")
"""Parts in which a rank waits for something: other ranks, messages, a file."""

CELLS_INSTEAD = ("iteration", "rank_iteration")
"""What the JSON of the command lists and the page gets as cells."""


def balance_answer(trace: Queryable, selection: Selection) -> dict[str, Any]:
    """What `web.balance_models.Balance` is made of. Raises as `balance_of`: BadArgument, NotChecked."""
    balance = balance_of(trace, selection)
    found = words.balance_json(balance)
    advice = advise(trace, balance)
    applications = [
        _application(shown, a, of, shown_advice, balance)
        for shown, a, of, shown_advice in zip(
            found["applications"], balance.applications, advice,
            advice_words.advice_json(advice)["applications"], strict=True,
        )
    ]  # fmt: skip
    candidates = [
        shown | {"crew": (crew := words.crew_words_short(c.crew)), "reason": _reason(words.candidate_words(c), crew)}
        for shown, c in zip(found["candidates"], balance.candidates, strict=True)
    ]
    more = {"sentence": words.headline(balance), "remarks": words.balance_remarks(balance)}
    return found | more | {"applications": applications, "candidates": candidates}


def _reason(line: str, crew: str) -> str:
    """Why a crew is not called an application, without its name."""
    return line.removeprefix(f"{crew}: ")


def _application(
    shown: dict[str, Any], a: Application, advice: Advice, shown_advice: dict[str, Any], balance: Balance
) -> dict[str, Any]:
    kept = {name: value for name, value in shown.items() if name not in CELLS_INSTEAD}
    visible = a.state != "not_visible"
    rows = words.shown_sources(a)
    sources = [
        of | {"words": words.source_words(s), "is_shown": s in rows}
        for of, s in zip(kept["sources"], a.sources if visible else (), strict=True)
    ]
    long = words.long_segments(a)
    segments = [
        of | {"length_ns": segment.length_ns, "is_shown": segment in long}
        for of, segment in zip(kept["segments"], a.segments, strict=True)
    ]
    text = {
        "sentence": words.headline_of(a, balance),
        "ranks": words.crew_words(a.crew, a.level),
        "time": words.time_words(a, balance.start_ns),
        "observed": "" if a.observed.all() else words.observed_words(a),
        "not_visible": "" if visible else words.not_visible_words(a),
        "loss": words.loss_words(a) if visible else "",
        "helpers": words.helpers_words(a),
        "episode": words.episode_words(a) if visible else "",
        "evidence": words.evidence_words(a),
    }
    recommendations = [
        of | {"saves_words": advice_words.saves_words(r)}
        for of, r in zip(shown_advice["recommendations"], advice.recommendations, strict=True)
    ]
    advised = shown_advice | {
        "recommendations": recommendations,
        "sentence": advice_words.advice_headline(advice),
        "remarks": advice_words.advice_remarks(advice),
    }
    columns = words.shown_parts(a)
    parts = [
        {"part": part, "meaning": words.PART_MEANINGS[part], "is_shown": i in columns} for i, part in enumerate(PARTS)
    ]
    more = {"segments": segments, "sources": sources, "parts": parts, "text": text}
    return kept | more | {"cells": cells(a), "advice": advised}


def cells(a: Application, most_columns: int = MOST_COLUMNS, most_cells: int = MOST_CELLS) -> dict[str, Any] | None:
    """What each rank did in each window, or in some windows of a segment taken together where they are many.

    None where the application is too large for that to be known.
    """
    if a.detail is None:
        return None
    firsts = _firsts(a, max(min(most_columns, most_cells // len(a.ranks)), 1))
    summed: Ints = np.add.reduceat(a.detail, firsts, axis=2)
    groups = {
        "computing_ns": _sum(summed, ("compute",)), "waiting_ns": _sum(summed, WAITING),
        "taken_ns": _sum(summed, EXTRINSIC), "unknown_ns": _sum(summed, ("other",)),
    }  # fmt: skip
    known = summed.sum(axis=1) - groups["unknown_ns"]
    runnable = groups["computing_ns"] + groups["taken_ns"]
    return {
        "columns": _columns(a, firsts),
        "utilization": [
            [round(a / b, 6) if b else None for a, b in zip(*rows, strict=True)]
            for rows in zip(runnable.tolist(), known.tolist(), strict=True)
        ],
        "parts": {part: summed[:, i].tolist() for i, part in enumerate(PARTS) if summed[:, i].any()},
        **{name: of.tolist() for name, of in groups.items()},
    }


def _firsts(a: Application, most: int) -> NDArray[np.intp]:
    """The first window of each column: every k-th one of each segment, with the least k that gives `most` at most, or
    one column per segment."""
    lengths = [s.end - s.first for s in a.segments]
    longest, step = max(lengths), 1
    while step < longest and sum(-(-length // step) for length in lengths) > most:
        step += 1
    return np.concatenate([np.arange(s.first, s.end, step) for s in a.segments])


def _sum(summed: Ints, parts: tuple[str, ...]) -> Ints:
    of: Ints = summed[:, [PLACE[part] for part in parts]].sum(axis=1)
    return of


def _columns(a: Application, firsts: NDArray[np.intp]) -> list[dict[str, Any]]:
    """The columns with their figures, which are of the windows that were observed."""
    assert a.detail is not None
    count, f, visible = len(a.ranks), a.figures, a.state != "not_visible"
    ends = np.append(firsts[1:], len(a.bounds) - 1)
    computes = np.add.reduceat(a.detail[:, PLACE["compute"]] * a.observed, firsts, axis=1)
    lost = np.add.reduceat(np.where(a.observed, f.lost_n, 0), firsts)
    observed = np.add.reduceat(a.observed.astype(np.int64), firsts)
    segment = np.repeat([s.number for s in a.segments], [s.end - s.first for s in a.segments])[firsts]
    columns = zip(
        firsts.tolist(), ends.tolist(), segment.tolist(), observed.tolist(), lost.tolist(), strict=True
    )  # fmt: skip
    out = []
    for i, (first, end, number, seen, lost_n) in enumerate(columns):
        has_figures = visible and seen > 0
        out.append(
            {
                "first": first + 1, "last": end, "segment": number, "observed": seen,
                "start_ns": int(a.bounds[first]), "end_ns": int(a.bounds[end]),
                "load_balance": efficiency(computes[:, i], 1).load_balance if has_figures else None,
                "lost_ns": lost_n / count if has_figures else None,
                "last_rank": int(a.crew.numbers[f.critical[first]]) if has_figures and end - first == 1 else None,
            }
        )  # fmt: skip
    return out
