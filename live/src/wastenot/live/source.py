"""What the view asks of a source: a running watch, or a recorded trace."""

from __future__ import annotations

from typing import Protocol

from wastenot.live.model.frame import Frame


class Source(Protocol):
    """Makes frames, and does what keys mean for it. Called from one thread at a time, which may have to wait."""

    @property
    def every_s(self) -> float:
        """How often a frame is worth asking for (s)."""

    def frame(self) -> Frame:
        """The frame now. Raises AnalyzerError or WastenotError, with one line, where there is none."""

    def press(self, key: str) -> str | None:
        """Do what a key means here; returns what to say about it. None: the key means nothing here."""

    def verdict(self) -> tuple[str, ...]:
        """The lines of the verdict of what is shown; none where there is no verdict."""

    def close(self) -> None:
        """Release what the source holds; frames are not asked for after this."""
