"""`wastenot watch` in a process of its own."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from wastenot.watch.http.client import ask

from bench import bpf_stats
from bench.recorders import BenchError
from bench.watch.threads import end_with_parent

MAP_GET_FD_BY_ID = 14  # include/uapi/linux/bpf.h: enum bpf_cmd
NEVER = "lost>1000000000"
"""A condition that does not come true."""


class WatchProcess:
    """A watch with its folders below `folder`, and what it printed. Ends with this process."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder, self.out, self._printed = folder, folder / "boxes", folder / "printed"
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "wastenot.cli", "watch", "--json", "--run-dir", str(folder / "run")]
        with self._printed.open("wb") as printed:
            self.process = subprocess.Popen(
                [*command, "--out", str(self.out), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=printed,
                preexec_fn=end_with_parent,
            )

    def __enter__(self) -> WatchProcess:
        try:
            self.await_message("start", "watching for")
        except BaseException:
            self.end(signal.SIGKILL)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def messages(self, kind: str | None = None) -> list[dict[str, Any]]:
        """What it printed so far."""
        lines = self._printed.read_text(encoding="utf-8").splitlines()
        found = [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]
        return [m for m in found if kind is None or m["kind"] == kind]

    def await_message(self, kind: str, text: str = "", timeout_s: float = 120) -> dict[str, Any]:
        """The first such message. Raises BenchError where the watch ends or the time is over."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            for message in self.messages(kind):
                if text in message["message"]:
                    return message
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise BenchError(f"wastenot watch: no {kind} {text!r}: {self._printed.read_text()[-400:]}")

    def status(self) -> dict[str, Any]:
        """`wastenot watch status`, without a process for it."""
        return ask(self.folder / "run", "GET", "/status")

    def trigger(self) -> dict[str, Any]:
        """`wastenot watch trigger`, without a process for it."""
        return ask(self.folder / "run", "POST", "/trigger", "bench")

    def resident_bytes(self) -> int:
        """VmRSS; mapped rings count as far as they were touched."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def bpf_ids(self, of: str) -> set[int]:
        """Numbers of the BPF programs (`prog_id`) or maps (`map_id`) that the process has open."""
        found = set()
        for info in Path(f"/proc/{self.process.pid}/fdinfo").iterdir():
            try:
                lines = info.read_text().splitlines()
            except OSError:
                continue  # closed in between
            found |= {int(line.split()[1]) for line in lines if line.startswith(f"{of}:")}
        return found

    def end(self, number: int = signal.SIGTERM, timeout_s: float = 120) -> int:
        """Send a signal where it runs, and wait; returns the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise BenchError(f"wastenot watch has not ended {timeout_s:.0f} s after signal {number}") from None


def is_loaded(command: int, number: int) -> bool:
    """Whether the kernel has this BPF program (PROG_GET_FD_BY_ID) or map (MAP_GET_FD_BY_ID)."""
    attribute = (ctypes.c_uint32 * 32)(number)
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(bpf_stats.SYS_BPF[os.uname().machine], command, ctypes.byref(attribute), ctypes.sizeof(attribute))
    if fd < 0:
        if ctypes.get_errno() == errno.ENOENT:
            return False
        raise BenchError(f"bpf({command}): {os.strerror(ctypes.get_errno())}")
    os.close(fd)
    return True


def still_loaded(programs: set[int], maps: set[int], timeout_s: float = 20) -> int:
    """How many of them the kernel still has at the end of the time; it removes them some time after the process."""
    end = time.monotonic() + timeout_s
    while True:
        left = sum(is_loaded(bpf_stats.PROG_GET_FD_BY_ID, n) for n in programs)
        left += sum(is_loaded(MAP_GET_FD_BY_ID, n) for n in maps)
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.1)


def check(trace: Path) -> str | None:
    """`wastenot check` of a trace or of its part folder; the error where it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "wastenot.cli", "check", str(trace), "--json"], capture_output=True, text=True
    )
    return None if done.returncode in (0, 1) else f"exit status {done.returncode}: {done.stderr.strip()[-200:]}"
