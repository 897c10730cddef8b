"""Crews: threads or processes that look like the ranks of one parallel program."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal

import numpy as np
from wastenot.analyzer.balance.timelines import Ints

FoundBy = Literal["launcher", "environment", "siblings", "app", "cgroup", "bubble"]
"""Why these are taken for one program: started by a launcher of parallel jobs; each has a rank in its environment; one
creator and one name (but for a number at its end); what the user named: a name, a cgroup, a bubble."""

CrewKind = Literal["processes", "threads", "threads_or_processes"]
"""What the ranks are; the last where the trace does not record processes."""

OPEN_MPI = ("mpirun", "mpiexec", "orterun", "prterun", "prted", "orted", "mpirun.openmpi", "mpiexec.openmpi")
MPICH = ("mpiexec.hydra", "hydra_pmi_proxy", "hydra_bstrap_pro", "pmi_proxy", "mpirun.mpich", "mpiexec.mpich")
SLURM = ("srun", "slurmstepd")
LAUNCHERS = (*OPEN_MPI, *MPICH, *SLURM, "aprun", "jsrun")
"""Programs that start the processes of MPI jobs, as their names are in a trace (15 bytes). MPICH's mpirun and mpiexec
start a proxy, which starts the ranks; `.openmpi` and `.mpich` are Debian's alternatives."""

OVERLAP = 0.8
"""Share of the time from the first start to the last end for which all ranks of a crew are alive."""

LEAST_WORK = 0.02
"""A creator, or a further thread of a process, that ran less than this share of what the others ran is not a rank."""


@dataclass(frozen=True)
class Rank:
    """One rank. `place`: among those of its crew, from 0 on; `number`: that which the program knows it by, where its
    environment tells, else its place. `helpers_run_ns`: how long further threads of its process ran, where the rank is
    a process."""

    place: int
    number: int
    utid: int
    tid: int
    tgid: int | None
    name: str
    born_ns: int
    ended_ns: int
    run_ns: int
    switches: int
    helpers_run_ns: int = 0


@dataclass(frozen=True)
class Crew:
    """Ranks of what may be one program. `family`: all threads of their processes, ranks included. `numbered`: their
    numbers are those of their environment, which says that the program has `world_size` ranks, on all machines; None:
    it does not say."""

    name: str
    kind: CrewKind
    found_by: FoundBy
    launcher: str | None
    ranks: tuple[Rank, ...]
    family: frozenset[int]
    numbered: bool = False
    world_size: int | None = None

    @property
    def numbers(self) -> Ints:
        """The numbers of its ranks, by their place."""
        return np.array([r.number for r in self.ranks])

    def places_of(self, utids: Ints) -> Ints:
        """The places of ranks by their threads, in any order; of a thread that is no rank any, or one too many."""
        of_ranks = np.array([r.utid for r in self.ranks])
        order = np.argsort(of_ranks)
        places: Ints = np.append(order, len(order))[np.searchsorted(of_ranks, utids, sorter=order)]
        return places

    @property
    def ranks_elsewhere(self) -> int:
        """How many ranks of the program are not among these: they have another name, run on other machines, or are not
        in the trace."""
        highest = max(r.number for r in self.ranks) + 1 if self.numbered else 0
        return max(self.world_size or 0, highest, len(self.ranks)) - len(self.ranks)

    @property
    def start_ns(self) -> int:
        """From when on all ranks were alive."""
        return max(r.born_ns for r in self.ranks)

    @property
    def end_ns(self) -> int:
        """Until when all ranks were alive."""
        return min(r.ended_ns for r in self.ranks)

    @property
    def run_ns(self) -> int:
        """How long its ranks ran together."""
        return sum(r.run_ns for r in self.ranks)


_NUMBER = re.compile(r"[-_./:#]?\d+$")

Thread = dict[str, Any]
"""A row of `crew_threads.sql`."""


def find_crews(threads: Sequence[Thread], found_by: FoundBy = "siblings") -> list[Crew]:
    """The crews among threads, those that ran longest first. `found_by`: how the threads were chosen, if they were."""
    processes = _by_process(threads)
    crews, single = [], []
    for members in processes.values():
        is_started_as_rank = members[0]["launcher_upid"] is not None or members[0]["world_rank"] is not None
        teams = [] if is_started_as_rank else _teams(members, found_by)
        crews += teams
        if not teams:
            single.append(members)
    crews += _process_crews(single, found_by)
    return sorted(crews, key=lambda c: (-c.run_ns, c.ranks[0].utid))


def _by_process(threads: Sequence[Thread]) -> dict[int, list[Thread]]:
    """Threads by process; one whose process is not recorded is alone."""
    processes: dict[int, list[Thread]] = defaultdict(list)
    for thread in threads:
        processes[thread["upid"] if thread["upid"] is not None else -1 - thread["utid"]].append(thread)
    return processes


def crew_of(threads: Sequence[Thread], name: str, found_by: FoundBy) -> Crew | None:
    """One crew of all these threads: its ranks are their processes, or the threads of the only process. A thread whose
    process is not recorded is a rank."""
    processes = _by_process(threads)
    if len(processes) == 1:
        ranks = list(threads)
        return _crew(name, "threads", found_by, [[t] for t in ranks]) if len(ranks) > 1 else None
    return _crew(name, "processes", found_by, list(processes.values()))


def matching(threads: Iterable[Thread], glob: str) -> list[Thread]:
    """Threads whose name, or whose process's name, is like a pattern."""
    return [t for t in threads if any(n and fnmatchcase(n, glob) for n in (t["name"], t["process"]))]


def in_cgroup(threads: Iterable[Thread], path: str) -> list[Thread]:
    """Threads last seen in a cgroup or in one below it."""
    root = path.rstrip("/")
    return [t for t in threads if t["cgroup"] is not None and (t["cgroup"] + "/").startswith(root + "/")]


def stem(name: str) -> str:
    """A name without the number that a crew gives each of its members: `worker-3` is `worker`."""
    return _NUMBER.sub("", name) or name


def _teams(members: list[Thread], found_by: FoundBy) -> list[Crew]:
    """Crews of threads of one process with one name, but for a number at its end."""
    by_name: dict[str, list[Thread]] = defaultdict(list)
    for thread in members:
        by_name[stem(thread["name"] or "")].append(thread)
    crews = []
    for name, alike in by_name.items():
        leaders = [t for t in alike if t["tid"] == t["tgid"]]
        for generation in _generations([t for t in alike if t not in leaders]):
            working = [*_creators(leaders, generation), *generation]
            if len(working) > 1 and name:
                crews.append(_crew(name, "threads", found_by, [[t] for t in working]))
    return crews


def _creators(leaders: list[Thread], generation: list[Thread]) -> list[Thread]:
    """The first thread of the process, where it works with those that it created and does not only wait for them."""
    mean = sum(t["run_ns"] for t in generation) / len(generation)
    return [t for t in leaders if t["run_ns"] >= LEAST_WORK * mean]


def _process_crews(processes: list[list[Thread]], found_by: FoundBy) -> list[Crew]:
    siblings: dict[tuple[int | None, str], list[list[Thread]]] = defaultdict(list)
    for members in processes:
        first = members[0]
        creator = first["parent_upid"] if first["launcher_upid"] is None else first["launcher_upid"]
        # Processes that ran before the recording may have creators that it does not have. Those that the user names
        # are one crew, whatever their names.
        is_known = creator is not None or found_by == "siblings"
        if is_known and first["process"]:
            siblings[creator, stem(first["process"])].append(members)
    crews = []
    for (_, name), alike in siblings.items():
        main = {id(_busiest(members)): members for members in alike}
        for generation in _generations([_busiest(members) for members in alike]):
            if len(generation) > 1:
                found: FoundBy = "launcher" if generation[0]["launcher_upid"] is not None else found_by
                if found == "siblings" and _world_ranks(generation) is not None:
                    found = "environment"
                crews.append(_crew(name, "processes", found, [main[id(t)] for t in generation]))
    return crews


def _generations(threads: list[Thread]) -> list[list[Thread]]:
    """Groups whose members are alive together for most of their time, in the order of their starts."""
    groups: list[_Generation] = []
    for thread in sorted(threads, key=lambda t: (t["born_ns"], t["utid"])):
        fitting = (g for g in reversed(groups[-LATEST:]) if g.overlap_with(thread) >= OVERLAP)
        group = next(fitting, None)
        if group is None:
            groups.append(group := _Generation(thread["born_ns"], thread["ended_ns"], thread["ended_ns"]))
        group.add(thread)
    return [group.members for group in groups]


LATEST = 8
"""Generations that a thread may belong to: those that started last."""


@dataclass
class _Generation:
    """Threads in the order of their starts: the first start, the first and the last end."""

    first_born_ns: int
    first_ended_ns: int
    last_ended_ns: int
    members: list[Thread] = field(default_factory=list)

    def overlap_with(self, thread: Thread) -> float:
        """The share of their time in which all are alive, with one more that starts after them."""
        whole = max(self.last_ended_ns, thread["ended_ns"]) - self.first_born_ns
        together = min(self.first_ended_ns, thread["ended_ns"]) - thread["born_ns"]
        return together / whole if whole > 0 else 0.0

    def add(self, thread: Thread) -> None:
        self.members.append(thread)
        self.first_ended_ns = min(self.first_ended_ns, thread["ended_ns"])
        self.last_ended_ns = max(self.last_ended_ns, thread["ended_ns"])


def _busiest(members: list[Thread]) -> Thread:
    return max(members, key=lambda t: (t["run_ns"], -t["utid"]))


def _world_ranks(threads: Sequence[Thread]) -> list[int] | None:
    """The rank of each by its environment; None where that is not known of all, or is not one of its own."""
    ranks = [t["world_rank"] for t in threads]
    return ranks if None not in ranks and len(set(ranks)) == len(ranks) else None


def _crew(name: str, kind: CrewKind, found_by: FoundBy, groups: list[list[Thread]]) -> Crew:
    """A crew of a rank per group of threads."""
    main = sorted(((_busiest(g), g) for g in groups), key=lambda pair: pair[0]["utid"])
    numbers = _world_ranks([t for t, _ in main]) if kind == "processes" else None
    if numbers is not None:
        main.sort(key=lambda pair: pair[0]["world_rank"])
    ranks = tuple(
        Rank(
            place, place if numbers is None else t["world_rank"], t["utid"], t["tid"], t["tgid"],
            t["name"] or t["process"] or f"tid {t['tid']}", t["born_ns"], t["ended_ns"], t["run_ns"], t["switches"],
            sum(o["run_ns"] for o in group) - t["run_ns"],
        )
        for place, (t, group) in enumerate(main)
    )  # fmt: skip
    if kind == "processes" and any(t["upid"] is None for t, _ in main):
        kind = "threads_or_processes"
    family = frozenset(t["utid"] for _, group in main for t in group)
    sizes = {t["world_size"] for t, _ in main}
    size = sizes.pop() if numbers is not None and len(sizes) == 1 else None
    return Crew(name, kind, found_by, main[0][0]["launcher"], ranks, family, numbers is not None, size)
