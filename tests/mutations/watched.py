"""One import in a process of its own, watched: how it ended, what it took, what it left."""

from __future__ import annotations

import atexit
import os
import resource
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .processes import descendants

LOOK_S = 0.02
PAGE = resource.getpagesize()
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Limits:
    """Of a process and its children: of the time on a CPU and asleep (not waiting for a CPU), and of memory."""

    seconds: float = 20.0
    memory_mb: int = 2048


@dataclass(frozen=True)
class Ended:
    """How an import ended."""

    status: int | None
    """Exit status; None: by a signal."""
    why: str
    """Empty when all is well; else what is wrong."""
    seconds: float
    memory_mb: int
    errors: str


def imported(source: Path, folder: Path, limits: Limits, arguments: Sequence[str] = ()) -> Ended:
    """`wastenot import source` with `folder` as working and temporary folder, beside `source` alone."""
    before = {path.name for path in folder.iterdir()}
    outputs = folder.with_name(folder.name + ".log")
    pid = os.fork()
    if pid == 0:
        atexit._clear()  # those of the process that forks
        _child(source, folder, outputs, arguments)
    status, spent, peak, over = _watch(pid, limits)
    errors = outputs.read_text(errors="replace")
    outputs.unlink()
    left = {path.name for path in folder.iterdir()} - before
    ended = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
    return Ended(ended, over or _wrong(status, errors, left), spent, peak, errors)


def _child(source: Path, folder: Path, outputs: Path, arguments: Sequence[str]) -> None:
    os.setsid()
    os.chdir(folder)
    os.environ["TMPDIR"] = str(folder)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    log = os.open(outputs, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.dup2(log, 2)
    status = 99
    try:
        import tempfile

        from wastenot.cli.main import main

        tempfile.tempdir = None
        status = main(["import", str(source), "-o", "out.duckdb", "-q", *arguments])
    finally:
        atexit._run_exitfuncs()  # as at the end of a process of its own: what it spilled is removed
        os._exit(status)


def in_child(work: Callable[[], object]) -> None:
    """Do it in a forked process: one that forks must have no threads of its own, and DuckDB has some."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(pid, 0)
    if status:
        raise RuntimeError(f"a forked process failed (status {status})")


def _wrong(status: int, errors: str, left: set[str]) -> str:
    if os.WIFSIGNALED(status):
        return f"ended by {signal.Signals(os.WTERMSIG(status)).name}"
    code = os.WEXITSTATUS(status)
    if code not in (0, 2):
        return f"exit status {code}"
    for text in ("Traceback", "panicked", "internal error"):
        if text in errors:
            return f"{text} on standard error"
    lines = errors.splitlines()
    if code == 2 and (len(lines) != 1 or not lines[0].startswith("wastenot: ")):
        return f"{len(lines)} lines on standard error"
    if left != ({"out.duckdb"} if code == 0 else set()):
        return f"left {', '.join(sorted(left)) or 'no trace'}"
    return ""


def _watch(pid: int, limits: Limits) -> tuple[int, float, int, str]:
    """Status, seconds, peak memory in MB, and which limit it was ended for."""
    last = time.monotonic()
    peak, asleep, over = 0, 0.0, ""
    while True:
        done, status, used = os.wait4(pid, os.WNOHANG)
        if done:
            peak = max(peak, used.ru_maxrss // 1024)
            if not over and peak > limits.memory_mb:
                over = f"{peak} MB of memory"
            return status, used.ru_utime + used.ru_stime + asleep, peak, over
        memory, ran, is_runnable = _used(pid)
        peak = max(peak, memory)
        now = time.monotonic()
        asleep += 0.0 if is_runnable else now - last
        last = now
        if not over:
            if memory > limits.memory_mb:
                over = f"{memory} MB of memory"
            elif ran + asleep > limits.seconds:
                over = f"{ran + asleep:.0f} s"
            if over:
                os.killpg(pid, signal.SIGKILL)
        time.sleep(LOOK_S)


def _used(pid: int) -> tuple[int, float, bool]:
    """Of a process and those it started: memory in MB, seconds on a CPU, and whether any thread runs or could."""
    memory, ran, is_runnable = 0, 0.0, False
    for process in (pid, *descendants(pid)):
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            states = [
                task.read_text().rpartition(")")[2].split()[0] for task in Path(f"/proc/{process}/task").glob("*/stat")
            ]
        except (OSError, IndexError):
            continue
        memory += int(fields[21]) * PAGE >> 20
        ran += (int(fields[11]) + int(fields[12])) / TICKS
        is_runnable |= "R" in states
    return memory, ran, is_runnable
