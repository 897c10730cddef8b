"""Divide and conquer: each thread makes two and waits for them, with and without a bubble around each thread
and all that descends from it.

Source: Thibault, *A flexible thread scheduler for hierarchical multiprocessor machines*, COSET-2, 2005, figure 5 and
tables of section 5.1 (costs of Marcel's threads).
"""

from __future__ import annotations

from collections.abc import Iterator

from wastenot.replay.experiments.model import Basis, Constant, Experiment, Measure, Row, Run

LEAF_US = 20
"""Work of a thread that makes no others; the others do as much when both are back. Assumed."""
REFILL_US = {"llc": 4, "node": 8, "remote": 24}
"""What a thread's stack and result cost on another CPU. Calibrated: 4x4 Itanium, 32 threads, 40 %."""
VARIATION = 3
"""Rows at the end show what these costs do when they are so many times as high."""

MACHINES = {"bi-Xeon": ("1n4l2s2", 1000), "4x4 Itanium": ("4n16l4", 3000)}
FEW = "a loss with few threads"
PAPER: tuple[tuple[str, int, str, Basis], ...] = (
    ("bi-Xeon", 3, FEW, "predicted"),
    ("bi-Xeon", 4, "30 to 40 %", "predicted"),
    ("bi-Xeon", 6, "30 to 40 %", "predicted"),
    ("4x4 Itanium", 4, FEW, "predicted"),
    ("4x4 Itanium", 5, "40 %", "calibrated"),
    ("4x4 Itanium", 9, "80 %", "predicted"),
)
"""Machine, depth (2 to the power of it threads, less one), the document's gain or words, and how ours came about. The
document does not say how many threads are few; here they are half of the fewest that it gives a gain for."""


def scenario(machine: str, depth: int, bubbles: bool, times: int = 1) -> str:
    """A tree of threads of this depth; the costs of a thread on another CPU `times` as high."""
    name, numa = MACHINES[machine]
    flag = "true" if bubbles else "false"
    levels = "\n".join(
        f"""programs.fib{i} = [
  {{ fork = {{ program = "fib{i - 1}", count = 2, threads = true, bubble = {flag} }} }},
  {{ join = 0 }}, {{ run = {{ uniform = ["{LEAF_US // 2}us", "{LEAF_US * 3 // 2}us"] }} }},
]"""
        for i in range(1, depth)
    )
    kind = "a bubble around each and its descendants" if bubbles else "no bubbles"
    return f"""about = "Divide and conquer with {2**depth - 1} threads, {kind}."
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
refill_llc = "{REFILL_US["llc"] * times}us"
refill_node = "{REFILL_US["node"] * times}us"
refill_remote = "{REFILL_US["remote"] * times}us"

[workload]
limit = "10s"
programs.fib0 = [{{ run = {{ uniform = ["{LEAF_US // 2}us", "{LEAF_US * 3 // 2}us"] }} }}]
{levels}
bubbles.all = {{}}
threads = [{{ program = "fib{depth - 1}", bubble = "all" }}]
"""


def _rows(measure: Measure) -> Iterator[Row]:
    for machine, depth, paper, basis in PAPER:
        yield from _gains(measure, machine, depth, paper, basis)
    for machine, depth, _, basis in PAPER:
        if basis == "calibrated" or machine == "bi-Xeon":
            yield from _gains(measure, machine, depth, "-", "variation", VARIATION)


def _gains(measure: Measure, machine: str, depth: int, paper: str, basis: Basis, times: int = 1) -> Iterator[Row]:
    """Time without bubbles over time with, less one. The document's bubbles burst; `steal` is beside it."""
    without = measure(_run(machine, depth, False, "burst", times))
    for scheduler in ("burst", "steal"):
        run = _run(machine, depth, True, scheduler, times)
        measured = measure(run)
        gain = 100 * (without.outcome.end_ns / measured.outcome.end_ns - 1)
        name = f"{machine}, {2**depth} threads" + (f", costs x {times}" if times > 1 else "")
        published = scheduler == "burst" or basis == "variation"
        yield Row(
            name, scheduler, paper if published else "-", f"{round(gain)} %", basis if published else "no figure",
            measured.wasted, run,
        )  # fmt: skip


def _run(machine: str, depth: int, bubbles: bool, scheduler: str, times: int) -> Run:
    parts = ("fibonacci", machine.replace(" ", "-"), str(2**depth), scheduler if bubbles else "without")
    name = "-".join(parts if times == 1 else (*parts, f"costs-x{times}"))
    return Run(name, scenario(machine, depth, bubbles, times), scheduler)


EXPERIMENT = Experiment(
    "fibonacci",
    "divide and conquer with bubbles and without",
    "time saved: without bubbles over with, less one",
    "COSET 2005, figure 5",
    _rows,
    (
        Constant(
            "a thread's stack and result from another CPU of the same cache, node, another node",
            " / ".join(f"{us} µs" for us in REFILL_US.values()),
            "calibrated: 4x4 Itanium, 32 threads",
        ),
        Constant("making a thread", "3.3 µs", "the document; 0.4 µs more with a bubble"),
        Constant("a thread's own work, mean", f"{LEAF_US} µs", "assumed"),
        Constant("time of memory of another node, 4x4 Itanium", "3 times", "the document"),
    ),
)  # fmt: skip
