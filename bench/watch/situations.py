"""Situations in which the cost of watching is measured: `python -m bench.watch.situations NAME AMOUNT OUT`.

Sets the situation up, and writes to OUT what the whole host did while it lasted. Run below a recorder, so that what
counts is between the recorder's start and its end.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.captures import messaging
from bench.overhead import pipe, sleeping_control
from bench.watch.threads import end_with_parent

THREADS = 10_000
CHURN_PER_S = 200
SETTLE_S = 0.5


class Command:
    """A command that runs inside, and ends with it and with this process."""

    def __init__(self, words: list[str]) -> None:
        self._words = words

    def __enter__(self) -> subprocess.Popen[bytes]:
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(
            self._words, stdout=quiet, stderr=quiet, start_new_session=True, preexec_fn=end_with_parent
        )
        return self._process

    def __exit__(self, *_: object) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def host() -> dict[str, float]:
    """Seconds that all CPUs were idle (as the kernel measures it where ticks stop), wall time, switches so far."""
    lines = Path("/proc/stat").read_text().splitlines()
    first = lines[0].split()
    cpus = sum(line.startswith("cpu") for line in lines) - 1
    ticks = os.sysconf("SC_CLK_TCK")
    idle = (int(first[4]) + int(first[5]) + int(first[8])) / ticks  # idle, iowait, steal
    switches = next(int(line.split()[1]) for line in lines if line.startswith("ctxt"))
    return {"wall_s": time.monotonic(), "idle_s": idle, "switches": switches, "cpus": cpus}


def between(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    """What passed, with the CPU seconds that were not idle."""
    wall, idle = after["wall_s"] - before["wall_s"], after["idle_s"] - before["idle_s"]
    busy = wall * after["cpus"] - idle
    return {"wall_s": wall, "busy_s": busy, "switches": after["switches"] - before["switches"], "cpus": after["cpus"]}


def idle(seconds: float) -> None:
    """Nothing but the machine's own programs."""
    time.sleep(seconds)


def hackbench(loops: float) -> None:
    """Eighty processes that send each other messages."""
    subprocess.run(messaging(round(loops)), check=True, stdout=subprocess.DEVNULL)


def pinned_pipe(operations: float) -> None:
    """Two processes on CPU 0 that hand a byte to and fro, beside a sleeper on the last CPU."""
    with sleeping_control():
        subprocess.run(pipe(round(operations)), check=True, stdout=subprocess.DEVNULL)


def churn(seconds: float) -> None:
    """Threads that start and end at once."""
    end, next_s = time.monotonic() + seconds, time.monotonic()
    while time.monotonic() < end:
        short = threading.Thread(target=int)
        short.start()
        short.join()
        next_s += 1 / CHURN_PER_S
        time.sleep(max(0.0, next_s - time.monotonic()))


def start_sleepers(count: int) -> None:
    """So many threads that sleep until the process ends."""
    threading.stack_size(64 << 10)
    for _ in range(count):
        threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()


SITUATIONS: dict[str, Callable[[float], None]] = {
    "idle": idle,
    "messaging": hackbench,
    "threads": churn,
    "pipe": pinned_pipe,
}


def main(words: list[str]) -> None:
    """Command line."""
    name, amount, out = words
    if name == "threads":
        start_sleepers(THREADS)
    time.sleep(SETTLE_S)
    before = host()
    SITUATIONS[name](float(amount))
    found: dict[str, Any] = between(before, host())
    Path(out).write_text(json.dumps(found))
    os._exit(0)  # the interpreter would take long over 10,000 threads


if __name__ == "__main__":
    main(sys.argv[1:])
