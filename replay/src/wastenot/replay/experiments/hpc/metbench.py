"""Metbench and MetbenchVar: a master and four workers, which compute and wait for each other at a barrier.

Source: Boneti, thesis, UPC 2009, sections 3.5.1, 4.4.1, 4.4.2 and 5.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wastenot.replay.experiments.hpc.case import (
    FITTED,
    KEPT,
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
from wastenot.replay.experiments.model import Basis, Constant, Experiment, Measure, Row, Run

SMALL_MS, LARGE_MS = 1281, 7385
"""Work of an iteration alone. Calibrated: table 4.1, baseline."""
ITERATIONS = 10
CHAPTER_3 = Speeds({0: 618, 1: 909, 2: 1000, 3: 1000, -1: 312, -2: 173, -3: 91})
"""Thousandths of the speed alone. Equal: table 4.1, baseline; +1 and -1: table 3.1, B; +2 and -2: table 3.1,
C; +3 and -3: extrapolated, each step down divides the speed by about 1.9."""
CHAPTER_4 = Speeds({0: 618, 1: 909, 2: 1046, -1: 312, -2: 181})
"""The same for chapter 4. +2 and -2: table 4.1, static."""
KEPT_SMALL_MS, KEPT_LARGE_MS = 1227, 5045
KEPT_SPEEDS = Speeds({0: 618, 1: 657, 2: 683, 3: 720, -1: 311, -2: 166, -3: 128})
"""Works and speeds where waiting keeps the priority. Calibrated: table 3.1, each row its two speeds; equal as above."""

FITTED_VARIATION = 0.026
"""Work of an iteration of the row fitted to C, around its mean: processes whose means are alike wait for each other by
turns. Calibrated: CommE of C."""

EQUAL = (4, 4, 4, 4)
STATIC = (4, 6, 4, 6)
DEALT = ("0", "1", "2", "3")
"""P1 and P2 on the first core, P3 and P4 on the second."""


def scenario(
    works_ms: Sequence[Sequence[int]], speeds: Speeds, priorities: Sequence[int] = EQUAL, policy: str = "normal",
    bound: bool = True, dlrb: str | None = None, hpc: str | None = None, kept: bool = False, vary_by: float = 0,
) -> str:  # fmt: skip
    """Workers whose works of each iteration are `works_ms` (by phase: times, work of P1 to P4).

    `bound`: to CPUs. `dlrb`: the library places them, with this rule of a change of phase. `hpc`: settings of the
    class. `kept`: waiting keeps the priority. `vary_by`: a work is between one less and one more this share of its
    mean.
    """
    total = sum(phase[0] for phase in works_ms)
    programs = []
    for i, rank in enumerate(RANKS):
        body = ", ".join(
            f"{{ repeat = {{ times = {phase[0]}, body = [{{ run = {_work(phase[1 + i], vary_by)} }}, "
            f'{{ post = "done" }}, '
            f'{{ wait = "go{i + 1}" }}, "iteration"] }} }}'
            for phase in works_ms
        )
        programs.append(f"programs.{rank} = [{body}]")
    go = ", ".join(f'{{ post = "go{i + 1}" }}' for i in range(4))
    threads = [
        f'  {{ program = "{rank}", placed = "{cpu}", policy = "{policy}", load = "metbench", smt_priority = {priority}'
        + (f', cpus = "{cpu}"' if bound else "") + " },"
        for rank, cpu, priority in zip(RANKS, DEALT, priorities, strict=True)
    ]  # fmt: skip
    where = ', cpus = "0"' if bound else ""
    return f"""about = "Metbench: a master and four workers on two cores of two hardware threads."
expect = "the workers with the small load wait for those with the large one"
machine = "{MACHINE}"
release = "4.1"
{f"hpc = {{ {hpc} }}" if hpc else ""}

[workload]
limit = "3600s"
waiting_keeps_priority = {str(kept).lower()}
objects.done = {{ semaphore = {{ }} }}
objects.go1 = {{ semaphore = {{ }} }}
objects.go2 = {{ semaphore = {{ }} }}
objects.go3 = {{ semaphore = {{ }} }}
objects.go4 = {{ semaphore = {{ }} }}
loads.metbench = {speeds.toml()}
programs.master = [{{ repeat = {{ times = {total}, body = [{{ repeat = {{ times = 4, body = [{{ wait = "done" }}] }} }}, "iteration", {go}] }} }}]
{chr(10).join(programs)}
{f'dlrb = {{ threads = ["master", "P1", "P2", "P3", "P4"], phase_change = "{dlrb}" }}' if dlrb else ""}
threads = [
  {{ program = "master", placed = "0", policy = "{policy}"{where} }},
{chr(10).join(threads)}
]
"""  # noqa: E501


def _work(mean_ms: int, vary_by: float) -> str:
    """Work of an iteration, as a workload has it."""
    if not vary_by:
        return f'"{mean_ms}ms"'
    return f'{{ uniform = ["{round(1e3 * (1 - vary_by) * mean_ms)}us", "{round(1e3 * (1 + vary_by) * mean_ms)}us"] }}'


def constant_load(iterations: int = ITERATIONS) -> list[tuple[int, int, int, int, int]]:
    """Metbench: P2 and P4 have the large load."""
    return [(iterations, SMALL_MS, LARGE_MS, SMALL_MS, LARGE_MS)]


def alternating_load(iterations: int = 45, k: int = 15) -> list[tuple[int, int, int, int, int]]:
    """MetbenchVar: after each `k` iterations the loads are swapped."""
    one, other = (k, SMALL_MS, LARGE_MS, SMALL_MS, LARGE_MS), (k, LARGE_MS, SMALL_MS, LARGE_MS, SMALL_MS)
    return [other if phase % 2 else one for phase in range(iterations // k)]


TABLE_3_1: dict[str, tuple[tuple[int, int, int, int], Case, Basis]] = {
    "A": ((4, 4, 4, 4), Case(81.64, (24.32, 98.99, 24.31, 99.99), (0.619, 1.000, 0.619)), "predicted"),
    "B": ((5, 6, 5, 6), Case(76.98, (51.16, 99.82, 51.18, 99.98)), "calibrated"),
    "C": ((4, 6, 4, 6), Case(74.90, (98.96, 98.56, 97.01, 98.37), (0.993, 0.990, 0.982)), "calibrated"),
    "D": ((3, 6, 3, 6), Case(95.71, (99.87, 73.25, 99.72, 73.25)), "predicted"),
}
"""Priorities of P1 to P4, the thesis's figures, and how ours came about."""


def _rows_3_1(measure: Measure) -> Iterator[Row]:
    for name, (priorities, case, basis) in TABLE_3_1.items():
        run = Run(f"hpc-metbench-static-{name}", scenario(constant_load(), CHAPTER_3, priorities), "kernel")
        yield from rows_of_case(measure, f"{name} {in_short(priorities)}", run, case, basis)
    kept = [(ITERATIONS, KEPT_SMALL_MS, KEPT_LARGE_MS, KEPT_SMALL_MS, KEPT_LARGE_MS)]
    for name, (priorities, case, _) in TABLE_3_1.items():
        run = Run(f"hpc-metbench-static-{name}-kept", scenario(kept, KEPT_SPEEDS, priorities, kept=True), "kernel")
        yield from rows_of_case(measure, f"{name}, {KEPT}", run, case, "variation")
    priorities, case, _ = TABLE_3_1["C"]
    speeds = [KEPT_SPEEDS.by_difference[step] for step in (-2, 2, -2, 2)]
    works = [round(1e3 * work) for work in works_of(case, speeds, ITERATIONS)]
    text = scenario([(ITERATIONS, *works)], KEPT_SPEEDS, priorities, kept=True, vary_by=FITTED_VARIATION)
    run = Run("hpc-metbench-static-C-fitted", text, "kernel")
    yield from rows_of_case(measure, f"C, {FITTED}", run, case, "calibrated")


SETTINGS = (
    ("hpc-uniform", "Uniform since start"),
    ("hpc-uniform-stable", "Uniform since balanced"),
    ("hpc-adaptive", "Adaptive"),
)
CLASSES = 'mapping = "classes"'

TABLE_4_1 = {
    "baseline": Case(81.78, (25.34, 99.98, 25.32, 99.97)),
    "static": Case(70.90, (99.97, 99.64, 99.95, 99.64)),
    "Uniform": Case(71.74, (96.17, 98.57, 90.94, 99.57)),
    "Adaptive": Case(71.65, (80.64, 99.52, 87.52, 99.20)),
}
TABLE_4_2 = {
    "baseline": Case(368.17, (50.24, 75.09, 50.22, 75.08), (0.834, 0.751, 0.627)),
    "static": Case(338.40, (99.97, 68.06, 99.94, 68.04)),
    "Uniform": Case(327.17, (91.47, 95.55, 91.44, 95.33)),
    "Adaptive": Case(326.41, (89.61, 93.08, 89.99, 95.15)),
}


def _rows_of_chapter_4(
    measure: Measure, name: str, works: list[tuple[int, int, int, int, int]], table: dict[str, Case], basis: Basis
) -> Iterator[Row]:
    for title, priorities in (("baseline", EQUAL), ("static", STATIC)):
        run = Run(f"{name}-{title}", scenario(works, CHAPTER_4, priorities), "kernel")
        yield from rows_of_case(measure, title, run, table[title], basis)
    for scheduler, title in SETTINGS:
        text = scenario(works, CHAPTER_4, policy="hpc", bound=False)
        case = table[title.partition(" ")[0]]
        yield from rows_of_case(measure, title, Run(f"{name}-{scheduler}", text, scheduler), case, "predicted")
    for scheduler, title in SETTINGS[::2]:
        text = scenario(works, CHAPTER_4, policy="hpc", bound=False, hpc=CLASSES)
        run = Run(f"{name}-{scheduler}-classes", text, scheduler)
        case = table[title.partition(" ")[0]]
        yield from rows_of_case(measure, f"{title}, by class", run, case, "variation")


SWEEP: tuple[tuple[str, str, str], ...] = (
    ("hpc-adaptive", "L = 0.50", "last_weight = 50"),
    ("hpc-adaptive", "L = 0.70", "last_weight = 70"),
    ("hpc-adaptive", "L = 1.00", "last_weight = 100"),
    ("hpc-adaptive", "imbalanced from 10 %", "imbalance = 10"),
    ("hpc-adaptive", "imbalanced from 40 %", "imbalance = 40"),
    ("hpc-uniform", "imbalanced from 10 %", "imbalance = 10"),
    ("hpc-uniform", "LOW_UTIL 75 %, HIGH_UTIL 90 %", "low_util = 75, high_util = 90"),
)
"""Settings of the heuristics with other values."""


def _rows_4_2(measure: Measure) -> Iterator[Row]:
    works = alternating_load()
    yield from _rows_of_chapter_4(measure, "hpc-metbench-var", works, TABLE_4_2, "predicted")
    for number, (scheduler, title, settings) in enumerate(SWEEP):
        text = scenario(works, CHAPTER_4, policy="hpc", bound=False, hpc=settings)
        heuristic = scheduler.removeprefix("hpc-").capitalize()
        run = Run(f"hpc-metbench-var-sweep{number}", text, scheduler)
        yield row_of_sweep(measure, f"{heuristic}, {title}", run, TABLE_4_2[heuristic].seconds)
    for percent in (95, 105):
        speeds = Speeds({**CHAPTER_4.by_difference, 0: round(CHAPTER_4.by_difference[0] * percent / 100)})
        run = Run(f"hpc-metbench-var-equal{percent}", scenario(works, speeds), "kernel")
        title = f"baseline, equal speed {speeds.by_difference[0] / 1000}"
        yield row_of_sweep(measure, title, run, TABLE_4_2["baseline"].seconds)


CONSTANTS = (
    Constant("work of an iteration alone, small and large", f"{SMALL_MS / 1000} s, {LARGE_MS / 1000} s",
             "calibrated: table 4.1, baseline"),
    Constant("speed by difference of priorities, chapter 3", CHAPTER_3.text(),
             "calibrated: 0 table 4.1, baseline; +1, -1 table 3.1, B; +2, -2 C; +3, -3 extrapolated"),
    Constant("speed by difference of priorities, chapter 4", CHAPTER_4.text(),
             "calibrated: table 4.1, baseline and static; +1 and -1 as in chapter 3"),
)  # fmt: skip
HEURISTICS = (
    Constant("LOW_UTIL, HIGH_UTIL; priorities", "65 %, 85 %; 4 to 6", "the thesis"),
    Constant("G and L of Adaptive", "0.10, 0.90", "the thesis"),
    Constant("imbalanced: utilisations differ by more than", "20 %", "assumed: as in the thesis's chapter 5"),
    Constant("low, high utilisation", "a priority less, one more", "assumed; variation, by class: priority 4, 5, 6"),
    Constant("a thread that does not count as imbalanced", "below 1 %", "assumed: the master"),
)

STATIC_EXPERIMENT = Experiment(
    "hpc-metbench-static",
    "Metbench on two cores of two hardware threads, priorities set by hand",
    "time, share of it in which each process computes, POP efficiencies; how far ours are off",
    f"{SOURCE}, table 3.1",
    _rows_3_1,
    (
        *CONSTANTS[:2],
        Constant(f"work of an iteration alone, {KEPT}", f"{KEPT_SMALL_MS / 1000} s, {KEPT_LARGE_MS / 1000} s",
                 "calibrated: table 3.1, A"),
        Constant(f"speed by difference of priorities, {KEPT}", KEPT_SPEEDS.text(), "calibrated: table 3.1"),
        Constant(f"works of the row {FITTED}", "its shares of its time, at these speeds", "calibrated: table 3.1, C"),
        Constant("the same around their means", f"{100 * FITTED_VARIATION:g} %", "calibrated: table 3.1, C, CommE"),
    ),
)  # fmt: skip
EXPERIMENT = Experiment(
    "hpc-metbench",
    "Metbench under the class hpc, whose heuristics set the priorities of hardware threads",
    "time, share of it in which each process computes; how far ours are off",
    f"{SOURCE}, table 4.1",
    lambda measure: _rows_of_chapter_4(measure, "hpc-metbench", constant_load(), TABLE_4_1, "calibrated"),
    (*CONSTANTS[::2], *HEURISTICS),
)
VARYING_EXPERIMENT = Experiment(
    "hpc-metbench-var",
    "MetbenchVar, whose loads are swapped every 15 iterations, under the class hpc",
    "time, share of it in which each process computes, POP efficiencies; how far ours are off",
    f"{SOURCE}, table 4.2",
    _rows_4_2,
    (*CONSTANTS[::2], *HEURISTICS),
)
