"""Busy threads, each in a process of its own, that end with this process however it ends."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Have the kernel kill this process when the thread that started it ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def fork(work: Callable[[], object], name: str) -> int:
    """A child called `name` (at most 15 bytes) that does `work` and exits; returns its pid."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        end_with_parent()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        Path("/proc/self/comm").write_text(name)
        work()
        status = 0
    finally:
        os._exit(status)


def spin(seconds: float = 1e9) -> None:
    """Use a CPU."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def end_all(pids: list[int]) -> None:
    """Kill children and wait for them."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    for pid in pids:
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)


@contextmanager
def children(works: list[Callable[[], object]], name: str) -> Iterator[list[int]]:
    """A child for each, inside; yields their pids."""
    pids: list[int] = []
    try:
        for work in works:
            pids.append(fork(work, name))
        yield pids
    finally:
        end_all(pids)


@contextmanager
def hogs(count: int, cpus: set[int], name: str, join: Callable[[], object] = lambda: None) -> Iterator[list[int]]:
    """Busy threads that may run on `cpus` alone from their first instant on; `join` runs first in each."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)  # inherited: no child is ever allowed anywhere else
    try:

        def work() -> None:
            join()
            spin()

        with children([work] * count, name) as pids:
            os.sched_setaffinity(0, before)
            yield pids
    finally:
        os.sched_setaffinity(0, before)


def running() -> int:
    """Threads that run or wait now, on all CPUs."""
    lines = Path("/proc/stat").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("procs_running"))
