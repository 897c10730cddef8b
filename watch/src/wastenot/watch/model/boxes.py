"""Saved boxes, and what became of triggers, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

CONFIRMED, UNCONFIRMED, REQUESTED, FAILED = "confirmed", "unconfirmed", "requested", "failed"
OUTCOMES = (CONFIRMED, UNCONFIRMED, REQUESTED, FAILED)
"""What became of a box: its exact verdict satisfies the condition, or does not; it was asked for without a condition;
it could not be saved or checked."""


@dataclass(frozen=True)
class Trigger:
    """A wish to save a box: `reason` in words, `slug` as a part of a file's name, `time_ns` (CLOCK_MONOTONIC).

    `condition` is the expression of `--on` that held on the watch's figures; empty where a person or a program asked.
    """

    reason: str
    slug: str
    time_ns: int
    condition: str = ""


@dataclass(frozen=True)
class BoxVerdict:
    """The exact verdict of a box: waste, the sentence, the main cause, lengths of its episodes.

    `holds` is whether the condition does, `figure` its measure in words.
    """

    wasted_ns: int
    share: float
    sentence: str
    cause: str
    lost: int
    episodes_ns: tuple[int, ...] = ()
    holds: bool = True
    figure: str = ""

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> BoxVerdict:
        """The object that the checking process prints."""
        return cls(**{**found, "episodes_ns": tuple(found["episodes_ns"])})


@dataclass(frozen=True)
class Box:
    """One box that was tried: its file, why, what became of it, and its verdict where it was checked.

    `kept` is false where the file was deleted again. `save_ns` and `check_ns` are wall times. `error` says why it
    failed.
    """

    path: str
    trigger: Trigger
    outcome: str
    saved_at: str
    verdict: BoxVerdict | None = None
    kept: bool = True
    save_ns: int = 0
    check_ns: int = 0
    bytes: int = 0
    error: str = ""


@dataclass
class Counts:
    """What the watch itself did. `suppressed` counts triggers that saved nothing, by why."""

    boxes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(OUTCOMES, 0))
    suppressed: dict[str, int] = field(default_factory=lambda: {"rate_limit": 0, "busy": 0, "disk": 0})
    deleted: int = 0
    commands: dict[str, int] = field(default_factory=lambda: {"done": 0, "failed": 0})
    triggers: int = 0

    def copy(self) -> Counts:
        """A copy that later changes leave alone."""
        return Counts(dict(self.boxes), dict(self.suppressed), self.deleted, dict(self.commands), self.triggers)
