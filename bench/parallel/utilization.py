"""Utilization by wastenot beside what the programs measure themselves, in the same time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from wastenot.analyzer.balance.application import Application

from bench.parallel.measured_ranks import compare
from bench.parallel.part import counted, repeated, spread
from bench.parallel.programs import (
    AHEAD,
    AS_ROOT,
    LOADS,
    SLEEPING,
    SPINNING,
    STARTERS,
    application,
    mpirun,
    record,
)
from bench.report import Section


@dataclass(frozen=True)
class Case:
    """A program, how its ranks wait, and the options of `wastenot record`."""

    runtime: str
    waits: str
    ranks: int
    options: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As the table has it."""
        kind = self.runtime if self.runtime in STARTERS else f"OpenMP ({self.runtime})"
        return f"{kind}, {':'.join(LOADS[self.ranks])}, {self.waits}; {' '.join(self.options) or 'no calls'}"

    def start(self, program: Path) -> tuple[list[str], dict[str, str]]:
        """The command and its environment."""
        if self.runtime in STARTERS:
            command = [*mpirun(self.runtime, self.ranks, yields=self.waits == "yields"), str(program), "40", "0.01"]
            return [*command, *LOADS[self.ranks]], AS_ROOT
        if self.options:
            environment = SLEEPING if self.waits == "sleeps" else SPINNING
            return [str(program), "40", "0.01", *LOADS[self.ranks]], environment
        # Ranks of SCHED_FIFO compute for 0.75 s on each CPU: less than real-time threads may run at a stretch.
        if self.waits == "sleeps":
            return [*AHEAD, str(program), "30", "0.005", *LOADS[self.ranks]], SLEEPING
        return [str(program), "40", "0.01", *LOADS[self.ranks]], SPINNING


CASES = (
    Case("libgomp", "sleeps", 4),
    Case("libgomp", "sleeps", 4, ("--openmp",)),
    Case("libgomp", "spins", 4),
    Case("libgomp", "spins", 4, ("--openmp",)),
    Case("libgomp", "spins", 2, ("--openmp",)),
    Case("libomp", "spins", 2, ("--openmp",)),
    Case("libgomp", "spins", 2, ("--openmp", "--counters")),
    Case("Open MPI", "spins", 4),
    Case("Open MPI", "spins", 4, ("--mpi",)),
    Case("Open MPI", "yields", 4, ("--mpi",)),
    Case("Open MPI", "spins", 2, ("--mpi",)),
    Case("MPICH", "spins", 4, ("--mpi",)),
    Case("MPICH", "spins", 2, ("--mpi",)),
    Case("libgomp", "spins", 2, ("--call-library",)),
    Case("MPICH", "spins", 2, ("--call-library",)),
    Case("Open MPI", "spins", 2, ("--call-library",)),
)


@dataclass(frozen=True)
class Beside:
    """One recording beside the program. Shares of the time that is compared; differences are by wastenot less by the
    program, of the rank where they are largest."""

    evidence: str
    measured: float
    """U of all ranks, by themselves."""
    seen: float | None = None
    """The same by wastenot; this and what follows None where it says that the balance is not visible."""
    utilization_off: float = math.nan
    compute_off: float = math.nan
    lost_off: float = math.nan
    load_balance: float = math.nan
    of_run: float = math.nan
    """U of all ranks in the whole run."""


def beside(app: Application, own: dict[str, Any]) -> Beside:
    """What is known of one recording."""
    if app.state == "not_visible":
        return Beside(app.evidence, sum(r["utilization"] for r in own["ranks"]) / len(own["ranks"]))
    compared = compare(app, own)
    off = compared.seen - compared.measured
    return Beside(
        app.evidence,
        float(compared.measured[:, 0].mean()),
        float(compared.seen[:, 0].mean()),
        largest(off[:, 0].tolist()),
        largest(off[:, 1].tolist()),
        float(compared.lost[0][0] - compared.lost[1][0]),
        app.efficiency.load_balance or math.nan,
        app.utilization or math.nan,
    )


def largest(differences: Sequence[float]) -> float:
    """The one that is furthest from 0, with its sign."""
    return max(differences, key=abs)


def once(case: Case, program: Path, folder: Path) -> Beside:
    """Record a program once."""
    folder.mkdir(parents=True, exist_ok=True)
    command, environment = case.start(program)
    trace, own = record(folder, command, *case.options, **environment)
    with trace:
        return beside(application(trace), own)


def measure(programs: dict[str, Path], folder: Path, repetitions: int) -> Section:
    """All cases whose programs are here."""
    chosen = [case for case in CASES if case.runtime in programs]
    todo = {case.name: partial(once, case, programs[case.runtime], folder / "utilization") for case in chosen}
    return section(repeated(todo, repetitions, "utilization"), repetitions)


def section(found: dict[str, list[Beside]], repetitions: int) -> Section:
    """The table."""
    table = Section(
        "Utilization beside the program's own",
        "Ranks with loads 1:4 or 1:4:1:4 on two CPUs that meet at barriers (`fixtures/ranks`), which sleep, spin or "
        "yield while they wait. U of all ranks in iterations, by wastenot and by the programs' own clocks in the same "
        "time; the differences, by wastenot less by the program in points, are of the rank where they are largest. "
        "Computing of MPI ranks that share CPUs includes leaving a barrier late. Load balance (the loads' own is 62.5 "
        "%) and the last U are of the whole run, start and end included. `--counters` gives evidence H2 where the "
        f"machine has hardware counters. Median (range) of {repetitions} recordings, in turns.",
        [
            "program, loads, how ranks wait; recorded with", "evidence", "U, %", "U by itself, %", "U off, points",
            "computing off, points", "lost off, points", "load balance, %", "U of the run, %", "recordings",
        ],
    )  # fmt: skip
    for name, of in found.items():
        visible = [b for b in of if b.seen is not None]
        table.add(
            name,
            ", ".join(sorted({b.evidence for b in of})) or "–",
            utilization_cell(of),
            spread((100 * b.measured for b in of), 1),
            *(spread((100 * getattr(b, what) for b in visible), 2, "+") for what in OFF),
            spread((100 * b.load_balance for b in visible), 1),
            spread((100 * b.of_run for b in visible), 1),
            counted(len(of), repetitions),
        )
    return table


OFF = ("utilization_off", "compute_off", "lost_off")


def utilization_cell(of: list[Beside]) -> str:
    """U by wastenot, and in how many recordings it is not visible."""
    visible = [100 * b.seen for b in of if b.seen is not None]
    hidden = len(of) - len(visible)
    if not hidden:
        return spread(visible, 1)
    return f"{spread(visible, 1)}; not visible in {hidden}" if visible else "not visible"
