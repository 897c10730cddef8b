"""The verdict of a trace as the lines that `wastenot check` prints."""

from __future__ import annotations

from pathlib import Path

from rich.console import Group
from wastenot.analyzer import CheckOptions, Trace, open_checked
from wastenot.analyzer.render.terminal import as_text, verdict_view


def verdict_lines(path: Path) -> tuple[str, ...]:
    """The verdict; the trace is checked first where it was not. Raises the analyzer's errors."""
    with open_checked(path, CheckOptions()) as trace:
        return trace_lines(trace)


def trace_lines(trace: Trace) -> tuple[str, ...]:
    """The verdict of an open trace."""
    return tuple(as_text(Group(*verdict_view(trace.verdict()))).splitlines())
