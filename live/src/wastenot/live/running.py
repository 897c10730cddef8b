"""Showing a source: in the terminal, or as plain text."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wastenot.analyzer.store.checking import Progress
from wastenot.live.opening import open_recorded
from wastenot.live.plain import frames_in_time, frames_of_trace, print_frames
from wastenot.live.recorded.source import RecordedTrace
from wastenot.live.source import Source
from wastenot.live.terminal import can_be_drawn_on, glyphs_of
from wastenot.live.watched.source import OwnWatch, RunningWatch
from wastenot.watch.errors import NotRunning
from wastenot.watch.http.client import ask

PLAIN_SIZE = (100, 24)
"""Columns and lines where the output is not a terminal."""


@dataclass(frozen=True)
class Cost:
    """What showing took: CPU time of this process and wall time (s), after the first frame was made."""

    cpu_s: float
    wall_s: float

    def __str__(self) -> str:
        return f"the view took {100 * self.cpu_s / max(self.wall_s, 1e-9):.2f} % of one CPU for {self.wall_s:.1f} s"


def open_watch(folder: Path, *options: str, say: Callable[[str], None] = lambda text: None) -> RunningWatch:
    """The watch that runs on this machine; one that is started with the `options` where none does. `say` is called with
    what takes time.

    Raises AnalyzerError with one line where neither is possible.
    """
    try:
        ask(folder, "GET", "/status")
        return RunningWatch(folder)
    except NotRunning:
        pass
    say("no watch runs here: starting one for this view")
    own = OwnWatch(*options)
    try:
        own.wait_until_ready()
        return RunningWatch(own.folder, own)
    except BaseException:
        own.end()
        raise


def open_trace(path: Path, speed: float | None, progress: Progress | None) -> RecordedTrace:
    """A trace, to be played. Raises the analyzer's errors."""
    return open_recorded(path, speed, progress)


def show(source: Source, *, plain: bool, for_s: float | None = None) -> Cost | None:
    """Show a source until it is quit, or for so long, and close it; returns the cost where it was shown in time.

    Raises AnalyzerError without a first frame.
    """
    try:
        if plain or not can_be_drawn_on():
            return _print(source, for_s)
        return _draw(source, for_s)
    finally:
        source.close()


def _print(source: Source, for_s: float | None) -> Cost | None:
    width = shutil.get_terminal_size(PLAIN_SIZE).columns
    if isinstance(source, RecordedTrace):
        print_frames(frames_of_trace(source), sys.stdout, width, glyphs_of())
        return None
    with _Clock() as clock:
        print_frames(frames_in_time(source, for_s), sys.stdout, width, glyphs_of())
    return clock.cost()


def _draw(source: Source, for_s: float | None) -> Cost:
    from wastenot.live.app import LiveApp  # imports Textual, which plain text does not need

    app = LiveApp(source, source.frame(), glyphs_of(), for_s)
    with _Clock() as clock:
        app.run(mouse=False)
    return clock.cost()


class _Clock:
    """Measures what is done while it is entered."""

    def __enter__(self) -> _Clock:
        self._start = (time.process_time(), time.monotonic())
        return self

    def __exit__(self, *error: object) -> None:
        self._end = (time.process_time(), time.monotonic())

    def cost(self) -> Cost:
        """What it took."""
        return Cost(self._end[0] - self._start[0], self._end[1] - self._start[1])
