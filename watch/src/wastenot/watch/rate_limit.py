"""At most so many boxes in a time."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from wastenot.analyzer.errors import BadArgument
from wastenot.analyzer.text.units import UNITS_NS

PER_NS = {"s": UNITS_NS["s"], "min": UNITS_NS["min"], "h": 3_600_000_000_000, "day": 86_400_000_000_000}
_LIMIT = re.compile(r"\s*(\d+)\s*/\s*(\w+)\s*")


@dataclass
class RateLimit:
    """`most` boxes in any interval of `per_ns`; times are of CLOCK_MONOTONIC."""

    most: int
    per_ns: int
    _taken: list[int] = field(default_factory=list, init=False)

    @classmethod
    def parse(cls, text: str) -> RateLimit:
        """From `1/min`; raises BadArgument."""
        match = _LIMIT.fullmatch(text)
        if match is None or match[2] not in PER_NS or int(match[1]) < 1:
            raise BadArgument(f"--rate-limit {text!r}: write a number and one of {', '.join(PER_NS)}, as in 1/min")
        return cls(int(match[1]), PER_NS[match[2]])

    def take(self, now_ns: int) -> bool:
        """Whether one more may be saved now; if so it counts."""
        self._taken = [t for t in self._taken if now_ns - t < self.per_ns]
        if len(self._taken) >= self.most:
            return False
        self._taken.append(now_ns)
        return True
