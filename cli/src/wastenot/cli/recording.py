"""One recording: a command that runs meanwhile, the signals that end it, the progress line."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from wastenot._native import collector
from wastenot.cli.errors import CommandError
from wastenot.cli.output import note

TICK_S = 0.1
"""How often the end of the recording is tested for."""

STATUS_S = 0.5
"""How often the recorder's figures are read and the progress shown."""


class UnfinishedRecording(Exception):
    """The user pressed Ctrl-C a second time: the part folder stays as it is."""


@dataclass
class Interrupts:
    """How often the user asked to stop, and the signal of the first time."""

    count: int = 0
    signal: int | None = None


@contextmanager
def two_step_interrupt() -> Iterator[Interrupts]:
    """SIGINT and SIGTERM: the first is counted, and the recording ends; the second raises UnfinishedRecording."""
    seen = Interrupts()

    def on_signal(number: int, _frame: FrameType | None) -> None:
        seen.count += 1
        seen.signal = seen.signal or number
        if seen.count > 1:
            raise UnfinishedRecording

    previous = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield seen
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@dataclass(frozen=True)
class RecordingEnd:
    """How a recording ended: `reason` as in `trace.end_reason`; what the folder holds (`part` or `ctf`); the command's
    exit status, negative for a signal, None without a command; the signal that interrupted the recording, or None."""

    reason: str
    form: str
    command_status: int | None
    events: int
    lost: int
    signal: int | None = None


def require_command(command: list[str]) -> None:
    """Raise CommandError when the command could not be started."""
    if command and shutil.which(command[0]) is None:
        raise CommandError(f"{command[0]}: no such command; nothing was recorded")


def record_to(
    recorder: collector.Recorder,
    command: list[str],
    length_ns: int | None,
    interrupts: Interrupts,
    *,
    quiet: bool,
    list_missing: bool = False,
    environment: dict[str, str] | None = None,
) -> RecordingEnd:
    """Record until the command ends, `length_ns` are over, or the user interrupts.

    With `list_missing` the things that are not recorded are printed first: for when no verdict with them follows.

    The command starts when the recorder runs, with this process's environment (unless another is given), terminal and
    working folder. When the time is over before it ends, it gets SIGTERM.
    """
    started = json.loads(recorder.start())
    if list_missing:
        for text in started["not_recorded"]:
            note(text)
    child = None
    reason = "interrupt"
    try:
        child = subprocess.Popen(command, env=environment) if command else None
        reason = _wait(recorder, child, length_ns, interrupts, quiet=quiet)
    except OSError as e:
        raise CommandError(f"{command[0]}: cannot start ({e.strerror}); nothing was recorded") from None
    finally:
        ended = json.loads(recorder.stop(reason))
    for text in ended["warnings"]:
        note(text)
    status = _end(child)
    events, lost = _counts(ended["stats"])
    return RecordingEnd(ended["end_reason"], ended["form"], status, events, lost, interrupts.signal)


def _wait(
    recorder: collector.Recorder,
    child: subprocess.Popen[bytes] | None,
    length_ns: int | None,
    interrupts: Interrupts,
    *,
    quiet: bool,
) -> str:
    """Wait for the end of the recording; returns its reason."""
    start = time.monotonic()
    end = None if length_ns is None else start + length_ns / 1e9
    progress = ProgressLine(start) if not quiet and sys.stderr.isatty() else None
    status_at = start
    try:
        while True:
            now = time.monotonic()
            if interrupts.count:
                return "interrupt"
            if child is not None and child.poll() is not None:
                return "command"
            if end is not None and now >= end:
                return "duration"
            if now - status_at >= STATUS_S:
                status_at = now
                stats = json.loads(recorder.stats())
                if stats["ended"]:
                    return str(stats["ended"])
                if progress is not None:
                    progress.update(now, *_counts(stats))
            time.sleep(min(TICK_S, max(0.0, end - now)) if end is not None else TICK_S)
    finally:
        if progress is not None:
            sys.stderr.write("\r\033[K")


def _counts(stats: dict[str, Any]) -> tuple[int, int]:
    """Records taken and records lost."""
    return sum(stats["records"].values()), int(stats["lost"])


@dataclass
class ProgressLine:
    """The progress line of a recording: events, events per second, lost."""

    start: float
    previous: float = 0.0
    events: int = 0

    def update(self, now: float, events: int, lost: int) -> None:
        """Write the line anew."""
        rate = (events - self.events) / (now - (self.previous or self.start))
        self.previous, self.events = now, events
        text = f"recording {now - self.start:.0f} s  {events:,} events  {rate:,.0f}/s  {lost:,} lost  (Ctrl-C stops)"
        sys.stderr.write(f"\r\033[K{text}")
        sys.stderr.flush()


def _end(child: subprocess.Popen[bytes] | None) -> int | None:
    if child is None:
        return None
    if child.poll() is None:
        child.terminate()
    return child.wait()
