"""Whether the memory of a watch stays flat for hours on a host that does not rest, and what it leaves behind."""

from __future__ import annotations

import statistics
import sys
import time
from contextlib import ExitStack

from bench.recorders import BenchError
from bench.report import Section
from bench.watch.disturbances import disturbed, offline
from bench.watch.part import Findings, Request, pause
from bench.watch.process import WatchProcess, still_loaded

THREADS = 10_000
GROWTH = 0.05
"""Most by which the median of the last quarter may exceed that of the second."""

MODES: dict[str, tuple[str, ...]] = {"default": (), "exact": ("--exact",)}
WORDS = ("--on", "lasting>0", "--keep", "5s", "--after", "500ms", "--rate-limit", "2/min", "--max-disk", "200MB")


def measure(request: Request) -> Findings:
    """A watch of each mode at once, on a disturbed host."""
    seconds = request.duration(3600, 90)
    every, cycle = (0.5, 15.0) if seconds < 600 else (5.0, 60.0)
    memory: dict[str, list[int]] = {name: [] for name in MODES}
    off, next_off, began = 0, time.monotonic() + cycle / 2, time.monotonic()
    with ExitStack() as ends:
        what = ends.enter_context(disturbed(THREADS if not request.quick else THREADS // 5))
        watches = {
            name: ends.enter_context(WatchProcess(request.folder / name, *WORDS, *extra))
            for name, extra in MODES.items()
        }
        pause(2)
        while time.monotonic() - began < seconds:
            pause(every)
            for name, watch in watches.items():
                if watch.process.poll() is not None:
                    raise BenchError(f"{name}: the watch has ended: {watch.messages()[-1:]}")
                memory[name].append(watch.resident_bytes())
            if time.monotonic() >= next_off:
                next_off = time.monotonic() + cycle
                with offline() as done:
                    off += done
                    pause(1)
            _progress(time.monotonic() - began, memory)
        status = {name: watch.status() for name, watch in watches.items()}
        loaded = {name: (watch.bpf_ids("prog_id"), watch.bpf_ids("map_id")) for name, watch in watches.items()}
        boxes = {name: [b["wastenot_outcome"] for b in watch.messages("box")] for name, watch in watches.items()}
        ended = {name: watch.end() for name, watch in watches.items()}
    section = Section(
        "Soak",
        f"Two watches (`{' '.join(WORDS)}`), one of them with `--exact`, for {seconds:.0f} s on a host with {what}; "
        f"CPU 1 taken off-line for a second {off} times. Memory: VmRSS with the rings, sampled each {every:g} s; "
        "medians of the second and the last quarter.",
        ["watch", "second quarter, MB", "last quarter, MB", "growth, %", "most, MB", "lost", "boxes", "boxes failed",
         "BPF programs and maps", "left in the kernel"],
    )  # fmt: skip
    found = Findings([section])
    for name, samples in memory.items():
        quarter = len(samples) // 4
        second, last = (statistics.median(s) for s in (samples[quarter : 2 * quarter], samples[-quarter:]))
        growth, left = last / second - 1, still_loaded(*loaded[name])
        view = status[name]
        lost = view["exact"]["lost"] if view["exact"] else view["status"]["lost"]
        cells = [f"{second / 1e6:.1f}", f"{last / 1e6:.1f}", f"{growth:.1%}", f"{max(samples) / 1e6:.0f}", lost]
        failed = boxes[name].count("failed")
        section.add(name, *cells, len(boxes[name]), failed, sum(map(len, loaded[name])), left)
        found.require(growth <= GROWTH, f"{name}: memory grew by {growth:.1%}")
        found.require(left == 0, f"{name}: {left} BPF programs or maps are left in the kernel")
        found.require(ended[name] == 0, f"{name}: exit status {ended[name]}")
        found.require(failed == 0, f"{name}: {failed} boxes failed: {_errors(watches[name])}")
    return found


def _errors(watch: WatchProcess) -> str:
    return "; ".join(b["message"] for b in watch.messages("box") if b["wastenot_outcome"] == "failed")[:300]


def _progress(passed: float, memory: dict[str, list[int]]) -> None:
    now = ", ".join(f"{name} {samples[-1] / 1e6:.1f} MB" for name, samples in memory.items())
    print(f"\rsoak: {passed:.0f} s, {now}   ", end="", file=sys.stderr, flush=True)
