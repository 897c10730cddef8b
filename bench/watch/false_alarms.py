"""Whether threads that wait beside idle CPUs for a good reason raise an alarm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from bench.recorders import BenchError
from bench.report import Section
from bench.watch.cgroup_folders import cgroup, join, set_quota
from bench.watch.part import Findings, Request, pause
from bench.watch.process import WatchProcess
from bench.watch.threads import children, hogs

EXCUSED = "excused"
"""The name of every thread that waits here; none of them may use another CPU, from its first instant on."""


@contextmanager
def pinned() -> Iterator[None]:
    """Four busy threads pinned to CPU 0."""
    with hogs(4, {0}, EXCUSED):
        yield


@contextmanager
def throttled() -> Iterator[None]:
    """Four busy threads pinned to CPU 0 in a cgroup that has a fifth of a CPU."""
    with cgroup("wastenot-bench-quota") as folder:
        set_quota(folder, 20_000)
        with hogs(4, {0}, EXCUSED, lambda: join(folder)):
            yield


@contextmanager
def per_cpu() -> Iterator[None]:
    """On each CPU two threads of its own that work for 3 ms of every 7, as the kernel's per-CPU threads do."""

    def wake(cpu: int) -> Callable[[], None]:
        def loop() -> None:
            os.sched_setaffinity(0, {cpu})
            while True:
                end = time.monotonic() + 0.003
                while time.monotonic() < end:
                    pass
                time.sleep(0.004)

        return loop

    before = os.sched_getaffinity(0)
    with ExitStack() as ends:
        for cpu in sorted(before):
            os.sched_setaffinity(0, {cpu})  # inherited: they are never allowed anywhere else
            try:
                ends.enter_context(children([wake(cpu)] * 2, EXCUSED))
            finally:
                os.sched_setaffinity(0, before)
        yield


SITUATIONS = {"pinned": pinned, "quota used up, pinned": throttled, "per-CPU threads": per_cpu}
LEAST_IDLE = 0.3
"""Share of looks at which the CPU beside the waiting threads must have been idle."""

TURN_S = 20
"""Seconds of one situation before the next."""


def excused_waits(box: Path) -> float:
    """Core-seconds that the excused threads are said to have waited for nothing in this box."""
    query = f"SELECT coalesce(sum(avoidable_wait_ns), 0) / 1e9 AS s FROM thread WHERE name = '{EXCUSED}'"
    command = [sys.executable, "-m", "wastenot.cli", "sql", str(box), query, "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise BenchError(f"{box}: {done.stderr.strip()[-300:]}")
    return float(json.loads(done.stdout)[0]["s"])


def measure(request: Request) -> Findings:
    """The situations in turn, under one watch."""
    seconds = request.duration(3600, 60)
    turn = min(TURN_S, seconds / len(SITUATIONS))
    words = ["--on", "lasting>0", "--keep", "4s", "--after", "500ms", "--rate-limit", "30/min"]
    hits: dict[str, int] = dict.fromkeys(SITUATIONS, 0)
    lasted: dict[str, float] = dict.fromkeys(SITUATIONS, 0.0)
    with WatchProcess(request.folder, *words) as watch:
        until, total = time.monotonic() + seconds, 0
        while time.monotonic() < until:
            for name, situation in SITUATIONS.items():
                with situation():
                    began = time.monotonic()
                    pause(turn)
                    lasted[name] += time.monotonic() - began
                status = watch.status()["status"]
                hits[name] += status["hits_total"] - total
                total = status["hits_total"]
        pause(2)
        watch.end()
        return _findings(watch, status, hits, lasted)


def _findings(watch: WatchProcess, status: dict[str, Any], hits: dict[str, int], lasted: dict[str, float]) -> Findings:
    boxes = watch.messages("box")
    outcomes = [b["wastenot_outcome"] for b in boxes]
    confirmed = [Path(b["wastenot_box"]) for b in boxes if b["wastenot_outcome"] == "confirmed"]
    waits = [excused_waits(path) for path in confirmed if path.exists()]
    wrong = sum(wait > 0 for wait in waits)
    section = Section(
        "False alarms",
        f"Threads that may use one CPU alone or have no quota left, for {sum(lasted.values()):.0f} s in turns, under "
        "`wastenot watch --on 'lasting>0' --keep 4s --after 500ms --rate-limit 30/min`. A false alarm is a confirmed "
        "box that charges any wait of these threads; other alarms are those of other programs on this machine.",
        ["what", "count"],
    )
    for name in hits:
        section.add(f"hits of the sentinel in {lasted[name]:.0f} s of: {name}", hits[name])
    idle = status["cpus"][-1]["idle_share"]
    section.add(f"looks at which CPU {status['cpus'][-1]['cpu']} was idle, %", round(100 * idle))
    section.add("looks with waste", status["looks_with_waste"])
    section.add("looks", status["looks"])
    section.add("boxes saved on a sample and not confirmed", outcomes.count("unconfirmed"))
    section.add("boxes that could not be saved or checked", outcomes.count("failed"))
    section.add("alarms about other programs", len(confirmed) - wrong)
    section.add("false alarms", wrong)
    found = Findings([section])
    found.require(idle >= LEAST_IDLE, f"nothing was shown: the CPU beside them was idle at {idle:.0%} of the looks")
    found.require(not wrong, f"{wrong} false alarms: {[str(round(w, 6)) for w in waits if w]} core-s charged")
    found.require("failed" not in outcomes, f"{outcomes.count('failed')} boxes failed")
    found.require(len(waits) == len(confirmed), "a confirmed box was deleted before it was looked at")
    return found
