"""What a part is asked to do and what it finds."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from bench.report import Section


@dataclass(frozen=True)
class Request:
    """`seconds` and `times` as given, None where the part's own default holds; `folder` is scratch space."""

    folder: Path
    seconds: float | None = None
    times: int | None = None
    rounds: int | None = None
    quick: bool = False

    def duration(self, full: float, quick: float) -> float:
        """Seconds to go on."""
        return self.seconds if self.seconds is not None else quick if self.quick else full

    def count(self, full: int, quick: int) -> int:
        """How many."""
        return self.times if self.times is not None else quick if self.quick else full


@dataclass
class Findings:
    """Tables, and a line for each promise that is broken, of those that were `required`."""

    sections: list[Section] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    required: int = 0

    def require(self, holds: bool, promise: str) -> None:
        """Note a promise that does not hold."""
        self.required += 1
        if not holds:
            self.broken.append(promise)

    def promises(self, part: str) -> Section:
        """Which promises do not hold, to be kept with the tables."""
        how = f"{self.required} comparisons with a limit, of which {len(self.broken)} do not hold."
        section = Section(f"Promises: {part}", how, ["broken", "by this run"])
        for promise in self.broken or ["none"]:
            section.add(*(promise.split(": ", 1) if ": " in promise else (promise, "")))
        return section


def pause(seconds: float, step: float = 0.1) -> None:
    """Sleep in small steps: a signal ends it soon."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(step, left))
