"""The view of this machine: a real watch that the view starts, and what is left when it ends. Needs BPF."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from wastenot._native import collector
from wastenot.live.model.frame import CpuState, Frame
from wastenot.live.opening import Opened, open_box
from wastenot.live.running import open_watch
from wastenot.live.watched.source import RunningWatch

SOURCE = json.loads(collector.doctor())["source"]
pytestmark = pytest.mark.skipif(SOURCE != "ebpf", reason="`wastenot doctor`: eBPF cannot record here")


def until(source: RunningWatch, done: Callable[[Frame], bool], most_s: float = 90) -> Frame:
    end = time.monotonic() + most_s
    while not done(frame := source.frame()):
        assert time.monotonic() < end, frame
        time.sleep(0.2)
    return frame


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def await_end(pid: int) -> None:
    end = time.monotonic() + 60
    while is_running(pid):
        assert time.monotonic() < end, f"process {pid} still runs"
        time.sleep(0.1)


def test_it_starts_a_watch_saves_a_box_opens_it_and_leaves_nothing(tmp_path: Path) -> None:
    source = open_watch(tmp_path / "run", "--out", str(tmp_path / "boxes"))
    try:
        frame = until(source, lambda f: f.waste.second is not None)
        online = [c for c in frame.cpus if c.state is not CpuState.OFFLINE]
        assert len(online) == os.sysconf("SC_NPROCESSORS_ONLN")
        assert all(c.idle_share is None or 0 <= c.idle_share <= 1 for c in frame.cpus)
        time.sleep(3)  # for the box to have some events
        # This machine may violate the invariant meanwhile: then the watch saves a box of its own first.
        until(source, lambda _: str(source.press("s")).startswith("saving "))
        frame = until(source, lambda f: any(box.outcome == "requested" for box in f.boxes))
        box = next(box for box in frame.boxes if box.outcome == "requested")
        assert box.reason == "trigger (live view)"
        pid = source.pid
        assert pid is not None and is_running(pid)
    finally:
        source.close()
    assert not is_running(pid)
    lines = open_box(box.path, Opened.VERDICT)
    assert isinstance(lines, tuple) and any("core-s" in line for line in lines)
    played = open_box(box.path, Opened.PLAYER)
    assert not isinstance(played, tuple)
    assert len(played.frame().cpus) == len(online)
    played.close()


STARTED = """
import sys, time
from pathlib import Path
from wastenot.live.running import open_watch
source = open_watch(Path(sys.argv[1]), "--out", sys.argv[2])
print(source.pid, flush=True)
time.sleep(1000)
"""


def test_the_watch_of_a_view_that_is_killed_ends(tmp_path: Path) -> None:
    command = [sys.executable, "-c", STARTED, str(tmp_path / "run"), str(tmp_path / "boxes")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as view:
        assert view.stdout is not None
        pid = int(view.stdout.readline())
        assert is_running(pid)
        view.send_signal(signal.SIGKILL)
    await_end(pid)
