"""The native side of a watch: what the loop asks of it, and the real thing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from wastenot._native import collector
from wastenot.watch.model.status import ExactCounters, Status
from wastenot.watch.options import WatchOptions


@dataclass(frozen=True)
class Started:
    """What runs: the kernel, the online CPUs, and what cannot be recorded here, in words."""

    kernel: str
    cpus: int
    not_recorded: tuple[str, ...] = ()


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


class KernelSentinel:
    """The sentinel and the black box of this kernel (`wastenot._native.collector.Watcher`)."""

    def __init__(self, options: WatchOptions) -> None:
        self._watcher = collector.Watcher(json.dumps({"keep_ns": options.keep_ns}))

    def start(self) -> Started:
        """Load the programs and start."""
        found = json.loads(self._watcher.start())
        return Started(found["kernel"], found["cpus"], tuple(found["not_recorded"]))

    def status(self) -> Status:
        """The counters now."""
        return Status.from_json(self._watcher.status())

    def save(self, folder: Path, after_ns: int, reason: str) -> None:
        """Write a box to a part folder."""
        self._watcher.save(folder, after_ns, reason)

    def stop(self) -> None:
        """End."""
        self._watcher.stop()
