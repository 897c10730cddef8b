"""Whether a box holds the whole time before its trigger, loses nothing, and is soon written."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wastenot._native import collector

from bench.captures import messaging
from bench.overhead import pipe, sleeping_control
from bench.recorders import BenchError
from bench.report import Section
from bench.watch.part import Findings, Request, pause
from bench.watch.situations import Command

KEEP_NS = 10_000_000_000
AFTER_NS = 500_000_000
MOST_WRITE_S = 1.0
"""From the end of what is recorded to the finished part folder."""

MEMORY = {"none": 64 << 20, "wakes a millisecond": 64 << 20, "pipe on CPU 0": 256 << 20, "messaging": 512 << 20}
"""Bytes of the rings for each workload: enough for the events of `KEEP_NS` here."""


@contextmanager
def workload(name: str) -> Iterator[None]:
    """Load of one rate, inside."""
    if name == "none":
        yield
    elif name == "wakes a millisecond":
        with sleeping_control():
            yield
    else:
        command = pipe(10**9) if name == "pipe on CPU 0" else messaging(10**8)
        with Command(command):
            yield


def boxes(request: Request, name: str, keep_ns: int, count: int) -> list[dict[str, Any]]:
    """So many boxes at one rate; what saving each reported."""
    watcher = collector.Watcher(json.dumps({"keep_ns": keep_ns, "keep_bytes": MEMORY[name]}))
    started = json.loads(watcher.start())
    if started["no_black_box"]:
        raise BenchError(started["no_black_box"])
    saved = []
    try:
        with workload(name):
            pause(keep_ns / 1e9 + 2)
            for number in range(count):
                folder = request.folder / f"{name.replace(' ', '-')}-{number}.part"
                began = time.monotonic_ns()
                one: dict[str, Any] = json.loads(watcher.save(folder, AFTER_NS, "bench"))
                one["whole_ns"] = time.monotonic_ns() - began - AFTER_NS
                one["bytes"] = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
                saved.append(one)
                shutil.rmtree(folder)
                pause(keep_ns / 1e9 + 1 if number + 1 < count else 0)
    finally:
        watcher.stop()
    return saved


def measure(request: Request) -> Findings:
    """Boxes at several rates of events."""
    keep_ns = KEEP_NS // 5 if request.quick else KEEP_NS
    count = request.count(10, 2)
    section = Section(
        "Boxes",
        f"{count} boxes at each rate, `--keep {keep_ns / 1e9:g}s --after 0.5s`. Time held before the trigger: the "
        "least; time from the end of what is recorded to the finished part folder: median and longest; rate and bytes "
        "on the disk: medians.",
        ["load", "memory, MB", "M events/s", "held, s", "lost", "written after, ms", "longest, ms", "box, MB"],
    )
    found = Findings([section])
    for name, memory in MEMORY.items():
        print(f"box: {name}", file=sys.stderr, flush=True)
        saved = boxes(request, name, keep_ns, count)
        held = min(s["kept_ns"] for s in saved)
        took = [s["whole_ns"] / 1e6 for s in saved]
        rate = statistics.median(s["events"] * 1e3 / (s["end_ns"] - s["start_ns"]) for s in saved)
        lost = sum(s["lost"] for s in saved)
        size = statistics.median(s["bytes"] for s in saved) / 1e6
        cells = [f"{held / 1e9:.2f}", lost, f"{statistics.median(took):.0f}", f"{max(took):.0f}", f"{size:.1f}"]
        section.add(name, memory >> 20, f"{rate:.3f}", *cells)
        found.require(held >= keep_ns, f"{name}: {held / 1e9:.2f} s held of {keep_ns / 1e9:g}")
        found.require(lost == 0, f"{name}: {lost} records lost")
        found.require(statistics.median(took) <= MOST_WRITE_S * 1e3, f"{name}: written after {max(took):.0f} ms")
    os.sync()
    return found
