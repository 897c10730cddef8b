"""Which rank goes to which CPU: the load balancer and the resource balancer of DLRB.

Boneti's thesis on the software control of the resources of multithreaded processors (UPC, 2009), 5.2.2 and 5.2.3: a
user-level balancer that distributes the tasks of a program over the domains of a machine (system, chip, core, hardware
thread) by number and by load, and then shifts the resources of a core between its two hardware threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

HIGH_UTILIZATION = 95.0
"""Per cent above which a task limits the program; when the set of those changes, tasks are placed anew."""

UNEVEN = 20.0
"""Difference of the utilizations of the two hardware threads of a core (points) above which priorities are changed."""

LOWEST_PRIORITY, HIGHEST_PRIORITY = 4, 6

LEVELS = ("package", "node", "llc", "core")
"""Columns of table `cpu` that group CPUs, from large to small."""

MOST_SWAPPED = 64
"""Tasks of a domain up to which exchanges of two are tried after they were dealt by load."""


@dataclass(frozen=True)
class PlacementDomain:
    """CPUs that are split in parts; a part without parts is one CPU."""

    cpus: tuple[int, ...]
    parts: tuple[PlacementDomain, ...] = ()


def domains(cpus: Iterable[Mapping[str, Any]]) -> PlacementDomain:
    """The domains of CPUs (rows of table `cpu`); levels that split nothing are left out."""
    return _domain(list(cpus), LEVELS)


def _domain(rows: list[Mapping[str, Any]], levels: Sequence[str]) -> PlacementDomain:
    numbers = tuple(row["cpu"] for row in rows)
    if len(rows) == 1:
        return PlacementDomain(numbers)
    for at, level in enumerate(levels):
        groups: dict[int, list[Mapping[str, Any]]] = {}
        for row in rows:
            groups.setdefault(row[level], []).append(row)
        if len(groups) > 1:
            return PlacementDomain(numbers, tuple(_domain(group, levels[at + 1 :]) for group in groups.values()))
    return PlacementDomain(numbers, tuple(PlacementDomain((number,)) for number in numbers))


def place_blindly(domain: PlacementDomain, tasks: int) -> list[int]:
    """The CPU of each task while loads are not known: tasks are dealt in turn to the parts of each domain."""
    out = [0] * tasks
    _deal(domain, list(range(tasks)), out)
    return out


def _deal(domain: PlacementDomain, tasks: list[int], out: list[int]) -> None:
    if not domain.parts:
        for task in tasks:
            out[task] = domain.cpus[0]
    for number, part in enumerate(domain.parts):
        _deal(part, tasks[number :: len(domain.parts)], out)


def place(domain: PlacementDomain, loads: Sequence[float]) -> list[int]:
    """The CPU of each task by load: in every domain, from the system down, its parts get as many tasks as possible
    alike, and of these as equal sums of loads as possible."""
    out = [0] * len(loads)
    _place(domain, list(range(len(loads))), loads, out)
    return out


def _place(domain: PlacementDomain, tasks: list[int], loads: Sequence[float], out: list[int]) -> None:
    if not domain.parts:
        for task in tasks:
            out[task] = domain.cpus[0]
        return
    for part, chosen in zip(domain.parts, _split(domain, tasks, loads), strict=True):
        _place(part, chosen, loads, out)


def _split(domain: PlacementDomain, tasks: list[int], loads: Sequence[float]) -> list[list[int]]:
    """The tasks of each part: the heaviest first (of equal ones the last), each to the part with the least load."""
    sizes = [len(part.cpus) for part in domain.parts]
    left = _counts(len(tasks), sizes)
    # A part of the larger count is left only while so many tasks remain; parts of one size exchange theirs.
    spare: dict[int, list[int]] = {}
    for size, count in zip(sizes, left, strict=True):
        spare.setdefault(size, []).append(count)
    out: list[list[int]] = [[] for _ in domain.parts]
    sums = [0.0] * len(domain.parts)
    for task in sorted(tasks, key=lambda t: (-loads[t], -t)):
        open_parts = [p for p in range(len(out)) if _may_take(out, sizes, spare[sizes[p]], p)]
        best = min(open_parts, key=lambda p: (sums[p] / sizes[p], p))
        out[best].append(task)
        sums[best] += loads[task]
    if len(tasks) <= MOST_SWAPPED:
        _exchange(out, sizes, loads)
    return [sorted(chosen) for chosen in out]


def _counts(tasks: int, sizes: list[int]) -> list[int]:
    """How many tasks each part gets: alike per CPU, what is left over to the first parts."""
    counts = [0] * len(sizes)
    for _ in range(tasks):
        counts[min(range(len(sizes)), key=lambda p: (counts[p] / sizes[p], p))] += 1
    return counts


def _may_take(out: list[list[int]], sizes: list[int], counts: list[int], part: int) -> bool:
    """Whether a part can get one more: the counts of all parts of its size still fit some order of `counts`."""
    having = sorted((len(out[p]) + (p == part) for p in range(len(out)) if sizes[p] == sizes[part]), reverse=True)
    return all(has <= count for has, count in zip(having, sorted(counts, reverse=True), strict=True))


def _exchange(out: list[list[int]], sizes: list[int], loads: Sequence[float]) -> None:
    """Exchange tasks of two parts while that brings their loads nearer to each other."""
    sums = [sum(loads[t] for t in chosen) for chosen in out]
    for _ in range(MOST_SWAPPED):
        best: tuple[float, int, int, int, int] | None = None
        for p in range(len(out)):
            for q in range(p + 1, len(out)):
                uneven = abs(sums[p] / sizes[p] - sums[q] / sizes[q])
                for i, a in enumerate(out[p]):
                    for j, b in enumerate(out[q]):
                        moved = loads[a] - loads[b]
                        after = abs((sums[p] - moved) / sizes[p] - (sums[q] + moved) / sizes[q])
                        gain = uneven - after
                        if gain > 1e-9 * max(uneven, 1e-300) and (best is None or gain > best[0]):
                            best = (gain, p, q, i, j)
        if best is None:
            return
        _, p, q, i, j = best
        moved = loads[out[p][i]] - loads[out[q][j]]
        out[p][i], out[q][j] = out[q][j], out[p][i]
        sums[p], sums[q] = sums[p] - moved, sums[q] + moved


def limiting(utilizations: Sequence[float]) -> frozenset[int]:
    """The tasks that limit a program: those with a utilization (per cent) of more than 95."""
    return frozenset(task for task, u in enumerate(utilizations) if u > HIGH_UTILIZATION)


def is_phase_change(before: Sequence[float], after: Sequence[float]) -> bool:
    """Whether other tasks limit the program than in the iteration before: then they are placed anew, and one iteration
    runs with equal priorities."""
    return limiting(before) != limiting(after)


def next_priorities(
    utilizations: tuple[float, float],
    priorities: tuple[int, int],
    lowest: int = LOWEST_PRIORITY,
    highest: int = HIGHEST_PRIORITY,
) -> tuple[int, int]:
    """The priorities of the two hardware threads of a core after an iteration; U of one is the sum of its tasks.

    The one that runs longer is raised by a step, by two where they differ by more than 40 points; at the highest
    priority the other one is lowered instead.
    """
    difference = utilizations[0] - utilizations[1]
    steps = 2 if abs(difference) > 2 * UNEVEN else 1 if abs(difference) > UNEVEN else 0
    more = 0 if difference > 0 else 1
    out = list(priorities)
    for _ in range(steps):
        if out[more] < highest:
            out[more] += 1
        elif out[1 - more] > lowest:
            out[1 - more] -= 1
    return out[0], out[1]


def settled_priorities(utilizations: tuple[float, float]) -> tuple[int, int]:
    """The priorities from which a core starts to be shifted: medium for both, after one evaluation."""
    return next_priorities(utilizations, (LOWEST_PRIORITY, LOWEST_PRIORITY))
