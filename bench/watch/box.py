"""Whether a box holds the whole time before its trigger, loses nothing, and is soon written."""

from __future__ import annotations

import json
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

AFTER_NS = 500_000_000
MOST_WRITE_S = 1.0
"""From the end of what is recorded to the finished part folder."""

SECOND = 1_000_000_000
LOADS = {
    "none": (10 * SECOND, 64 << 20),
    "wakes a millisecond": (10 * SECOND, 64 << 20),
    "pipe on CPU 0": (10 * SECOND, 512 << 20),
    "messaging": (10 * SECOND, 512 << 20),
}
"""For each workload the time to hold [ns], and bytes of the rings of all CPUs that are enough for it here."""


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


def written(watcher: collector.Watcher) -> int:
    """Bytes written to the rings so far."""
    return int(json.loads(watcher.status())["black_box"]["bytes_written"])


def held_of(request: Request, name: str) -> tuple[int, int]:
    """The time to hold and the bytes of the rings."""
    keep_ns, memory = LOADS[name]
    return (keep_ns // 5 if request.quick else keep_ns), memory


def boxes(request: Request, name: str, count: int) -> list[dict[str, Any]]:
    """So many boxes at one rate; what saving each reported."""
    keep_ns, memory = held_of(request, name)
    watcher = collector.Watcher(json.dumps({"keep_ns": keep_ns, "keep_bytes": memory}))
    started = json.loads(watcher.start())
    if started["no_black_box"]:
        raise BenchError(started["no_black_box"])
    saved = []
    try:
        with workload(name):
            before = written(watcher)
            pause(keep_ns / 1e9 + 2)
            rate = (written(watcher) - before) / (keep_ns / 1e9 + 2)
            for number in range(count):
                folder = request.folder / f"{name.replace(' ', '-')}-{number}.part"
                began = time.monotonic_ns()
                one: dict[str, Any] = json.loads(watcher.save(folder, AFTER_NS, "bench"))
                one["whole_ns"] = time.monotonic_ns() - began - AFTER_NS
                one["ring_bytes_per_s"] = rate
                one["bytes"] = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
                saved.append(one)
                shutil.rmtree(folder)
                pause(keep_ns / 1e9 + 1 if number + 1 < count else 0)
    finally:
        watcher.stop()
    return saved


def measure(request: Request) -> Findings:
    """Boxes at several rates of events."""
    count = request.count(10, 2)
    section = Section(
        "Boxes",
        f"{count} boxes at each rate, `--after 0.5s`. Time held before the trigger: the least; time from the end of "
        "what is recorded to the finished part folder: median and longest; rates and bytes on the disk: medians.",
        ["load", "`--keep`, s", "`--memory`, MB", "M events/s", "to the rings, MB/s", "held, s", "lost",
         "written after, ms", "longest, ms", "box, MB"],
    )  # fmt: skip
    found = Findings([section])
    for name in LOADS:
        print(f"box: {name}", file=sys.stderr, flush=True)
        keep_ns, memory = held_of(request, name)
        _add(found, name, keep_ns, memory, boxes(request, name, count))
    return found


def _add(found: Findings, name: str, keep_ns: int, memory: int, saved: list[dict[str, Any]]) -> None:
    """The row of a load, and the promises."""
    held, lost = min(s["kept_ns"] for s in saved), sum(s["lost"] for s in saved)
    took = [s["whole_ns"] / 1e6 for s in saved]
    rate = statistics.median(s["events"] * 1e3 / (s["end_ns"] - s["start_ns"]) for s in saved)
    size = statistics.median(s["bytes"] for s in saved) / 1e6
    cells = [f"{keep_ns / 1e9:g}", memory >> 20, f"{rate:.3f}", f"{saved[0]['ring_bytes_per_s'] / 1e6:.1f}"]
    times = [f"{statistics.median(took):.0f}", f"{max(took):.0f}"]
    found.sections[0].add(name, *cells, f"{held / 1e9:.2f}", lost, *times, f"{size:.1f}")
    found.require(held >= keep_ns, f"{name}: {held / 1e9:.2f} s held of {keep_ns / 1e9:g}")
    found.require(lost == 0, f"{name}: {lost} records lost")
    found.require(max(took) <= MOST_WRITE_S * 1e3, f"{name}: written after {max(took):.0f} ms")
