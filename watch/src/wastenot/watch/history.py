"""The readings of the last seconds, and which conditions hold on them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from wastenot.watch.conditions import WatchCondition, holds
from wastenot.watch.model.readings import Reading

SLACK_NS = 2_000_000_000
"""Kept beyond what conditions look at, since readings do not come at exact times."""


@dataclass
class History:
    """Readings in order of time.

    A condition that held starts anew `after_ns` later: what a box has, or a suppressed trigger was about, does not
    count again.
    """

    keep_ns: int
    after_ns: int = 0
    _readings: deque[Reading] = field(default_factory=deque)
    _from_ns: dict[str, int] = field(default_factory=dict)

    def add(self, reading: Reading) -> None:
        """Append a reading, and forget those that no condition looks at."""
        self._readings.append(reading)
        while self._readings[0].time_ns < reading.time_ns - self.keep_ns - SLACK_NS:
            self._readings.popleft()

    def fired(self, conditions: tuple[WatchCondition, ...]) -> list[WatchCondition]:
        """The conditions that hold now, each of which starts anew with that."""
        out = []
        for condition in conditions:
            start = self._from_ns.get(condition.text)
            seen = [r for r in self._readings if start is None or r.time_ns >= start]
            if holds(condition, seen, self.keep_ns):
                self._from_ns[condition.text] = self._readings[-1].time_ns + self.after_ns
                out.append(condition)
        return out
