"""What recording adds to a context switch.

`perf bench sched pipe` pinned to CPU 0 makes two processes hand a byte to and fro: two switches and two wakeups per
operation and hardly anything else. A sleeping control on another CPU keeps that CPU's idle path in the recording. The
figure is CPU time of the benchmark's processes per switch, less that without a recorder: a machine that is busy with
something else does not show in it. Wall-clock time stands beside it.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.recorders import Recorder, Recording, contenders, trace_cmd_events, wastenot
from bench.report import Section
from bench.rounds import Spread, interleaved

SWITCHES_PER_OPERATION = 2


@dataclass(frozen=True)
class Run:
    """One recording of the benchmark."""

    cpu_ns: float  # per switch
    wall_ns: float  # per switch
    wall_s: float
    recording: Recording


def pipe(operations: int) -> list[str]:
    """The benchmark, pinned."""
    return ["taskset", "-c", "0", "perf", "bench", "sched", "pipe", "-l", str(operations)]


@contextmanager
def sleeping_control() -> Iterator[None]:
    """A process on the last CPU that wakes every millisecond."""
    cpu = max(os.sched_getaffinity(0))
    child = subprocess.Popen(
        ["taskset", "-c", str(cpu), sys.executable, "-c", "import time\nwhile True: time.sleep(0.001)"]
    )
    try:
        yield
    finally:
        child.kill()
        child.wait()


def once(recorder: Recorder, operations: int, folder: Path) -> Run:
    """Record the benchmark once."""
    folder.mkdir(parents=True, exist_ok=True)
    out = folder / "timed.json"
    with sleeping_control():
        recording = recorder(folder, [sys.executable, "-m", "bench.timed", str(out), "--", *pipe(operations)])
    took = json.loads(out.read_text())
    switches = operations * SWITCHES_PER_OPERATION
    return Run(took["cpu_s"] * 1e9 / switches, took["wall_s"] * 1e9 / switches, took["wall_s"], recording)


def measure(folder: Path, rounds: int, operations: int) -> list[Section]:
    """All contenders, interleaved; then the cost per BPF program in a recording of its own."""

    def runner(name: str, recorder: Recorder) -> Callable[[], Run]:
        return lambda: once(recorder, operations, folder / name.replace(" ", "-").replace(",", ""))

    todo = {name: runner(name, recorder) for name, recorder in contenders().items()}
    runs = interleaved(todo, rounds, "overhead")
    return [_overhead(runs, folder, rounds, operations), _consumer(runs), _programs(folder, operations)]


def _overhead(runs: dict[str, list[Run]], folder: Path, rounds: int, operations: int) -> Section:
    section = Section(
        "Recording overhead",
        f"`taskset -c 0 perf bench sched pipe -l {operations}` under each recorder, with a sleeping control on the "
        f"last CPU; median (range) of {rounds} interleaved rounds, CPU time per switch less that without a recorder.",
        ["recorder", "added per switch, ns", "range", "added, wall clock, ns", "events", "lost", "bytes per event"],
    )
    base = statistics.median(r.cpu_ns for r in runs["nothing"])
    base_wall = statistics.median(r.wall_ns for r in runs["nothing"])
    for name, results in runs.items():
        if name == "nothing":
            section.add("nothing (whole switch)", f"{base:.0f}", _range(runs[name], 0), f"{base_wall:.0f}", "", "", "")
            continue
        last = results[-1].recording
        events = (
            trace_cmd_events(folder / "trace-cmd-record" / "trace.dat") if name == "trace-cmd record" else last.events
        )
        added = Spread.of([r.cpu_ns for r in results]).minus(base)
        wall = statistics.median(r.wall_ns for r in results) - base_wall
        size = f"{last.bytes / events:.1f}" if events else "?"
        section.add(name, f"{added.median:.0f}", _range(results, base), f"{wall:.0f}", events, last.lost, size)
    return section


def _range(results: list[Run], base: float) -> str:
    spread = Spread.of([r.cpu_ns for r in results]).minus(base)
    return f"{spread.low:.0f} … {spread.high:.0f}"


def _consumer(runs: dict[str, list[Run]]) -> Section:
    section = Section(
        "Consumer",
        "CPU time of the recording process while the benchmark ran: reading the rings, compressing, writing segments.",
        ["event set", "ns per event", "share of one core", "at 100 k events/s", "peak memory, MB"],
    )
    for name in ("wastenot", "wastenot, four events"):
        per_event, share, memory = [], [], []
        for r in runs[name]:
            cpu, events = r.recording.details["consumer_cpu_s"], r.recording.events or 1
            per_event.append(cpu * 1e9 / events)
            share.append(cpu / r.wall_s)
            memory.append(r.recording.details["peak_bytes"] / 1e6)
        ns = statistics.median(per_event)
        section.add(
            name,
            f"{ns:.1f}",
            f"{statistics.median(share):.1%}",
            f"{ns * 1e5 / 1e9:.2%}",
            f"{statistics.median(memory):.0f}",
        )
    return section


def _programs(folder: Path, operations: int) -> Section:
    section = Section(
        "Cost per BPF program",
        "One recording of the benchmark with `kernel.bpf_stats_enabled=1` (which itself adds some 20 ns to each run, "
        "included here).",
        ["program", "runs", "ns per run"],
    )
    os.environ["BENCH_BPF_STATS"] = "1"
    try:
        run = once(wastenot("{}"), operations, folder / "programs")
    finally:
        del os.environ["BENCH_BPF_STATS"]
    for program in sorted(run.recording.details["programs"], key=lambda p: -p["ns"]):
        if program["runs"]:
            section.add(program["name"], program["runs"], f"{program['ns'] / program['runs']:.0f}")
    return section
