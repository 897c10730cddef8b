"""What is known of the balance of a trace: applications, ranks, segments, windows, and what was lost to what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from wastenot.analyzer.balance.counters import RankCounters
from wastenot.analyzer.balance.crews import Crew, Rank
from wastenot.analyzer.balance.metrics import Efficiency, WindowFigures, utilization
from wastenot.analyzer.balance.timelines import Ints, Timeline

SegmentKind = Literal["iterations", "releases", "outside", "windows"]
"""Iterations of one period; the time between releases that have none; what lies before, between and after such; windows
of fixed length for want of any."""

State = Literal["balanced", "imbalanced", "no_imbalance_seen", "not_visible"]
"""no_imbalance_seen: as balanced, at evidence H0: ranks that spin before they sleep would look the same."""

SourceKind = Literal["thread", "rank", "idle", "irq", "throttled", "unknown", "moved"]
"""thread: one that is not a rank · rank: another rank on the same CPU · idle: the CPU was about to switch · irq:
interrupt work · throttled: no quota · unknown: the CPU was not observed · moved: what noise did not cost, since it hit
a rank with less work than another (below 0)."""

BALANCED = 0.95
"""Load balance from which on ranks are called balanced, where no more than the rest is lost either."""


@dataclass(frozen=True)
class RankTime:
    """What the time of one rank went to: `parts` by `PARTS`, of which `avoidable_ns` were spent beside an idle CPU."""

    rank: Rank
    parts: Ints
    avoidable_ns: int
    counters: RankCounters | None = None
    """None where its runs have no hardware counters."""

    @property
    def utilization(self) -> float | None:
        """U, the share of the time in which it was runnable."""
        return utilization(self.parts)


@dataclass(frozen=True)
class Segment:
    """Windows `first` to `end` (not part of it) of an application."""

    number: int
    kind: SegmentKind
    first: int
    end: int
    start_ns: int
    end_ns: int
    period: int | None
    """Releases of an iteration; at level H1 calls of one."""
    typical_ns: int
    """Median length of its windows."""
    efficiency: Efficiency
    lost_ns: float
    intrinsic_ns: float
    extrinsic_ns: float
    windows: int
    """Windows that were observed; figures are of these."""
    work_returns_after: int = 1
    """What ranks compute returns with every so many windows: an iteration of the program may have so many meetings, at
    like distances. 1 where it does not, and where windows are no iterations found by releases."""

    @property
    def length_ns(self) -> int:
        """The length of the windows that were observed."""
        return self.efficiency.length_ns


@dataclass(frozen=True)
class Source:
    """What a source added to the extrinsic imbalance; `taken_ns`: what it took from all ranks together, `last_ns`: from
    the rank that ended last of each window, of which `avoidable_ns` beside an idle CPU."""

    kind: SourceKind
    utid: int | None
    tid: int | None
    name: str
    extrinsic_ns: float
    avoidable_ns: int
    taken_ns: int
    last_ns: int
    in_iterations_ns: float
    """Of `extrinsic_ns`, what it added in iterations; the rest is start and end of the program."""


@dataclass(frozen=True)
class CallCount:
    """A function or region that the ranks entered, and how often."""

    name: str
    kind: str
    calls: int


@dataclass(frozen=True)
class CallEvidence:
    """The calls of the ranks that a trace holds: those entered most often first. `ranks`: how many ranks have some;
    `lost`: events that are missing; `not_whole`: calls that were not seen to start, or not to end. `is_used`: figures
    rest on them (level H1)."""

    counts: tuple[CallCount, ...]
    ranks: int
    lost: int
    not_whole: int
    is_used: bool

    @property
    def total(self) -> int:
        """How often the ranks entered any of them."""
        return sum(c.calls for c in self.counts)


@dataclass(frozen=True)
class Application:
    """A parallel program and its balance between `start_ns` and `end_ns`, while all ranks were alive."""

    number: int
    crew: Crew
    level: Literal["H0", "H1"]
    calls: CallEvidence | None
    """None where the trace has no calls of the ranks."""
    start_ns: int
    end_ns: int
    bounds: Ints
    segments: tuple[Segment, ...]
    ranks: tuple[RankTime, ...]
    by_segment: tuple[Ints, ...]
    """Per segment the ns by rank and part."""
    figures: WindowFigures
    efficiency: Efficiency
    sources: tuple[Source, ...]
    episodes: tuple[dict[str, Any], ...]
    detail: Ints | None
    """ns by rank, part and window; None where that is too much to keep."""
    releases: int
    """Instants at which ranks went on together; at level H1 calls of the rank by which iterations are found."""
    observed: NDArray[np.bool_]
    """Windows in which the state of every rank is known; figures are of these alone."""
    waiting: tuple[Timeline, ...]
    """Per rank, when it was in calls that wait; at level H0 never."""

    @property
    def has_counters(self) -> bool:
        """Whether computing of every rank was counted."""
        return all(r.counters is not None for r in self.ranks)

    @property
    def evidence(self) -> Literal["H0", "H1", "H2"]:
        """The level, with hardware counters."""
        return "H2" if self.level == "H1" and self.has_counters else self.level

    @property
    def length_ns(self) -> int:
        """T: the length of all windows that were observed."""
        return int(np.diff(self.bounds)[self.observed].sum())

    @property
    def totals(self) -> Ints:
        """ns by rank and part, of the windows that were observed."""
        totals: Ints = np.stack(self.by_segment).sum(axis=0)
        return totals

    @property
    def whole_ns(self) -> int:
        """The length of all windows."""
        return self.end_ns - self.start_ns

    @property
    def has_iterations(self) -> bool:
        """Whether a period was found."""
        return any(s.kind == "iterations" for s in self.segments)

    @property
    def lost_in_iterations_ns(self) -> float:
        """The part of `lost_ns` that is in iterations."""
        return sum((s.lost_ns for s in self.segments if s.kind == "iterations"), 0.0)

    @property
    def utilization_in_iterations(self) -> tuple[float | None, ...]:
        """U of each rank within iterations, as the program itself would measure it: without start and end. Empty where
        no period was found."""
        of = [self.by_segment[s.number - 1] for s in self.segments if s.kind == "iterations"]
        return tuple(utilization(parts) for parts in np.sum(of, axis=0)) if of else ()

    @property
    def utilization(self) -> float | None:
        """U of all ranks: the sum of what they were runnable by the sum of their time."""
        return utilization(sum(r.parts for r in self.ranks))  # type: ignore[arg-type]

    @property
    def lost_ns(self) -> float:
        """The sum over windows of max A - mean A: how much longer they took than with equal ranks."""
        return float(self.figures.lost_n.sum()) / len(self.ranks)

    @property
    def intrinsic_ns(self) -> float:
        """The part of `lost_ns` that the ranks' own computing explains."""
        return float(self.figures.intrinsic_n.sum()) / len(self.ranks)

    @property
    def extrinsic_ns(self) -> float:
        """The part of `lost_ns` that the machine added; below 0 where what it took made the ranks more even."""
        return float(self.figures.extrinsic_n.sum()) / len(self.ranks)

    @property
    def waiting_seen(self) -> float:
        """The share of the time in windows in which some rank was seen to wait for 1 % of it or longer."""
        lengths = np.diff(self.bounds)
        seen = (self.figures.max_wait * 100 >= lengths) & self.observed
        return float(lengths[seen].sum()) / self.length_ns if self.length_ns else 0.0

    @property
    def state(self) -> State:
        """What the evidence allows to say."""
        if self.length_ns < OBSERVED * self.whole_ns:
            return "not_visible"
        is_hidden = self.waiting_seen < SEEN or all((r.utilization or 0) >= BUSY for r in self.ranks)
        if self.level == "H0" and is_hidden:
            return "not_visible"
        balance = self.efficiency.load_balance
        is_even = balance is not None and balance >= BALANCED and self.lost_ns <= (1 - BALANCED) * self.length_ns
        if not is_even:
            return "imbalanced"
        return "balanced" if self.level == "H1" else "no_imbalance_seen"


BUSY = 0.99
"""Ranks that are runnable for this share of the time or more may compute or spin: no wakeup tells which."""

OBSERVED = 0.5
"""Share of the run that has to be observed, or the balance is called not visible."""

SEEN = 0.2
"""Share of the time in which waiting has to be seen, or the balance is called not visible."""


@dataclass(frozen=True)
class Candidate:
    """A crew that is not called an application."""

    crew: Crew
    why: Literal["no_iterations", "never_asleep", "never_together", "realtime"]


@dataclass(frozen=True)
class Balance:
    """The applications of a trace, and crews that may be ones."""

    applications: tuple[Application, ...]
    candidates: tuple[Candidate, ...]
    start_ns: int
    shows_wakeups: bool
    suspicions: tuple[str, ...]
    """Self-checks of the trace that make it suspect, and `unverified` where reading its events is not verified."""
    doubt: str = ""
    """These in words, as the verdict has them; empty where there is none."""
    unlisted_crews: int = 0
    """Crews that were not looked at, since they ran less than those that were."""
