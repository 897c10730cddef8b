"""Divide and conquer: each thread makes two and waits for them, with and without a bubble around each thread
and all that descends from it.

Source: Thibault, *A flexible thread scheduler for hierarchical multiprocessor machines*, COSET-2, 2005, figure 5 and
tables of section 5.1 (costs of Marcel's threads).
"""

from __future__ import annotations

from collections.abc import Iterator

from wastenot.replay.experiments.model import Basis, Experiment, Measure, Row, Run

LEAF_US = 20
"""Work of a thread that makes no others; the others do as much when both are back. Assumed."""
REFILL_US = {"llc": 4, "node": 8, "remote": 24}
"""What a thread's stack and result cost on another CPU. Calibrated: 4x4 Itanium, 32 threads, 40 %."""

MACHINES = {"bi-Xeon": ("1n4l2s2", 1000), "4x4 Itanium": ("4n16l4", 3000)}
PAPER: tuple[tuple[str, int, str, Basis], ...] = (
    ("bi-Xeon", 3, "not told", "not told"),
    ("bi-Xeon", 4, "30 to 40 %", "predicted"),
    ("bi-Xeon", 6, "30 to 40 %", "predicted"),
    ("4x4 Itanium", 4, "not told", "not told"),
    ("4x4 Itanium", 5, "40 %", "calibrated"),
    ("4x4 Itanium", 9, "80 %", "predicted"),
)
"""Machine, depth (2 to the power of it threads, less one), gain, and what ours rests on."""


def scenario(machine: str, depth: int, bubbles: bool) -> str:
    """A tree of threads of this depth."""
    name, numa = MACHINES[machine]
    flag = "true" if bubbles else "false"
    levels = "\n".join(
        f"""programs.fib{i} = [
  {{ fork = {{ program = "fib{i - 1}", count = 2, threads = true, bubble = {flag} }} }},
  {{ join = 0 }}, {{ run = {{ uniform = ["{LEAF_US // 2}us", "{LEAF_US * 3 // 2}us"] }} }},
]"""
        for i in range(1, depth)
    )
    told = "a bubble around each and its descendants" if bubbles else "no bubbles"
    return f"""about = "Divide and conquer with {2**depth - 1} threads, {told}."
expect = "with bubbles fewer moves between caches and nodes, and less time"
machine = "{name}"
scheduler = "burst"

[costs]
numa_one_hop = {numa}
fork = "3300ns"
exit = "500ns"
switch = "150ns"
syscall = "60ns"
wake = "100ns"
ipi = "200ns"
idle_exit = "200ns"
refill_same_cpu = "200ns"
refill_smt = "300ns"
refill_llc = "{REFILL_US["llc"]}us"
refill_node = "{REFILL_US["node"]}us"
refill_remote = "{REFILL_US["remote"]}us"

[workload]
limit = "10s"
programs.fib0 = [{{ run = {{ uniform = ["{LEAF_US // 2}us", "{LEAF_US * 3 // 2}us"] }} }}]
{levels}
bubbles.all = {{}}
threads = [{{ program = "fib{depth - 1}", bubble = "all" }}]
"""


def _rows(measure: Measure) -> Iterator[Row]:
    for machine, depth, paper, basis in PAPER:
        without = measure(_run(machine, depth, False, "burst"))
        for scheduler in ("burst", "steal"):
            run = _run(machine, depth, True, scheduler)
            measured = measure(run)
            gain = 100 * (without.ended.end_ns / measured.ended.end_ns - 1)
            # The document's bubbles burst.
            told = (paper, basis) if scheduler == "burst" else ("not told", "not told")
            name = f"{machine}, {2**depth} threads"
            yield Row(name, scheduler, told[0], f"{gain:.0f} %", told[1], measured.wasted, run)


def _run(machine: str, depth: int, bubbles: bool, scheduler: str) -> Run:
    name = f"fibonacci-{machine.replace(' ', '-')}-{2**depth}-{scheduler if bubbles else 'without'}"
    return Run(name, scenario(machine, depth, bubbles), scheduler)


EXPERIMENT = Experiment(
    "fibonacci",
    "divide and conquer with bubbles and without",
    "time saved: without bubbles over with, less one",
    "COSET 2005, figure 5",
    _rows,
)
