"""A comparison as the object that `wastenot compare --json` prints. All keys are always there."""

from __future__ import annotations

from typing import Any

from wastenot.analyzer.comparison.bootstrap import CONFIDENCE, RESAMPLES
from wastenot.analyzer.comparison.comparison import LEVEL, Comparison, MetricDifference, Summary
from wastenot.analyzer.comparison.rank_test import is_exact
from wastenot.analyzer.comparison.runs import Run
from wastenot.analyzer.comparison.sentences import headline, moved_text, others_text

COMPARISON_SCHEMA = 1


def comparison_json(c: Comparison) -> dict[str, Any]:
    """The object."""
    exact = is_exact(len(c.base), len(c.new))
    return {
        "schema": COMPARISON_SCHEMA,
        "sentence": headline(c),
        "moved": moved_text(c),
        "others": others_text(c),
        "comparable": not c.reasons_against,
        "reasons_against": c.reasons_against,
        "notes": c.notes,
        "base": [_run(run) for run in c.base],
        "new": [_run(run) for run in c.new],
        "method": {
            "test": f"Wilcoxon-Mann-Whitney, {'exact' if exact else 'normal approximation'}, two-sided",
            "interval": "bootstrap BCa, widened by Student's t",
            "confidence": CONFIDENCE,
            "resamples": RESAMPLES,
            "primary": "not adjusted",
            "others": "Benjamini-Hochberg",
            "level": LEVEL,
            "smallest_p": c.least_p,
        },
        "primary": _row(c.primary),
        "metrics": [_row(row) for row in c.others],
    }


def _run(run: Run) -> dict[str, Any]:
    facts = run.facts
    return {
        "name": facts.name, "kernel": facts.kernel, "source": facts.source, "duration_s": run.window_ns / 1e9,
        "lost_events": facts.lost_events, "suspect": facts.suspect, "unverified": facts.unverified,
    }  # fmt: skip


def _row(row: MetricDifference) -> dict[str, Any]:
    return {
        "metric": row.metric.key, "words": row.metric.words, "family": row.metric.family, "unit": row.metric.unit,
        "base": _summary(row.base), "new": _summary(row.new), "difference": row.difference, "relative": row.relative,
        "interval": None if row.interval is None else list(row.interval), "p": row.p, "p_adjusted": row.p_adjusted,
        "changed": row.is_finding, "always_listed": row.metric.is_always_listed,
        "more_is_worse": row.metric.more_is_worse,
    }  # fmt: skip


def _summary(s: Summary) -> dict[str, Any]:
    return {"mean": s.mean, "sd": s.deviation, "min": s.least, "max": s.most}
