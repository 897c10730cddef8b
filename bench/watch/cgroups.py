"""Whether metrics stay bounded and quick where there are very many cgroups."""

from __future__ import annotations

import os
import statistics
import sys
import time
import urllib.request
from collections import Counter
from pathlib import Path

from wastenot.watch.options import SERIES

from bench.report import Section
from bench.watch.cgroup_folders import cgroup, join
from bench.watch.part import Findings, Request, pause
from bench.watch.process import NEVER, WatchProcess
from bench.watch.threads import fork, spin

SCRAPES = 20
MOST_ANSWER_S = 1.0
FAMILY = "wastenot_wait_seconds_total"


def use(folders: list[Path], work_s: float) -> None:
    """A process in each cgroup works for a moment, two at a time: one of them waits for the other."""
    for at in range(0, len(folders), 2):
        pids = []
        for folder in folders[at : at + 2]:

            def work(folder: Path = folder) -> None:
                os.sched_setaffinity(0, {0})
                join(folder)
                spin(work_s)

            pids.append(fork(work, "bench-cgroup"))
        for pid in pids:
            os.waitpid(pid, 0)
        if at % 500 == 0:
            print(f"\rcgroups: {at} used   ", end="", file=sys.stderr, flush=True)


def scrape(address: str) -> tuple[float, str]:
    """Seconds for an answer, and the answer."""
    began = time.monotonic()
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=60) as answer:
        text: str = answer.read().decode()
    return time.monotonic() - began, text


def measure(request: Request) -> Findings:
    """Exact mode, which has time series by cgroup."""
    count = request.count(10_000, 1_000)
    with cgroup("wastenot-bench-many") as root:
        folders = [root / f"pod-{number}" for number in range(count)]
        for folder in folders:
            folder.mkdir()
        words = ("--exact", "--on", NEVER, "--keep", "1s", "--metrics", "127.0.0.1:0")
        with WatchProcess(request.folder, *words) as watch:
            address = watch.await_message("start", "metrics at")["wastenot_metrics"]
            memory = [watch.resident_bytes()]
            use(folders, 0.004)
            pause(3)
            answers = [scrape(address) for _ in range(SCRAPES)]
            memory.append(watch.resident_bytes())
            view = watch.status()
            cpu_s = view["cpu_ns"] / 1e9
    return _findings(count, answers, memory, cpu_s)


def _findings(count: int, answers: list[tuple[float, str]], memory: list[int], cpu_s: float) -> Findings:
    took = [seconds * 1e3 for seconds, _ in answers]
    text = answers[-1][1]
    lines = [line for line in text.splitlines() if line.startswith(FAMILY + "{")]
    named = Counter(line.split('cgroup="')[1].split('"')[0] for line in lines)
    section = Section(
        "Many cgroups",
        f"`wastenot watch --exact --metrics` while a process worked in each of {count} cgroups, two at a time on CPU "
        f"0; then {SCRAPES} requests for /metrics. Once a minute series go to the cgroups that waited in it; one that "
        "has not waited since has no line.",
        ["what", "count"],
    )
    section.add("cgroups", count)
    section.add(f"cgroups with series of {FAMILY}", len(named))
    section.add(f"series of {FAMILY}", len(lines))
    section.add("all lines of the answer", text.count("\n"))
    section.add("kB of the answer", round(len(text) / 1e3))
    section.add("ms for an answer, median", round(statistics.median(took)))
    section.add("ms for an answer, longest", round(max(took)))
    section.add("memory at the start, MB", round(memory[0] / 1e6))
    section.add("memory at the end, MB", round(memory[1] / 1e6))
    section.add("CPU time of the watch's process, s", f"{cpu_s:.1f}")
    found = Findings([section])
    found.require(len(named) <= SERIES + 2, f"{len(named)} cgroups have series; {SERIES} and `other` promised")
    found.require(any("wastenot-bench-many" in name for name in named), "no series of these cgroups")
    found.require(max(took) <= MOST_ANSWER_S * 1e3, f"an answer took {max(took):.0f} ms")
    return found
