"""The command of `--exec`: run for each confirmed box, with a limit of time."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from wastenot.analyzer.errors import BadArgument
from wastenot.watch.model.boxes import Box

TIMEOUT_S = 60.0
"""After which the command and the processes it started are ended."""

MOST_RUNNING = 4
"""Commands that may run at once; for a further box it is reported as failed."""


def alarm_words(command: str) -> list[str]:
    """The words of a command, which no shell sees; raises BadArgument."""
    try:
        words = shlex.split(command)
    except ValueError as e:
        raise BadArgument(f"--exec {command!r}: {str(e).lower()}; quote it as for a shell") from None
    if not words:
        raise BadArgument("--exec: no command; write one, as in --exec '/usr/local/bin/notify'")
    if shutil.which(words[0]) is None:
        raise BadArgument(f"--exec: {words[0]} is not a program that can be run; write its full path")
    return words


def alarm_environment(box: Box) -> dict[str, str]:
    """What the command finds in its environment."""
    verdict = box.verdict
    return {
        "WASTENOT_BOX": box.path,
        "WASTENOT_REASON": box.trigger.reason,
        "WASTENOT_CAUSE": verdict.cause if verdict else "",
        "WASTENOT_WASTED_CORE_S": f"{verdict.wasted_ns / 1e9:.9f}" if verdict else "0",
    }


@dataclass
class AlarmCommand:
    """Runs `words` for boxes; `done` gets None, or why it failed, from another thread."""

    words: list[str]
    done: Callable[[Box, str | None], None]
    timeout_s: float = TIMEOUT_S
    _running: set[int] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, box: Box) -> None:
        """Start it; returns at once."""
        with self._lock:
            busy = len(self._running) >= MOST_RUNNING
        if busy:
            self.done(box, f"not run: {MOST_RUNNING} are running")
            return
        threading.Thread(target=self._run, args=(box,), name="alarm", daemon=True).start()

    def stop(self) -> None:
        """End those that run."""
        with self._lock:
            for group in self._running:
                _kill(group)

    def _run(self, box: Box) -> None:
        null = subprocess.DEVNULL
        environment = {**os.environ, **alarm_environment(box)}
        try:
            child = subprocess.Popen(
                self.words, env=environment, stdin=null, stdout=null, stderr=null, start_new_session=True
            )
        except OSError as e:
            self.done(box, f"cannot be started ({e.strerror})")
            return
        with self._lock:
            self._running.add(child.pid)
        why = None
        try:
            status = child.wait(self.timeout_s)
            if status:
                why = f"ended with status {status}" if status > 0 else f"was ended by signal {-status}"
        except subprocess.TimeoutExpired:
            why = f"did not end within {self.timeout_s:g} s and was killed"
        _kill(child.pid)
        child.wait()
        with self._lock:
            self._running.discard(child.pid)
        self.done(box, why)


def _kill(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return
