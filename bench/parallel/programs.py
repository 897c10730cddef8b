"""The programs of fixtures/ranks, built and started as tests and measurements use them, a daemon beside them, and
recordings of both. Needs root, eBPF, two CPUs and a C compiler with OpenMP; Open MPI and clang's libomp for some."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wastenot.analyzer import Trace, open_trace
from wastenot.analyzer.balance.application import Application
from wastenot.analyzer.balance.measuring import Selection, balance_of

from bench.recorders import BenchError

SOURCES = Path(__file__).parents[2] / "fixtures/ranks"
CPUS = sorted(os.sched_getaffinity(0))[:2]

BUILDS = {
    "libgomp": ["cc", "-O1", "-fopenmp", str(SOURCES / "ranks.c")],
    "libomp": ["clang", "-O1", "-fopenmp=libomp", str(SOURCES / "ranks.c")],
    "Open MPI": ["mpicc.openmpi", "-O1", str(SOURCES / "mpi.c")],
    "MPICH": ["mpicc.mpich", "-O1", str(SOURCES / "mpi.c")],
}
PACKAGES = {
    "libgomp": "gcc",
    "libomp": "clang libomp-dev",
    "Open MPI": "openmpi-bin libopenmpi-dev",
    "MPICH": "mpich libmpich-dev",
}
"""Of Debian, that a build needs."""

STARTERS = {"Open MPI": "mpirun.openmpi", "MPICH": "mpirun.mpich"}
"""Of Debian, where both may be installed. They start the ranks of programs of MPI."""

LOADS = {2: ["1", "4"], 4: ["1", "4", "1", "4"]}

AHEAD = ["chrt", "--fifo", "1"]
"""Ahead of what else runs here and behind the daemon, for less than the 0.95 s that real-time threads may run before
others get a part of the CPU. Not for ranks that spin on CPUs that they share: they would wait for ever."""

SLEEPING = {"OMP_WAIT_POLICY": "passive"}
"""Environment of OpenMP programs whose ranks sleep while they wait."""

SPINNING = {"OMP_WAIT_POLICY": "active", "GOMP_SPINCOUNT": "infinity", "KMP_BLOCKTIME": "infinite"}

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
"""Environment without which Open MPI's mpirun refuses root."""

DAEMON = """
import json, os, signal, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
open("/proc/self/comm", "w").write("noise-maker")
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(2))
bursts, ended = [], []
signal.signal(signal.SIGTERM, lambda *_: ended.append(1))
while not ended and os.getppid() == int(sys.argv[2]):
    start = time.monotonic()
    while time.monotonic() < start + 0.006:
        pass
    bursts.append((start, time.monotonic()))
    time.sleep(0.02)
print(json.dumps(bursts))
"""
DAEMON_NAME = "noise-maker"


class NotInstalled(BenchError):
    """A compiler, or the library that it links, is not here."""


def build(runtime: str, folder: Path, name: str = "ranks") -> Path:
    """The program for a runtime of `BUILDS`. Raises NotInstalled, and BenchError where it does not compile."""
    out = folder / name
    command = [*BUILDS[runtime], "-o", str(out)]
    missing = f"{runtime}: not installed (Debian: {PACKAGES[runtime]})"
    if any(shutil.which(needed) is None for needed in (command[0], STARTERS.get(runtime, command[0]))):
        raise NotInstalled(missing)
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if built.returncode and any(word in built.stderr for word in ("libgomp", "libomp", "-lomp", "-fopenmp", "omp.h")):
        raise NotInstalled(missing)
    if built.returncode:
        raise BenchError(f"{' '.join(command)}: {built.stderr}")
    return out


def mpirun(runtime: str, ranks: int, *, yields: bool = False) -> list[str]:
    """The start of so many ranks, that spin or (of Open MPI) yield while they wait; the program follows."""
    start = [STARTERS[runtime], "-n", str(ranks)]
    if runtime == "Open MPI":
        return [*start, *_open_mpi_options(yields)]
    assert not yields, "MPICH over UCX has no setting that yields"
    return start


def _open_mpi_options(yields: bool) -> list[str]:
    """More ranks than CPUs, and how they wait."""
    return ["--oversubscribe", "--mca", "mpi_yield_when_idle", str(int(yields))]


def mpirun_bound(
    cpus: Sequence[int], program: Sequence[str], *, yields: bool = False, runtime: str = "Open MPI"
) -> list[str]:
    """A rank on each of these CPUs, which may come more than once."""
    is_open = runtime == "Open MPI"
    command = [STARTERS[runtime], *([*_open_mpi_options(yields), "--bind-to", "none"] if is_open else [])]
    for number, cpu in enumerate(cpus):
        command += [*([":"] if number else []), "-n", "1", "taskset", "-c", str(cpu), *program]
    return command


def places(cpus: Sequence[int]) -> dict[str, str]:
    """The environment that binds the threads of OpenMP to CPUs."""
    return {"OMP_PROC_BIND": "true", "OMP_PLACES": ",".join(f"{{{cpu}}}" for cpu in cpus)}


@dataclass
class Daemon:
    """What `daemon` started: when it ran, in seconds of the monotonic clock; filled when it has ended."""

    bursts: list[tuple[float, float]] = field(default_factory=list)


@contextmanager
def daemon(cpu: int) -> Iterator[Daemon]:
    """A thread `noise-maker` that takes a CPU for 6 ms of each 26, ahead of all others."""
    command = [sys.executable, "-c", DAEMON, str(cpu), str(os.getpid())]
    started = Daemon()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as noise:
        try:
            yield started
            noise.send_signal(signal.SIGTERM)
            out, _ = noise.communicate(timeout=10)
            started.bursts += [(start, end) for start, end in json.loads(out)]
        finally:
            noise.kill()


def record(folder: Path, command: Sequence[str], *options: str, **environment: str) -> tuple[Trace, dict[str, Any]]:
    """A recording of the program, and what it measured. Raises BenchError."""
    out = folder / "T.duckdb"
    ran = subprocess.run(
        [sys.executable, "-m", "wastenot.cli", "record", "-q", "--force", "-o", str(out), *options, "--", *command],
        capture_output=True, text=True, timeout=300, check=False, env={**os.environ, **environment},
    )  # fmt: skip
    if ran.returncode:
        raise BenchError(f"wastenot record: exit status {ran.returncode}: {ran.stderr[-400:]}")
    return open_trace(out), json.loads(ran.stdout)


def run(command: Sequence[str], **environment: str) -> dict[str, Any]:
    """What the program measured, not recorded. Raises BenchError."""
    ran = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, env={**os.environ, **environment}
    )
    if ran.returncode:
        raise BenchError(f"{' '.join(command[:6])} ...: exit status {ran.returncode}: {ran.stderr[-400:]}")
    measured: dict[str, Any] = json.loads(ran.stdout)
    return measured


def application(trace: Trace, name: str = "ranks") -> Application:
    """The one application of this name."""
    found = [a for a in balance_of(trace, Selection(app=name)).applications if a.crew.name == name]
    if len(found) != 1:
        raise BenchError(f"{len(found)} applications {name}")
    return found[0]
