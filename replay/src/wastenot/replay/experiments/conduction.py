"""Heat conduction and advection on 16 processors in 4 NUMA nodes: cycles of computing and a barrier.

Source: Thibault, *A flexible thread scheduler for hierarchical multiprocessor machines*, COSET-2, 2005, table 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from wastenot.replay.experiments.model import Basis, Constant, Experiment, Measure, Row, Run, cost

MEMORY = 245
"""Thousandths of a stripe's time that depend on memory. Calibrated: conduction, simple, 10.58."""
EXCHANGE_US = 155
"""Communication after each cycle. Calibrated: advection, bound, 12.40."""
CYCLES = 100
STEP_US = {"conduction": 10_000, "advection": 645}
"""A stripe's computing per cycle: assumed for conduction; advection's is shorter as its sequential time is."""

PAPER: dict[str, dict[str, float]] = {
    "conduction": {"simple": 10.58, "bound": 15.82, "burst": 15.80},
    "advection": {"simple": 9.11, "bound": 12.40, "burst": 12.40},
}
CALIBRATED = {("conduction", "simple"), ("advection", "bound")}


def scenario(problem: str) -> str:
    """The parallel program: 4 bubbles of 4 threads in one; schedulers that know no bubbles see 16 threads."""
    groups = "\n".join(
        f'  {{ program = "stripe", count = 4, bubble = "node{i}", threads = true, placed = "0", memory = {MEMORY} }},'
        for i in range(4)
    )
    return f"""about = "{problem.capitalize()} in 16 stripes on 4 NUMA nodes, a barrier after each cycle."
expect = "bubbles (burst) nearly as fast as threads bound by hand, an opportunist list a third slower"
machine = "4n16l4"
scheduler = "burst"
costs = {{ numa_one_hop = 3000 }}

[workload]
limit = "60s"
objects.cycle = {{ barrier = {{ parties = 16 }} }}
programs.stripe = [
  {{ repeat = {{ times = {CYCLES}, body = [
    {{ run = "{STEP_US[problem]}us" }}, {{ sleep = "{EXCHANGE_US}us" }}, {{ barrier = "cycle" }},
  ] }} }},
]
bubbles.mesh = {{}}
bubbles.node0 = {{ bubble = "mesh", burst = "node" }}
bubbles.node1 = {{ bubble = "mesh", burst = "node" }}
bubbles.node2 = {{ bubble = "mesh", burst = "node" }}
bubbles.node3 = {{ bubble = "mesh", burst = "node" }}
threads = [
{groups}
]
"""


def sequential_s(problem: str) -> float:
    """Time of the same work on one processor, near its memory."""
    return 16 * CYCLES * STEP_US[problem] / 1e6


def _rows(measure: Measure) -> Iterator[Row]:
    for problem, by_scheduler in PAPER.items():
        for scheduler, paper in by_scheduler.items():
            run = Run(f"{problem}-{scheduler}", scenario(problem), scheduler)
            measured = measure(run)
            speedup = sequential_s(problem) / (measured.outcome.end_ns / 1e9)
            basis: Basis = "calibrated" if (problem, scheduler) in CALIBRATED else "predicted"
            yield Row(problem, scheduler, f"{paper:.2f}", f"{speedup:.2f}", basis, measured.wasted, run)


EXPERIMENT = Experiment(
    "conduction",
    "conduction and advection on 16 processors in 4 nodes",
    "speedup over one processor",
    "COSET 2005, table 2",
    _rows,
    (
        Constant("time of a stripe that depends on memory", f"{MEMORY / 10} %", "calibrated: conduction, simple"),
        Constant("communication after each cycle", f"{EXCHANGE_US} µs", "calibrated: advection, bound"),
        Constant("computing in a cycle, conduction", f"{STEP_US['conduction'] / 1000:g} ms", "assumed"),
        Constant("computing in a cycle, advection", f"{STEP_US['advection'] / 1000:g} ms",
                 "assumed: shorter, as the document's sequential times are"),
        Constant("time of memory of another node", "3 times", "the document"),
        Constant("refilling caches on another CPU of the node", cost("refill_node"), "the simulator's constant"),
        Constant("refilling caches on a CPU of another node", cost("refill_remote"), "the simulator's constant"),
    ),
)  # fmt: skip
