"""SIESTA: phases that differ from each other (chapter 3), and benzene with many short ones (chapters 4 and 5).

Source: Boneti, thesis, UPC 2009, sections 3.5.3, 4.4.4 and 5.3.4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wastenot.replay.experiments.hpc import messages
from wastenot.replay.experiments.hpc.case import (
    FITTED,
    MACHINE,
    RANKS,
    SOURCE,
    Case,
    Speeds,
    in_short,
    row_of_sweep,
    rows_of_case,
    works_of,
)  # fmt: skip
from wastenot.replay.experiments.hpc.metbench import HEURISTICS
from wastenot.replay.experiments.model import Basis, Constant, Experiment, Measure, Row, Run

ALL = {rank: tuple(other for other in RANKS if other != rank) for rank in RANKS}
"""Each process exchanges messages with all others. Assumed."""

# ---- chapter 3 ----------------------------------------------------------------------------------------------------

PHASES = 1600
"""Phases between the first barrier and the last. Assumed."""
INITIALISATION, FINALISATION = 0.1199, 0.1341
"""Their shares of the time. The thesis."""
EQUAL = 618
WORKS_S = tuple(858.57 * share / 100 * EQUAL / 1000 for share in (75.94, 75.24, 82.08, 93.47))
"""Work of P1 to P4 alone: time computing times the equal speed. Calibrated: table 3.3, A."""
VARIATION = 0.37
"""Work of a phase between one less and one more this share of its mean. Calibrated: table 3.3, A, CommE."""
FITTED_VARIATION = 0.515
"""The same of the row fitted to C. Calibrated: CommE of C."""
SPEEDS = Speeds({0: EQUAL, 1: 797, 2: 794, -1: 615, -2: 455})
"""Thousandths of the speed alone, where waiting keeps the priority. Equal: as Metbench; +1 and -1: calibrated,
table 3.3, C: how long P4 and P1 compute there, over how long in A; +2 and -2: likewise, D."""
ST_WORKS_S = (1236.05 * 0.8179, 1236.05 * 0.9372)
"""Work of the two processes of the run with a process per core. Calibrated on that row."""

TABLE_3_3: tuple[tuple[str, tuple[str, ...], tuple[int, int, int, int], Case, Basis], ...] = (
    ("A", ("0", "1", "2", "3"), (4, 4, 4, 4),
     Case(858.57, (75.94, 75.24, 82.08, 93.47), (0.874, 0.935, 0.817)), "calibrated"),
    ("B", ("2", "0", "1", "3"), (4, 4, 5, 5), Case(847.91, (79.57, 87.06, 72.04, 77.73)), "predicted"),
    ("C", ("2", "0", "1", "3"), (4, 4, 4, 5),
     Case(789.20, (83.04, 79.66, 80.78, 78.74), (0.970, 0.830, 0.806)), "predicted"),
    ("D", ("2", "0", "1", "3"), (4, 4, 4, 6), Case(976.35, (90.76, 65.74, 68.08, 63.95)), "predicted"),
)  # fmt: skip
"""CPUs and priorities of P1 to P4: B to D have P2 and P3 on the first core, P1 and P4 on the second."""


def scenario(
    works_s: Sequence[float], cpus: Sequence[str], priorities: Sequence[int], variation: float = VARIATION
) -> str:
    """Initialisation, a barrier, phases of random length with an exchange after each, finalisation, a barrier."""
    ranks = RANKS[: len(works_s)]
    partners = ALL if len(ranks) == 4 else {"P1": ("P2",), "P2": ("P1",)}
    inner = 1 - INITIALISATION - FINALISATION
    programs = []
    for rank, work in zip(ranks, works_s, strict=True):
        mean = 1e6 * inner * work / PHASES
        span = f'["{round((1 - variation) * mean)}us", "{round((1 + variation) * mean)}us"]'
        swap = messages.exchange(rank, partners[rank])
        programs.append(
            f'programs.{rank} = [{{ run = "{round(1e6 * INITIALISATION * work)}us" }}, {swap}, '
            f"{{ repeat = {{ times = {PHASES}, body = [{{ run = {{ uniform = {span} }} }}, {swap}] }} }}, "
            f'{{ run = "{round(1e6 * FINALISATION * work)}us" }}, {swap}]'
        )
    threads = "\n".join(
        f'  {{ program = "{rank}", placed = "{cpu}", cpus = "{cpu}", load = "siesta", smt_priority = {priority} }},'
        for rank, cpu, priority in zip(ranks, cpus, priorities, strict=True)
    )
    net_programs, net_threads = messages.networks(ranks, dict(partners), 100)
    return f"""about = "SIESTA: an initialisation, phases of different lengths, and a finalisation."
expect = "processes wait for each other"
machine = "{MACHINE}"
release = "4.1"

[workload]
limit = "3600s"
waiting_keeps_priority = {str(len(ranks) == 4).lower()}
{messages.objects(ranks)}
loads.siesta = {SPEEDS.toml()}
{chr(10).join(programs)}
{net_programs}
threads = [
{threads}
{net_threads}
]
"""


def _rows_3_3(measure: Measure) -> Iterator[Row]:
    alone = Run("hpc-siesta-static-ST", scenario(ST_WORKS_S, ("0", "2"), (4, 4)), "kernel")
    yield from rows_of_case(measure, "ST", alone, Case(1236.05, (81.79, 93.72)), "calibrated", ranks=RANKS[:2])
    for name, cpus, priorities, case, basis in TABLE_3_3:
        run = Run(f"hpc-siesta-static-{name}", scenario(WORKS_S, cpus, priorities), "kernel")
        yield from rows_of_case(measure, f"{name} {in_short(priorities)}", run, case, basis)
    name, cpus, priorities, case, _ = TABLE_3_3[2]
    fitted = works_of(case, [SPEEDS.by_difference[step] for step in (-1, 0, 0, 1)], 1)
    text = scenario(fitted, cpus, priorities, FITTED_VARIATION)
    run = Run(f"hpc-siesta-static-{name}-fitted", text, "kernel")
    yield from rows_of_case(measure, f"{name}, {FITTED}", run, case, "calibrated")


# ---- chapters 4 and 5, benzene ------------------------------------------------------------------------------------

BENZENE_PHASES = 20_000
BENZENE_WORKS_US = (3795, 2050, 1206, 833)
"""Work of P1 to P4 in a phase, at the one speed that all priorities give. Calibrated: table 4.4, Uniform."""
FITTED_BENZENE_WORKS_US = (3795, 2008, 1073, 734)
"""The same for the row fitted to the baseline. Calibrated: its shares."""
BENZENE_LATENCY_US = 34
BENZENE_SPEEDS = Speeds({0: 1000})
"""Priorities change nothing: the thesis's shares are the same with and without them. Calibrated: table 4.4, Uniform."""
DAEMON_RUN_US, DAEMON_SLEEP_US = 368, 10_000
"""A daemon on each CPU runs so long after each such sleep. Calibrated: table 4.4, baseline."""

TABLE_4_4 = {
    "baseline": Case(81.49, (98.90, 52.79, 28.45, 19.99), (0.506, 0.989, 0.500)),
    "Uniform": Case(76.82, (98.81, 53.38, 31.41, 21.68)),
    "Adaptive": Case(76.91, (98.81, 53.40, 31.47, 21.71)),
}


def benzene(
    policy: str = "normal", dlrb: bool = False, bound: bool = True, daemon_us: int = DAEMON_RUN_US,
    works_us: Sequence[int] = BENZENE_WORKS_US,
) -> str:  # fmt: skip
    """Very short phases with messages to all, and a daemon on each CPU."""
    programs = "\n".join(
        f'programs.{rank} = [{{ repeat = {{ times = {BENZENE_PHASES}, body = [{{ run = "{work}us" }}, '
        f"{messages.exchange(rank, ALL[rank])}] }} }}]"
        for rank, work in zip(RANKS, works_us, strict=True)
    )
    threads = "\n".join(
        f'  {{ program = "{rank}", placed = "{cpu}", policy = "{policy}", load = "siesta"'
        + (f', cpus = "{cpu}"' if bound else "") + " },"
        for cpu, rank in enumerate(RANKS)
    )  # fmt: skip
    net_programs, net_threads = messages.networks(RANKS, dict(ALL), BENZENE_LATENCY_US)
    return f"""about = "SIESTA on benzene: many short phases and messages, beside daemons."
expect = "P1 computes, the others wait for it; daemons delay it where they may"
machine = "{MACHINE}"
release = "4.1"
evidence_level = "L1"

[workload]
limit = "600s"
{messages.objects(RANKS)}
loads.siesta = {BENZENE_SPEEDS.toml()}
{programs}
{net_programs}
programs.daemon = [{{ repeat = {{ body = [{{ sleep = "{DAEMON_SLEEP_US}us" }}, {{ run = "{daemon_us}us" }}] }} }}]
{'dlrb = { threads = ["P1", "P2", "P3", "P4"] }' if dlrb else ""}
threads = [
{threads}
{net_threads}
  {{ program = "daemon", count = 4, bound = true, placed = "0-3", background = true }},
]
"""


def _rows_4_4(measure: Measure) -> Iterator[Row]:
    run = Run("hpc-siesta-baseline", benzene(), "kernel")
    yield from rows_of_case(measure, "baseline", run, TABLE_4_4["baseline"], "calibrated", "predicted")
    run = Run("hpc-siesta-baseline-fitted", benzene(works_us=FITTED_BENZENE_WORKS_US), "kernel")
    yield from rows_of_case(measure, f"baseline, {FITTED}", run, TABLE_4_4["baseline"], "calibrated")
    for scheduler, title in (("hpc-uniform", "Uniform"), ("hpc-adaptive", "Adaptive")):
        run = Run(f"hpc-siesta-{scheduler}", benzene("hpc", bound=False), scheduler)
        basis: Basis = "calibrated" if title == "Uniform" else "predicted"
        yield from rows_of_case(measure, title, run, TABLE_4_4[title], basis)
    for daemon_us in (184, 736):
        run = Run(f"hpc-siesta-daemon{daemon_us}", benzene(daemon_us=daemon_us), "kernel")
        title = f"baseline, daemons of {daemon_us / 1000} ms"
        yield row_of_sweep(measure, title, run, TABLE_4_4["baseline"].seconds)


STATIC_EXPERIMENT = Experiment(
    "hpc-siesta-static",
    "SIESTA on two cores of two hardware threads, placed and with priorities by hand",
    "time, share of it in which each process computes, POP efficiencies; how far ours are off",
    f"{SOURCE}, table 3.3",
    _rows_3_3,
    (
        Constant("work of P1 to P4 alone", " ".join(f"{work:.1f} s" for work in WORKS_S), "calibrated: table 3.3, A"),
        Constant("initialisation, finalisation", "11.99 %, 13.41 %", "the thesis"),
        Constant("phases between", f"{PHASES}", "assumed"),
        Constant("length of a phase around its mean", f"{100 * VARIATION:.0f} %", "calibrated: table 3.3, A, CommE"),
        Constant(f"works of the row {FITTED}", "its shares of its time, at these speeds", "calibrated: table 3.3, C"),
        Constant(f"length of a phase around its mean, {FITTED}", f"{100 * FITTED_VARIATION:g} %",
                 "calibrated: table 3.3, C, CommE"),
        Constant("speed by difference of priorities", SPEEDS.text(),
                 "0: as Metbench; calibrated: +1 and -1 table 3.3, C; +2 and -2 D"),
        Constant("a process that waits", "keeps its priority", "assumed"),
    ),
)  # fmt: skip
EXPERIMENT = Experiment(
    "hpc-siesta",
    "SIESTA on benzene beside daemons, under the fair class and under the class hpc",
    "time, share of it in which each process computes, POP efficiencies; how far ours are off",
    f"{SOURCE}, table 4.4",
    _rows_4_4,
    (
        Constant("work of P1 to P4 in a phase", " ".join(f"{work / 1000} ms" for work in BENZENE_WORKS_US),
                 "calibrated: table 4.4, Uniform"),
        Constant(f"the same, {FITTED}", " ".join(f"{work / 1000} ms" for work in FITTED_BENZENE_WORKS_US),
                 "calibrated: table 4.4, baseline"),
        Constant("phases", f"{BENZENE_PHASES}", "calibrated: table 4.4, Uniform"),
        Constant("speed", "the same at all priorities", "calibrated: table 4.4, Uniform"),
        Constant("daemon on each CPU", f"{DAEMON_RUN_US / 1000} ms after {DAEMON_SLEEP_US / 1000:g} ms",
                 "calibrated: table 4.4, baseline"),
        *HEURISTICS,
    ),
)  # fmt: skip
