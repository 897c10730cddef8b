"""BT-MZ, class A: 200 iterations, after each of which a process waits for its neighbours only.

Source: Boneti, thesis, UPC 2009, sections 3.5.2, 4.4.3 and 5.3.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wastenot.replay.experiments.hpc import messages
from wastenot.replay.experiments.hpc.case import (
    FITTED,
    KEPT,
    MACHINE,
    RANKS,
    SOURCE,
    Case,
    Speeds,
    in_short,
    rows_of_case,
    works_of,
)  # fmt: skip
from wastenot.replay.experiments.hpc.metbench import HEURISTICS
from wastenot.replay.experiments.model import Basis, Constant, Experiment, Measure, Row, Run

ITERATIONS = 200
WORKS_S = (10.3, 21.9, 38.7, 70.7)
"""Work of P1 to P4 alone, over all iterations. Calibrated: table 4.3, baseline."""
CHAPTER_3_SCALE = 81.64 / 94.97
"""Chapter 3 has the same shares in less time: its works are so much smaller. Calibrated: table 3.2, A."""
ST_WORKS_S = (108.32 * 0.4933, 108.32 * 0.9946)
"""Work of the two processes of the run with a process per core. Calibrated on that row."""
SPEEDS = Speeds({0: 618, 1: 909, 2: 842, 3: 842, -1: 312, -2: 183, -3: 91})
"""Thousandths of the speed alone. Equal, +1, -1, -3: as Metbench; +2, -2: calibrated, table 4.3, static; +3: as +2."""
LATENCY_US = 400
"""Communication takes 0.10 % of the time. The thesis."""
NEIGHBOURS = {rank: tuple(other for other in RANKS if other != rank) for rank in RANKS}
"""Who exchanges data with whom: all four, since in a chain the processes drift apart. Calibrated: shares of table 4.3,
baseline."""
CHAIN = {"P1": ("P2",), "P2": ("P1", "P3"), "P3": ("P2", "P4"), "P4": ("P3",)}
KEPT_SPEEDS = Speeds({0: 618, 1: 754, 2: 760, 3: 850, -1: 311, -2: 166, -3: 128})
"""Where waiting keeps the priority. Equal, lower: as Metbench (table 3.1); +1, +2: calibrated, table 3.2, D; +3: B."""
KEPT_WORKS_S = tuple(81.64 * share / 100 * 0.618 for share in (17.63, 28.91, 66.47, 99.72))
"""Works where waiting keeps the priority: time computing times the equal speed. Calibrated: table 3.2, A."""

IN_ORDER = ("0", "1", "2", "3")
BY_WEIGHT = ("0", "2", "3", "1")
"""CPUs of P1 to P4: P1 and P2 on the first core; P1 and P4 on it, P2 and P3 on the second."""


def scenario(
    works_s: Sequence[float], cpus: Sequence[str], priorities: Sequence[int], policy: str = "normal",
    bound: bool = True, dlrb: bool = False, chain: bool = False, kept: bool = False,
) -> str:  # fmt: skip
    """The processes on CPUs, with priorities. `chain`: of neighbours; `kept`: waiting keeps the priority."""
    ranks = RANKS[: len(works_s)]
    neighbours = (CHAIN if chain else NEIGHBOURS) if len(ranks) == 4 else {"P1": ("P2",), "P2": ("P1",)}
    works = [round(1e6 * work / ITERATIONS) for work in works_s]
    programs = "\n".join(
        f'programs.{rank} = [{{ repeat = {{ times = {ITERATIONS}, body = [{{ run = "{work}us" }}, '
        f"{messages.exchange(rank, neighbours[rank])}] }} }}]"
        for rank, work in zip(ranks, works, strict=True)
    )
    threads = "\n".join(
        f'  {{ program = "{rank}", placed = "{cpu}", policy = "{policy}", load = "bt", smt_priority = {priority}'
        + (f', cpus = "{cpu}"' if bound else "") + " },"
        for rank, cpu, priority in zip(ranks, cpus, priorities, strict=True)
    )  # fmt: skip
    net_programs, net_threads = messages.networks(ranks, dict(neighbours), LATENCY_US)
    return f"""about = "BT-MZ, class A: processes that wait for their neighbours after each iteration."
expect = "the processes with little data wait for those with much"
machine = "{MACHINE}"
release = "4.1"

[workload]
limit = "3000s"
waiting_keeps_priority = {str(kept).lower()}
{messages.objects(ranks)}
loads.bt = {(KEPT_SPEEDS if kept else SPEEDS).toml()}
{programs}
{net_programs}
{'dlrb = { threads = ["P1", "P2", "P3", "P4"] }' if dlrb else ""}
threads = [
{threads}
{net_threads}
]
"""


TABLE_3_2: tuple[tuple[str, tuple[int, int, int, int], Case, Basis], ...] = (
    ("A", (4, 4, 4, 4), Case(81.64, (17.63, 28.91, 66.47, 99.72), (0.533, 0.997, 0.532)), "calibrated"),
    ("B", (3, 3, 6, 6), Case(127.91, (52.33, 99.64, 28.87, 46.26)), "predicted"),
    ("C", (4, 4, 6, 6), Case(75.62, (65.32, 99.68, 53.78, 85.88)), "predicted"),
    ("D", (4, 4, 5, 6), Case(66.88, (82.73, 73.68, 66.40, 99.72), (0.809, 0.997, 0.806)), "predicted"),
    ("D, text", (4, 5, 6, 6), Case(66.88, (82.73, 73.68, 66.40, 99.72), (0.809, 0.997, 0.806)),
     "variation"),
)  # fmt: skip
"""Priorities of P1 to P4 and the thesis's figures. A: P1 and P2 on one core; B to D: P1 and P4 on one, P2 and P3 on the
other."""
TABLE_4_3 = {
    "baseline": Case(94.97, (17.63, 29.85, 66.09, 99.85)),
    "static": Case(79.63, (70.64, 42.22, 60.96, 99.85)),
    "Uniform": Case(79.81, (70.31, 37.18, 65.29, 99.85)),
    "Adaptive": Case(79.92, (70.31, 37.30, 65.30, 99.83)),
}


def _rows_3_2(measure: Measure) -> Iterator[Row]:
    alone = Run("hpc-bt-mz-static-ST", scenario(ST_WORKS_S, ("0", "2"), (4, 4)), "kernel")
    yield from rows_of_case(measure, "ST", alone, Case(108.32, (49.33, 99.46)), "calibrated", ranks=RANKS[:2])
    works = [CHAPTER_3_SCALE * work for work in WORKS_S]
    for name, priorities, case, basis in TABLE_3_2:
        cpus = IN_ORDER if name == "A" else BY_WEIGHT
        run = Run(f"hpc-bt-mz-static-{name.replace(', ', '-')}", scenario(works, cpus, priorities), "kernel")
        yield from rows_of_case(measure, f"{name} {in_short(priorities)}", run, case, basis)
    for name, priorities, case, _ in TABLE_3_2[:4]:
        cpus = IN_ORDER if name == "A" else BY_WEIGHT
        run = Run(f"hpc-bt-mz-static-{name}-kept", scenario(KEPT_WORKS_S, cpus, priorities, kept=True), "kernel")
        yield from rows_of_case(measure, f"{name}, {KEPT}", run, case, "variation")
    name, priorities, case, _ = TABLE_3_2[3]
    fitted = works_of(case, [KEPT_SPEEDS.by_difference[step] for step in (-2, -1, 1, 2)], 1)
    run = Run(f"hpc-bt-mz-static-{name}-fitted", scenario(fitted, BY_WEIGHT, priorities, kept=True), "kernel")
    yield from rows_of_case(measure, f"{name}, {FITTED}", run, case, "calibrated")


def _rows_4_3(measure: Measure) -> Iterator[Row]:
    for name, cpus, priorities in (("baseline", IN_ORDER, (4, 4, 4, 4)), ("static", BY_WEIGHT, (4, 4, 5, 6))):
        run = Run(f"hpc-bt-mz-{name}", scenario(WORKS_S, cpus, priorities), "kernel")
        shares: Basis = "calibrated" if name == "baseline" else "predicted"
        yield from rows_of_case(measure, name, run, TABLE_4_3[name], "calibrated", shares)
    for scheduler, title in (("hpc-uniform", "Uniform"), ("hpc-adaptive", "Adaptive")):
        text = scenario(WORKS_S, BY_WEIGHT, (4, 4, 4, 4), policy="hpc", bound=False)
        run = Run(f"hpc-bt-mz-{scheduler}", text, scheduler)
        yield from rows_of_case(measure, title, run, TABLE_4_3[title], "predicted")
    run = Run("hpc-bt-mz-chain", scenario(WORKS_S, IN_ORDER, (4, 4, 4, 4), chain=True), "kernel")
    yield from rows_of_case(measure, "baseline, a chain", run, TABLE_4_3["baseline"], "variation")


CONSTANTS = (
    Constant("work of P1 to P4 alone", " ".join(f"{work} s" for work in WORKS_S), "calibrated: table 4.3, baseline"),
    Constant("speed by difference of priorities", SPEEDS.text(),
             "0, +1, -1, -3: as Metbench; +2, -2: calibrated, table 4.3, static; +3: as +2"),
    Constant("communication of an iteration", f"{LATENCY_US / 1000} ms", "0.10 % of the time: the thesis"),
    Constant("neighbours", "all four of each other", "calibrated: shares of table 4.3, baseline; variation: a chain"),
)  # fmt: skip

STATIC_EXPERIMENT = Experiment(
    "hpc-bt-mz-static",
    "BT-MZ on two cores of two hardware threads, placed and with priorities by hand",
    "time, share of it in which each process computes, POP efficiencies; how far ours are off",
    f"{SOURCE}, table 3.2",
    _rows_3_2,
    (*CONSTANTS, Constant("works of chapter 3", f"{CHAPTER_3_SCALE:.3f} of these", "calibrated: table 3.2, A"),
     Constant(f"work of P1 to P4 alone, {KEPT}", " ".join(f"{work:.1f} s" for work in KEPT_WORKS_S),
              "calibrated: table 3.2, A"),
     Constant(f"speed by difference of priorities, {KEPT}", KEPT_SPEEDS.text(),
              "0, -1 to -3: as Metbench, table 3.1; +1, +2 calibrated: table 3.2, D; +3: B"),
     Constant(f"works of the row {FITTED}", "its shares of its time, at these speeds", "calibrated: table 3.2, D")),
)  # fmt: skip
EXPERIMENT = Experiment(
    "hpc-bt-mz",
    "BT-MZ under the class hpc, whose heuristics set the priorities of hardware threads",
    "time, share of it in which each process computes; how far ours are off",
    f"{SOURCE}, table 4.3",
    _rows_4_3,
    (*CONSTANTS, *HEURISTICS, Constant("places under the class hpc", "P1 and P4, P2 and P3", "assumed: as static")),
)
