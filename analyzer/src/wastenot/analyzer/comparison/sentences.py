"""A comparison in words: its headline, what moved, what limits it."""

from __future__ import annotations

from wastenot.analyzer.comparison.comparison import LEVEL, Comparison, MetricDifference
from wastenot.analyzer.comparison.metrics import Metric
from wastenot.analyzer.comparison.rank_test import least_p
from wastenot.analyzer.text.units import core_seconds, counted, duration, percent, three_digits

REASONS_SHOWN = 2
"""Reasons against the comparison in its headline; all of them follow below."""
MOVED_SHOWN = {"not_moved_because": 2, "placed_by": 1, "ended_by": 1}
"""By question, the answers that are said to have moved, at most."""

_NOUNS = {"threads": "threads", "cpus": "CPUs", "per_s": "/s"}


def value_text(metric: Metric, value: float) -> str:
    """A value of a metric with its unit."""
    if metric.unit == "share":
        return percent(value)
    if metric.unit == "core_s":
        return core_seconds(round(value * 1e9))
    if metric.unit == "s":
        return duration(round(value * 1e9))
    noun = _NOUNS[metric.unit]
    return f"{three_digits(value)}{noun}" if noun == "/s" else f"{three_digits(value)} {noun}"


def signed_text(metric: Metric, value: float) -> str:
    """A difference with its sign and unit; that of shares in points."""
    if value == 0:
        return "0"
    sign = "-" if value < 0 else "+"
    if metric.unit == "share":
        return f"{sign}{three_digits(abs(value) * 100)} points"
    if metric.unit == "core_s":
        return f"{sign}{three_digits(abs(value))} core-s"
    return f"{sign}{value_text(metric, abs(value))}"


def relative_text(row: MetricDifference) -> str:
    """The difference in per cent of the base; empty where that is 0."""
    if row.relative is None or row.relative == 0:
        return ""
    sign = "-" if row.relative < 0 else "+"
    if abs(row.relative) < 10:
        return f"{sign}{three_digits(abs(row.relative) * 100)} %"
    return f"x {three_digits(row.relative + 1)}"


def p_text(p: float) -> str:
    """`p = 0.031`, `p < 0.0001`."""
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.2g}"


def interval_text(row: MetricDifference) -> str:
    """The ends of the interval, in the unit of the difference; empty where none is given."""
    if row.interval is None:
        return ""
    low, high = row.interval
    if row.metric.unit == "share":
        return f"{_end(low * 100)} to {_end(high * 100)}"
    if row.metric.unit in ("s", "core_s"):
        return f"{_end(low)} to {_end(high)} s" if row.metric.unit == "s" else f"{_end(low)} to {_end(high)}"
    return f"{_end(low)} to {_end(high)}"


def _end(value: float) -> str:
    return "0" if value == 0 else f"{'-' if value < 0 else '+'}{three_digits(abs(value))}"


def change_text(row: MetricDifference) -> str:
    """`4.93 % → 6.02 %, +1.09 points (+22.1 %)`."""
    relative = relative_text(row)
    values = f"{value_text(row.metric, row.base.mean)} → {value_text(row.metric, row.new.mean)}"
    if row.difference == 0:
        return f"{values}, unchanged"
    return f"{values}, {signed_text(row.metric, row.difference)}{f' ({relative})' if relative else ''}"


def runs_text(comparison: Comparison) -> str:
    """`10 + 10 runs`."""
    return f"{len(comparison.base)} + {len(comparison.new)} runs"


def headline(comparison: Comparison) -> str:
    """What the comparison shows of the waste, and how sure that is; first of all whether it may be made."""
    doubt = ""
    if comparison.reasons_against:
        shown = "; ".join(comparison.reasons_against[:REASONS_SHOWN])
        more = len(comparison.reasons_against) - REASONS_SHOWN
        rest = f"; {counted(more, 'more reason')} below" if more > 0 else ""
        doubt = f"Not comparable as they stand: {shown}{rest}. As measured: "
    row = comparison.primary
    values = change_text(row)
    if not comparison.can_find:
        return f"{doubt}{_start('wasted', doubt)} {values}, with {runs_text(comparison)}. {_too_few(comparison)}"
    assert row.p is not None
    within = "" if row.interval is None else f"95 % interval {interval_text(row)}, "
    how_sure = f"{within}{p_text(row.p)}, {runs_text(comparison)}"
    if row.is_finding:
        verb = "more" if row.difference > 0 else "less"
        return f"{doubt}{_start(f'{verb} is wasted', doubt)}: {values}; {how_sure}."
    return f"{doubt}{_start('no change of waste is shown', doubt)}: {values}; {how_sure}."


def _start(text: str, doubt: str) -> str:
    return text if doubt else text[0].upper() + text[1:]


def _too_few(comparison: Comparison) -> str:
    """Why nothing is claimed with so few runs."""
    if min(len(comparison.base), len(comparison.new)) == 1:
        start = "One run on a side shows no run-to-run noise: no significance is claimed"
    else:
        start = (
            f"So few runs cannot reach p < {LEVEL:g} (smallest: {comparison.least_p:.2g}): no significance is claimed"
        )
    needed = next(n for n in range(2, 100) if least_p(n, n) < LEVEL)
    return f"{start}; record {needed} + {needed} runs at least for wasted, 10 + 10 for all metrics."


def moved_text(comparison: Comparison) -> str:
    """Which causes moved: of each question the answers that moved most; empty where none is shown to, and where causes
    are not comparable.

    Answers of recurrent episodes only where none of the others moved: their waste is counted there as well. Unknown
    ones only where no other answer to the question moved.
    """
    if not comparison.are_causes_comparable:
        return ""
    causes = [row for row in comparison.findings if row.metric.family == "causes"]
    timed = [row for row in causes if not row.metric.key.startswith("recurrent.")]
    shown: list[MetricDifference] = []
    for question, most in MOVED_SHOWN.items():
        answers = [row for row in timed or causes if f"cause.{question}." in row.metric.key]
        known = [row for row in answers if not row.metric.key.endswith(".unknown")]
        shown += sorted(known or answers, key=lambda row: -abs(row.difference))[:most]
    if not shown:
        return ""
    each = "; ".join(f"{row.metric.words} {signed_text(row.metric, row.difference)}" for row in shown)
    return f"What moved: {each}."


def others_text(comparison: Comparison) -> str:
    """How many of the other metrics changed, by which rule, and what so few runs can show at all."""
    if not comparison.can_find:
        return ""
    rule = "adjusted by Benjamini-Hochberg: on average at most 5 % of such findings are chance"
    others, found = counted(len(comparison.others), "other metric"), len(comparison.findings)
    if found:
        return f"{found} of {others} changed ({rule})."
    return f"None of {others} is shown to have changed ({rule}).{_least_findings(comparison)}"


def _least_findings(comparison: Comparison) -> str:
    """That so few runs cannot show that a metric changed alone; empty where they can."""
    least, tests = comparison.least_findings, comparison.tests
    if least == 1:
        return ""
    needed = next(n for n in range(2, 100) if least_p(n, n) * tests < LEVEL)
    return (
        f" {runs_text(comparison)} are too few to show one change alone: only {least} or more of the {tests} that "
        f"vary, together; {needed} + {needed} runs can show each."
    )
