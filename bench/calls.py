"""What a probed call costs the program that makes it: an entry and a return of `GOMP_barrier`, which does nothing
outside of a parallel region, without a recorder, recorded without calls, and with them (`record --openmp`)."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import partial
from pathlib import Path

from wastenot._native import collector

from bench.report import Section
from bench.rounds import Spread, interleaved

SOURCE = Path(__file__).with_name("calls.c")
CONDITIONS = {"no recorder": None, "recorded": {}, "recorded with --openmp": {"openmp": True}}


def measure(folder: Path, rounds: int, calls: int) -> list[Section]:
    """Nanoseconds of CPU time per call under each condition."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "calls"
    subprocess.run(["cc", "-O2", "-fopenmp", "-o", str(program), str(SOURCE)], check=True)
    todo = {name: partial(_once, folder, program, options, calls) for name, options in CONDITIONS.items()}
    found = interleaved(todo, rounds, "calls")
    section = Section(
        "Calls of OpenMP and MPI",
        f"`record --openmp`: {calls:,} calls of GOMP_barrier outside of a parallel region, each of which is two probes "
        "(entry and return) and two records of 24 bytes. CPU time of the calling thread, ns per call, median (range) "
        f"of {rounds} interleaved rounds.",
        ["condition", "ns per call", "range", "adds"],
    )
    base = Spread.of(found["no recorder"]).median
    for name, values in found.items():
        spread = Spread.of(values)
        adds = "" if name == "no recorder" else f"{spread.median - base:.0f}"
        section.add(name, f"{spread.median:.1f}", f"{spread.low:.1f} … {spread.high:.1f}", adds)
    return [section]


def _once(folder: Path, program: Path, options: dict[str, bool] | None, calls: int) -> float:
    """One run: ns per call."""
    recorder = None
    if options is not None:
        words = {"command_words": [str(program)]} if options else {}
        part = folder / "T.duckdb.part"
        shutil.rmtree(part, ignore_errors=True)
        recorder = collector.Recorder(part, json.dumps({"source": "ebpf", **options, **words}))
        recorder.start()
    try:
        ran = subprocess.run([program, str(calls)], capture_output=True, text=True, check=True)
    finally:
        if recorder is not None:
            recorder.stop("interrupt")
    return float(ran.stdout)
