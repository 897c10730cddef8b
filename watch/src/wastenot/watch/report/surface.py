"""Where a watch reports: lines, JSON lines, the journal, or a live table with lines above it."""

from __future__ import annotations

import json
import sys
from typing import Protocol, TextIO

from wastenot.analyzer.text.printable import printable
from wastenot.watch.model.view import View
from wastenot.watch.report.live_table import LiveTable
from wastenot.watch.report.message import NOTICE, Message, status_line
from wastenot.watch.report.systemd import send_to_journal, stderr_is_journal

LINE_EVERY_NS = 60_000_000_000
"""How often a line with the state is written where there is no live table."""


class Surface(Protocol):
    """Shows views and messages."""

    def report(self, message: Message) -> None:
        """Show one message."""

    def show(self, view: View) -> None:
        """Show the state; called at each tick."""

    def close(self) -> None:
        """The watch ends."""


class Lines:
    """A line for each message, and once a minute one with the state; `quiet` leaves all but alarms and errors out."""

    def __init__(self, out: TextIO | None = None, *, quiet: bool = False, as_json: bool = False) -> None:
        self._out = out or (sys.stdout if as_json else sys.stderr)
        self._quiet, self._as_json = quiet, as_json
        self._shown: View | None = None

    def report(self, message: Message) -> None:
        """Write the line."""
        if self._quiet and message.priority >= NOTICE:
            return
        self._write(message.as_json() if self._as_json else printable(message.text))

    def show(self, view: View) -> None:
        """Write the state when it is time."""
        since = view.started_ns if self._shown is None else self._shown.time_ns
        if self._quiet or view.time_ns - since < LINE_EVERY_NS:
            return
        line = status_line(view, self._shown)
        self._write(json.dumps({"kind": "status", "message": line}) if self._as_json else line)
        self._shown = view

    def close(self) -> None:
        """Nothing is left to write."""

    def _write(self, line: str) -> None:
        try:
            self._out.write(f"{line}\n")
            self._out.flush()
        except (BrokenPipeError, ValueError):
            return  # the reader has exited; the watch goes on


class Journal(Lines):
    """Entries of the journal with fields; a line on stderr where the journal's socket is not there."""

    def report(self, message: Message) -> None:
        """Send the entry."""
        if self._quiet and message.priority >= NOTICE:
            return
        if not send_to_journal(message):
            super().report(message)


def open_surface(*, quiet: bool, as_json: bool) -> Surface:
    """JSON lines when asked for, the journal under systemd, a table on a terminal, else lines."""
    if as_json:
        return Lines(quiet=quiet, as_json=True)
    if stderr_is_journal():
        return Journal(quiet=quiet)
    if sys.stderr.isatty() and not quiet:
        return LiveTable()
    return Lines(quiet=quiet)
