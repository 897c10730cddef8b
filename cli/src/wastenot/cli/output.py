"""Output of the command: results on stdout, messages and progress on stderr."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wastenot import analyzer
from wastenot.analyzer.errors import NotChecked
from wastenot.analyzer.text.printable import printable

if TYPE_CHECKING:
    from rich.console import RenderableType
    from wastenot.analyzer import Trace
    from wastenot.analyzer.store.checking import Progress

PIPE_WIDTH = 160
"""Columns of a list that is not written to a terminal."""


def show(thing: RenderableType, *, wide: bool = False) -> None:
    """Print a result: coloured and as wide as the terminal, or plain (80 columns, with `wide` 160) otherwise."""
    from rich.console import Console  # slow to import
    from wastenot.analyzer.render.printable import Printable

    if sys.stdout.isatty():
        Console().print(Printable(thing))
        return
    console = Console(width=PIPE_WIDTH if wide else 80, color_system=None)
    with console.capture() as captured:
        console.print(Printable(thing))
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


def show_json(value: Any) -> None:
    """Print a value as JSON; what JSON does not know (dates, decimals of SQL) as text."""
    json.dump(value, sys.stdout, indent=2, default=str)
    sys.stdout.write("\n")


def note(text: str) -> None:
    """One line about what happens, on stderr."""
    sys.stderr.write(f"{printable(text)}\n")
    sys.stderr.flush()


def why_kept(part: Path) -> str:
    """Why a part folder was not removed."""
    return "it is a link" if part.is_symlink() else "it has files that no recorder wrote"


def note_kept(part: Path) -> None:
    """Note on stderr when the part folder of a finished recording still exists."""
    if os.path.lexists(part):
        note(f"{part}: not removed, {why_kept(part)}")


def wrote(trace: Trace) -> str:
    """What was made: its size, and its events as `check --json` and the browser count them."""
    target, events = trace.path, trace.sql("SELECT events FROM trace").one()["events"]
    return f"wrote {target} ({target.stat().st_size / 1e6:,.1f} MB, {events:,} events)"


@contextmanager
def check_progress(quiet: bool) -> Iterator[Progress | None]:
    """A progress line for a check while stderr is a terminal; None otherwise."""
    with progress_lines(quiet) as lines:
        yield None if lines is None else lines.checking


@contextmanager
def opened(path: Path) -> Iterator[Trace]:
    """A trace, open; a progress line while its tables are made that are made on demand."""
    with check_progress(quiet=False) as progress, analyzer.open_trace(path, progress=progress) as trace:
        yield trace


def bounds_of_trace(path: Path) -> tuple[int, int]:
    """Between which times a checked trace is, ns."""
    with analyzer.open_trace(path) as trace:
        found = trace.sql("SELECT start_ns, end_ns FROM verdict").rows()
    if not found:
        raise NotChecked(path)
    return found[0]["start_ns"], found[0]["end_ns"]


@contextmanager
def progress_lines(quiet: bool) -> Iterator[ProgressLines | None]:
    """Progress lines for reading and checking a trace while stderr is a terminal; None otherwise."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    try:
        yield ProgressLines()
    finally:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


class ProgressLines:
    """A line on the terminal that is rewritten: activity, bar, events per second, time left."""

    BAR = 24
    """Columns of the bar."""

    EVERY_S = 0.1
    """How often the line is written at most."""

    def __init__(self) -> None:
        self._what = ""
        self._start = self._shown = 0.0

    def reading(self, events: int, share: float) -> None:
        """Progress of an import."""
        self._show("reading", events, share)

    def simulating(self, events: int, share: float) -> None:
        """Progress of a simulation; the share is of its time limit."""
        self._show("simulate", events, share)

    def checking(self, done: int, total: int) -> None:
        """Progress of a check."""
        self._show("checking", done, done / total if total else 1.0)

    def filming(self, done: int, total: int) -> None:
        """Progress of a film."""
        self._show("filming", done, done / total if total else 1.0, "pictures")

    def _show(self, what: str, events: int, share: float, unit: str = "events") -> None:
        now = time.monotonic()
        if what != self._what:
            self._what, self._start, self._shown = what, now, 0.0
        if now - self._shown < self.EVERY_S:
            return
        self._shown = now
        share, gone = min(max(share, 0.0), 1.0), now - self._start
        full = round(share * self.BAR)
        bar = "#" * full + "." * (self.BAR - full)
        rate = f"{events / gone / 1e6:.1f} M/s" if gone > self.EVERY_S and unit == "events" else ""
        left = f"{gone * (1 - share) / share:.0f} s left" if share > 0.02 and gone > 1 else ""
        line = f"{what:8} [{bar}] {share:4.0%}  {events:,} {unit}  {rate}  {left}".rstrip()
        sys.stderr.write(f"\r\033[K{line}")
        sys.stderr.flush()
