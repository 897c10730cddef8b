"""The verdict of a trace and one episode, as values with their texts."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wastenot.analyzer.checking import CheckOptions
from wastenot.analyzer.grade_bounds import grade_bounds
from wastenot.analyzer.result import Result
from wastenot.analyzer.units import percent
from wastenot.schemas.generated.enums import SUSPICION_WORDS, EvidenceKind

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from wastenot.analyzer.trace import Trace

JSON_SCHEMA = 3
"""Version of the JSON object."""

JSON_GRADES = ("noise", "in_flight", "expected", "lasting", "persistent", "recurrent")
"""Grades in the order of the JSON object."""


TOLD_BY: dict[str, tuple[EvidenceKind, ...]] = {
    "placed_by": ("placements", "migration_stacks"),
    "not_moved_because": ("load_balance_attempts", "load_balance_kicks", "schedstat_counters"),
    "ended_by": ("migration_stacks",),
}
"""By question, the kinds of evidence that answer it where switches and wakeups do not."""

LOOKS_PINNED = {"min_switches": 10, "min_avoidable_ns": 100_000_000, "min_share": 0.5, "stray": 0.01, "limit": 5}
"""From when on the verdict says of threads that they look pinned (parameters of `sql/looks_pinned.sql`)."""


@dataclass(frozen=True)
class Suspicion:
    """A self-check of the checker that makes the verdict suspect: `share` of what the check compares with."""

    check: str
    count: int
    share: float
    sentence: str

    def to_json(self) -> dict[str, Any]:
        """An entry of `data_quality.suspect`."""
        return {"check": self.check, "count": self.count, "share": self.share, "sentence": self.sentence}


@dataclass(frozen=True)
class Verdict:
    """Everything the verdict says, as read by the metrics of the same names (see `sql/`)."""

    path: Path
    trace: dict[str, Any]
    figures: dict[str, Any]
    grades: list[dict[str, Any]]
    excuses: list[dict[str, Any]]
    causes: list[dict[str, Any]]
    worst: list[dict[str, Any]]
    data_quality: list[dict[str, Any]]
    lost: list[dict[str, Any]]
    looks_pinned: list[dict[str, Any]]
    severities: list[dict[str, Any]] = field(default_factory=list)
    evidence: list[dict[str, Any]] = field(default_factory=list)

    def count(self, what: str) -> int:
        """Sum of one kind of the counts of `data_quality`."""
        return sum(row["value"] for row in self.data_quality if row["what"] == what)

    def by_reason(self, what: str) -> dict[str, int]:
        """One kind of the counts of `data_quality`, by reason."""
        rows = [row for row in self.data_quality if row["what"] == what and row["value"]]
        return {row["detail"] or "unspecified": row["value"] for row in rows}

    @property
    def suspicions(self) -> list[Suspicion]:
        """The self-checks that make the verdict suspect, in the order of the enumeration; none: it is not."""
        shares, counts = self.by_reason("suspect"), self.by_reason("self_check_total")
        out = []
        for check, words in SUSPICION_WORDS.items():
            if check in shares:
                count, share = counts.get(check, 0), shares[check] / 1e6
                text = words.format(count=f"{count:,}", share=percent(share))
                out.append(Suspicion(check, count, share, text))
        return out

    @property
    def is_certain(self) -> bool:
        """Whether a part of the verdict may be called certain."""
        return not self.suspicions

    @property
    def is_lower_bound(self) -> bool:
        """Whether more may have been wasted than the figures say: woken threads that waited are not seen."""
        return not self.trace["shows_wakeups"]

    @property
    def lost_events(self) -> int:
        """Events the recorder or tracer lost; a loss of unknown size counts as one."""
        return sum(row["events"] for row in self.lost)

    @property
    def lasting_ns(self) -> int:
        """Waste of the episodes that a report leads with: lasting by what they wasted, and recurrent ones (core-ns)."""
        recurrent = next((g["core_ns"] for g in self.grades if g["grade"] == "recurrent"), 0)
        return max(self.at_least("lasting")[1], recurrent)

    @property
    def severity(self) -> str | None:
        """The worst severity of an episode: persistent, lasting or expected; None where none is listed."""
        return next((s["severity"] for s in self.severities if s["episodes"]), None)

    def at_least(self, severity: str) -> tuple[int, int]:
        """Episodes of this severity or a worse one, and their waste (core-ns).

        Recurrent episodes lie in the time of others or between them: the larger sum of the two kinds counts.
        """
        worst_first = [s["severity"] for s in self.severities]
        of = self.severities[: worst_first.index(severity) + 1] if severity in worst_first else []
        waste = max(sum(s["timed_ns"] for s in of), sum(s["recurrent_ns"] for s in of))
        return sum(s["episodes"] for s in of), waste

    @property
    def thresholds_ns(self) -> dict[str, int]:
        """Thresholds by grade, given in place of the definition's, with which the stored findings were made."""
        return dict(CheckOptions.from_json(self.figures.get("options") or "{}").thresholds_ns)

    def to_json(self) -> dict[str, Any]:
        """The object that `wastenot check --json` prints. All keys are always there; times in ns, core-time in s."""
        facts, f = self.trace, self.figures
        grades = {g["grade"]: {"count": g["episodes"], "core_s": g["core_ns"] / 1e9} for g in self.grades}
        return {
            "schema": JSON_SCHEMA,
            "trace": {k: facts[k] for k in ("source", "kernel", "cpus", "start_ns", "end_ns", "events")}
            | {"evidence_level": facts["evidence"], "evidence": self.evidence},
            "wasted": {
                "core_s": f["wasted_ns"] / 1e9,
                "certain_core_s": f["certain_ns"] / 1e9,
                "idle_while_waiting_core_s": f["idle_while_waiting_ns"] / 1e9,
                "share": f["share"],
                "lower_bound": self.is_lower_bound,
                "excused_core_s": {e["excuse"]: e["core_ns"] / 1e9 for e in self.excuses},
            },
            "episodes": {grade: grades[grade] for grade in JSON_GRADES},
            "causes": self._causes(recurrent=False),
            "recurrent_causes": self._causes(recurrent=True),
            "worst": [
                {"id": e["episode_id"], "start_ns": e["start_ns"], "end_ns": e["end_ns"]}
                | {"core_s": e["total_core_ns"] / 1e9}
                | {k: e[k] for k in ("grade", "severity", "idle_cpus", "overloaded_cpus")}
                | {"threads": e["waited"]}
                for e in self.worst
            ],
            "data_quality": {
                "lost_events": self.lost_events,
                "unobserved_share": f["unobserved_share"],
                "unknown_mask_threads": self.count("unknown_mask_threads"),
                "rejected": self.by_reason("rejected"),
                "contradictions": self.by_reason("contradiction"),
                "repaired": self.by_reason("repaired"),
                "bubbles": self.by_reason("bubble"),
                "placements_inferred": self.count("placements_inferred"),
                "idle_with_queue_share": self.by_reason("self_check_ppm").get("idle_with_queue", 0) / 1e6,
                "suspect": [suspicion.to_json() for suspicion in self.suspicions],
                "unverified": facts["unverified"],
                "degraded": facts["degraded"],
                "not_seen": ["wakeups"] if self.is_lower_bound else [],
                "silent_cpus": facts["silent_cpus"],
                "unrecorded_excuses": facts["unrecorded_excuses"],
                "looks_pinned": [
                    {k: p[k] for k in ("name", "threads", "cpus")} | {"avoidable_wait_s": p["avoidable_wait_ns"] / 1e9}
                    for p in self.looks_pinned
                ],
            },
            "severity": self.severity,
            "severities": {
                s["severity"]: {"count": s["episodes"], "core_s": max(s["timed_ns"], s["recurrent_ns"]) / 1e9}
                for s in self.severities
            },
            "thresholds_ns": self.thresholds_ns,
        }

    def _causes(self, recurrent: bool) -> list[dict[str, Any]]:
        return [
            {k: c[k] for k in ("placed_by", "ended_by", "proof")}
            | {"not_moved_because": c["reasons"], "sentence": cause_text(c), "needs": self._needs(c)}
            | {f"{q}_proof": c[f"{q}_proof"] for q in ("placed_by", "not_moved_because", "ended_by")}
            | {"core_s": c["core_ns"] / 1e9, "episodes": c["episodes"]}
            for c in self.causes
            if c["recurrent"] == recurrent
        ]

    def _needs(self, cause: dict[str, Any]) -> list[EvidenceKind]:
        """Kinds of evidence, not recorded throughout, that would tell what of a cause is unknown."""
        recorded = self.trace["recorded_evidence"]
        kinds = [kind for question, tell in TOLD_BY.items() if cause[question] == "unknown" for kind in tell]
        return [kind for kind in dict.fromkeys(kinds) if kind not in recorded]

    def sentence(self) -> str:
        """The verdict in one sentence."""
        from wastenot.analyzer.sentences import sentence

        return sentence(self)

    def __str__(self) -> str:
        from wastenot.analyzer.view import as_text

        return as_text(self)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from wastenot.analyzer.view import verdict_view

        yield from verdict_view(self)

    def _repr_html_(self) -> str:
        from wastenot.analyzer.html_view import verdict_html

        return verdict_html(self)


@dataclass(frozen=True)
class Episode:
    """One episode: its `row` (columns of `episode.sql`), the `threads` that waited in it, the `events` it rests on, and
    its `causes`: the answers of the rules, alternatives included. `rests_on` counts the events it rests on, of which
    `events` has the first."""

    row: dict[str, Any]
    threads: Result
    events: Result
    causes: Result
    rests_on: int
    thresholds_ns: dict[str, int] = field(default_factory=dict)
    """Thresholds by grade, given in place of the definition's, by which it was graded."""
    tick_ns: int | None = None
    """The scheduler's tick; None: the trace does not tell."""

    @property
    def bounds(self) -> dict[str, str]:
        """By grade, how long one of its gaps lasts."""
        return grade_bounds(self.tick_ns, self.thresholds_ns)

    def diagnosis(self) -> list[tuple[str, str]]:
        """What happened, how, why, how sure that is and what to check next, as (heading, sentence) pairs."""
        from wastenot.analyzer.diagnosis import diagnosis

        return diagnosis(self.row, self.causes.rows())

    def to_json(self) -> dict[str, Any]:
        """The object that `wastenot episode --json` prints."""
        return {
            **self.row,
            "diagnosis": dict(self.diagnosis()),
            "causes": self.causes.rows(),
            "waited": self.threads.rows(),
            "evidence": self.events.rows(),
            "evidence_events": self.rests_on,
            "thresholds_ns": self.thresholds_ns,
        }

    def __str__(self) -> str:
        from wastenot.analyzer.view import as_text

        return as_text(self)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from wastenot.analyzer.view import episode_view

        yield from episode_view(self)

    def _repr_html_(self) -> str:
        return self.threads._repr_html_() + self.events._repr_html_()


def cause_text(c: dict[str, Any]) -> str:
    """A cause in a line: why nobody moved the threads, how they came, what ended it, each with how sure that is.

    What is not known is left out.
    """
    from wastenot.analyzer.diagnosis import answer_words

    said = (("not_moved_because", ""), ("placed_by", "came by "), ("ended_by", "ended by "))
    parts = (f"{how}{answer_words(q, c[q])} ({c[f'{q}_proof']})" for q, how in said if c[q] != "unknown")
    return "; ".join(parts) or "unknown"


def read_verdict(trace: Trace, worst: int) -> Verdict:
    """Read the verdict of a checked trace with its `worst` episodes, each with the threads that waited in it."""
    listed = ["persistent", "lasting", "recurrent", "expected"]
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
