"""A host that does not rest: threads and processes that come and go, cgroups made and removed, a CPU off and on."""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from bench.watch.cgroup_folders import cgroup, join, remove
from bench.watch.threads import children, hogs

FORKS_PER_S = 200
CGROUPS_PER_S = 10
SLEEPERS = 2_000
"""Threads of one process."""

ONLINE = Path("/sys/devices/system/cpu/cpu1/online")


def paced(per_s: float) -> Iterator[int]:
    """Numbers from 0 on, so many a second, without making up for what was late."""
    number, due = 0, time.monotonic()
    while True:
        yield number
        number, due = number + 1, max(due + 1 / per_s, time.monotonic() - 1)
        time.sleep(max(0.0, due - time.monotonic()))


def churn_threads() -> None:
    """Threads that sleep, of which the oldest is replaced again and again."""
    threading.stack_size(64 << 10)
    drawn = random.Random(os.getpid())

    def live(seconds: float) -> None:
        time.sleep(seconds)

    for number in paced(SLEEPERS / 20):
        thread = threading.Thread(target=live, args=(drawn.uniform(10, 30),), daemon=True)
        with suppress(RuntimeError):  # no thread can be started now: others end soon
            thread.start()
        if number < SLEEPERS:  # fill up fast
            with suppress(RuntimeError):
                threading.Thread(target=live, args=(drawn.uniform(1, 30),), daemon=True).start()


def churn_processes() -> None:
    """Processes that end at once."""
    for number in paced(FORKS_PER_S):
        pid = os.fork()
        if pid == 0:
            with suppress(OSError):
                Path("/proc/self/comm").write_text(f"brief-{number % 1000}")
            os._exit(0)
        os.waitpid(pid, 0)


def churn_cgroups(root: Path) -> None:
    """Cgroups with a process that works for a moment, removed again."""
    for number in paced(CGROUPS_PER_S):
        folder = root / f"brief-{number}"
        folder.mkdir()
        pid = os.fork()
        if pid == 0:
            join(folder)
            end = time.monotonic() + 0.002
            while time.monotonic() < end:
                pass
            os._exit(0)
        os.waitpid(pid, 0)
        remove(folder)


@contextmanager
def disturbed(threads: int) -> Iterator[str]:
    """All of it inside, with about so many threads; yields what is done, in words."""
    with ExitStack() as ends:
        root = ends.enter_context(cgroup("wastenot-bench-churn"))
        count = max(1, threads // SLEEPERS)
        works = [churn_threads] * count + [churn_processes, lambda: churn_cgroups(root)]
        ends.enter_context(children(list(works), "bench-churn"))
        ends.enter_context(hogs(3, {0}, "bench-pinned"))
        yield (
            f"about {count * SLEEPERS} threads that live for 10 to 30 s, {FORKS_PER_S} forks and exits a second, "
            f"{CGROUPS_PER_S} cgroups a second made, used and removed, three threads pinned to CPU 0"
        )


@contextmanager
def offline() -> Iterator[bool]:
    """CPU 1 is off inside, where it can be; yields whether it is."""
    if not ONLINE.exists():
        print("SKIPPED bench: CPU 1 cannot be taken off-line here", file=sys.stderr)
        yield False
        return
    try:
        ONLINE.write_text("0")
        yield True
    finally:
        ONLINE.write_text("1")
