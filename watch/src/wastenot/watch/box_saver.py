"""Saving boxes beside the loop: one thread has them written, another one has them checked and runs the alarm command.

Both wait for other things nearly all the time (the black box, the disk, a child process), and the loop goes on.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from wastenot.analyzer.store.opening import part_folder
from wastenot.watch.model.boxes import CONFIRMED, FAILED, REQUESTED, UNCONFIRMED, Box, BoxVerdict, Trigger
from wastenot.watch.native import Sentinel
from wastenot.watch.run_folder import FILE_MODE

CHECK_TIMEOUT_S = 600
"""After which the check of a box is ended; a check takes a fraction of the recorded time."""

MOST_WAITING = 4
"""Saved boxes that may wait for their check; further triggers are suppressed as `busy`."""


@dataclass
class BoxSaver:
    """Writes and checks one box after the other. `done` is called for each from one of its threads."""

    sentinel: Sentinel
    keep_ns: int
    after_ns: int
    done: Callable[[Box], None]
    saving: str = ""
    _to_save: queue.Queue[tuple[Path, Trigger] | None] = field(default_factory=lambda: queue.Queue(1))
    _to_check: queue.Queue[Box | None] = field(default_factory=lambda: queue.Queue(MOST_WAITING))
    _threads: list[threading.Thread] = field(default_factory=list)
    _child: subprocess.Popen[str] | None = None
    _ending: bool = False

    def start(self) -> None:
        """Start both threads."""
        for name, work in (("save", self._save_all), ("check", self._check_all)):
            thread = threading.Thread(target=work, name=f"box-{name}", daemon=True)
            thread.start()
            self._threads.append(thread)

    @property
    def is_busy(self) -> bool:
        """A box is being written, or too many wait for their check: a trigger would have to wait."""
        return bool(self.saving) or self._to_save.full() or self._to_check.full()

    def save(self, target: Path, trigger: Trigger) -> None:
        """Have a box written; `is_busy` must be false."""
        self.saving = target.name
        self._to_save.put((target, trigger))

    def check_again(self, target: Path, trigger: Trigger) -> bool:
        """Have the part folder checked that a killed watch left; false, and nothing done, while other boxes wait."""
        if not self._to_check.empty():
            return False
        self._to_check.put(Box(str(target), trigger, REQUESTED, _utc()))
        return True

    def stop(self, timeout_s: float) -> None:
        """Let what is under way end within the time, then end the checking process; its part folder stays."""
        self._ending = True
        self._to_save.put(None)
        end = time.monotonic() + timeout_s
        self._threads[0].join(timeout_s)
        self._to_check.put(None)
        self._threads[1].join(max(0.0, end - time.monotonic()))
        if self._child is not None and self._child.poll() is None:
            self._child.kill()
            self._threads[1].join(1)

    def _save_all(self) -> None:
        while (work := self._to_save.get()) is not None:
            target, trigger = work
            try:
                box = self._saved(target, trigger)
            finally:
                self.saving = ""
            if box.error:
                self.done(box)
            else:
                self._to_check.put(box)

    def _saved(self, target: Path, trigger: Trigger) -> Box:
        box = Box(str(target), trigger, FAILED, _utc())
        start = time.monotonic_ns()
        try:
            self.sentinel.save(part_folder(target), self.after_ns, trigger.reason)
        except Exception as e:  # whatever it is, the watch goes on and reports it
            return replace(box, error=_line(e), kept=part_folder(target).is_dir())
        return replace(box, save_ns=time.monotonic_ns() - start)

    def _check_all(self) -> None:
        while (box := self._to_check.get()) is not None:
            if self._ending:
                self.done(replace(box, error="the watch ended before its check"))
                continue
            start = time.monotonic_ns()
            try:
                checked = self._checked(box)
            except Exception as e:
                checked = replace(box, outcome=FAILED, error=_line(e))
            self.done(replace(checked, check_ns=time.monotonic_ns() - start))

    def _checked(self, box: Box) -> Box:
        target = Path(box.path)
        request = {
            "part": str(part_folder(target)),
            "target": box.path,
            "condition": box.trigger.condition,
            "keep_ns": self.keep_ns,
            "after_ns": self.after_ns,
        }
        command = [sys.executable, "-P", "-m", "wastenot.watch.box_verdict", json.dumps(request)]
        pipe = subprocess.PIPE
        # In a session of its own: Ctrl-C at a terminal is for the watch, which lets the check end.
        self._child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, start_new_session=True
        )
        try:
            out, err = self._child.communicate(timeout=CHECK_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.communicate()
            return replace(box, outcome=FAILED, error=f"its check took longer than {CHECK_TIMEOUT_S} s")
        if self._child.returncode != 0:
            lines = err.strip().splitlines()
            why = lines[-1] if lines else f"its check ended with status {self._child.returncode}"
            return replace(box, outcome=FAILED, error=why)
        target.chmod(FILE_MODE)
        verdict = BoxVerdict.from_json(json.loads(out))
        outcome = REQUESTED if not box.trigger.condition else CONFIRMED if verdict.holds else UNCONFIRMED
        return replace(box, outcome=outcome, verdict=verdict, bytes=target.stat().st_size)


def _utc() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _line(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or ''}: {os.strerror(error.errno or 0)}".lstrip(": ")
    return " ".join(str(error).split()) or type(error).__name__
