"""What runs are compared by: which sums of a run, in which unit, under which name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from wastenot.analyzer.comparison.runs import Run
from wastenot.schemas.generated.enums import (
    ENDED_BY_WORDS,
    EXCUSE_WORDS,
    GRADE_WORDS,
    NOT_MOVED_BECAUSE_WORDS,
    PLACED_BY_WORDS,
    WAIT_REASON_WORDS,
)

Unit = Literal["share", "core_s", "threads", "cpus", "per_s", "s"]
"""share: of the time of the online CPUs · core_s: core-seconds of the whole run · threads, cpus: mean number at an
instant · per_s: times a second · s: seconds."""

PRIMARY = "wasted"
"""The metric that a comparison is about."""

SHARES: dict[str, str] = {
    "wasted": "wasted",
    "certain": "certain",
    "idle_while_waiting": "idle while waiting",
    "persistent": "waste of persistent episodes",
    "lasting": "waste of lasting episodes and worse",
    "expected": "waste of expected episodes and worse",
    "recurrent": "recurrent waste",
    "busy": "busy",
}
COUNTS: dict[str, str] = {
    "switches": "switches",
    "wakeups": "wakeups",
    "migrations": "moves",
    "needless_migrations": "needless moves",
    "late_wakes": "late wakes",
}
WAITS: dict[str, str] = {
    "after_wakeup": "waiting after a wakeup",
    "after_preemption": "waiting after a preemption",
    "throttled": "throttled",
} | {reason: f"waiting: {words}" for reason, words in WAIT_REASON_WORDS.items()}
ANSWERS: dict[str, Mapping[Any, str]] = {
    "placed_by": PLACED_BY_WORDS,
    "not_moved_because": NOT_MOVED_BECAUSE_WORDS,
    "ended_by": ENDED_BY_WORDS,
}
OF_THREADS: dict[str, tuple[str, Unit]] = {
    "run": ("running", "cpus"),
    "wait": ("waiting", "threads"),
    "avoidable_wait": ("avoidable wait", "threads"),
    "switches": ("switches", "per_s"),
    "migrations": ("moves", "per_s"),
}
OTHERS = "other names"

Family = Literal["waste", "grades", "causes", "excuses", "waits", "work", "threads"]
FAMILIES: tuple[Family, ...] = ("waste", "grades", "causes", "excuses", "waits", "work", "threads")
"""In the order of lists."""
WORSE: tuple[Family, ...] = ("waste", "grades", "causes", "waits")
"""Of which more is worse."""
ALWAYS = ("wasted", "wasted_core_s", "certain", "lasting", "recurrent", "duration", "busy", "switches", "migrations")
"""Metrics that are listed whether they changed or not."""


@dataclass(frozen=True)
class Metric:
    """A figure that every run has: its key in conditions and JSON, its name in lists, its unit."""

    key: str
    words: str
    unit: Unit
    family: Family

    @property
    def more_is_worse(self) -> bool:
        """Whether a rise is a change for the worse; of others it is neither."""
        return self.family in WORSE

    @property
    def is_always_listed(self) -> bool:
        """Whether lists have it where it did not change, too."""
        return self.key in ALWAYS

    def of(self, run: Run) -> float:
        """The value of a run, in the unit."""
        if self.key == "duration":
            return run.window_ns / 1e9
        value = run.sums.get(self.key.removesuffix("_core_s"), 0)
        if self.unit == "share":
            return value / run.online_ns if run.online_ns else 0.0
        if self.unit in ("core_s", "s"):
            return value / 1e9
        if self.unit == "per_s":
            return value / (run.window_ns / 1e9) if run.window_ns else 0.0
        return value / run.window_ns if run.window_ns else 0.0


def metric_of(key: str) -> Metric | None:
    """The metric with this key; None where there is none. Any name of a thread makes one."""
    if key == "duration":
        return Metric(key, "duration", "s", "work")
    if key in SHARES:
        return Metric(key, SHARES[key], "share", "work" if key == "busy" else "waste")
    if key == "wasted_core_s":
        return Metric(key, "wasted, of the whole run", "core_s", "waste")
    if key in COUNTS:
        return Metric(key, COUNTS[key], "per_s", "work")
    kind, _, name = key.partition(".")
    if kind == "grade" and name in GRADE_WORDS and name != "recurrent":
        return Metric(key, f"grade {GRADE_WORDS[name]}", "share", "grades")
    if kind == "excuse" and name in EXCUSE_WORDS:
        return Metric(key, f"excused: {EXCUSE_WORDS[name]}", "share", "excuses")
    if kind == "wait" and name in WAITS:
        return Metric(key, WAITS[name], "threads", "waits")
    if kind == "thread":
        return _of_thread(key, name)
    return _of_cause(key)


def _of_thread(key: str, name: str) -> Metric | None:
    name, _, what = name.rpartition(".")
    if not name or what not in OF_THREADS:
        return None
    words, unit = OF_THREADS[what]
    return Metric(key, f"{name}: {words}", unit, "threads")


def _of_cause(key: str) -> Metric | None:
    recurrent, rest = key.startswith("recurrent."), key.removeprefix("recurrent.")
    kind, _, name = rest.partition(".")
    question, _, answer = name.partition(".")
    words = ANSWERS.get(question, {}).get(answer) if kind == "cause" else None
    if words is None:
        return None
    asked = {"placed_by": "placed by", "not_moved_because": "not moved because", "ended_by": "ended by"}[question]
    return Metric(key, f"{asked}: {words}{'*' if recurrent else ''}", "share", "causes")


def metrics_of(runs: Sequence[Run], names: int) -> list[Metric]:
    """The metrics of some runs, family by family; of threads those `names` that ran and waited longest."""
    fixed = ["wasted", "wasted_core_s", *list(SHARES)[1:], "duration", *COUNTS]
    found = dict.fromkeys(fixed) | dict.fromkeys(sorted({key for run in runs for key in run.sums}))
    shown = set(longest_names(runs, names))
    out = []
    for key in found:
        metric = metric_of(key)
        if metric is None or (metric.family == "threads" and key.split(".", 1)[1].rpartition(".")[0] not in shown):
            continue
        out.append(metric)
    return sorted(out, key=lambda m: FAMILIES.index(m.family))


def longest_names(runs: Iterable[Run], most: int) -> list[str]:
    """The names of threads that ran and waited longest in all runs, each run counted by its length."""
    total: dict[str, float] = {}
    for run in runs:
        for key, value in run.sums.items():
            if key.startswith("thread.") and key.endswith((".run", ".wait")):
                name = key.split(".", 1)[1].rpartition(".")[0]
                total[name] = total.get(name, 0.0) + value / max(run.window_ns, 1)
    total.pop(OTHERS, None)
    return sorted(total, key=lambda name: (-total[name], name))[:most]
