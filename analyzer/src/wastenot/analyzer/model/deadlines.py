"""The jobs of deadline tasks: tasks that are declared, and what was found of all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, get_args

from wastenot.schemas.generated.enums import DeadlineFault

FAULTS: tuple[DeadlineFault, ...] = get_args(DeadlineFault)
"""Whose fault a miss is (checker/rust/deadlines/faults.rs)."""


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
