"""What `kill -9` leaves: nothing in the kernel, and part folders that open."""

from __future__ import annotations

import random
import shutil
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

from bench.report import Section
from bench.watch.part import Findings, Request, pause
from bench.watch.process import NEVER, WatchProcess, check, still_loaded

SEED = 9
FINISH_S = 120
ALWAYS = "wasted>=0s"
"""A condition that holds whatever the machine does: a box is nearly always in the making."""
NO_EVENT = "before it had written any event"
"""How `check` refuses the folder of a box of which nothing had been copied yet."""


@dataclass
class Remains:
    """What the kills left behind so far."""

    programs: int = 0
    maps: int = 0
    loaded: int = 0
    parts: set[str] = field(default_factory=set)
    empty: int = 0
    errors: list[str] = field(default_factory=list)


def kill_once(home: Path, words: list[str], after_s: float, remains: Remains) -> None:
    """Start a watch, kill it, and look at the kernel."""
    with WatchProcess(home, *words) as watch:
        pause(after_s)
        programs, maps = watch.bpf_ids("prog_id"), watch.bpf_ids("map_id")
        watch.end(signal.SIGKILL)
    remains.programs += len(programs)
    remains.maps += len(maps)
    remains.loaded += still_loaded(programs, maps)


def check_copies(home: Path, scratch: Path, remains: Remains) -> None:
    """Check a copy of each part folder that was not there before; the folder itself is left to the next watch."""
    for part in home.glob("boxes/*.part"):
        if part.name in remains.parts:
            continue
        trace = scratch / part.name.removesuffix(".part")
        copied = trace.with_name(part.name)
        try:
            shutil.copytree(part, copied)
        except (FileNotFoundError, shutil.Error):
            if part.exists():
                raise
            continue  # the check that the killed watch had started goes on, and has finished it
        remains.parts.add(part.name)
        error = check(trace)
        if error and NO_EVENT in error:
            remains.empty += 1
        elif error:
            remains.errors.append(f"{part.name}: {error}")
        shutil.rmtree(copied, ignore_errors=True)
        trace.unlink(missing_ok=True)


def left_by_the_last(home: Path) -> list[str]:
    """Part folders that a watch which is not killed has not finished in `FINISH_S`."""
    with WatchProcess(home, "--on", NEVER):
        until = time.monotonic() + FINISH_S
        while (left := sorted(p.name for p in home.glob("boxes/*.part"))) and time.monotonic() < until:
            pause(1)
    return left


def measure(request: Request) -> Findings:
    """Kills at random times, a restart in the same folder after each."""
    drawn, times = random.Random(SEED), request.count(20, 3)
    words = ["--on", ALWAYS, "--keep", "1s", "--after", "1s", "--rate-limit", "60/min"]
    home, remains = request.folder / "watch", Remains()
    for number in range(times):
        kill_once(home, [*words, *(["--exact"] if number % 2 else [])], drawn.uniform(0.2, 6), remains)
        check_copies(home, request.folder, remains)
    unfinished = left_by_the_last(home)
    section = Section(
        "Kill -9",
        f"`wastenot watch` with a box in the making nearly always, killed {times} times between 0.2 and 6 s after its "
        "start, exact mode every second time; then the next one in the same folders.",
        ["what", "count"],
    )
    section.add("kills", times)
    section.add("BPF programs that they had", remains.programs)
    section.add("BPF maps that they had", remains.maps)
    section.add("programs and maps left in the kernel", remains.loaded)
    section.add("part folders left on the disk", len(remains.parts))
    section.add("of these, killed before the first event was copied: `wastenot check` says so", remains.empty)
    section.add("of these, `wastenot check` fails on otherwise", len(remains.errors))
    section.add(f"part folders that a last watch has not finished in {FINISH_S} s", len(unfinished))
    found = Findings([section])
    found.require(remains.loaded == 0, f"{remains.loaded} programs or maps are left in the kernel")
    found.require(not remains.errors, "; ".join(remains.errors[:3]))
    found.require(not unfinished, f"not finished by the next watch: {', '.join(unfinished[:3])}")
    return found
