"""One recording: the recorder, the command it watches, the signals that end it."""

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
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

from wastenot._native import WastenotError, collector
from wastenot.cli.errors import CommandError
from wastenot.cli.output import note

TICK_S = 0.1
"""How often the end of the recording is looked for."""

LOOK_S = 0.5
"""How often the recorder's figures are asked for and the progress shown."""


class LeftUnfinished(Exception):
    """The user pressed Ctrl-C a second time: the part folder stays as it is."""


@dataclass
class Interrupts:
    """How often the user asked to stop, and the signal of the first time."""

    count: int = 0
    signal: int | None = None


@contextmanager
def two_step_interrupt() -> Iterator[Interrupts]:
    """SIGINT and SIGTERM: the first only counts, so that the recording ends well; the second raises LeftUnfinished."""
    seen = Interrupts()

    def on_signal(number: int, _frame: FrameType | None) -> None:
        seen.count += 1
        seen.signal = seen.signal or number
        if seen.count > 1:
            raise LeftUnfinished

    previous = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield seen
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@dataclass(frozen=True)
class Recorded:
    """How a recording ended: `reason` as in `trace.end_reason`; the command's exit status, negative for a signal, None
    without a command; the signal that interrupted the recording, None where nothing did."""

    reason: str
    command_status: int | None
    events: int
    lost: int
    signal: int | None = None


def require_command(command: list[str]) -> None:
    """Raise CommandError when the command could not be started."""
    if command and shutil.which(command[0]) is None:
        raise CommandError(f"{command[0]}: no such command; nothing was recorded")


class Recorder(Protocol):
    """What records: `collector.Recorder`, or `LttngRecorder`; all texts are JSON as the former gives them."""

    def start(self) -> str: ...
    def stats(self) -> str: ...
    def stop(self, reason: str) -> str: ...


class LttngRecorder:
    """LTTng with the face of our own recorder; it tells no figures while it runs."""

    def __init__(self, folder: Path, *, stacks: bool) -> None:
        self._session = collector.LttngSession(folder, stacks)

    def start(self) -> str:
        self._session.start()
        return json.dumps({"degraded": []})

    def stats(self) -> str:
        return json.dumps({"records": {}, "lost": 0, "ended": None})

    def stop(self, reason: str) -> str:
        self._session.stop()
        return json.dumps({"end_reason": reason, "stats": {"records": {}, "lost": 0}})


class WithBubbles:
    """A recorder, and beside it LTTng with what applications tell of their bubbles."""

    def __init__(self, recorder: Recorder, folder: Path) -> None:
        self._recorder = recorder
        self._bubbles = collector.LttngSession(folder, bubbles=True)

    def start(self) -> str:
        started = self._recorder.start()
        try:
            self._bubbles.start()
        except WastenotError:
            self._recorder.stop("interrupt")
            raise
        return started

    def stats(self) -> str:
        return self._recorder.stats()

    def stop(self, reason: str) -> str:
        try:
            self._bubbles.stop()
        except WastenotError as e:
            note(f"bubbles: {e}")
        return self._recorder.stop(reason)


def record_to(
    recorder: Recorder,
    command: list[str],
    length_ns: int | None,
    interrupts: Interrupts,
    *,
    quiet: bool,
    says_missing: bool = False,
) -> Recorded:
    """Record until the command ends, `length_ns` are over, or the user interrupts.

    With `says_missing` what cannot be recorded here is said first: for when no verdict follows that says it.

    The command starts when the recorder runs, with this process's environment, terminal and working folder. When the
    time is over before it ends, it gets SIGTERM.
    """
    started = json.loads(recorder.start())
    if says_missing:
        for text in started["degraded"]:
            note(text)
    child = None
    reason = "interrupt"
    try:
        child = subprocess.Popen(command) if command else None
        reason = _wait(recorder, child, length_ns, interrupts, quiet=quiet)
    except OSError as e:
        raise CommandError(f"{command[0]}: cannot start ({e.strerror}); nothing was recorded") from None
    finally:
        ended = json.loads(recorder.stop(reason))
    status = _end(child)
    events, lost = _counts(ended["stats"])
    return Recorded(ended["end_reason"], status, events, lost, interrupts.signal)


def _wait(
    recorder: Any, child: subprocess.Popen[bytes] | None, length_ns: int | None, interrupts: Interrupts, *, quiet: bool
) -> str:
    """Wait for the end of the recording; returns its reason."""
    begin = time.monotonic()
    end = None if length_ns is None else begin + length_ns / 1e9
    shown = Shown(begin) if not quiet and sys.stderr.isatty() else None
    looked = begin
    try:
        while True:
            now = time.monotonic()
            if interrupts.count:
                return "interrupt"
            if child is not None and child.poll() is not None:
                return "command"
            if end is not None and now >= end:
                return "duration"
            if now - looked >= LOOK_S:
                looked = now
                stats = json.loads(recorder.stats())
                if stats["ended"]:
                    return str(stats["ended"])
                if shown is not None:
                    shown.update(now, *_counts(stats))
            time.sleep(min(TICK_S, max(0.0, end - now)) if end is not None else TICK_S)
    finally:
        if shown is not None:
            sys.stderr.write("\r\033[K")


def _counts(stats: dict[str, Any]) -> tuple[int, int]:
    """Records taken and records lost."""
    return sum(stats["records"].values()), int(stats["lost"])


@dataclass
class Shown:
    """The progress line of a recording: events, events per second, lost."""

    begin: float
    then: float = 0.0
    events: int = 0

    def update(self, now: float, events: int, lost: int) -> None:
        """Write the line anew."""
        rate = (events - self.events) / (now - (self.then or self.begin))
        self.then, self.events = now, events
        text = f"recording {now - self.begin:.0f} s  {events:,} events  {rate:,.0f}/s  {lost:,} lost  (Ctrl-C stops)"
        sys.stderr.write(f"\r\033[K{text}")
        sys.stderr.flush()


def _end(child: subprocess.Popen[bytes] | None) -> int | None:
    if child is None:
        return None
    if child.poll() is None:
        child.terminate()
    return child.wait()
