"""A case of the thesis: a parallel application on four hardware threads of two cores, and what is printed of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from wastenot.replay.experiments.model import Basis, Measure, Row, Run
from wastenot.replay.simulation import SimulationOutcome

SOURCE = "Boneti, thesis, UPC 2009"
RANKS = ("P1", "P2", "P3", "P4")
KEPT = "priority kept"
"""Marks rows in which a process that waits takes as much of its core as one that computes."""
FITTED = "fitted to the row"
"""Marks rows whose works are those of the row itself, so that its shares are no prediction."""
MACHINE = "1n4s2"
"""One POWER5: two cores of two hardware threads; CPUs 0 and 1 are the first core."""


@dataclass(frozen=True)
class Case:
    """What the thesis prints of a run: `seconds`, `shares` of the time in which each process computes (% Comp).

    `pop` are load balance, communication efficiency and parallel efficiency, which follow from the shares.
    """

    seconds: float
    shares: tuple[float, ...]
    pop: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Speeds:
    """A load on a core of two hardware threads: thousandths of its speed alone, by the difference of priorities."""

    by_difference: Mapping[int, int]

    def toml(self) -> str:
        """As a workload has it."""
        speeds = ", ".join(f'"{difference}" = {speed}' for difference, speed in self.by_difference.items())
        return f"{{ speeds = {{ {speeds} }} }}"

    def text(self) -> str:
        """As the table of constants has it."""
        return " / ".join(f"{d:+d}: {speed / 1000:g}" if d else f"0: {speed / 1000:g}"
                          for d, speed in sorted(self.by_difference.items()))  # fmt: skip


def works_of(case: Case, speeds: Sequence[float], iterations: int) -> list[float]:
    """Works of an iteration, alone, of processes that compute for the shares of a row at these speeds, in seconds."""
    of_each = zip(case.shares, speeds, strict=True)
    return [case.seconds * share / 100 * speed / 1000 / iterations for share, speed in of_each]


def shares(outcome: SimulationOutcome, ranks: Sequence[str] = RANKS) -> list[float]:
    """Percent of the run in which each process was runnable: what the thesis calls computing."""
    by_name = {thread["name"]: thread for thread in outcome.threads}
    return [100 * (by_name[r]["run_ns"] + by_name[r]["waited_ns"]) / outcome.end_ns for r in ranks]


def pop(percents: Sequence[float]) -> tuple[float, float, float]:
    """Load balance (mean over maximum), communication efficiency (maximum over time), and their product."""
    most = max(percents)
    return fmean(percents) / most, most / 100, fmean(percents) / 100


def compared(ours: float, theirs: float, unit: str, digits: int = 2) -> str:
    """A figure, and how far it is from the document's."""
    return f"{ours:.{digits}f} {unit} ({100 * (ours / theirs - 1):+.1f} %)"


def in_short(priorities: Sequence[int]) -> str:
    """Priorities as the thesis's tables have them: 4646."""
    return "".join(map(str, priorities))


def rows_of_case(
    measure: Measure, name: str, run: Run, case: Case, basis: Basis, shares_basis: Basis | None = None,
    ranks: Sequence[str] = RANKS, shown_as: str | None = None,
) -> Iterator[Row]:  # fmt: skip
    """The time of a run, the shares of its processes, and what follows from these, each beside the thesis's."""
    result = measure(run)
    scheduler = shown_as or run.scheduler
    seconds = result.outcome.end_ns / 1e9
    yield Row(f"{name}: time", scheduler, f"{case.seconds:.2f} s", compared(seconds, case.seconds, "s"), basis,
              result.wasted, run)  # fmt: skip
    ours = shares(result.outcome, ranks)
    off = max(abs(a - b) for a, b in zip(ours, case.shares, strict=True))
    yield Row(
        f"{name}: % comp", scheduler, _numbers(case.shares, 2),
        f"{_numbers(ours, 2)} (within {off:.1f})", shares_basis or basis, None, run,
    )  # fmt: skip
    if case.pop:
        efficiencies = pop(ours)
        off = max(abs(a - b) for a, b in zip(efficiencies, case.pop, strict=True))
        yield Row(
            f"{name}: LB, CommE, PE", scheduler, _numbers(case.pop, 3),
            f"{_numbers(efficiencies, 3)} (within {off:.3f})", shares_basis or basis, None, run,
        )  # fmt: skip


def row_of_sweep(measure: Measure, name: str, run: Run, seconds: float) -> Row:
    """The time of a run with another value of a constant."""
    result = measure(run)
    ours = compared(result.outcome.end_ns / 1e9, seconds, "s")
    return Row(f"{name}: time", run.scheduler, f"{seconds:.2f} s", ours, "variation", result.wasted, run)


def _numbers(values: Sequence[float], digits: int) -> str:
    return " ".join(f"{value:.{digits}f}" for value in values)
