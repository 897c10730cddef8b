"""Where a trace is played: position, speed, playing or paused. Values; what passes is given by the caller."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

SPEEDS = tuple(sign for power in range(-4, 3) for sign in (10.0**power, 2 * 10.0**power, 5 * 10.0**power))
"""Trace time per time, slowest first: 1/10000 to 500."""

STEP_NS = 1_000_000_000
"""A step at speed 1."""

FAR = 10
"""Steps of a long step."""


@dataclass(frozen=True)
class Player:
    """A place in a trace of `length_ns`; times are since its start."""

    length_ns: int
    position_ns: int = 0
    speed: float = 1.0
    is_playing: bool = False

    @property
    def step_ns(self) -> int:
        """How far a step goes."""
        return max(1, round(STEP_NS * self.speed))

    def at(self, position_ns: int) -> Player:
        """At another place, within the trace; at its end it pauses."""
        last = max(0, self.length_ns - 1)
        position = min(max(0, position_ns), last)
        return replace(self, position_ns=position, is_playing=self.is_playing and position < last)

    def passed(self, elapsed_ns: int) -> Player:
        """After so much time."""
        return self.at(self.position_ns + round(elapsed_ns * self.speed)) if self.is_playing else self

    def toggled(self) -> Player:
        """Playing instead of paused or the reverse; from the end it plays from the start."""
        if not self.is_playing and self.position_ns >= self.length_ns - 1:
            return replace(self, position_ns=0, is_playing=True)
        return replace(self, is_playing=not self.is_playing)

    def stepped(self, steps: int) -> Player:
        """So many steps further, or back; paused."""
        return replace(self, is_playing=False).at(self.position_ns + steps * self.step_ns)

    def faster(self, by: int) -> Player:
        """So many of `SPEEDS` faster, or slower."""
        place = bisect_left(SPEEDS, self.speed) + by
        return replace(self, speed=SPEEDS[min(max(0, place), len(SPEEDS) - 1)])

    def at_next(self, starts: Sequence[int]) -> Player:
        """At the next of these places, in order; stays where there is none."""
        place = bisect_right(starts, self.position_ns)
        return replace(self, is_playing=False).at(starts[place]) if place < len(starts) else self

    def at_previous(self, starts: Sequence[int]) -> Player:
        """At the place before this one."""
        place = bisect_left(starts, self.position_ns)
        return replace(self, is_playing=False).at(starts[place - 1]) if place else self


def fitting_speed(length_ns: int) -> float:
    """The speed at which a trace is played in about a minute, at most 1."""
    wanted = length_ns / 60_000_000_000
    return max((s for s in SPEEDS if s <= min(1.0, wanted)), default=SPEEDS[0])
