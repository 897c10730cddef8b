"""What a recorded call costs the program that makes it, by probes (`record --openmp`, `--mpi`) and by the preloaded
library (`--call-library`): an entry and a return of `GOMP_barrier` outside of a parallel region, and of `MPI_Barrier`
in a communicator of one rank, which both do next to nothing. Beside them a counter on MPI's profiling interface."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from wastenot._native import collector
from wastenot.collector.calls import call_library, preloading

from bench.report import Section
from bench.rounds import Spread, interleaved

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Condition:
    """How the calls are made: which recorder runs, if any, and what is preloaded."""

    recorder: dict[str, Any] | None = None
    preload: Path | None = None


@dataclass(frozen=True)
class Program:
    """A program that prints what a call costs, and the conditions under which it runs."""

    path: Path
    conditions: dict[str, Condition] = field(default_factory=dict)


def measure(folder: Path, rounds: int, calls: int) -> list[Section]:
    """Nanoseconds of CPU time per call under each condition."""
    folder.mkdir(parents=True, exist_ok=True)
    section = Section(
        "Calls of OpenMP and MPI",
        f"{calls:,} calls of GOMP_barrier outside of a parallel region, and of MPI_Barrier in a communicator of one "
        "rank. Probes: two traps (entry and return) and two records of 24 bytes. Library: `record --call-library`, two "
        "events of LTTng-UST, none of which is lost: a thousand calls, then a pause. Counter: a wrapper that reads the "
        "clock twice and adds. CPU time of the calling thread, ns per call, "
        f"median (range) of {rounds} interleaved rounds.",
        ["call", "condition", "ns per call", "range", "adds"],
    )
    for name, program in _programs(folder).items():
        todo = {c: partial(_once, folder, program.path, how, calls) for c, how in program.conditions.items()}
        found = interleaved(todo, rounds, f"calls of {name}")
        base = Spread.of(found["no recorder"]).median
        for condition, values in found.items():
            spread = Spread.of(values)
            adds = "" if condition == "no recorder" else f"{spread.median - base:.0f}"
            section.add(name, condition, f"{spread.median:.1f}", f"{spread.low:.1f} … {spread.high:.1f}", adds)
    return [section]


def _programs(folder: Path) -> dict[str, Program]:
    library, counter = call_library(), folder / "pmpi_counter.so"
    conditions = {"no recorder": Condition(), "recorded without calls": Condition({})}
    by_library = {}
    if library is not None:
        by_library = {
            "library preloaded, not recorded": Condition(preload=library),
            "recorded with --call-library": Condition({"with_bubbles": True}, library),
        }
    openmp = folder / "calls"
    subprocess.run(["cc", "-O2", "-fopenmp", "-o", str(openmp), str(HERE / "calls.c")], check=True)
    probed = {"recorded with --openmp": Condition({"openmp": True})}
    programs = {"GOMP_barrier": Program(openmp, conditions | probed | by_library)}
    if shutil.which("mpicc") is not None:
        mpi = folder / "mpi_calls"
        subprocess.run(["mpicc", "-O2", "-o", str(mpi), str(HERE / "mpi_calls.c")], check=True)
        build = ["cc", "-O2", "-shared", "-fPIC", "-o", str(counter), str(HERE / "pmpi_counter.c"), "-ldl"]
        subprocess.run(build, check=True)
        beside = {"PMPI counter preloaded": Condition(preload=counter)}
        probed = {"recorded with --mpi": Condition({"mpi": True})}
        programs["MPI_Barrier"] = Program(mpi, conditions | probed | by_library | beside)
    return programs


def _once(folder: Path, program: Path, condition: Condition, calls: int) -> float:
    """One run: ns per call."""
    recorder = None
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    if condition.preload is not None:
        environment = preloading(condition.preload, environment)
    if condition.recorder is not None:
        probes = {"openmp", "mpi"} & condition.recorder.keys()
        words = {"command_words": [str(program)]} if probes else {}
        part = folder / "T.duckdb.part"
        shutil.rmtree(part, ignore_errors=True)
        recorder = collector.Recorder(part, json.dumps({"source": "ebpf", **condition.recorder, **words}))
        recorder.start()
    try:
        ran = subprocess.run([program, str(calls)], capture_output=True, text=True, check=True, env=environment)
    finally:
        if recorder is not None:
            recorder.stop("interrupt")
    return float(ran.stdout)
