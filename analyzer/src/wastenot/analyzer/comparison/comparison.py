"""The comparison of two sides of repeated runs: differences, intervals, tests, findings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wastenot.analyzer.comparison.bootstrap import LEAST_RUNS, RESAMPLES, difference_intervals
from wastenot.analyzer.comparison.comparability import evidence_is_alike, notes_on, reasons_against
from wastenot.analyzer.comparison.metrics import PRIMARY, Metric, metric_of, metrics_of
from wastenot.analyzer.comparison.rank_test import benjamini_hochberg, least_p, rank_test
from wastenot.analyzer.comparison.runs import Run
from wastenot.analyzer.deferred import np
from wastenot.analyzer.errors import BadArgument

LEVEL = 0.05
"""p values below this are findings."""
THREAD_NAMES = 15
"""Names of threads that are compared."""


@dataclass(frozen=True)
class Summary:
    """The values of one metric in the runs of a side, in its unit."""

    mean: float
    deviation: float | None
    """Standard deviation between runs; None: one run."""
    least: float
    most: float


@dataclass(frozen=True)
class MetricDifference:
    """One metric of both sides. `difference` is that of the means, new - base."""

    metric: Metric
    base: Summary
    new: Summary
    difference: float
    interval: tuple[float, float] | None
    """95 %; None: fewer than three runs on a side."""
    p: float | None
    """Of the rank test; None: one run on a side."""
    p_adjusted: float | None
    """Of the primary metric p itself, of the others by Benjamini and Hochberg."""

    @property
    def relative(self) -> float | None:
        """The difference as a share of the base; None where that is 0."""
        return self.difference / self.base.mean if self.base.mean else None

    @property
    def is_finding(self) -> bool:
        """Whether chance is an unlikely reason for it."""
        return self.p_adjusted is not None and self.p_adjusted < LEVEL


@dataclass(frozen=True)
class Comparison:
    """What two sides of runs show beside each other."""

    base: list[Run]
    new: list[Run]
    primary: MetricDifference
    others: list[MetricDifference]
    """The other metrics that are not 0 in all runs, family by family."""
    reasons_against: list[str]
    """Why the runs are not comparable as they stand."""
    notes: list[str]
    are_causes_comparable: bool
    """Excuses and evidence are recorded alike in all runs, so that causes were found by the same rules."""
    tests: int
    """The other metrics whose p values are adjusted together: those that differ between runs."""

    @property
    def least_p(self) -> float:
        """The smallest p value that the rank test can give with so many runs."""
        return least_p(len(self.base), len(self.new))

    @property
    def can_find(self) -> bool:
        """Whether there are enough runs for any finding."""
        return self.least_p < LEVEL

    @property
    def least_findings(self) -> int:
        """How many of the other metrics must reach the smallest p value together for any of them to be a finding.

        Benjamini and Hochberg's procedure finds k of m where their p values are at most k / m of the level. 1: each
        can be found alone. More than `tests`: none can.
        """
        return math.floor(self.least_p * self.tests / LEVEL * (1 + 1e-12)) + 1

    @property
    def findings(self) -> list[MetricDifference]:
        """The other metrics that changed, smallest p first, then by the size of the change."""
        found = [row for row in self.others if row.is_finding]
        return sorted(found, key=lambda row: (row.p_adjusted or 0.0, -abs(row.relative or math.inf)))

    def row(self, key: str) -> MetricDifference:
        """The row of any metric, listed or not; its p value is not adjusted. BadArgument for an unknown one."""
        for listed in (self.primary, *self.others):
            if listed.metric.key == key:
                return replace(listed, p_adjusted=listed.p)
        metric = metric_of(key)
        if metric is None:
            raise BadArgument(f"{key!r}: no such metric; `wastenot compare --json` lists those of these runs")
        if metric.family == "threads" and not any(key in run.sums for run in (*self.base, *self.new)):
            raise BadArgument(f"{key!r}: no run has threads of that name; digits of names are `*`, as in worker-*")
        row = differences([metric], self.base, self.new)[0]
        return replace(row, p_adjusted=row.p)


def compare_runs(
    base: Sequence[Run], new: Sequence[Run], names: int = THREAD_NAMES, resamples: int = RESAMPLES
) -> Comparison:
    """Compare two sides of at least one run each.

    `wasted` is tested alone at 5 %: it is what a comparison is about, and is named before any figure is seen. The p
    values of all other metrics are adjusted together by the procedure of Benjamini and Hochberg: of the other metrics
    that are called changed at most 5 % are not, on average. Where nothing changed that is also the chance of any such
    finding, and unlike Holm's procedure it still finds something among a hundred metrics, many of which move together.
    """
    if not base or not new:
        raise BadArgument("a comparison needs at least one run on each side")
    rows = differences(metrics_of([*base, *new], names), base, new, resamples)
    primary = next(row for row in rows if row.metric.key == PRIMARY)
    others = [row for row in rows if row.metric.key != PRIMARY and (row.base.most or row.new.most)]
    tested = [row for row in others if row.p is not None and _varies(row)]
    adjusted = dict(zip((r.metric.key for r in tested), benjamini_hochberg([r.p or 0.0 for r in tested]), strict=True))
    return Comparison(
        list(base),
        list(new),
        replace(primary, p_adjusted=primary.p),
        [replace(row, p_adjusted=adjusted.get(row.metric.key, row.p)) for row in others],
        reasons_against(base, new),
        notes_on(base, new),
        evidence_is_alike(base, new),
        len(tested),
    )


def _varies(row: MetricDifference) -> bool:
    return min(row.base.least, row.new.least) != max(row.base.most, row.new.most)


def differences(
    metrics: Sequence[Metric], base: Sequence[Run], new: Sequence[Run], resamples: int = RESAMPLES
) -> list[MetricDifference]:
    """The metrics of both sides, their p values not adjusted yet."""
    of_base, of_new = (np.array([[m.of(run) for run in side] for m in metrics], float) for side in (base, new))
    few = min(len(base), len(new))
    intervals = difference_intervals(of_base, of_new, resamples) if few >= LEAST_RUNS else [None] * len(metrics)
    rows = []
    for metric, a, b, interval in zip(metrics, of_base, of_new, intervals, strict=True):
        rows.append(
            MetricDifference(
                metric,
                _summary(a),
                _summary(b),
                float(b.mean() - a.mean()),
                None if interval is None else (float(interval[0]), float(interval[1])),
                rank_test(a, b) if few > 1 else None,
                None,
            )
        )
    return rows


def _summary(values: np.ndarray) -> Summary:
    deviation = float(values.std(ddof=1)) if len(values) > 1 else None
    return Summary(float(values.mean()), deviation, float(values.min()), float(values.max()))
