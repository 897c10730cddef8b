"""The native side of a watch: what the loop asks of it, as protocols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from wastenot.watch.model.status import ExactCounters, Status


@dataclass(frozen=True)
class Started:
    """What runs: the kernel's release, bounds of grades for samples, and what cannot be recorded here, in words.

    A violation is listed as a hit when it has lasted for `hit_ns`. `memory_bytes`: the black box's, all CPUs together.
    """

    kernel: str
    bounds_ns: Mapping[str, int]
    hit_ns: int
    not_recorded: tuple[str, ...] = ()
    memory_bytes: int = 0


class Sentinel(Protocol):
    """The sentinel and the black box of a running kernel."""

    def start(self) -> Started:
        """Load the programs and start. Raises WastenotError with one line."""

    def status(self) -> Status:
        """The counters now."""

    def save(self, folder: Path, after_ns: int, reason: str) -> None:
        """Freeze the black box, record for `after_ns` more, and leave a part folder; returns when it is complete."""

    def stop(self) -> None:
        """End, and remove what is in the kernel."""


class Exact(Protocol):
    """The checker on the stream of events."""

    def start(self) -> None:
        """Start. Raises WastenotError with one line."""

    def counters(self) -> ExactCounters:
        """The counters now."""

    def stop(self) -> None:
        """End."""
