"""Conditions on a comparison: the expressions of `compare --fail-on`.

    expression = metric operator sign number [unit] [p<number] | incomparable
    metric     = wasted | certain | lasting | switches | duration | cause.QUESTION.ANSWER | thread.NAME.wait ...
    operator   = > | >= | < | <=
    sign       = + | -
    unit       = % | %base | s | ms | us | ns | min

The figure is the difference of the means, new - base. `%` of a share is points: `wasted>+1%` is true where 1 % of the
machine more is wasted; of any other metric it is a percentage of the base's mean, as `%base` is of all metrics. With a
time, `wasted` is that of whole runs in core-time. Without a unit the number is one of the metric's own unit (threads,
CPUs, times a second). With `p<0.05` the rank test must show as much as well; where several expressions do so, their p
values are adjusted by Holm's procedure. `incomparable` is true where the runs are not comparable as they stand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from wastenot.analyzer.comparison.comparison import Comparison, MetricDifference
from wastenot.analyzer.comparison.metrics import SHARES, metric_of
from wastenot.analyzer.comparison.rank_test import holm, least_p
from wastenot.analyzer.comparison.sentences import change_text, p_text
from wastenot.analyzer.conditions import OPERATORS
from wastenot.analyzer.errors import BadArgument
from wastenot.analyzer.text.units import UNITS_NS

INCOMPARABLE = "incomparable"
_EXPRESSION = re.compile(
    r"\s*(?P<metric>\S(?:[^<>=]*[^<>=\s])?)\s*(?P<comparison>>=|<=|>|<|=)\s*(?P<sign>[+-]?)\s*"
    r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>%base|%|[a-zµ]*?)\s*(?:\bp\s*<\s*(?P<p>\d*\.?\d+))?\s*"
)


@dataclass(frozen=True)
class DifferenceCondition:
    """A parsed expression about the difference of a metric."""

    text: str
    metric: str
    comparison: str
    number: float
    unit: str
    p: float | None

    def holds(self, row: MetricDifference) -> bool:
        """Whether the difference is as large as the expression asks; the p value is not looked at."""
        scale = 0.01 if self.unit.startswith("%") else 1.0
        value = row.difference
        if self.unit == "%base" or (self.unit == "%" and row.metric.unit != "share"):
            if not row.base.mean:  # nothing to compare with: any rise from 0 is a larger one than asked for
                return bool(value) and OPERATORS[self.comparison](value * float("inf"), self.number)
            value /= row.base.mean
        elif self.unit in UNITS_NS:
            scale = UNITS_NS[self.unit] / 1e9
        return OPERATORS[self.comparison](value, self.number * scale)


def parse_conditions(texts: Sequence[str]) -> tuple[list[DifferenceCondition], bool]:
    """The conditions of some expressions, and whether `incomparable` is among them; raises BadArgument."""
    return [_parse(text) for text in texts if text.strip() != INCOMPARABLE], any(
        t.strip() == INCOMPARABLE for t in texts
    )


def _parse(text: str) -> DifferenceCondition:
    match = _EXPRESSION.fullmatch(text)
    if match is None:
        raise BadArgument(
            f"--fail-on {text!r}: write metric, operator, sign, number and unit, as in 'wasted>+1% p<0.05'"
        )
    found, unit = match["metric"], match["unit"]
    metric = metric_of(found)
    if metric is None:
        some = ", ".join((*SHARES, "duration", "switches", "migrations", "wait.neighbour"))
        raise BadArgument(
            f"--fail-on {text!r}: unknown metric {found!r}; {some}, cause.QUESTION.ANSWER ... (`--json` lists all)"
        )
    if not match["sign"]:
        raise BadArgument(
            f"--fail-on {text!r}: write the sign of the difference, as in {found}>+1%; "
            "`wastenot check --fail-on` is about one trace"
        )
    if match["comparison"] == "=":
        raise BadArgument(f"--fail-on {text!r}: a difference is hardly ever equal to a number; write >, >=, < or <=")
    if unit not in ("", "%", "%base", *UNITS_NS):
        raise BadArgument(f"--fail-on {text!r}: unknown unit {unit!r}; one of %, %base, {', '.join(UNITS_NS)}")
    if unit in UNITS_NS and found == "wasted":
        found = "wasted_core_s"
    elif unit in UNITS_NS and metric.unit not in ("core_s", "s"):
        raise BadArgument(f"--fail-on {text!r}: {found} is not a time; write it with % or %base")
    elif not unit and metric.unit in ("share", "core_s", "s"):
        raise BadArgument(f"--fail-on {text!r}: {found} needs a unit, as in {found}>+1%")
    p = None if match["p"] is None else float(match["p"])
    if p is not None and not 0 < p < 1:
        raise BadArgument(f"--fail-on {text!r}: p is a probability; write one between 0 and 1, as in p<0.05")
    return DifferenceCondition(text, found, match["comparison"], float(f"{match['sign']}{match['number']}"), unit, p)


def failures(conditions: Sequence[DifferenceCondition], comparison: Comparison) -> list[str]:
    """The conditions that are true, each with its figures. BadArgument where one cannot be with so few runs."""
    tested = [c for c in conditions if c.p is not None]
    for c in tested:
        _require_runs(c, comparison, len(tested))
    rows = {c.metric: comparison.row(c.metric) for c in conditions}
    adjusted = dict(zip((c.text for c in tested), holm([rows[c.metric].p or 0.0 for c in tested]), strict=True))
    out = []
    for c in conditions:
        row = rows[c.metric]
        if not c.holds(row) or (c.p is not None and adjusted[c.text] >= c.p):
            continue
        by_holm = f", adjusted {p_text(adjusted[c.text])}" if len(tested) > 1 and c.p is not None else ""
        tail = "" if row.p is None else f", {p_text(row.p)}{by_holm}"
        out.append(f"{row.metric.words} {change_text(row)}{tail} ({c.text.strip()})")
    return out


def _require_runs(c: DifferenceCondition, comparison: Comparison, tests: int) -> None:
    assert c.p is not None
    least = comparison.least_p * tests
    if least < c.p:
        return
    runs = f"{len(comparison.base)} + {len(comparison.new)} runs"
    needed = next(n for n in range(2, 100) if least_p(n, n) * tests < c.p)
    among = f" of {tests} conditions" if tests > 1 else ""
    raise BadArgument(
        f"--fail-on {c.text!r}: can never be true with {runs}, of which the smallest p value{among} is "
        f"{least:.3g}; record {needed} + {needed} at least"
    )


def caveats(conditions: Sequence[DifferenceCondition], comparison: Comparison) -> list[str]:
    """Why conditions that are false may be true all the same."""
    if not conditions or not comparison.reasons_against:
        return []
    return [
        f"the runs are not comparable as they stand: {'; '.join(comparison.reasons_against)} "
        "(--fail-on incomparable fails on that)"
    ]
