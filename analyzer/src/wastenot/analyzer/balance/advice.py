"""What would make an application end sooner: where to place its ranks, what to move out of their way, and how much that
may save. Never more certain than the trace: a gain is a range, and what it assumes is said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from wastenot.analyzer.balance.application import Application, Balance, Segment, Source
from wastenot.analyzer.balance.decomposition import EXTRINSIC, PLACE
from wastenot.analyzer.balance.placement import domains, is_phase_change, place, settled_priorities
from wastenot.analyzer.result import Queryable

AdviceKind = Literal["placement", "thread", "threads", "kernel_thread", "interrupt", "quota", "smt_priority", "work"]
"""placement: which rank on which CPU · thread: a thread of another program to be moved · threads: many of them ·
kernel_thread: one of the kernel · interrupt: interrupts to be routed elsewhere · quota: of the program's cgroup ·
smt_priority: of hardware threads · work: the program's own distribution of work."""

NAMED_THREADS = 3
"""Threads of other programs that are named one by one; the others are one recommendation."""

WORTH = 0.02
"""Share of the length of an iteration below which a gain is not one."""

LEAST_EXTRINSIC = 0.005
"""Share of the run that a source has to have added to be named."""


@dataclass(frozen=True)
class Recommendation:
    """One thing to do. `saves`: shares of the run, the least and the most; None where the trace does not show it.

    `commands` are to be pasted; `assumes` is what has to hold for the gain.
    """

    kind: AdviceKind
    what: str
    commands: tuple[str, ...]
    saves: tuple[float, float] | None
    assumes: str


@dataclass(frozen=True)
class Placement:
    """Ranks on CPUs, and how long an iteration takes so: from `low_ns` to `high_ns`, now `now_ns`.

    The two differ where ranks share a core: how much hardware threads slow each other down is not in the trace.
    """

    cpus: tuple[int, ...]
    is_certain: bool
    """The CPUs that the ranks may use are known."""
    low_ns: float
    high_ns: float
    now_ns: float

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
    """Other ranks limit the program in other segments: a placement fits one of them."""


def advise(trace: Queryable, balance: Balance) -> list[Advice]:
    """Advice for each application of a balance."""
    return [_advice(trace, application) for application in balance.applications]


def _advice(trace: Queryable, a: Application) -> Advice:
    segment = max(a.segments, key=lambda s: (s.kind in ("iterations", "releases") and s.windows > 0, s.length_ns))
    if a.state == "not_visible":
        return Advice(a, segment, None, (), False)
    utids = [r.rank.utid for r in a.ranks]
    cpus = trace.metric("rank_cpus", utids=utids).rows()
    placement = _placement(a, segment, cpus) if cpus else None
    found = [
        *(_placing(a, placement) if placement is not None else ()),
        *_extrinsic(trace, a, [row["cpu"] for row in cpus]),
        *(_priorities(trace, a, segment, placement, cpus) if placement is not None else ()),
        *_work(a, segment),
    ]
    return Advice(a, segment, placement, tuple(found), _moves(a))


def computes(a: Application, segment: Segment) -> list[float]:
    """How long each rank computes in an iteration of a segment, on average (ns)."""
    return [float(ns) / max(segment.windows, 1) for ns in a.by_segment[segment.number - 1][:, PLACE["compute"]]]


def _placement(a: Application, segment: Segment, cpus: list[dict[str, Any]]) -> Placement:
    loads = computes(a, segment)
    chosen = place(domains(cpus), loads)
    core_of = {row["cpu"]: row["core"] if row["core"] >= 0 else row["cpu"] for row in cpus}
    by_cpu: dict[int, float] = {}
    by_core: dict[int, float] = {}
    for cpu, load in zip(chosen, loads, strict=True):
        by_cpu[cpu] = by_cpu.get(cpu, 0.0) + load
        by_core[core_of[cpu]] = by_core.get(core_of[cpu], 0.0) + load
    windows = max(segment.windows, 1)
    now = segment.length_ns / windows
    # What is left of an iteration when the last rank has ended its computing: messages, wakeups.
    rest = max(now - float(a.figures.max_all[segment.first : segment.end].sum()) / windows, 0.0)
    # What others than ranks take from the last rank is taken wherever it is placed, for all that is known.
    rest += now * sum(s.last_ns for s in a.sources if s.kind != "rank") / a.length_ns
    is_certain = all(row["is_certain"] for row in cpus)
    return Placement(tuple(chosen), is_certain, max(by_cpu.values()) + rest, max(by_core.values()) + rest, now)


def _placing(a: Application, placement: Placement) -> Iterator[Recommendation]:
    low, high = placement.saves
    if high < WORTH:
        return
    assumes = "each rank computes as long on its new CPU as it did (caches, memory, frequency)"
    if placement.low_ns != placement.high_ns:
        assumes += "; the range is what hardware threads of one core may slow each other down"
    if not placement.is_certain:
        assumes += "; the cpusets of the ranks are not recorded: all online CPUs are taken as allowed"
    what = "Bind each rank to the CPU where it does least harm to the others"
    yield Recommendation("placement", what, tuple(placement_commands(a, placement)), (max(low, 0.0), high), assumes)


def placement_commands(a: Application, placement: Placement) -> Iterator[str]:
    """The placement as commands and settings, for the running program and for its next start."""
    if a.crew.kind == "threads":
        places = ",".join(f"{{{cpu}}}" for cpu in placement.cpus)
        yield f'OMP_PROC_BIND=true OMP_PLACES="{places}" {a.crew.name}'
    else:
        cpus = ",".join(str(cpu) for cpu in placement.cpus)
        yield f"srun --cpu-bind=map_cpu:{cpus} ./{a.crew.name}"
        yield f"mpiexec.hydra -bind-to user:{cpus} ./{a.crew.name}"
        yield "mpirun --rankfile RANKFILE ..., with RANKFILE:"
        for number, cpu in enumerate(placement.cpus):
            yield f"    rank {number}=localhost slot={cpu}"
    for r, cpu in zip(a.ranks, placement.cpus, strict=True):
        yield f"taskset -pc {cpu} {r.rank.tid}"


def _extrinsic(trace: Queryable, a: Application, cpus: list[int]) -> Iterator[Recommendation]:
    """What to move out of the way, for each source that added much."""
    named = [s for s in a.sources if s.extrinsic_ns >= LEAST_EXTRINSIC * a.length_ns]
    utids = [s.utid for s in named if s.kind == "thread" and s.utid is not None]
    threads = {row["utid"]: row for row in trace.metric("antagonist_threads", utids=utids or [-1])}
    named_threads = [s for s in named if s.utid in threads and s.kind == "thread"][:NAMED_THREADS]
    for source in named:
        saves = (0.0, source.extrinsic_ns / a.length_ns)
        if source in named_threads:
            yield _thread(threads[source.utid or 0], source, _cpus_with_time(trace, a, cpus, source), saves)
        elif source.kind == "irq":
            yield _interrupts(trace, a, _cpus_with_time(trace, a, cpus, source), saves)
        elif source.kind == "throttled":
            yield _quota(a, saves)
    others = [s for s in a.sources if s.kind == "thread" and s not in named_threads and s.extrinsic_ns > 0]
    most = sum(s.extrinsic_ns for s in others) / a.length_ns
    if most >= LEAST_EXTRINSIC:
        yield _many(a, len(others), most)


def _many(a: Application, count: int, most: float) -> Recommendation:
    """Other programs that take a little each."""
    what = f"Keep {count} {'' if count == 1 else 'further '}threads of other programs off the CPUs of {a.crew.name}"
    commands = (
        f"systemd-run --scope -p CPUWeight=10000 {a.crew.name}",
        "echo CPUS > /sys/fs/cgroup/CGROUP/cpuset.cpus.exclusive (Linux 6.7 and later; or boot with isolcpus=CPUS)",
    )
    return Recommendation("threads", what, commands, (0.0, most), "other CPUs, or other times, are left for them")


def _cpus_with_time(trace: Queryable, a: Application, cpus: list[int], source: Source) -> list[int]:
    """CPUs on which ranks hardly ran; else the one where they ran least, where that leaves the time that the source
    took. Where it ran most already does not count."""
    rows = trace.metric("rank_places", utids=[r.rank.utid for r in a.ranks]).rows()
    own = trace.metric("rank_places", utids=[-1 if source.utid is None else source.utid]).rows()
    there = {row["cpu"] for row in own[:1]}
    busy = {cpu: sum(row["run_ns"] for row in rows if row["cpu"] == cpu) for cpu in cpus}
    free = [cpu for cpu in cpus if busy[cpu] < WORTH * a.length_ns and cpu not in there]
    least = sorted(cpus, key=lambda cpu: (busy[cpu], cpu))[:1]
    return free or [cpu for cpu in least if max(busy.values()) - busy[cpu] >= source.taken_ns and cpu not in there]


def _list(cpus: list[int]) -> str:
    return ",".join(str(cpu) for cpu in cpus)


def _thread(row: dict[str, Any], source: Source, free: list[int], saves: tuple[float, float]) -> Recommendation:
    name = f"{row['name'] or 'a thread'} (tid {row['tid']})"
    beside = "; part of it was beside an idle CPU: `wastenot episodes` has the cause" if source.avoidable_ns else ""
    if row["is_kernel"]:
        unbound = (row["name"] or "").startswith("kworker/u")
        commands = ("cat /sys/devices/virtual/workqueue/cpumask",) if unbound else ()
        what = f"{name} is a kernel thread: move what it works for"
        return Recommendation("kernel_thread", what, commands, saves, "its work can run on other CPUs" + beside)
    to, tid = _list(free), row["tid"]
    if free:
        command = f"taskset -pc {to} {tid}" if row["is_alive"] else f"taskset -c {to} {row['name']} (it has ended)"
        what = f"Move {name} to CPU {to}, where ranks leave time for it"
        return Recommendation("thread", what, (command,), saves, "it does as well there" + beside)
    alive = (f"renice -n 19 -p {tid}", f"chrt --idle -p 0 {tid}")
    later = alive if row["is_alive"] else (f"nice -n 19 {row['name']} (it has ended)",)
    what = f"Let {name} run when ranks sleep: every CPU is taken by a rank. Or leave it a CPU, with a rank less"
    return Recommendation("thread", what, later, saves, "it may wait as long" + beside)


def _interrupts(trace: Queryable, a: Application, free: list[int], saves: tuple[float, float]) -> Recommendation:
    rows = trace.metric("rank_places", utids=[r.rank.utid for r in a.ranks]).rows()
    cpus = sorted({row["cpu"] for row in rows} - set(free))
    found = trace.metric("interrupt_sources", cpus=cpus or [-1], limit=3).rows()
    commands = tuple(
        f"echo {_list(free)} > /proc/irq/{row['vector']}/smp_affinity_list"
        for row in found
        if free and row["kind"] == "hardirq" and row["vector"] is not None
    )
    seen = ", ".join(f"{row['kind']} {row['vector']} on CPU {row['cpu']}" for row in found if row["vector"] is not None)
    where = f"CPU {_list(free)}" if free else "a CPU that is left to them, with a rank less"
    what = f"Route interrupts to {where}" + (f" (most: {seen})" if seen else "")
    assumes = "the device's interrupts can be moved, and irqbalance does not move them back"
    return Recommendation("interrupt", what, commands or ("cat /proc/interrupts",), saves, assumes)


def _quota(a: Application, saves: tuple[float, float]) -> Recommendation:
    return Recommendation(
        "quota", f"Raise the CPU quota of {a.crew.name}: ranks used it up and waited",
        ("echo max > /sys/fs/cgroup/CGROUP/cpu.max",), saves, "the quota may be raised",
    )  # fmt: skip


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
    commands = []
    for pair in cores.values():
        if len(pair) == 2:
            chosen = settled_priorities((loads.get(pair[0], 0.0), loads.get(pair[1], 0.0)))
            if chosen[0] != chosen[1]:
                commands += [f"ppr {p} on CPU {cpu}" for cpu, p in zip(pair, chosen, strict=True)]
    if commands:
        what = "Shift the resources of these cores (a step per 20 points of utilization)"
        yield Recommendation("smt_priority", what, tuple(commands), None, "how much a step shifts is not in the trace")


def _work(a: Application, segment: Segment) -> Iterator[Recommendation]:
    """Where the ranks' own work is unequal, what that costs."""
    lost = segment.intrinsic_ns / segment.length_ns
    if lost < WORTH:
        return
    heavy = int(np.argmax(a.by_segment[segment.number - 1][:, PLACE["compute"]]))
    what = f"Give rank {heavy} less work, or more threads: it computes longest, and the others wait"
    commands = (
        ("OMP_SCHEDULE=dynamic (with schedule(runtime)), or smaller chunks",)
        if a.crew.kind == "threads"
        else ("another partition of the data; DLB (LeWI) lends the CPUs of waiting ranks to others",)
    )
    assumes = "work can be split, and costs the same elsewhere; not where ranks share CPUs that are busy throughout"
    yield Recommendation("work", what, commands, (0.0, lost), assumes)


def _moves(a: Application) -> bool:
    """Whether other ranks limit the program in another stretch of iterations."""
    found = [s for s in a.segments if s.kind == "iterations"]
    parts = [PLACE["compute"], *(PLACE[p] for p in EXTRINSIC)]
    shares = [
        (100 * a.by_segment[s.number - 1][:, parts].sum(axis=1) / s.length_ns).tolist() for s in found if s.windows
    ]
    return any(is_phase_change(one, two) for one, two in pairwise(shares))
