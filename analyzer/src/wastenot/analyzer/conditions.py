"""Conditions on a verdict: the expressions of `check --fail-on` and of `watch --on`.

    expression = measure operator number [unit] | suspect | lower_bound
    measure    = wasted | certain | idle_while_waiting            core-time
               | noise | in_flight | expected | lasting | persistent | recurrent
               | lost | unobserved | unknown_masks | suspect | lower_bound   data_quality
    operator   = > | >= | < | <= | =
    unit       = % | s | ms | us | ns | min

`wasted`, `certain` and `idle_while_waiting` need a unit: `%` of online cores x window, or core-time. `expected`,
`lasting` and `persistent` are the episodes that wasted as much as one of that grade, or more, of any shape: without
a unit their number, with one their waste. `noise`, `in_flight` and `recurrent` are those of exactly that grade.
`lost` and `unknown_masks` are counts, `unobserved` is a share (`%`). `suspect` counts the self-checks that make the
verdict suspect, and without an operator means `suspect>0`; `lower_bound` is 1 where waits of woken threads are not
recorded, so that more may have been wasted, and without an operator means `lower_bound>0`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from wastenot.analyzer.errors import BadArgument
from wastenot.analyzer.model.verdict import VerdictData
from wastenot.analyzer.text.sentences import UNOBSERVED_SHARE
from wastenot.analyzer.text.units import UNITS_NS, core_seconds, counted, percent
from wastenot.schemas.generated.enums import GRADE_WORST_FIRST

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
}
CORE_TIMES = ("wasted", "certain", "idle_while_waiting")
COUNTS = ("lost", "unknown_masks", "suspect", "lower_bound")
ALONE = ("suspect", "lower_bound")
"""Measures that mean `measure>0` without an operator."""
SHARES = ("unobserved",)
MEASURES = (*CORE_TIMES, *GRADE_WORST_FIRST, *COUNTS, *SHARES)
_EXPRESSION = re.compile(r"\s*([a-z_]+)\s*(>=|<=|>|<|=)\s*(\d+(?:\.\d+)?)\s*(%|[a-zµ]*)\s*")


@dataclass(frozen=True)
class Condition:
    """A parsed expression: it holds when `measure` `comparison` `number` `unit` is true."""

    text: str
    measure: str
    comparison: str
    number: float
    unit: str

    def failure(self, v: VerdictData) -> str | None:
        """The figure that makes the expression true, in words; None when it is false."""
        value, shown = self._value(v)
        if not self.holds(value):
            return None
        return f"{self.measure} is {shown} ({self.text.strip()})"

    def holds(self, value: float) -> bool:
        """Whether it is true of a value: a share from 0 to 1 where the unit is %, core-ns with one of time, a count."""
        scale = 0.01 if self.unit == "%" else UNITS_NS.get(self.unit, 1)
        return OPERATORS[self.comparison](value, self.number * scale)

    def caveat(self, v: VerdictData) -> str | None:
        """Why this expression, which is false, may be true all the same, in words; None where the figure can be relied
        on."""
        is_waste = self.measure not in (*COUNTS, *SHARES)
        if not is_waste or self.comparison not in (">", ">="):
            return None
        why = lower_bound_reasons(v)
        if not why:
            return None
        return (
            f"{self.text.strip()!r} is false, but {self.measure} ({self._value(v)[1]}) cannot be relied on: "
            f"{'; '.join(why)}"
        )

    def _value(self, v: VerdictData) -> tuple[float, str]:
        if self.measure in COUNTS:
            return self._count(v)
        if self.measure in SHARES:
            return v.figures["unobserved_share"], percent(v.figures["unobserved_share"])
        if self.measure in GRADE_WORST_FIRST:
            episodes, core_ns = self._graded(v)
            if not self.unit:
                return episodes, counted(episodes, "episode")
        else:
            core_ns = v.figures[f"{self.measure}_ns"]
        if self.unit == "%":
            share = core_ns / v.figures["online_ns"] if v.figures["online_ns"] else 0.0
            return share, percent(share)
        return core_ns, core_seconds(core_ns)

    def _graded(self, v: VerdictData) -> tuple[int, int]:
        """Episodes and waste (core-ns) of a grade: by severity, or worse, where there is one of that name."""
        if any(s["severity"] == self.measure for s in v.severities):
            return v.at_least(self.measure)
        grade = next(g for g in v.grades if g["grade"] == self.measure)
        return grade["episodes"], grade["core_ns"]

    def _count(self, v: VerdictData) -> tuple[float, str]:
        if self.measure == "lower_bound":
            return int(v.is_lower_bound), "yes" if v.is_lower_bound else "no"
        if self.measure == "suspect":
            suspicions = v.suspicions
            return len(suspicions), ", ".join(s.check for s in suspicions) or "0"
        count = v.lost_events if self.measure == "lost" else v.count("unknown_mask_threads")
        return count, f"{count:,}"


def lower_bound_reasons(v: VerdictData) -> list[str]:
    """Known reasons why more may have been wasted than the figures show."""
    if not v.shows_waste:
        return [
            "waste is not visible in a trace of a parallel program's threads alone (--fail-on suspect fails on that)"
        ]
    out = []
    if v.is_lower_bound:
        out.append("it is a lower bound: waits of woken threads are not recorded (--fail-on lower_bound fails on that)")
    if v.suspicions:
        out.append("the verdict is suspect (--fail-on suspect fails on that)")
    share = v.figures["unobserved_share"]
    if share > UNOBSERVED_SHARE:
        out.append(f"{percent(share)} of the CPU time was not observed (--fail-on 'unobserved>10%' fails on that)")
    return out


def parse_condition(text: str, option: str = "--fail-on") -> Condition:
    """Parse an expression that `option` was given; raises BadArgument, which names the error in it."""
    match = _EXPRESSION.fullmatch(f"{text.strip()}>0" if text.strip() in ALONE else text)
    if match is None:
        raise BadArgument(f"{option} {text!r}: write measure, operator, number and unit, as in 'wasted>1%'")
    measure, comparison, number, unit = match.groups()
    if measure not in MEASURES:
        known = ", ".join(MEASURES)
        raise BadArgument(f"{option} {text!r}: unknown measure {measure!r}; one of {known}")
    if unit not in ("", "%", *UNITS_NS):
        raise BadArgument(f"{option} {text!r}: unknown unit {unit!r}; one of %, {', '.join(UNITS_NS)}")
    if measure in CORE_TIMES and not unit:
        raise BadArgument(f"{option} {text!r}: {measure} needs a unit: % of the machine, or core-time such as 0.5s")
    if measure in COUNTS and unit:
        raise BadArgument(f"{option} {text!r}: {measure} is a count; write it without a unit")
    if measure in SHARES and unit != "%":
        raise BadArgument(f"{option} {text!r}: {measure} is a share; write it with %")
    return Condition(text, measure, comparison, float(number), unit)
