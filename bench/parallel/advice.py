"""Placement as `wastenot advise` has it, followed and timed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from wastenot.analyzer.balance.advice import advise
from wastenot.analyzer.balance.measuring import Selection, balance_of
from wastenot.analyzer.balance.next_start import start_with_weights

from bench.parallel.part import counted, repeated, spread
from bench.parallel.programs import AHEAD, AS_ROOT, CPUS, LOADS, SLEEPING, STARTERS, mpirun_bound, places, record, run
from bench.recorders import BenchError
from bench.report import Section

ITERATIONS = 22

SHORT, LONG = "0.005", "0.02"
"""What a light rank computes in each of 22 iterations, s: both heavy ones on one CPU 40 and 160 ms."""


@dataclass(frozen=True)
class Case:
    """A program, and the CPUs to which its ranks are bound before; None leaves that to the kernel."""

    name: str
    runtime: str
    cpus: tuple[int, ...] | None
    yields: bool = True
    """Ranks of MPI that wait yield their CPU: as they are recorded."""
    yields_then: bool = True
    """As they follow the advice."""
    light: str = SHORT
    weighted: bool = False
    """They follow the nice values too, where these are advised."""

    @property
    def load(self) -> list[str]:
        """Arguments of the program."""
        return [str(ITERATIONS), self.light, *LOADS[4]]

    def start(
        self, program: Path, cpus: tuple[int, ...] | None, *, yields: bool, nice: Sequence[int] = ()
    ) -> tuple[list[str], dict[str, str]]:
        """The command and its environment with ranks on these CPUs, and with these nice values."""
        if self.runtime in STARTERS:
            # Not of SCHED_FIFO: ranks that spin never sleep, and such threads may run for 0.95 s of each second.
            variable = {"Open MPI": "OMPI_COMM_WORLD_RANK", "MPICH": "PMI_RANK"}[self.runtime]
            ahead = (
                start_with_weights(variable, range(len(nice)), nice, sessions=self.runtime == "MPICH") if nice else []
            )
            words = [*ahead, str(program), *self.load]
            return mpirun_bound(cpus or (), words, yields=yields, runtime=self.runtime), AS_ROOT
        return [*AHEAD, str(program), *self.load], {**SLEEPING, **({} if cpus is None else places(cpus))}


TOGETHER = (CPUS[0], CPUS[-1], CPUS[0], CPUS[-1])
"""The heavy ranks on one CPU."""

CASES = (
    Case("OpenMP (libgomp), sleeps; heavy ranks on one CPU", "libgomp", TOGETHER),
    Case("OpenMP (libgomp), sleeps; placed by the kernel", "libgomp", None),
    Case("Open MPI, yields; heavy ranks on one CPU", "Open MPI", TOGETHER),
    Case("Open MPI, spins; heavy ranks on one CPU", "Open MPI", TOGETHER, yields=False, yields_then=False),
    Case("Open MPI, spins, then yields as advised; heavy ranks on one CPU", "Open MPI", TOGETHER, yields=False),
    *(
        Case(
            f"{library}, spins, then has weights as advised; heavy ranks on one CPU{longer}",
            library, TOGETHER, yields=False, yields_then=False, light=light, weighted=True,
        )
        for library in ("Open MPI", "MPICH")
        for light, longer in ((SHORT, ""), (LONG, ", longer"))
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Followed:
    """Advice that was followed once: ms of an iteration, and whether it was advised at all (it saves 2 % or more)."""

    before: float
    low: float
    high: float
    after: float
    is_advised: bool

    @property
    def off(self) -> float:
        """How far the measured length is outside of the predicted one, as a share of that; 0 within it."""
        return outside(self.after, self.low, self.high)

    @property
    def promised(self) -> float:
        """The most that is saved, by the prediction, as a share."""
        return 1 - self.low / self.before

    @property
    def saved(self) -> float:
        """What was saved."""
        return 1 - self.after / self.before


def outside(value: float, low: float, high: float) -> float:
    """How far a value is above or below a range, as a share of the nearer bound; 0 within the range."""
    nearest = min(max(value, low), high)
    return value / nearest - 1


def iteration_ms(own: dict[str, Any]) -> float:
    """The mean iteration by the program's own clock."""
    return float(own["length"]) * 1e3 / (ITERATIONS - 1)


def once(case: Case, program: Path, folder: Path) -> Followed:
    """Record, follow the placement, measure again without a recorder."""
    folder.mkdir(parents=True, exist_ok=True)
    command, environment = case.start(program, case.cpus, yields=case.yields)
    trace, own = record(folder, command, *(["--mpi"] if case.runtime in STARTERS else []), **environment)
    with trace:
        found = advise(trace, balance_of(trace, Selection(app=program.name)))
    if len(found) != 1 or found[0].placement is None:
        raise BenchError(f"{len(found)} applications, or no placement")
    placement = found[0].placement
    nice = placement.nice if case.weighted else ()
    command, environment = case.start(program, placement.cpus, yields=case.yields_then, nice=nice)
    after = run(command, **environment)
    low, high = (placement.weighted_ns if case.weighted else None) or (placement.low_ns, placement.high_ns)
    return Followed(
        iteration_ms(own),
        low / 1e6,
        high / 1e6,
        iteration_ms(after),
        any(r.kind == ("weights" if case.weighted else "placement") for r in found[0].recommendations),
    )


def measure(programs: dict[str, Path], folder: Path, repetitions: int) -> Section:
    """All cases whose programs are here."""
    chosen = [case for case in CASES if case.runtime in programs]
    todo = {case.name: partial(once, case, programs[case.runtime], folder / "advice") for case in chosen}
    return section(repeated(todo, repetitions, "advice"), repetitions)


def section(found: dict[str, list[Followed]], repetitions: int) -> Section:
    """The table."""
    table = Section(
        "Advice that was followed",
        "Four ranks with loads 1:4:1:4 on two CPUs: an iteration while they are recorded, as `wastenot advise` "
        "predicts it for the placement that it finds best (with weights: and for the nice values beside it), and as "
        "it then takes, not recorded, by the program's own clock. Off: how far that is outside of what was predicted. "
        "Advised: recordings in which the placement is advised, or the weights, since it saves 2 % or more; it was "
        "followed in all of them. Longer: iterations of four times the computing. Median (range) of "
        f"{repetitions} recordings, in turns.",
        [
            "program, how ranks wait; placed", "before, ms", "predicted, ms", "as advised, ms", "off, %",
            "promised, %", "saved, %", "advised", "recordings",
        ],
    )  # fmt: skip
    for name, of in found.items():
        table.add(
            name,
            spread((f.before for f in of), 1),
            predicted(of),
            spread((f.after for f in of), 1),
            spread((100 * f.off for f in of), 1, "+"),
            spread((100 * f.promised for f in of), 1),
            spread((100 * f.saved for f in of), 1),
            counted(sum(f.is_advised for f in of), len(of)) if of else "–",
            counted(len(of), repetitions),
        )
    return table


def predicted(of: list[Followed]) -> str:
    """The predicted iteration; from its least to its most where these differ, as they do where ranks share cores."""
    low, high = spread((f.low for f in of), 1), spread((f.high for f in of), 1)
    return low if low == high else f"{low} to {high}"
