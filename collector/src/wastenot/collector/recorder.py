"""The live recorder."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Any

from wastenot import _native


class Recorder:
    """Records this machine's scheduler into a part folder, which must not exist.

    `options` are those of the recorder (source: auto, ebpf, tracefs, lttng or bubbles; stacks, counters, command ...);
    every one may be left out. As a context manager it records from `with` to its end.
    """

    def __init__(self, part: str | Path, **options: Any) -> None:
        self._native = _native.collector.Recorder(str(part), json.dumps(options))
        self._ended: dict[str, Any] | None = None

    def start(self) -> dict[str, Any]:
        """Start; returns what is recorded and what is not. Raises WastenotError."""
        started: dict[str, Any] = json.loads(self._native.start())
        return started

    def stats(self) -> dict[str, Any]:
        """Figures so far; `ended` names the reason where recording has ended by itself."""
        figures: dict[str, Any] = json.loads(self._native.stats())
        return figures

    def stop(self, reason: str = "interrupt") -> dict[str, Any]:
        """Stop with this reason; returns how it ended, with the final figures. Raises WastenotError."""
        self._ended = json.loads(self._native.stop(reason))
        return self._ended

    def __enter__(self) -> Recorder:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._ended is None:
            self.stop("command" if kind is None else "interrupt")
