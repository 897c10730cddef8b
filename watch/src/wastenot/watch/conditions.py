"""When a watch saves a box: the conditions of `check --fail-on`, each with an optional time for which it must hold.

    condition = expression [for DUR]

Without a time, a condition is about the last `keep` (what a box has of the time before it). With one, it must hold in
each of the steps that make up the time; a step is a second, or the whole time where that is shorter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from wastenot.analyzer.conditions import CORE_TIMES, Condition, parse_condition
from wastenot.analyzer.errors import BadArgument
from wastenot.analyzer.text.units import parse_duration
from wastenot.schemas.generated.enums import GRADE_WORST_FIRST
from wastenot.watch.model.readings import Reading

OPTION = "--on"
WATCHED = (*CORE_TIMES, *GRADE_WORST_FIRST, "lost")
"""Measures that have a value while a watch runs; the others are known of a checked box only."""

STEP_NS = 1_000_000_000
_FOR = re.compile(r"(?P<expression>.*\S)\s+for\s+(?P<duration>\S.*)", re.DOTALL)


@dataclass(frozen=True)
class WatchCondition:
    """A condition, and for how long it must hold (ns; 0: over the whole box)."""

    text: str
    expression: Condition
    for_ns: int = 0

    @property
    def step_ns(self) -> int:
        """Length of one step (ns)."""
        return min(STEP_NS, self.for_ns)

    @property
    def steps(self) -> int:
        """Steps in which it must hold, one after the other."""
        return -(-self.for_ns // self.step_ns) if self.for_ns else 1

    @property
    def slug(self) -> str:
        """Its text as a part of a file's name."""
        words = self.text
        for sign, word in ((">=", " ge "), ("<=", " le "), (">", " gt "), ("<", " lt "), ("=", " eq "), ("%", "pct")):
            words = words.replace(sign, word)
        return re.sub(r"[^a-z0-9.]+", "-", words.lower()).strip("-")[:60]


def parse_watch_condition(text: str, keep_ns: int) -> WatchCondition:
    """Parse an expression of `--on`; raises BadArgument, which names the error in it."""
    split = _FOR.fullmatch(text.strip())
    expression = parse_condition(split["expression"] if split else text, OPTION)
    if expression.measure not in WATCHED:
        raise BadArgument(
            f"{OPTION} {text!r}: {expression.measure} is known of a checked trace only; one of {', '.join(WATCHED)}"
        )
    if split is None:
        return WatchCondition(text.strip(), expression)
    for_ns = parse_duration(split["duration"])
    if for_ns <= 0:
        raise BadArgument(f"{OPTION} {text!r}: the time must be longer than 0")
    if for_ns > keep_ns:
        raise BadArgument(f"{OPTION} {text!r}: a box keeps less than that; lengthen --keep or shorten the time")
    return WatchCondition(text.strip(), expression, for_ns)


def value_between(condition: Condition, start: Reading, end: Reading, least_ns: int = 0) -> float:
    """The measure from one reading to the other: a share, core-ns or a count, as `Condition.holds` takes it.

    A share is of the online CPUs' time, taken for `least_ns` (wall time) where the readings are closer than that.
    """
    if condition.measure == "lost":
        return end.lost - start.lost
    core_ns = end.core_ns.get(condition.measure, 0) - start.core_ns.get(condition.measure, 0)
    if condition.unit == "%":
        passed, online = end.time_ns - start.time_ns, end.online_ns - start.online_ns
        if passed <= 0 or online <= 0:
            return 0.0
        return core_ns / (online * max(passed, least_ns) / passed)
    if condition.measure in GRADE_WORST_FIRST and not condition.unit:
        ended = end.episodes.get(condition.measure, 0) - start.episodes.get(condition.measure, 0)
        return max(ended, int(core_ns > 0))  # one that is under way has waste, and is not counted yet
    return core_ns


def holds(condition: WatchCondition, history: Sequence[Reading], keep_ns: int) -> bool:
    """Whether it holds at the last reading of `history`, which is in order of time."""
    if len(history) < 2:
        return False
    end = history[-1]
    if not condition.for_ns:
        start = _reading_at(history, end.time_ns - keep_ns) or history[0]
        return condition.expression.holds(value_between(condition.expression, start, end, keep_ns))
    for _ in range(condition.steps):
        before = _reading_at(history, end.time_ns - condition.step_ns)
        if before is None or not condition.expression.holds(value_between(condition.expression, before, end)):
            return False
        end = before
    return True


def _reading_at(history: Sequence[Reading], time_ns: int) -> Reading | None:
    """The last reading not after `time_ns`; None where the history starts later."""
    return next((reading for reading in reversed(history) if reading.time_ns <= time_ns), None)
