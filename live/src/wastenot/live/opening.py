"""Opening a saved box or a trace: its verdict as text, or the trace as a source."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from wastenot.analyzer import CheckOptions, open_checked
from wastenot.analyzer.store.checking import Progress
from wastenot.live.recorded.source import RecordedTrace
from wastenot.live.source import Source
from wastenot.live.verdict_text import verdict_lines


class Opened(Enum):
    """As what a box is opened."""

    VERDICT = "verdict"
    PLAYER = "player"


def open_box(path: str, what: Opened) -> Source | tuple[str, ...]:
    """The lines of its verdict and how to see more, or the box as a source. Raises the analyzer's errors."""
    if what is Opened.PLAYER:
        return open_recorded(Path(path))
    return (*verdict_lines(Path(path)), "", f"In the browser: wastenot serve {path}")


def open_recorded(path: Path, speed: float | None = None, progress: Progress | None = None) -> RecordedTrace:
    """A trace as a source: checked, and with all its tables made. Raises the analyzer's errors."""
    trace = open_checked(path, CheckOptions(), progress)
    try:
        trace.make_tables("all")
        return RecordedTrace(trace, speed)
    except BaseException:
        trace.close()
        raise
