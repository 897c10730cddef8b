"""Advice for parallel programs for a terminal and as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text
from wastenot.analyzer.balance.advice import Advice, Recommendation, meets_once
from wastenot.analyzer.balance.application import Application, Balance
from wastenot.analyzer.balance.decomposition import PARTS
from wastenot.analyzer.balance.measuring import MOST_CELLS
from wastenot.analyzer.render.balance import balance_remarks, crew_words, evidence_words, in_doubt, not_visible_words
from wastenot.analyzer.text.units import duration, percent

NOT_PREDICTED = (
    "No placement is predicted: it needs the CPUs of the machine, and what each rank computed in each iteration (up to "
    f"{MOST_CELLS // len(PARTS):,} of ranks times iterations)."
)
MOVES = "Other ranks limit it in other iterations: a fixed placement fits only some of them."


def advice_text(balance: Balance, found: list[Advice]) -> RenderableType:
    """What `wastenot advise` prints."""
    if not found:
        return Text(
            "No application found: nothing to advise. `wastenot balance` lists what may be one; --app names it."
        )
    parts: list[RenderableType] = []
    for advice in found:
        parts += [*([Text()] if parts else []), *_advice(balance, advice)]
    return Group(*parts)


def _advice(balance: Balance, advice: Advice) -> Iterator[RenderableType]:
    a = advice.application
    yield Text(f"{a.crew.name}: {advice_headline(advice)}{in_doubt(balance)}", style="bold")
    for remark in balance_remarks(balance):
        yield Text(remark)
    yield Text(crew_words(a.crew, a.level) + ".")
    if a.state == "not_visible":
        yield Text(_nothing_words(a))
        return
    for remark in advice_remarks(advice):
        yield Text(remark)
    for number, recommendation in enumerate(advice.recommendations, 1):
        yield Text()
        yield Text(f"{number}. {recommendation.what}: {saves_words(recommendation)}.")
        for command in recommendation.commands:
            yield Text(f"    {command}", no_wrap=True, overflow="ignore")  # whole, to be copied
        for remark in recommendation.remarks:
            yield Text(f"   - {remark}")
        yield Text(f"   Assumes: {recommendation.assumes}.", style="dim")
    yield Text()
    yield Text(evidence_words(advice.application), style="dim")


def advice_remarks(advice: Advice) -> list[str]:
    """What is said before the recommendations: how long an iteration would take, and whether that holds for all."""
    if advice.application.state == "not_visible":
        return [_nothing_words(advice.application)]
    remarks = [NOT_PREDICTED if advice.placement is None else _placement_words(advice)]
    return [*remarks, MOVES] if advice.moves else remarks


def _nothing_words(a: Application) -> str:
    """Why nothing is advised."""
    return f"{not_visible_words(a)} Nothing can be advised."


def advice_headline(advice: Advice) -> str:
    """What the advice for an application comes to."""
    if advice.application.state == "not_visible":
        return "not visible, no advice"
    if not advice.recommendations:
        return "nothing would make it end sooner that this trace shows"
    most = max((r.saves[1] for r in advice.recommendations if r.saves is not None), default=0.0)
    return f"up to {percent(most)} of its time may be saved"


def saves_words(r: Recommendation) -> str:
    """What a recommendation saves."""
    if r.saves is None:
        return "gain not known"
    low, high = r.saves
    if low > 0 and percent(low) == percent(high):
        return f"saves {percent(high)} of the time"
    return f"saves {f'{percent(low)} to' if low > 0 else 'at most'} {percent(high)} of the time"


def _placement_words(advice: Advice) -> str:
    p = advice.placement
    assert p is not None
    between = "the time between releases" if advice.application.level == "H0" else "the time between two calls"
    units = {"iterations": "an iteration", "releases": between}
    unit = units.get(advice.segment.kind, "a window")
    predicted = duration(round(p.low_ns))
    if duration(round(p.high_ns)) != predicted:
        predicted += f" to {duration(round(p.high_ns))}"
    if not meets_once(advice.segment):
        predicted = f"{duration(round(p.low_ns))} at least"
    text = f"Placed by load, {unit} would take {predicted}; it takes {duration(round(p.now_ns))}."
    if not any(r.kind == "placement" for r in advice.recommendations):
        text += " No placement of its ranks makes it end sooner."
    return text


def advice_json(found: list[Advice]) -> dict[str, Any]:
    """What `wastenot advise --json` prints."""
    level = min((f.application.level for f in found), default="H0")
    return {"evidence_level": level, "applications": [_json(a) for a in found]}


def _json(advice: Advice) -> dict[str, Any]:
    a, p = advice.application, advice.placement
    return {
        "application": a.number, "name": a.crew.name, "state": a.state, "load_moves": advice.moves,
        "placement": None if p is None else {
            "ranks": [
                {"rank": r.rank.number, "tid": r.rank.tid, "cpu": cpu, "nice": nice}
                for r, cpu, nice in zip(a.ranks, p.cpus, p.nice or (None,) * len(p.cpus), strict=True)
            ],
            "cpus_certain": p.is_certain, "predicted_low_ns": p.low_ns, "predicted_high_ns": p.high_ns,
            "weighted_low_ns": p.weighted_ns and p.weighted_ns[0],
            "weighted_high_ns": p.weighted_ns and p.weighted_ns[1],
            "now_ns": p.now_ns,
        },
        "recommendations": [
            dataclasses.asdict(r) | {"saves": None if r.saves is None else {"least": r.saves[0], "most": r.saves[1]}}
            for r in advice.recommendations
        ],
    }  # fmt: skip
