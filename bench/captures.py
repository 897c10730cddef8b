"""Real captures of a wanted size, and what it took to make them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb

from bench.overhead import pipe, sleeping_control
from bench.recorders import BenchError
from bench.timed import run

WASTENOT = str(Path(sys.executable).with_name("wastenot"))
PROBE_OPERATIONS = 20_000


@dataclass(frozen=True)
class Capture:
    """A trace made by `wastenot record` of the pipe benchmark."""

    trace: Path
    events: int
    workload_s: float
    total_s: float
    cpu_s: float  # without the workload
    peak_bytes: float

    @property
    def verdict_s(self) -> float:
        """From the end of the workload to the printed verdict (start-up of the command included)."""
        return self.total_s - self.workload_s

    @property
    def bytes_per_event(self) -> float:
        """Size of the finished file."""
        return self.trace.stat().st_size / self.events


def run_quietly(command: list[str], out: Path) -> dict[str, float]:
    """Run a command with its output in a file; wall, CPU and peak memory. Raises BenchError with the output."""
    keep = os.dup(1), os.dup(2)
    with out.open("w") as f:
        os.dup2(f.fileno(), 1)
        os.dup2(f.fileno(), 2)
        try:
            return run(command)
        except SystemExit as e:
            raise BenchError(f"{e}: {out.read_text()[-400:]}") from None
        finally:
            os.dup2(keep[0], 1)
            os.dup2(keep[1], 2)
            os.close(keep[0])
            os.close(keep[1])


Workload = Callable[[int], list[str]]
"""A command that does so many operations."""


def messaging(loops: int) -> list[str]:
    """Eighty processes that send each other messages, on all CPUs: queues and idle CPUs come and go."""
    return ["perf", "bench", "sched", "messaging", "-g", "2", "-l", str(loops)]


def record(trace: Path, operations: int, workload_of: Workload = pipe) -> Capture:
    """`wastenot record` of `operations` of a benchmark (by default pipe on CPU 0), sleeping control beside it."""
    trace.unlink(missing_ok=True)
    timed = trace.with_suffix(".timed.json")
    command = [sys.executable, "-m", "bench.timed", str(timed), "--", *workload_of(operations)]
    with sleeping_control():
        took = run_quietly([WASTENOT, "record", "-o", str(trace), "--", *command], trace.with_suffix(".log"))
    with duckdb.connect(str(trace), read_only=True) as con:
        row = con.execute("SELECT events FROM trace").fetchone()
    assert row is not None
    workload = json.loads(timed.read_text())
    return Capture(
        trace, row[0], workload["wall_s"], took["wall_s"], took["cpu_s"] - workload["cpu_s"], took["peak_bytes"]
    )


def operations_for(events: int, folder: Path, workload_of: Workload = pipe, probed: int = PROBE_OPERATIONS) -> int:
    """Operations of the benchmark that give about so many events on this machine, estimated from `probed` of them."""
    probe = record(folder / "probe.duckdb", probed, workload_of)
    return max(1, round(events * probed / probe.events))
