"""The watch of this machine as a source: the one that runs, or one that is started for as long as the view is shown."""

from __future__ import annotations

import ctypes
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from wastenot.analyzer.errors import AnalyzerError
from wastenot.collector import machine_snapshot
from wastenot.live.errors import NoWatch
from wastenot.live.model.frame import CpuPlace, Frame
from wastenot.live.watched.frames import frame_of
from wastenot.live.watched.minute import LastMinute, reading_of
from wastenot.live.watched.view_json import view_from_json
from wastenot.watch.errors import WatchError
from wastenot.watch.http.client import ask
from wastenot.watch.model.view import View

EVERY_S = 1.0
START_S, POLL_S = 90.0, 0.1
"""How long a watch may take to start, and how often it is asked meanwhile (s)."""

PR_SET_PDEATHSIG = 1
"""include/uapi/linux/prctl.h"""

STOP_S = 30.0
"""How long its end is waited for (s): a box may be being saved."""


class RunningWatch:
    """A watch that answers at the socket of its run folder. `own` is its process where it ends with the view."""

    def __init__(self, folder: Path, own: OwnWatch | None = None) -> None:
        self._folder, self._own = folder, own
        self._minute = LastMinute()
        self._places = machine_places()
        self._title = socket.gethostname()

    @property
    def every_s(self) -> float:
        """How often a frame is worth asking for (s)."""
        return EVERY_S

    @property
    def pid(self) -> int | None:
        """The process of the watch that was started for this view; None where it ran already."""
        return None if self._own is None else self._own.pid

    def frame(self) -> Frame:
        """The frame of the watch's latest view."""
        view = self._view()
        self._minute.add(reading_of(view))
        return frame_of(view, self._minute, self._places, self._title, time.strftime("%H:%M:%S"))

    def press(self, key: str) -> str | None:
        """`s` saves a box."""
        if key != "s":
            return None
        return str(ask(self._folder, "POST", "/trigger", "live view")["message"])

    def verdict(self) -> tuple[str, ...]:
        """A running watch has no verdict."""
        return ()

    def close(self) -> None:
        """End the watch that was started for this view."""
        if self._own is not None:
            self._own.end()

    def _view(self) -> View:
        try:
            found = ask(self._folder, "GET", "/status")
        except WatchError as e:
            raise (e if self._own is None else self._own.error(e)) from None
        try:
            return view_from_json(found)
        except (KeyError, TypeError, ValueError):
            raise NoWatch(f"{self._folder}: the watch that runs there is of another version; start it anew") from None


class OwnWatch:
    """A watch in a process of its own, with a run folder that nothing else uses."""

    def __init__(self, *options: str) -> None:
        self._files = TemporaryDirectory(prefix="wastenot-live-")
        self.folder = Path(self._files.name) / "run"
        self._errors = Path(self._files.name) / "errors"
        command = [sys.executable, "-m", "wastenot.cli", "watch", "--quiet", "--run-dir", str(self.folder), *options]
        with self._errors.open("w") as errors:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                start_new_session=True,  # Ctrl-C in the terminal is the view's
                preexec_fn=_end_with_parent,
            )

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def wait_until_ready(self) -> None:
        """Wait for its first status. Raises NoWatch with its own message where it ends instead."""
        until = time.monotonic() + START_S
        while True:
            try:
                if ask(self.folder, "GET", "/status"):
                    return
            except (AnalyzerError, TypeError) as e:
                if self._process.poll() is not None or time.monotonic() > until:
                    raise self.error(e) from None
            time.sleep(POLL_S)

    def error(self, found: Exception) -> AnalyzerError:
        """Why it does not answer: the last line that it wrote, else what was found."""
        lines = self._errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return NoWatch(lines[-1].removeprefix("wastenot: ") if lines else str(found))

    def end(self) -> None:
        """End it as Ctrl-C does, and wait until it has; its boxes stay where they are."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._files.cleanup()


def _end_with_parent() -> None:
    """In the child, before it runs: have the kernel end it when the view ends, however that does (prctl(2))."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def machine_places() -> dict[int, CpuPlace]:
    """The places of this machine's CPUs, by number."""
    cpus = machine_snapshot()["cpus"]
    return {c["cpu"]: CpuPlace(c["cpu"], c["node"], c["llc"], c["core"]) for c in cpus}
