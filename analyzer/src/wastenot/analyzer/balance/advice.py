"""What would make an application end sooner: where to place its ranks, what to move out of their way, and how much that
may save. Never more certain than the trace: a gain is a range, and what it assumes is said."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from wastenot.analyzer.balance.application import Application, Balance, Segment, Source
from wastenot.analyzer.balance.decomposition import EXTRINSIC, PLACE
from wastenot.analyzer.balance.next_start import (
    PLAIN,
    binding_by_name,
    group_command,
    has_sessions,
    remarks_of_ranks,
    remarks_of_waiting,
    remarks_of_yielding,
    settings_of_ranks,
    settings_of_threads,
    settings_of_waiting,
    weighting_by_name,
    weights_at_next_start,
)
from wastenot.analyzer.balance.placement import domains, is_phase_change, place, settled_priorities
from wastenot.analyzer.balance.sources import interrupt_words
from wastenot.analyzer.balance.timelines import Ints
from wastenot.analyzer.result import Queryable
from wastenot.analyzer.text.units import percent

AdviceKind = Literal[
    "waiting",
    "placement",
    "weights",
    "thread",
    "threads",
    "kernel_thread",
    "interrupt",
    "quota",
    "smt_priority",
    "work",
]
"""waiting: how ranks wait that share CPUs · placement: which rank on which CPU · weights: of ranks that share a CPU, by
nice values · thread: a thread of another program to
be moved · threads: many of them · kernel_thread: one of the kernel · interrupt: interrupts to be routed elsewhere ·
quota: of the program's cgroup · smt_priority: of hardware threads · work: the program's own distribution of work."""

NAMED_THREADS = 3
"""Threads of other programs that are named one by one; the others are one recommendation."""

STAYS = 0.95
"""Share of its time that a rank runs on one CPU to count as staying there."""

WORTH = 0.02
"""Share of the length of an iteration below which a gain is not one."""

NAMED = 2 / 3
"""Share of what is lost during which one rank has to compute longest, to be named."""

UNSTEADY = 0.05
"""Share of an iteration by which the longest computing exceeds, on average, the longest mean of a rank where the load
moves between ranks from one iteration to the next."""

NICE_STEP = 1.25
"""By what a step of nice divides the weight of a thread (kernel/sched/core.c: sched_prio_to_weight)."""

LEAST_NICE = 19
"""The nice value with the least weight."""

UNKNOWN_TICK_NS = 10_000_000
"""Taken for the time between two ticks where it is not recorded: the longest that a kernel can be built with."""

LEAST_EXTRINSIC = 0.005
"""Share of the run that a source has to have added to be named."""


@dataclass(frozen=True)
class Recommendation:
    """One thing to do. `saves`: shares of the run, the least and the most; None where the trace does not show it.

    `commands` are to be pasted as they stand; `remarks` say what else is to be done or known; `assumes` is what has to
    hold for the gain.
    """

    kind: AdviceKind
    what: str
    commands: tuple[str, ...]
    saves: tuple[float, float] | None
    assumes: str
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Placement:
    """Ranks on CPUs, and how long an iteration takes so: from `low_ns` to `high_ns`, now `now_ns`.

    The two differ where ranks share a core, since how much hardware threads slow each other down is not in the trace,
    and where ranks that spin while they wait share a CPU.
    """

    cpus: tuple[int, ...]
    is_certain: bool
    """The CPUs that the ranks may use are known."""
    low_ns: float
    high_ns: float
    now_ns: float
    beside_spinners: bool = False
    """A rank that spins shares a CPU: `high_ns` is with a fair share of it for each, `low_ns` where it gives way."""
    nice: tuple[int, ...] = ()
    """Nice values by which ranks that spin and share a CPU get it by what they compute; empty where none do."""
    weighted_ns: tuple[float, float] | None = None
    """How long an iteration takes with the placement and these: the most where a rank waits for one more turn."""
    giving_way_ns: float | None = None
    """How long an iteration would take where the ranks are, if those that wait left their CPU to the others; None where
    ranks do not stay on one CPU."""

    @property
    def saves(self) -> tuple[float, float]:
        """The least and the most that is saved, as shares of an iteration."""
        return 1 - self.high_ns / self.now_ns, 1 - self.low_ns / self.now_ns


@dataclass(frozen=True)
class Advice:
    """What is advised for one application. Empty where its balance is not visible."""

    application: Application
    segment: Segment
    placement: Placement | None
    recommendations: tuple[Recommendation, ...]
    moves: bool
    """Other ranks limit the program in other segments or iterations: a placement fits some of them."""


def advise(trace: Queryable, balance: Balance) -> list[Advice]:
    """Advice for each application of a balance."""
    return [_advice(trace, application) for application in balance.applications]


def _advice(trace: Queryable, a: Application) -> Advice:
    segment = max(a.segments, key=lambda s: (s.kind in ("iterations", "releases") and s.windows > 0, s.length_ns))
    if a.state == "not_visible":
        return Advice(a, segment, None, (), False)
    utids = [r.rank.utid for r in a.ranks]
    cpus = trace.metric("rank_cpus", utids=utids).rows()
    places = trace.metric("rank_places", utids=utids).rows() if cpus else []
    placement = _placement(trace, a, segment, cpus, places) if cpus else None
    of_segment = [
        *(_waiting(a, placement) if placement is not None else ()),
        *(_placing(trace, a, segment, placement) if placement is not None else ()),
        *(_weights(trace, a, placement) if placement is not None else ()),
    ]
    found = [
        *_of_run(of_segment, a, segment),
        *_extrinsic(trace, a),
        *(_priorities(trace, a, segment, placement, cpus) if placement is not None else ()),
        *_of_run(_work(a, segment), a, segment),
    ]
    return Advice(a, segment, placement, tuple(found), _moves(a, segment))


def _of_run(found: Iterable[Recommendation], a: Application, segment: Segment) -> Iterator[Recommendation]:
    """What saves a share of a segment saves that of the run of which the segment is a part."""
    part = part_of_run(a, segment)
    assumes = f"; counted of one stretch, {percent(part)} of the run" if part < STAYS else ""
    for r in found:
        saves = None if r.saves is None else (r.saves[0] * part, r.saves[1] * part)
        yield replace(r, saves=saves, assumes=r.assumes + assumes)


def part_of_run(a: Application, segment: Segment) -> float:
    """The share of the run that a segment is."""
    return min(segment.length_ns / a.length_ns, 1.0) if a.length_ns else 0.0


def computes(a: Application, segment: Segment) -> list[float]:
    """How long each rank computes in an iteration of a segment, on average (ns)."""
    return [float(ns) / max(segment.windows, 1) for ns in a.by_segment[segment.number - 1][:, PLACE["compute"]]]


def _placement(
    trace: Queryable, a: Application, segment: Segment, cpus: list[dict[str, Any]], places: list[dict[str, Any]]
) -> Placement | None:
    """Ranks placed by their mean load, and the mean over the windows of what the fullest CPU computes so.

    None where the computing of each rank in each window is not kept: the longest of means is no mean of the longest.
    """
    if a.detail is None or not segment.windows:
        return None
    chosen = np.array(place(domains(cpus), computes(a, segment)))
    core_of = {row["cpu"]: row["core"] if row["core"] >= 0 else row["cpu"] for row in cpus}
    of = _observed(a, segment)
    compute = a.detail[:, PLACE["compute"], of]
    now = segment.length_ns / segment.windows
    # What is left of a window when the last rank has ended its computing: messages, wakeups.
    rest = max(now - float(a.figures.max_all[of].mean()), 0.0)
    # What others than ranks take from the last rank is taken wherever it is placed, for all that is known.
    taken = sum(s.last_ns for s in a.sources)
    by_ranks = sum(s.last_ns for s in a.sources if s.kind == "rank") / taken if taken else 0.0
    rest += float(a.figures.critical_parts[:, of].sum(axis=0).mean()) * (1 - min(max(by_ranks, 0.0), 1.0))
    low = mean_fullest(compute, chosen) + rest
    high = mean_fullest(compute, np.array([core_of[cpu] for cpu in chosen.tolist()])) + rest
    if not meets_once(segment):
        high = max(high, now)
    spins = a.detail[:, PLACE["spin"], of].mean(axis=1) >= WORTH * now
    shared = mean_fullest(compute, chosen, spins) + rest
    beside_spinners = shared > low
    is_certain = all(row["is_certain"] for row in cpus)
    present = _stay_on(a, places)
    giving_way = None if present is None else mean_fullest(compute, present) + rest
    placement = Placement(
        tuple(chosen.tolist()), is_certain, low, max(high, shared), now, beside_spinners, giving_way_ns=giving_way
    )  # fmt: skip
    if not beside_spinners:
        return placement
    nice = nice_values(compute.mean(axis=1), chosen)
    weights = NICE_STEP ** -nice.astype(float)
    tick_ns = trace.sql("SELECT max(tick_ns) AS ns FROM machine").one()["ns"] or UNKNOWN_TICK_NS
    least = mean_fullest(compute, chosen, spins, weights) + rest
    most = min(least + longest_turn(weights, chosen, tick_ns), max(least, placement.high_ns))
    return replace(placement, nice=tuple(nice.tolist()), weighted_ns=(least, most))


def _stay_on(a: Application, places: list[dict[str, Any]]) -> Ints | None:
    """The CPU of each rank, where each ran on one nearly all of its time."""
    ran: dict[int, dict[int, int]] = {}
    for row in places:
        ran.setdefault(row["utid"], {})[row["cpu"]] = row["run_ns"]
    by_rank = [ran.get(utid, {}) for utid in _utids(a)]
    if not all(cpus and max(cpus.values()) >= STAYS * sum(cpus.values()) for cpus in by_rank):
        return None
    return np.array([max(cpus, key=lambda cpu: cpus[cpu]) for cpus in by_rank])


def meets_once(segment: Segment) -> bool:
    """Whether a window is the time from one meeting of the ranks to the next: the fullest CPU then limits it. In longer
    ones another CPU may be the fullest from meeting to meeting, so that the fullest of all is a lower bound."""
    return segment.kind == "releases" or (segment.kind == "iterations" and segment.period == 1)


def _observed(a: Application, segment: Segment) -> Ints:
    """The windows of a segment in which the state of every rank is known."""
    return segment.first + np.flatnonzero(a.observed[segment.first : segment.end])


def nice_values(computes: NDArray[np.float64], places: Ints) -> Ints:
    """Nice values, from 0 on, by which the ranks of one place get its time in proportion to what they compute."""
    most = np.array([computes[places == place].max() for place in places])
    steps = np.log(np.maximum(most, 1.0) / np.maximum(computes, 1.0)) / np.log(NICE_STEP)
    nice: Ints = np.clip(np.rint(steps), 0, LEAST_NICE).astype(np.int64)
    return nice


def longest_turn(weights: NDArray[np.float64], places: Ints, tick_ns: int) -> float:
    """How long it takes at most until each rank of a place has had a tick of its time."""
    return max(float(tick_ns * weights[places == at].sum() / weights[places == at].min()) for at in np.unique(places))


def mean_fullest(
    compute: Ints,
    places: Ints,
    spins: NDArray[np.bool_] | None = None,
    weights: NDArray[np.float64] | None = None,
) -> float:
    """The mean over windows of how long the ranks of one place take at most. `compute`: by rank and window.

    The ranks of a place share its time fairly, or by their `weights`. One that has ended its computing leaves it to the
    others; of ranks that spin (`spins`) each keeps its share until all go on. With weights, each is taken to spin.
    """
    longest = np.zeros(compute.shape[1])
    for at in np.unique(places):
        here = np.flatnonzero(places == at)
        if spins is None or not spins[here].any() or len(here) == 1:
            longest = np.maximum(longest, compute[here].sum(axis=0))
            continue
        if weights is not None:
            parts = weights[here] / weights[here].sum()
            longest = np.maximum(longest, (compute[here] / parts[:, None]).max(axis=0))
            continue
        for rank in here.tolist():
            others = here[here != rank]
            own = compute[rank]
            taken = np.where(spins[others, None], own, np.minimum(own, compute[others])).sum(axis=0)
            longest = np.maximum(longest, own + taken)
    return float(longest.mean())


def _waiting(a: Application, placement: Placement) -> Iterator[Recommendation]:
    """How ranks wait, where one that spins takes time from one that computes."""
    if not placement.beside_spinners:
        return
    what = "Let ranks that wait leave their CPU to those that compute: they share CPUs, and spin"
    saves = None
    if placement.giving_way_ns is not None:
        saves = (0.0, max(1 - placement.giving_way_ns / placement.now_ns, 0.0))
    if max(saves[1] if saves else 0.0, placement.saves[1]) < WORTH:
        return
    if a.crew.kind == "threads":
        commands: tuple[str, ...] = ("export OMP_WAIT_POLICY=passive",)
        remarks: tuple[str, ...] = ("OpenMP reads it as the program starts",)
    else:
        commands = tuple(settings_of_waiting(a))
        if not commands:
            return
        remarks = (*remarks_of_waiting(a), "a placement by load saves the most that it may with this alone")
    assumes = "a rank that waits lets another one run at once; if they give way already, nothing is saved"
    yield Recommendation("waiting", what, commands, saves, assumes, remarks)


def _placing(trace: Queryable, a: Application, segment: Segment, placement: Placement) -> Iterator[Recommendation]:
    low, high = placement.saves
    if high < WORTH:
        return
    assumes = "each rank computes as long on its new CPU as it did (caches, memory, frequency)"
    if not meets_once(segment):
        assumes += "; that the same CPU is the fullest from one meeting of the ranks to the next, or less is saved"
    elif placement.beside_spinners:
        assumes += (
            "; most where ranks that wait leave their CPU to others: with ranks that spin on one CPU it alone may save "
            "nothing, or take a few percent more"
        )
    elif placement.low_ns != placement.high_ns:
        assumes += "; the range is what hardware threads of one core may slow each other down"
    if not placement.is_certain:
        assumes += "; the cpusets of the ranks are not recorded: all online CPUs are taken as allowed"
    what = "Bind each rank to the CPU where it does least harm to the others"
    # Ranks that share a CPU and spin lose more to each other than their shares say: 5 to 9 % (bench.parallel advice).
    saves = (0.0 if placement.beside_spinners else max(low, 0.0), high)
    commands, remarks = placement_commands(trace, a, placement), [*placement_remarks(a, placement)]
    chosen = sorted(set(placement.cpus))
    if set(chosen) < {row["cpu"] for row in trace.metric("rank_cpus", utids=_utids(a))}:
        remarks.append(
            "at the next start, all of the program on these CPUs, its threads that are not ranks too: systemd-run "
            f"--scope -p AllowedCPUs={_list(chosen)} in front of the command (a cpuset)"
        )
    yield Recommendation("placement", what, tuple(commands), saves, assumes, tuple(remarks))


def _weights(trace: Queryable, a: Application, placement: Placement) -> Iterator[Recommendation]:
    """Nice values for ranks that share a CPU and spin, which then compute until the same time."""
    if placement.weighted_ns is None or not any(placement.nice):
        return
    more, least = (1 - ns / placement.now_ns for ns in placement.weighted_ns)
    if more < WORTH:
        return
    by_place: dict[int, list[str]] = {}
    for number, cpu, nice in zip(a.crew.numbers.tolist(), placement.cpus, placement.nice, strict=True):
        by_place.setdefault(cpu, []).append(f"rank {number} nice {nice}")
    shared = "; ".join(", ".join(of) for of in by_place.values() if len(of) > 1)
    what = f"Or give ranks that share a CPU its time by what they compute, placed so: {shared}"
    alive = {row["utid"] for row in trace.metric("antagonist_threads", utids=_utids(a)) if row["is_alive"]}
    commands = []
    for r, nice in zip(a.ranks, placement.nice, strict=True):
        if nice and r.rank.utid in alive:
            commands.append(f"renice -n {nice} -p {r.rank.tid}")
            if has_sessions(a):
                commands.append(group_command(str(nice), str(r.rank.tid)))
    if not alive and a.crew.kind != "threads":
        pairs = sorted((r.rank.utid, r.rank.name, nice) for r, nice in zip(a.ranks, placement.nice, strict=True))
        commands += weighting_by_name(
            [name for _, name, _ in pairs], [nice for *_, nice in pairs], sessions=has_sessions(a)
        )
    if a.crew.kind == "threads":
        remarks: tuple[str, ...] = ("each thread by its own number, as `ps -L -o tid,psr,comm` has them",)
    else:
        remarks = (*weights_at_next_start(a, placement.nice), *remarks_of_yielding(a))
    sessions = "sessions of their own, as MPICH makes them," if has_sessions(a) else "one session (autogroup)"
    assumes = (
        f"the ranks have the nice value 0, are in one cgroup and in {sessions} and compute as much from iteration to "
        "iteration; most is saved where an iteration has many turns of each rank (a turn lasts a tick at least)"
    )
    yield Recommendation("weights", what, tuple(commands), (max(least, 0.0), more), assumes, remarks)


def placement_commands(trace: Queryable, a: Application, placement: Placement) -> Iterator[str]:
    """The placement as settings for the next start, where something reads them, and for ranks that run now or then."""
    if a.crew.kind == "threads":
        yield settings_of_threads(placement.cpus)
    else:
        yield from settings_of_ranks(a, placement.cpus)
    alive = {row["utid"] for row in trace.metric("antagonist_threads", utids=_utids(a)) if row["is_alive"]}
    for r, cpu in zip(a.ranks, placement.cpus, strict=True):
        if r.rank.utid in alive:
            yield f"taskset -pc {cpu} {r.rank.tid}"
    if not alive and a.crew.kind != "threads":
        pairs = sorted((r.rank.utid, r.rank.name, cpu) for r, cpu in zip(a.ranks, placement.cpus, strict=True))
        yield from binding_by_name([name for _, name, _ in pairs], [cpu for *_, cpu in pairs])


def placement_remarks(a: Application, placement: Placement) -> Iterator[str]:
    """What reads the settings, and what to add to the command that starts the program, which is not in the trace."""
    if a.crew.kind == "threads":
        yield "OMP_NUM_THREADS, OMP_PROC_BIND and OMP_PLACES are read as the program starts, by OpenMP"
        return
    yield from remarks_of_ranks(a, placement.cpus)
    if a.crew.kind == "threads_or_processes":
        yield "whether the ranks are threads or processes is not recorded: of threads, see OMP_PLACES"


def _utids(a: Application) -> list[int]:
    return [r.rank.utid for r in a.ranks]


def _extrinsic(trace: Queryable, a: Application) -> Iterator[Recommendation]:
    """What to move out of the way, for each source that added much."""
    named = [s for s in a.sources if s.extrinsic_ns >= LEAST_EXTRINSIC * a.length_ns]
    utids = [s.utid for s in named if s.kind == "thread" and s.utid is not None]
    threads = {row["utid"]: row for row in trace.metric("antagonist_threads", utids=utids or [-1])}
    named_threads = [s for s in named if s.utid in threads and s.kind == "thread"][:NAMED_THREADS]
    for source in named:
        saves = (0.0, source.extrinsic_ns / a.length_ns)
        if source in named_threads:
            yield _thread(threads[source.utid or 0], source, _cpus_with_time(trace, a, source), saves)
        elif source.kind == "irq":
            yield _interrupts(trace, a, _cpus_with_time(trace, a, source), saves)
        elif source.kind == "throttled":
            yield _quota(trace, a, saves)
    others = [s for s in a.sources if s.kind == "thread" and s not in named_threads and s.extrinsic_ns > 0]
    most = sum(s.extrinsic_ns for s in others) / a.length_ns
    if most >= LEAST_EXTRINSIC:
        yield _many(trace, a, [s.utid for s in others if s.utid is not None], len(others), most)


def _many(trace: Queryable, a: Application, others: list[int], count: int, most: float) -> Recommendation:
    """Other programs that take a little each."""
    what = f"Keep {count} {'' if count == 1 else 'further '}threads of other programs off the CPUs of {a.crew.name}"
    assumes = "other CPUs, or other times, are left for them"
    cgroup = _cgroup_apart(trace, a, others)
    if cgroup is None:
        remarks = (
            "at the next start: systemd-run --scope -p CPUWeight=10000 in front of the program",
            "or give its cgroup CPUs of its own: cpuset.cpus.exclusive (Linux 6.7 and later), or boot with isolcpus=",
        )
        return Recommendation("threads", what, (), (0.0, most), assumes, remarks)
    folder = f"/sys/fs/cgroup{cgroup}"
    cpus = _list(sorted({row["cpu"] for row in trace.metric("rank_places", utids=_utids(a))}))
    exclusive = f"echo {cpus} > {shlex.quote(f'{folder}/cpuset.cpus.exclusive')}"
    remarks = (
        "100 is the default; cpu.weight is there where cgroup.subtree_control of the cgroup above has +cpu",
        f"or CPUs of its own (Linux 6.7 and later): {exclusive}, and then echo root > "
        f"{shlex.quote(f'{folder}/cpuset.cpus.partition')}",
    )
    weight = f"echo 10000 > {shlex.quote(f'{folder}/cpu.weight')}"
    return Recommendation("threads", what, (weight,), (0.0, most), assumes, remarks)


def _cgroup_apart(trace: Queryable, a: Application, others: list[int]) -> str | None:
    """The cgroup of all ranks where they run as the recording ends, and none of the threads of other programs is in it
    or in one below: its weight is then that of the program against them. None where that is not so, or not recorded."""
    ranks = trace.metric("antagonist_threads", utids=_utids(a)).rows()
    paths = {row["cgroup"] for row in ranks}
    path = next(iter(paths)) if len(paths) == 1 else None
    if path in (None, "", "/") or not all(row["is_alive"] for row in ranks):
        return None
    rows = trace.metric("antagonist_threads", utids=others or [-1]).rows()
    known = all(row["cgroup"] is not None or row["is_kernel"] for row in rows)
    inside = any(row["cgroup"] == path or (row["cgroup"] or "").startswith(f"{path}/") for row in rows)
    return path if known and not inside else None


@dataclass(frozen=True)
class CpusWithTime:
    """CPUs that have time for what is to be moved, and the largest share of the run for which one of them was busy."""

    cpus: tuple[int, ...]
    busy: float = 0.0


def _cpus_with_time(trace: Queryable, a: Application, source: Source) -> CpusWithTime:
    """CPUs on which hardly anything ran; else the one that was busy least, where that leaves the time that the source
    took. Only CPUs that are online at the end and, for a thread, in its cpuset; where it ran most already does not
    count."""
    own = [] if source.utid is None else [source.utid]
    cpus = [row["cpu"] for row in trace.metric("rank_cpus", utids=own or _utids(a))]
    there = {row["cpu"] for row in trace.metric("rank_places", utids=own or [-1]).rows()[:1]}
    asked = sorted({*cpus, *there}) or [-1]
    times = trace.metric("cpu_times", cpus=asked, start_ns=a.start_ns, end_ns=a.end_ns).rows()
    busy = {row["cpu"]: row["busy_ns"] for row in times}
    idle = {row["cpu"]: row["idle_ns"] for row in times}
    others = [cpu for cpu in cpus if cpu not in there]
    # What was not observed may have been busy.
    chosen = [cpu for cpu in others if a.whole_ns - idle[cpu] < WORTH * a.whole_ns]
    if not chosen:
        # Where it goes has to have less to do with it than where it comes from has without it.
        left = max(busy[cpu] for cpu in there or asked) - 2 * source.taken_ns
        least = sorted(others, key=lambda cpu: (busy[cpu], cpu))[:1]
        chosen = [cpu for cpu in least if busy[cpu] <= left and idle[cpu] >= source.taken_ns]
    return CpusWithTime(tuple(chosen), max((busy[cpu] / a.whole_ns for cpu in chosen), default=0.0))


def _list(cpus: Iterable[int]) -> str:
    return ",".join(str(cpu) for cpu in cpus)


def _thread(row: dict[str, Any], source: Source, free: CpusWithTime, saves: tuple[float, float]) -> Recommendation:
    name = f"{row['name'] or 'a thread'} (tid {row['tid']})"
    beside = "; part of it was beside an idle CPU: `wastenot episodes` has the cause" if source.avoidable_ns else ""
    if row["is_kernel"]:
        unbound = (row["name"] or "").startswith("kworker/u")
        commands = ("cat /sys/devices/virtual/workqueue/cpumask",) if unbound else ()
        what = f"{name} is a kernel thread: move what it works for"
        return Recommendation("kernel_thread", what, commands, saves, "its work can run on other CPUs" + beside)
    to, tid, alive = _list(free.cpus), row["tid"], bool(row["is_alive"])
    if free.cpus:
        what = f"Move {name} to CPU {to}, which has time for it"
        assumes = f"it does as well there, where other threads ran for {percent(free.busy)} of the run{beside}"
        remarks = () if alive else (f"it has ended: at the next start, taskset -c {to} in front of its command",)
        moved = _of_thread(("taskset -pc " + to,), tid if alive else row["name"])
        return Recommendation("thread", what, moved, saves, assumes, remarks)
    slower = _of_thread(("renice -n 19 -p", "chrt --idle -p 0"), tid if alive else row["name"])
    remarks = () if alive else ("it has ended: at the next start, nice -n 19 in front of its command",)
    what = (
        f"Let {name} run when ranks sleep: no CPU that it may use has time for it. Or leave it a CPU, with a rank less"
    )
    return Recommendation("thread", what, slower, saves, "it may wait as long" + beside, remarks)


def _of_thread(commands: tuple[str, ...], thread: int | str | None) -> tuple[str, ...]:
    """Commands that are about a thread: by its number, or of one that has ended by its name, for when it runs again.

    None where that name is not plain.
    """
    if isinstance(thread, str) and PLAIN.fullmatch(thread):
        return tuple(f"{command} \"$(pgrep -nx '{thread}')\"" for command in commands)
    return tuple(f"{command} {thread}" for command in commands) if isinstance(thread, int) else ()


def _interrupts(trace: Queryable, a: Application, free: CpusWithTime, saves: tuple[float, float]) -> Recommendation:
    rows = trace.metric("rank_places", utids=[r.rank.utid for r in a.ranks]).rows()
    cpus = sorted({row["cpu"] for row in rows} - set(free.cpus))
    times = {"start_ns": a.start_ns, "end_ns": a.end_ns}
    # Of ranks that spin, which of them hit one that computed is not known here.
    found = (
        []
        if a.calls is not None
        else trace.metric("interrupt_sources", cpus=cpus or [-1], utids=_utids(a), limit=3, **times).rows()
    )
    commands = tuple(
        f"echo {_list(free.cpus)} > /proc/irq/{row['vector']}/smp_affinity_list"
        for row in found
        if free.cpus and row["kind"] == "hardirq" and row["vector"] is not None
    )
    seen = ", ".join(words for row in found if (words := interrupt_words(row)) is not None)
    where = f"CPU {_list(free.cpus)}" if free.cpus else "a CPU that is left to them, with a rank less"
    what = f"Route interrupts to {where}" + (f" (most: {seen})" if seen else "")
    assumes = "the device's interrupts can be moved, and irqbalance does not move them back"
    return Recommendation("interrupt", what, commands or ("cat /proc/interrupts",), saves, assumes)


def _quota(trace: Queryable, a: Application, saves: tuple[float, float]) -> Recommendation:
    what = f"Raise the CPU quota of {a.crew.name}: ranks used it up and waited"
    cgroups = sorted({row["cgroup"] for row in trace.metric("antagonist_threads", utids=_utids(a)) if row["cgroup"]})
    commands = tuple(f"echo max > {shlex.quote(f'/sys/fs/cgroup{path}/cpu.max')}" for path in cgroups)
    remarks = ("the quota may be that of a cgroup above",)
    if not commands:
        remarks = ("its cgroup is not recorded: write max to cpu.max of the one that has the quota",)
    return Recommendation("quota", what, commands, saves, "the quota may be raised", remarks)


def _priorities(
    trace: Queryable, a: Application, segment: Segment, placement: Placement, cpus: list[dict[str, Any]]
) -> Iterator[Recommendation]:
    """Priorities of hardware threads, on machines that have them (POWER)."""
    arch = trace.sql("SELECT max(arch) AS arch FROM machine").one()["arch"] or ""
    if not arch.startswith("ppc"):
        return
    length = segment.length_ns / max(segment.windows, 1)
    loads: dict[int, float] = {}
    for cpu, ns in zip(placement.cpus, computes(a, segment), strict=True):
        loads[cpu] = loads.get(cpu, 0.0) + 100 * ns / length
    cores: dict[int, list[int]] = {}
    for row in cpus:
        cores.setdefault(row["core"], []).append(row["cpu"])
    steps = []
    for pair in cores.values():
        if len(pair) == 2:
            chosen = settled_priorities((loads.get(pair[0], 0.0), loads.get(pair[1], 0.0)))
            if chosen[0] != chosen[1]:
                steps += [f"priority {p} on CPU {cpu} (ppr)" for cpu, p in zip(pair, chosen, strict=True)]
    if steps:
        what = "Shift the resources of these cores (a step per 20 points of utilization)"
        yield Recommendation("smt_priority", what, (), None, "how much a step shifts is not in the trace", tuple(steps))


def _work(a: Application, segment: Segment) -> Iterator[Recommendation]:
    """Where the ranks' own work is unequal, what that costs."""
    lost = segment.intrinsic_ns / segment.length_ns
    if lost < WORTH:
        return
    of = _observed(a, segment)
    longest = a.figures.critical[of] if a.detail is None else a.detail[:, PLACE["compute"], of].argmax(axis=0)
    by_rank = np.zeros(len(a.ranks))  # what is lost while each rank computes longest
    np.add.at(by_rank, longest, a.figures.intrinsic_n[of])
    heavy = int(by_rank.argmax())
    if by_rank[heavy] >= NAMED * by_rank.sum():
        lost *= float(by_rank[heavy] / by_rank.sum())
        number = a.ranks[heavy].rank.number
        what = f"Give rank {number} less work, or more threads: it computes longest, and the others wait"
    else:
        unit = "iteration" if segment.kind == "iterations" else "window"
        what = f"Share the work of each {unit} more evenly: the rank that computes longest changes"
    commands: tuple[str, ...] = ("export OMP_SCHEDULE=dynamic",)
    remarks = ("needs schedule(runtime) in the program; or smaller chunks",)
    if a.crew.kind != "threads":
        commands = ()
        remarks = ("another partition of the data; DLB (LeWI) lends the CPUs of waiting ranks to others",)
    assumes = "work can be split, and costs the same elsewhere; not where ranks share CPUs that are busy throughout"
    yield Recommendation("work", what, commands, (0.0, lost), assumes, remarks)


def _moves(a: Application, segment: Segment) -> bool:
    """Whether other ranks limit the program in another stretch of iterations, or in other iterations of one."""
    found = [s for s in a.segments if s.kind == "iterations"]
    parts = [PLACE["compute"], *(PLACE[p] for p in EXTRINSIC)]
    shares = [
        (100 * a.by_segment[s.number - 1][:, parts].sum(axis=1) / s.length_ns).tolist() for s in found if s.windows
    ]
    return any(is_phase_change(one, two) for one, two in pairwise(shares)) or _is_unsteady(a, segment)


def _is_unsteady(a: Application, segment: Segment) -> bool:
    """Whether the rank that computes longest is another one from iteration to iteration."""
    if a.detail is None or not segment.windows:
        return False
    compute = a.detail[:, PLACE["compute"], _observed(a, segment)]
    more = compute.max(axis=0).mean() - compute.mean(axis=1).max()
    return bool(more * segment.windows >= UNSTEADY * segment.length_ns)
