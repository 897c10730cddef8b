"""From the end of the workload to the verdict, and how memory grows with the trace."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from bench.captures import WASTENOT, Capture, operations_for, record, run_quietly
from bench.report import Section
from bench.rounds import Spread, interleaved


def measure(folder: Path, rounds: int, sizes: tuple[int, ...]) -> list[Section]:
    """`wastenot record` of captures of several sizes, then `wastenot check` of each again."""
    probe = operations_for(sizes[0], folder)
    todo = {f"{size / 1e6:g} M": partial(record, folder / f"{size}.duckdb", probe * size // sizes[0]) for size in sizes}
    runs = interleaved(todo, rounds, "end to end")
    return [_record(runs, rounds), _check_again(runs, folder)]


def _record(runs: dict[str, list[Capture]], rounds: int) -> Section:
    section = Section(
        "Record to verdict",
        "`wastenot record -- perf bench sched pipe` (CPU 0, sleeping control): time from the end of the workload until "
        f"the command has stored, checked and printed the verdict and ended, start-up included; CPU time is that of "
        f"the whole command without the workload; median (range) of {rounds} rounds.",
        [
            "capture",
            "events",
            "to the verdict, s",
            "range",
            "CPU, s",
            "peak memory, MB",
            "file, bytes per event",
        ],
    )
    for name, captures in runs.items():
        took = Spread.of([c.verdict_s for c in captures])
        memory = Spread.of([c.peak_bytes / 1e6 for c in captures])
        section.add(
            name,
            captures[-1].events,
            f"{took.median:.1f}",
            f"{took.low:.1f} … {took.high:.1f}",
            f"{Spread.of([c.cpu_s for c in captures]).median:.1f}",
            f"{memory.median:.0f}",
            f"{captures[-1].bytes_per_event:.1f}",
        )
    return section


def _check_again(runs: dict[str, list[Capture]], folder: Path) -> Section:
    section = Section(
        "Check again",
        "`wastenot check --threshold in_flight=60us` of the finished file: other options, so it is checked anew.",
        ["capture", "seconds", "CPU, s", "peak memory, MB"],
    )
    for name, captures in runs.items():
        command = [WASTENOT, "check", str(captures[-1].trace), "--threshold", "in_flight=60us"]
        took = run_quietly(command, folder / "check.log")
        section.add(name, f"{took['wall_s']:.1f}", f"{took['cpu_s']:.1f}", f"{took['peak_bytes'] / 1e6:.0f}")
    return section
