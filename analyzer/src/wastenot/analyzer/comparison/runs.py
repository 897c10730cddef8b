"""The figures of one run that a comparison needs, read from a checked trace."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wastenot.analyzer.checked_trace import open_checked
from wastenot.analyzer.store.checking import Progress
from wastenot.analyzer.trace import Trace
from wastenot.analyzer.verdict import Verdict

NAMES = 500
"""Names of threads that a run has figures of; those of the others are added up."""

UNNAMED = "without a name"


@dataclass(frozen=True)
class RunFacts:
    """Where a run's figures come from, and what limits them: whether they are comparable to those of another run."""

    name: str
    source: str
    kernel: str | None
    model: str | None
    shape: dict[str, int]
    """CPUs, cores, last-level caches and NUMA nodes; -1 not known."""
    evidence: dict[str, str]
    """By kind of evidence and excuse: recorded, partial or absent."""
    complete: bool
    end_reason: str
    lost_events: int
    unobserved_share: float
    lower_bound: bool
    suspect: list[str]
    """Self-checks that make the verdict suspect."""
    unverified: list[str]
    """Ways in which the input, such as the kernel's release, goes past what the readers have been verified on."""
    thresholds_ns: dict[str, int]
    checker: str
    start_ns: int | None = None
    """Start of the recording by the clock of its trace; None: not in the baseline."""


@dataclass(frozen=True)
class Run:
    """One run: its length, the time of its online CPUs, and sums (core-ns, ns or counts) by the key of a metric."""

    facts: RunFacts
    window_ns: int
    online_ns: int
    sums: dict[str, int]


def read_run(path: Path, progress: Progress | None = None) -> Run:
    """The figures of the trace at `path`; where its findings are not those of this version, it is checked first.

    Findings that were made with other thresholds stay so, and are named as such.
    """
    with open_checked(path, None, progress) as trace:
        return figures_of(trace)


def figures_of(trace: Trace) -> Run:
    """The figures of an open trace that was checked."""
    verdict = trace.verdict(worst=0)
    figures = verdict.figures
    sums = {
        "wasted": figures["wasted_ns"], "certain": figures["certain_ns"],
        "idle_while_waiting": figures["idle_while_waiting_ns"], "busy": figures["busy_ns"],
        "late_wakes": figures["late_wakes"],
    }  # fmt: skip
    for severity in (row["severity"] for row in verdict.severities):
        sums[severity] = verdict.at_least(severity)[1]
    for row in verdict.grades:
        sums["recurrent" if row["grade"] == "recurrent" else f"grade.{row['grade']}"] = row["core_ns"]
    for row in verdict.excuses:
        sums[f"excuse.{row['excuse']}"] = row["core_ns"]
    for row in trace.metric("cause_answers"):
        sums[f"{'recurrent.' if row['recurrent'] else ''}cause.{row['question']}.{row['answer']}"] = row["core_ns"]
    for row in trace.cgroup_waits():
        sums[f"wait.{row['reason']}"] = sums.get(f"wait.{row['reason']}", 0) + row["wait_ns"]
    _add_threads(sums, trace.metric("thread_names", limit=NAMES).rows())
    window = figures["end_ns"] - figures["start_ns"]
    return Run(_facts(trace, verdict), window, figures["online_ns"], {k: v for k, v in sums.items() if v})


def _add_threads(sums: dict[str, int], rows: list[dict[str, Any]]) -> None:
    for total, column in (
        ("wait.after_wakeup", "wait_wakeup_ns"), ("wait.after_preemption", "wait_preempted_ns"),
        ("wait.throttled", "throttled_ns"), ("switches", "switches"), ("wakeups", "wakeups"),
        ("migrations", "migrations"), ("needless_migrations", "needless_migrations"), ("threads", "threads"),
    ):  # fmt: skip
        sums[total] = sum(row[column] for row in rows)
    for row in rows:
        thread = f"thread.{row['name'] or UNNAMED}"
        sums[f"{thread}.run"] = row["run_ns"]
        sums[f"{thread}.wait"] = row["wait_wakeup_ns"] + row["wait_preempted_ns"]
        sums[f"{thread}.avoidable_wait"] = row["avoidable_wait_ns"]
        sums[f"{thread}.switches"] = row["switches"]
        sums[f"{thread}.migrations"] = row["migrations"]


def _facts(trace: Trace, verdict: Verdict) -> RunFacts:
    shape = trace.metric("machine_shape").one()
    return RunFacts(
        name=trace.path.name,
        source=verdict.trace["source"],
        kernel=verdict.trace["kernel"],
        model=shape.pop("model"),
        shape=shape,
        evidence={row["kind"]: row["state"] for row in verdict.evidence},
        complete=verdict.trace["complete"],
        end_reason=verdict.trace["end_reason"],
        lost_events=verdict.lost_events,
        unobserved_share=verdict.figures["unobserved_share"],
        lower_bound=verdict.is_lower_bound,
        suspect=[s.check for s in verdict.suspicions],
        unverified=list(verdict.trace["unverified"]),
        thresholds_ns=verdict.thresholds_ns,
        checker=verdict.figures["checker_version"],
        start_ns=verdict.trace["start_ns"],
    )
