"""The verdict of a trace and one episode: their values, printed as text, HTML or JSON."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from wastenot.analyzer.deferred import Deferred
from wastenot.analyzer.model.verdict import EpisodeData, VerdictData
from wastenot.analyzer.render.json import episode_json, verdict_json
from wastenot.analyzer.result import Queryable
from wastenot.analyzer.text.diagnosis import diagnosis
from wastenot.analyzer.text.sentences import sentence
from wastenot.schemas.generated.enums import GRADE_WORST_FIRST

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from wastenot.analyzer.render import html, terminal
else:
    html = Deferred("wastenot.analyzer.render.html")
    terminal = Deferred("wastenot.analyzer.render.terminal")

SHORT = ("in_flight", "noise")
"""Grades of which the verdict lists no episodes."""

LOOKS_PINNED = {"min_switches": 10, "min_avoidable_ns": 100_000_000, "min_share": 0.5, "stray": 0.01, "limit": 5}
"""From when on the verdict says of threads that they look pinned (parameters of `sql/looks_pinned.sql`)."""


class Verdict(VerdictData):
    """The verdict of a trace."""

    def to_json(self) -> dict[str, Any]:
        """The object that `wastenot check --json` prints. All keys are always there; times in ns, core-time in s."""
        return verdict_json(self)

    def sentence(self) -> str:
        """How much was wasted, how sure that is, and the main reason."""
        return sentence(self)

    def __str__(self) -> str:
        return terminal.as_text(self)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from terminal.verdict_view(self)

    def _repr_html_(self) -> str:
        return html.verdict_html(self)


class Episode(EpisodeData):
    """One episode of a trace."""

    def diagnosis(self) -> list[tuple[str, str]]:
        """What happened, how, why, how sure that is and what to check next, as (heading, sentence) pairs."""
        return diagnosis(self.row, self.causes.rows(), self.evidence, self.trace)

    def to_json(self) -> dict[str, Any]:
        """The object that `wastenot episode --json` prints."""
        return episode_json(self)

    def __str__(self) -> str:
        return terminal.as_text(self)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from terminal.episode_view(self)

    def _repr_html_(self) -> str:
        return self.threads._repr_html_() + self.events._repr_html_()


def read_verdict(trace: Queryable, worst: int) -> Verdict:
    """Read the verdict of a checked trace with its `worst` episodes, each with the threads that waited in it."""
    listed = [grade for grade in GRADE_WORST_FIRST if grade not in SHORT]
    episodes = trace.metric("episodes", grades=listed, severities=[], parts=False, limit=worst).rows()
    waited: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in trace.metric("episode_threads", episodes=[e["episode_id"] for e in episodes] or [-1]):
        waited[row["episode_id"]].append(row)
    return Verdict(
        path=trace.path,
        trace=trace.metric("trace").one(),
        figures=trace.metric("verdict").one(),
        grades=trace.metric("grades").rows(),
        excuses=trace.metric("excuse_ledger").rows(),
        causes=trace.metric("causes").rows(),
        worst=[{**e, "waited": _by_thread(waited[e["episode_id"]])} for e in episodes],
        data_quality=trace.metric("data_quality").rows(),
        lost=trace.metric("lost").rows(),
        looks_pinned=trace.metric("looks_pinned", **LOOKS_PINNED).rows(),
        severities=trace.metric("severities").rows(),
        evidence=trace.metric("evidence").rows(),
    )


def _by_thread(pairs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The threads of an episode, longest wait first: utid, tid, name, core_s."""
    total: dict[int, int] = defaultdict(int)
    known: dict[int, dict[str, Any]] = {}
    for pair in pairs:
        total[pair["utid"]] += pair["core_ns"]
        known[pair["utid"]] = pair
    return [
        {"utid": utid, "tid": known[utid]["tid"], "name": known[utid]["name"], "core_s": ns / 1e9}
        for utid, ns in sorted(total.items(), key=lambda item: (-item[1], item[0]))
    ]
