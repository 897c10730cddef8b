"""Conditions on deadlines: the expressions of `deadlines --fail-on`.

    expression = measure operator number [unit]
    measure    = misses | violations | overruns | throttles | incomplete      counts
               | own_overrun | scheduler | interference | overload | not_guaranteed | not_visible   misses by fault
               | tardiness | laxity                                         the worst, with a unit of time

Where no job could be measured, every condition on misses holds: a check must not pass because nothing was visible.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from wastenot.analyzer.errors import BadArgument
from wastenot.analyzer.model.deadlines import FAULTS, DeadlineFigures
from wastenot.analyzer.text.deadlines import headline
from wastenot.analyzer.text.units import UNITS_NS, duration

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
}
COUNTS = ("misses", "violations", "overruns", "throttles", "incomplete", *FAULTS)
TIMES = ("tardiness", "laxity")
_EXPRESSION = re.compile(r"\s*([a-z_]+)\s*(>=|<=|>|<|=)\s*(-?\d+(?:\.\d+)?)\s*([a-zµ]*)\s*")


@dataclass(frozen=True)
class DeadlineCondition:
    """A parsed expression: it holds when `measure` `comparison` `number` is true; times in ns."""

    text: str
    measure: str
    comparison: str
    number: float

    def failure(self, figures: DeadlineFigures) -> str | None:
        """The figure that makes the expression true, in words; None when it is false."""
        value = self._value(figures)
        if value is None:
            return f"{self.text.strip()}: is not known. {headline(figures)}"
        if not OPERATORS[self.comparison](value, self.number):
            return None
        shown = duration(value) if self.measure in TIMES else f"{value:,}"
        return f"{self.measure} is {shown} ({self.text.strip()})"

    def _value(self, figures: DeadlineFigures) -> int | None:
        """The figure; None where it is not known."""
        r = figures.report
        if self.measure == "violations":
            return int(r["edf"]["violations"] + r["edf"]["outside_mask"]) if r["edf"]["checked"] else None
        if self.measure in ("overruns", "throttles", "incomplete"):
            return int(r[self.measure]) if figures.has_tasks else None
        if r["jobs"] == 0:
            return None
        if self.measure == "misses":
            return int(r["missed"])
        if self.measure == "tardiness":
            return int(r["tardiness_max_ns"])
        if self.measure == "laxity":
            return int(r["laxity_min_ns"])
        return int(r["faults"][self.measure])


def parse_deadline_condition(text: str, option: str = "--fail-on") -> DeadlineCondition:
    """Parse an expression that `option` was given; raises BadArgument, which names the error in it."""
    match = _EXPRESSION.fullmatch(text)
    if match is None:
        raise BadArgument(f"{option} {text!r}: write measure, operator and number, as in 'misses>0' or 'tardiness>1ms'")
    measure, comparison, number, unit = match.groups()
    if measure not in (*COUNTS, *TIMES):
        raise BadArgument(f"{option} {text!r}: unknown measure {measure!r}; one of {', '.join((*COUNTS, *TIMES))}")
    if measure in COUNTS and unit:
        raise BadArgument(f"{option} {text!r}: {measure} is a count; write it without a unit")
    if measure in TIMES and unit not in UNITS_NS:
        raise BadArgument(
            f"{option} {text!r}: {measure} is a time; give it a unit, as in {measure}{comparison}{number}ms"
        )
    return DeadlineCondition(text, measure, comparison, float(number) * UNITS_NS.get(unit, 1))
