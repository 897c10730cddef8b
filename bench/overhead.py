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
from typing import Any

from bench import bpf_stats
from bench.recorders import BLACK_BOX, SENTINEL, Recorder, Recording, contenders, trace_cmd_events, wastenot, watching
from bench.recorders import run as run_command
from bench.report import Section
from bench.rounds import interleaved, interval

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
    """All contenders, interleaved; then the cost per BPF program, each in a run of its own."""

    def runner(name: str, recorder: Recorder) -> Callable[[], Run]:
        return lambda: once(recorder, operations, folder / name.replace(" ", "-").replace(",", ""))

    todo = {name: runner(name, recorder) for name, recorder in contenders().items()}
    runs = interleaved(todo, rounds, "overhead")
    return [
        _overhead(runs, folder, rounds, operations),
        _consumer(runs),
        _watching(runs),
        _programs("Cost per BPF program", wastenot("{}"), folder, operations),
        _programs("Cost per BPF program of the black box", watching("{}"), folder, operations),
    ]


def _overhead(runs: dict[str, list[Run]], folder: Path, rounds: int, operations: int) -> Section:
    section = Section(
        "Recording overhead",
        f"`taskset -c 0 perf bench sched pipe -l {operations}` under each recorder, with a sleeping control on the "
        f"last CPU; {rounds} interleaved rounds. CPU time per switch less that without a recorder in the same round, "
        "and its share of that of perf record: medians with their 95 % intervals.",
        [
            "recorder",
            "added per switch, ns",
            "95 %",
            "added, wall clock, ns",
            "of perf record's",
            "95 %",
            "events",
            "lost",
            "bytes per event",
        ],
    )
    nothing = runs["nothing"]
    yardstick = [r.cpu_ns - n.cpu_ns for r, n in zip(runs.get("perf record", []), nothing, strict=False)]
    for name, results in runs.items():
        if name == "nothing":
            whole, wall = ([getattr(r, key) for r in results] for key in ("cpu_ns", "wall_ns"))
            cells = [f"{statistics.median(whole):.0f}", _interval(whole), f"{statistics.median(wall):.0f}"]
            section.add("nothing (whole switch)", *cells, "", "", "", "", "")
            continue
        last = results[-1].recording
        events = (
            trace_cmd_events(folder / "trace-cmd-record" / "trace.dat") if name == "trace-cmd record" else last.events
        )
        added = [r.cpu_ns - n.cpu_ns for r, n in zip(results, nothing, strict=True)]
        wall = [r.wall_ns - n.wall_ns for r, n in zip(results, nothing, strict=True)]
        cells = [f"{statistics.median(added):.0f}", _interval(added), f"{statistics.median(wall):.0f}"]
        shares = [100 * a / b for a, b in zip(added, yardstick, strict=False) if b > 0]
        cells += [f"{statistics.median(shares):.0f} %", f"{_interval(shares)} %"] if shares else ["", ""]
        lost = sum(r.recording.lost for r in results)
        section.add(name, *cells, events, lost, f"{last.bytes / events:.1f}" if events else "–")
    return section


def _interval(values: list[float]) -> str:
    low, high = interval(values)
    return f"{low:.0f} … {high:.0f}"


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


def _watching(runs: dict[str, list[Run]]) -> Section:
    section = Section(
        "Watching",
        "While the benchmark ran: time of one look of the sentinel by the kernel's clock, and the share of one CPU "
        "that all looks took; CPU time of the watcher's process; of the black box the time that it held at the end, "
        "CPU time of the last snapshot of the threads, the time from the end of a box until it was written, memory of "
        "the process with the rings.",
        ["what runs", "ns per look", "looks", "process", "held, s", "snapshot, ms", "written, ms", "memory, MB"],
    )
    for name in (SENTINEL, BLACK_BOX):
        found = [r.recording.details for r in runs[name]]

        def grown(key: str, of: list[dict[str, Any]] = found) -> list[float]:
            return [f["status"][key] - f["before"][key] for f in of]

        looks, took = grown("looks"), grown("sentinel_ns")
        cells = [f"{statistics.median(t / n for t, n in zip(took, looks, strict=True)):.0f}"]
        cells += [f"{statistics.median(t / f['lasted_s'] for t, f in zip(took, found, strict=True)) / 1e9:.3%}"]
        cells += [f"{statistics.median(f['cpu_s'] / f['lasted_s'] for f in found):.2%}"]
        if name == BLACK_BOX:
            boxes = [(f["status"]["black_box"], f["saved"]) for f in found]
            cells += [f"{statistics.median(box['kept_ns'] for box, _ in boxes) / 1e9:.1f}"]
            cells += [f"{statistics.median(box['snapshot_cpu_ns'] for box, _ in boxes) / 1e6:.2f}"]
            cells += [f"{statistics.median(saved['write_ns'] for _, saved in boxes) / 1e6:.0f}"]
        else:
            cells += ["", "", ""]
        section.add(name, *cells, f"{statistics.median(f['resident_bytes'] for f in found) / 1e6:.0f}")
    return section


def _programs(title: str, recorder: Recorder, folder: Path, operations: int) -> Section:
    section = Section(
        title,
        "One recording of the benchmark with `kernel.bpf_stats_enabled=1`, which itself adds to each run what the "
        "empty program shows: one on sched_switch that returns at once, alone in a run of its own.",
        ["program", "runs", "ns per run"],
    )
    os.environ["BENCH_BPF_STATS"] = "1"
    try:
        run = once(recorder, operations, folder / "programs")
    finally:
        del os.environ["BENCH_BPF_STATS"]
    for program in sorted(run.recording.details["programs"], key=lambda p: -p["ns"]):
        if program["runs"]:
            section.add(program["name"], program["runs"], f"{program['ns'] / program['runs']:.0f}")
    found = {program["name"]: program for program in run.recording.details["programs"]}
    switches = found["on_switch"]["runs"]
    runs, ns = (sum(program[key] for program in found.values()) for key in ("runs", "ns"))
    empty = _empty_program_ns(operations)
    section.add("empty program", "", f"{empty:.0f}")
    section.add("all, per switch", f"{runs / switches:.2f}", f"{ns / switches:.0f}")
    section.add("all, per switch, less as many empty ones", "", f"{(ns - runs * empty) / switches:.0f}")
    return section


def _empty_program_ns(operations: int) -> float:
    with bpf_stats.statistics(), bpf_stats.empty_program("sched_switch"), sleeping_control():
        run_command(pipe(operations))
        found = next(program for program in bpf_stats.programs() if program.name == bpf_stats.EMPTY)
    return found.ns / found.runs
