"""What the verdict and an episode of a trace say, as values: the rows of the metrics, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wastenot.analyzer.result import Result
from wastenot.analyzer.store.checking import CheckOptions
from wastenot.schemas.generated.enums import EVIDENCE_KIND_OF_EXCUSE, SUSPICION_WORDS

PROGRAM_TRACES = ("paraver", "otf2")
"""Sources of traces that hold the threads of parallel programs and nothing else."""


@dataclass(frozen=True)
class Suspicion:
    """A self-check of the checker that makes the verdict suspect: `share` of what the check compares with."""

    check: str
    count: int
    share: float


def suspicions_of(shares: Mapping[str, int], counts: Mapping[str, int]) -> list[Suspicion]:
    """From `data_quality`: the millionths of `suspect` and the counts of `self_check_total`, by check."""
    return [Suspicion(check, counts.get(check, 0), shares[check] / 1e6) for check in SUSPICION_WORDS if check in shares]


@dataclass(frozen=True)
class MainReason:
    """The cause of most of the waste that lasted: `share` of all waste; `episode` is the worst of it that is listed."""

    cause: dict[str, Any]
    core_ns: int
    share: float
    episode: int | None


@dataclass(frozen=True)
class VerdictData:
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

    @property
    def excuses_not_recorded(self) -> list[str]:
        """Excuses that the trace cannot show."""
        missing = {row["kind"] for row in self.evidence if row["state"] != "recorded"}
        return [excuse for excuse, kind in EVIDENCE_KIND_OF_EXCUSE.items() if kind in missing]

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
        return suspicions_of(self.by_reason("suspect"), self.by_reason("self_check_total"))

    @property
    def is_certain(self) -> bool:
        """Whether a part of the verdict may be called certain."""
        return not self.suspicions

    @property
    def shows_waste(self) -> bool:
        """Whether idle CPUs beside waiting threads can be seen: not where the trace has the threads of parallel
        programs alone, since what else ran on their CPUs, or whether these were idle, is not in it."""
        return self.trace["source"] not in PROGRAM_TRACES

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

    @property
    def main_reason(self) -> MainReason | None:
        """The heaviest cause; None where only short intervals were wasted, and where the verdict is in doubt."""
        if not self.lasting_ns or self.severity is None or self.suspicions or self.trace["unverified"]:
            return None
        timed = [c for c in self.causes if not c["recurrent"]]
        # Most of what recurs is in the timed episodes as well.
        has_most = 2 * sum(c["core_ns"] for c in timed) >= self.lasting_ns
        causes = timed if has_most else [c for c in self.causes if c["recurrent"]]
        if not causes:
            return None
        most = max(causes, key=lambda c: c["core_ns"])
        same = ("placed_by", "not_moved_because", "ended_by", "proof")
        of_it = (e["episode_id"] for e in self.worst if all(e[k] == most[k] for k in same))
        return MainReason(most, most["core_ns"], most["core_ns"] / self.figures["wasted_ns"], next(of_it, None))

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


@dataclass(frozen=True)
class EpisodeData:
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
    """The scheduler's tick; None: not recorded."""
    evidence: list[dict[str, Any]] = field(default_factory=list)
    """What the trace holds: rows of `evidence.sql`."""
    trace: dict[str, Any] = field(default_factory=dict)
    """The row of `trace.sql`."""
