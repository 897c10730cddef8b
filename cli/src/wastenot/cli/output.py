"""What the command writes: results on stdout, everything about its doing on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console, RenderableType
from wastenot.analyzer.checking import Progress

PIPE_WIDTH = 160
"""Columns of a list that is not written to a terminal."""


def show(thing: RenderableType, *, wide: bool = False) -> None:
    """Print a result: coloured and as wide as the terminal, or plain (80 columns, with `wide` 160) otherwise."""
    if sys.stdout.isatty():
        Console().print(thing)
        return
    console = Console(width=PIPE_WIDTH if wide else 80, color_system=None)
    with console.capture() as captured:
        console.print(thing)
    sys.stdout.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


def show_json(value: Any) -> None:
    """Print a value as JSON; what JSON does not know (dates, decimals of SQL) as text."""
    json.dump(value, sys.stdout, indent=2, default=str)
    sys.stdout.write("\n")


def note(text: str) -> None:
    """One line about what happens, on stderr."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


@contextmanager
def check_progress(quiet: bool) -> Iterator[Progress | None]:
    """A progress line for a check while stderr is a terminal; None otherwise."""
    if quiet or not sys.stderr.isatty():
        yield None
        return

    def report(done: int, total: int) -> None:
        share = f"{100 * done / total:.0f} %" if total else ""
        sys.stderr.write(f"\r\033[Kchecking {done:,} of {total:,} events {share}")
        sys.stderr.flush()

    try:
        yield report
    finally:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()
