"""A program beside a reference run of it, with fewer ranks as a rule: how its computing grew, and by what.

The model of POP (Performance Optimisation and Productivity: efficiency metrics) for one problem on more ranks (strong
scaling). C is what all ranks compute together, T the length, both of an iteration or of the run:

- computation scalability = C of the reference / C. It is the product of three, where both runs have hardware counters:
- instruction scalability = instructions of the reference / instructions
- IPC scalability = IPC / IPC of the reference
- frequency scalability = frequency / frequency of the reference, where frequency is cycles by the time of computing
- global efficiency = parallel efficiency * computation scalability
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from wastenot.analyzer.balance.application import Application, Balance, Segment
from wastenot.analyzer.balance.decomposition import PLACE
from wastenot.analyzer.errors import BadArgument

Basis = Literal["iteration", "run"]


@dataclass(frozen=True)
class ComputedWork:
    """What the ranks of a program compute together in an iteration, or in its run, of this length."""

    ranks: int
    length_ns: float
    compute_ns: float
    instructions: float | None
    """None without hardware counters; else those of the computing that was counted stand for all of the rank's."""
    cycles: float | None

    @property
    def ipc(self) -> float | None:
        """Instructions by cycles."""
        return self.instructions / self.cycles if self.instructions is not None and self.cycles else None

    @property
    def frequency_ghz(self) -> float | None:
        """Cycles by the time of computing."""
        return self.cycles / self.compute_ns if self.cycles is not None and self.compute_ns else None

    @property
    def parallel_efficiency(self) -> float:
        """Mean computing of a rank by the length."""
        return self.compute_ns / (self.ranks * self.length_ns)


@dataclass(frozen=True)
class Scalability:
    """A program beside its reference."""

    basis: Basis
    is_bound: bool
    """Computing may hold spinning in one of them (evidence H0)."""
    own: ComputedWork
    reference: ComputedWork

    @property
    def speedup(self) -> float:
        """Length of the reference by the length."""
        return self.reference.length_ns / self.own.length_ns

    @property
    def ideal(self) -> float:
        """The speedup of a program that scales with its ranks."""
        return self.own.ranks / self.reference.ranks

    @property
    def computation(self) -> float:
        """Computation scalability."""
        return self.reference.compute_ns / self.own.compute_ns

    @property
    def instructions(self) -> float | None:
        """Instruction scalability."""
        return _ratio(self.reference.instructions, self.own.instructions)

    @property
    def ipc(self) -> float | None:
        """IPC scalability."""
        return _ratio(self.own.ipc, self.reference.ipc)

    @property
    def frequency(self) -> float | None:
        """Frequency scalability."""
        return _ratio(self.own.frequency_ghz, self.reference.frequency_ghz)

    @property
    def global_efficiency(self) -> float:
        """Parallel efficiency times computation scalability."""
        return self.own.parallel_efficiency * self.computation


def _ratio(one: float | None, other: float | None) -> float | None:
    return one / other if one is not None and other else None


def the_same(balance: Balance, of: Application | None = None) -> Application:
    """The only application of a balance; of several the one that has the name of `of`. Raises BadArgument."""
    found = balance.applications
    if len(found) > 1 and of is not None:
        found = tuple(a for a in found if a.crew.name == of.crew.name)
    if len(found) != 1:
        how = "has no application" if not found else "has several applications"
        raise BadArgument(f"--reference: a trace {how} to compare; --app names one")
    return found[0]


def scalability(own: Application, reference: Application) -> Scalability:
    """An application beside its reference: an iteration of each where both have some of the same period, else the runs.

    Raises BadArgument where the balance of one is not visible, or a rank computed nothing.
    """
    for a in (own, reference):
        if a.state == "not_visible" or a.efficiency.mean_compute_ns == 0:
            raise BadArgument(f"--reference: the balance of {a.crew.name} is not visible in one of the traces")
    segments = [_longest(a) for a in (own, reference)]
    periods = {s.period for s in segments if s is not None}
    alike = None not in segments and len(periods) == 1 and own.level == reference.level
    works = [_work(a, s if alike else None) for a, s in zip((own, reference), segments, strict=True)]
    return Scalability("iteration" if alike else "run", "H0" in (own.level, reference.level), *works)


def _longest(a: Application) -> Segment | None:
    found = [s for s in a.segments if s.kind == "iterations" and s.windows]
    return max(found, key=lambda s: s.length_ns, default=None)


def _work(a: Application, segment: Segment | None) -> ComputedWork:
    """Of an iteration of a segment, on average, or of the run."""
    if segment is None:
        length, computes = float(a.whole_ns), [float(r.parts[PLACE["compute"]]) for r in a.ranks]
    else:
        length = segment.length_ns / segment.windows
        computes = [ns / segment.windows for ns in a.by_segment[segment.number - 1][:, PLACE["compute"]].tolist()]
    return ComputedWork(len(a.ranks), length, sum(computes), *_counted(a, computes))


def _counted(a: Application, computes: Sequence[float]) -> tuple[float | None, float | None]:
    """Instructions and cycles of what the ranks compute."""
    instructions = cycles = 0.0
    for r, ns in zip(a.ranks, computes, strict=True):
        if r.counters is None:
            return None, None
        instructions += r.counters.instructions / r.counters.counted_ns * ns
        cycles += r.counters.cycles / r.counters.counted_ns * ns
    return instructions, cycles
