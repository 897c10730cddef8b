"""The jobs of deadline tasks: tasks that are declared, and what was found of all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from wastenot.analyzer.errors import BadArgument
from wastenot.analyzer.text.units import parse_duration

FAULTS = ("own_overrun", "scheduler", "interference", "overload", "not_guaranteed", "not_visible")
"""Whose fault a miss is, in the order in which they are tried (checker/rust/deadlines/faults.rs)."""

WRITE = "write NAME=RUNTIME/DEADLINE/PERIOD, as in 'audio*=2ms/5ms/5ms'"


@dataclass(frozen=True)
class DeclaredTask:
    """What threads of that name need: `runtime_ns` of each `period_ns`, until `deadline_ns` after each activation.

    `*` and `?` in `name` stand for any text and any character.
    """

    name: str
    runtime_ns: int
    deadline_ns: int
    period_ns: int

    def to_json(self) -> dict[str, Any]:
        """As the checker reads it."""
        return asdict(self)


def parse_task(text: str, option: str = "--task") -> DeclaredTask:
    """The task of `NAME=RUNTIME/DEADLINE/PERIOD` (durations with units); raises BadArgument."""
    name, equals, times = text.rpartition("=")
    parts = times.split("/")
    if not equals or not name or len(parts) not in (2, 3):
        raise BadArgument(f"{option} {text!r}: {WRITE}; without a period it is the deadline")
    for part in parts:
        if not part.strip() or not part.strip()[-1].isalpha():
            raise BadArgument(f"{option} {text!r}: {part.strip() or 'nothing'!r} has no unit; {WRITE}")
    runtime_ns, deadline_ns, *rest = (parse_duration(part) for part in parts)
    period_ns = rest[0] if rest else deadline_ns
    if not 0 < runtime_ns <= deadline_ns <= period_ns:
        raise BadArgument(
            f"{option} {text!r}: the runtime must be above 0, the deadline not shorter than it, the period not shorter "
            "than the deadline"
        )
    return DeclaredTask(name, runtime_ns, deadline_ns, period_ns)


@dataclass(frozen=True)
class DeadlineFigures:
    """The figures, as the checker reports them (checker/rust/deadlines/report.rs)."""

    report: dict[str, Any]

    @property
    def tasks(self) -> list[dict[str, Any]]:
        """Threads with deadlines, those that missed most first."""
        return list(self.report["tasks"])

    @property
    def has_tasks(self) -> bool:
        """Whether there is anything to measure."""
        return bool(self.report["tasks"])

    def faults(self) -> Iterable[tuple[str, int]]:
        """Misses by whose fault they are, those that occurred."""
        return ((fault, self.report["faults"][fault]) for fault in FAULTS if self.report["faults"][fault])
