"""What `kill -9` leaves: nothing in the kernel, and part folders that open."""

from __future__ import annotations

import random
import shutil
import signal
import time

from bench.report import Section
from bench.watch.part import Findings, Request, pause
from bench.watch.process import NEVER, WatchProcess, check, still_loaded

SEED = 9
FINISH_S = 120
ALWAYS = "wasted>=0s"
"""A condition that holds whatever the machine does: a box is nearly always in the making."""


def measure(request: Request) -> Findings:
    """Kills at random times, a restart in the same folder after each."""
    drawn, times = random.Random(SEED), request.count(20, 3)
    words = ["--on", ALWAYS, "--keep", "1s", "--after", "1s", "--rate-limit", "60/min"]
    home, errors = request.folder / "watch", []
    programs = maps = left = parts = 0
    for number in range(times):
        if number % 2:
            words = [w for w in words if w != "--exact"] + ["--exact"]
        with WatchProcess(home, *words) as watch:
            pause(drawn.uniform(0.2, 6))
            loaded = watch.bpf_ids("prog_id"), watch.bpf_ids("map_id")
            watch.end(signal.SIGKILL)
        left += still_loaded(*loaded)
        programs, maps = programs + len(loaded[0]), maps + len(loaded[1])
        for part in home.glob("boxes/*.part"):
            trace = request.folder / f"kill-{number}-{part.name.removesuffix('.part')}"
            parts += 1
            if error := check(trace, part):
                errors.append(f"{part.name} of kill {number + 1}: {error}")
            shutil.rmtree(trace.with_name(trace.name + ".part"), ignore_errors=True)
            trace.unlink(missing_ok=True)
    with WatchProcess(home, "--on", NEVER) as watch:
        until = time.monotonic() + FINISH_S
        while (unfinished := sorted(p.name for p in home.glob("boxes/*.part"))) and time.monotonic() < until:
            pause(1)
        watch.end()
    section = Section(
        "Kill -9",
        f"`wastenot watch` with a box in the making nearly always, killed {times} times between 0.2 and 6 s after its "
        "start, exact mode every second time; then the next one in the same folders.",
        ["what", "count"],
    )
    section.add("kills", times)
    section.add("BPF programs that they had", programs)
    section.add("BPF maps that they had", maps)
    section.add("programs and maps left in the kernel", left)
    section.add("part folders left on the disk", parts)
    section.add("of these, `wastenot check` fails on", len(errors))
    section.add(f"part folders that a last watch has not finished in {FINISH_S} s", len(unfinished))
    found = Findings([section])
    found.require(left == 0, f"{left} programs or maps are left in the kernel")
    found.require(not errors, "; ".join(errors[:3]))
    found.require(not unfinished, f"not finished by the next watch: {', '.join(unfinished[:3])}")
    return found
