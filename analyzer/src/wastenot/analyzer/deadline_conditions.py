"""Conditions on deadlines: the expressions of `deadlines --fail-on`.

    expression = measure operator number [unit]
    measure    = misses | violations | overruns | throttles | incomplete      counts
               | own_overrun | scheduler | interference | overload | not_guaranteed | not_visible | contention
                                                                              misses by fault
               | tardiness | laxity                                         the worst, with a unit of time

A check must not pass because nothing was visible. What is false of what was seen is *not known* where no job could be
measured, where events were lost (of violations also: where what a CPU ran, or the deadline of a SCHED_DEADLINE thread,
is not known), and where no thread has the name of a declared task.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from wastenot.analyzer.errors import BadArgument
from wastenot.analyzer.model.deadlines import FAULTS, DeadlineFigures
from wastenot.analyzer.text.deadlines import headline, undecided_words, unmatched_words, unseen_words
from wastenot.analyzer.text.units import UNITS_NS, counted, duration

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
        """The figure that makes the expression true, in words; None when it is false or not known."""
        value = self._value(figures)
        if value is None or not OPERATORS[self.comparison](value, self.number):
            return None
        shown = duration(value) if self.measure in TIMES else f"{value:,}"
        return f"{self.measure} is {shown} ({self.text.strip()})"

    def undecided(self, figures: DeadlineFigures) -> str | None:
        """Why it is not known whether the expression is true; None where it is."""
        value = self._value(figures)
        if value is None:
            return f"{self.text.strip()}: is not known. {headline(figures)}"
        doubt = None if OPERATORS[self.comparison](value, self.number) else self._doubt(figures)
        return None if doubt is None else f"{self.text.strip()}: is not known: {doubt}"

    def caveat(self, figures: DeadlineFigures) -> str | None:
        """What an expression that is false does not cover; None where it covers all."""
        r = figures.report
        if self.measure in ("violations", "incomplete") or not r["incomplete"]:
            return None
        more = counted(r["incomplete"], "more job")
        return f"{self.text.strip()!r} is false of {counted(r['jobs'], 'job')}; {more} not seen whole"

    def _doubt(self, figures: DeadlineFigures) -> str | None:
        """Why an expression that is false of what was seen may be true; None where it is not."""
        r = figures.report
        if r["parameters"]["unmatched"]:
            return unmatched_words(r)
        if self.measure == "violations":
            return undecided_words(r)
        return None if self.measure == "incomplete" else unseen_words(r)

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
