"""Conditions on balance: the expressions of `balance --fail-on`.

    expression = measure operator number % | not_visible
    measure    = load_balance | communication_efficiency | parallel_efficiency | utilization
               | lambda | lost | intrinsic | extrinsic
    operator   = > | >= | < | <= | =

Each is a share of the whole run of an application (docs/semantics.md, Balance); `lost`, `intrinsic` and `extrinsic` are
shares of its length. `not_visible` is true of an application whose balance the trace does not show. An expression is
true when it is true of one application, and undecided where it is true of none and may be so of one: no application was
found, its balance is not visible, the figure is not known, or it is a bound (evidence H0) that does not decide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wastenot.analyzer.balance.application import Application, Balance
from wastenot.analyzer.conditions import OPERATORS
from wastenot.analyzer.errors import BadArgument
from wastenot.analyzer.text.units import percent

MEASURES = (
    "load_balance", "communication_efficiency", "parallel_efficiency", "utilization", "lambda", "lost", "intrinsic",
    "extrinsic",
)  # fmt: skip
BOUNDS = dict.fromkeys(
    ("load_balance", "communication_efficiency", "parallel_efficiency"), ("at most", (">", ">="))
) | dict.fromkeys(("lambda", "lost", "intrinsic", "extrinsic"), ("at least", ("<", "<=")))
"""What a figure is at evidence H0, where waiting that spins is not seen, and the comparisons that it decides: what
is at most 90 % is not above 95 %."""
_EXPRESSION = re.compile(r"\s*([a-z_]+)\s*(>=|<=|>|<|=)\s*(-?\d+(?:\.\d+)?)\s*%\s*")


@dataclass(frozen=True)
class BalanceCondition:
    """A parsed expression: it holds when `measure` `comparison` `share` is true of an application."""

    text: str
    measure: str
    comparison: str = ""
    share: float = 0.0

    def failures(self, balance: Balance) -> list[str]:
        """The applications of which it is true, in words."""
        if self.measure == "not_visible":
            unseen = (a for a in balance.applications if a.state == "not_visible")
            return [f"the balance of {_name(a)} is not visible ({self.text.strip()})" for a in unseen]
        out = []
        for application in balance.applications:
            value = value_of(application, self.measure)
            if value is not None and OPERATORS[self.comparison](value, self.share):
                out.append(f"{self.measure} of {_name(application)} is {percent(value)} ({self.text.strip()})")
        return out

    def undecided(self, balance: Balance) -> list[str]:
        """Why the expression may be true, where it is not true of any application as far as is seen."""
        if not balance.applications:
            return [f"{self.text.strip()!r}: no application was found; --app names one"]
        if self.measure == "not_visible" or self.failures(balance):
            return []
        return [reason for a in balance.applications if (reason := self._undecided_of(a))]

    def caveats(self, balance: Balance) -> list[str]:
        """What the figure rests on that may be wrong."""
        if self.measure == "not_visible" or not balance.doubt:
            return []
        return [f"{self.text.strip()!r} rests on a trace that is {balance.doubt}"]

    def _undecided_of(self, a: Application) -> str:
        """Why the expression, which is not true of an application as far as is seen, may be so."""
        text = f"{self.text.strip()!r} of {_name(a)}"
        if a.state == "not_visible":
            return f"{text}: its balance is not visible (--fail-on not_visible fails on that)"
        value = value_of(a, self.measure)
        if value is None:
            return f"{text}: {self.measure} is not known"
        if a.level == "H1" or self.measure not in BOUNDS:
            return ""
        bound, refuting = BOUNDS[self.measure]
        if self.comparison in refuting:
            return ""
        return (
            f"{text}: {self.measure} is {bound} {percent(value)}, since a rank that spins while it waits counts as "
            "computing (evidence H0: record with --openmp or --mpi)"
        )


def value_of(application: Application, measure: str) -> float | None:
    """A figure of an application as a share; None where the trace does not show it."""
    if application.state == "not_visible":
        return None
    figures = application.efficiency
    return {
        "load_balance": figures.load_balance,
        "communication_efficiency": figures.communication_efficiency,
        "parallel_efficiency": figures.parallel_efficiency,
        "utilization": application.utilization,
        "lambda": figures.imbalance,
        "lost": application.lost_ns / application.length_ns,
        "intrinsic": application.intrinsic_ns / application.length_ns,
        "extrinsic": application.extrinsic_ns / application.length_ns,
    }[measure]


def parse_balance_condition(text: str, option: str = "--fail-on") -> BalanceCondition:
    """Parse an expression that `option` was given; raises BadArgument, which names the error in it."""
    if text.strip() == "not_visible":
        return BalanceCondition(text, "not_visible")
    match = _EXPRESSION.fullmatch(text)
    if match is None:
        raise BadArgument(f"{option} {text!r}: write measure, operator, number and %, as in 'load_balance<80%'")
    measure, comparison, number = match.groups()
    if measure not in MEASURES:
        known = ", ".join((*MEASURES, "not_visible"))
        raise BadArgument(f"{option} {text!r}: unknown measure {measure!r}; one of {known}")
    return BalanceCondition(text, measure, comparison, float(number) / 100)


def _name(application: Application) -> str:
    return f"application {application.number} ({application.crew.name})"
