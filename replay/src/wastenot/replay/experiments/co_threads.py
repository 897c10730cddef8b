"""SCHED_RR2 against SCHED_RR: processes whose threads write the same data, on four cores of two hardware threads.

Source: Milić, Jelenković, *Improving thread scheduling by thread grouping in heavily loaded many-core processor
systems*, MIPRO 2014, table 1.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from wastenot.replay.experiments.model import Basis, Experiment, Measure, Row, Run

SMALL = 290
"""Thousandths of the time spent on data that co-threads write. Calibrated: 11 x 5, small, 16.02 %."""
MEDIUM = 215
"""The same with data of medium size. Calibrated: 9 x 3, medium, 12.15 %."""
LARGER = MEDIUM * MEDIUM // SMALL
"""Larger data: as much less again."""
SEEDS = (1, 2, 3, 4, 5)

PAPER: tuple[tuple[int, int, str, int, str, Basis], ...] = (
    (7, 1, "small", SMALL, "0.37 %", "predicted"),
    (11, 5, "small", SMALL, "16.02 %", "calibrated"),
    (9, 3, "small", SMALL, "14.29 %", "predicted"),
    (9, 3, "medium", MEDIUM, "12.15 %", "calibrated"),
    (9, 3, "larger", LARGER, "9.93 %", "predicted"),
)
"""Processes, threads of each, size of the data, its share of the time, and the document's improvement."""


def scenario(processes: int, threads: int, sharing: int) -> str:
    """Threads operate on the data of their process and wait for something now and then, for 10 s as in the document."""
    rows = "\n".join(
        f'  {{ program = "operate", name = "process{i}", count = {threads}, threads = true, sharing = {sharing}, '
        f"policy = {{ rr = 10 }} }},"
        for i in range(processes)
    )
    return f"""about = "{processes} processes of {threads} threads that write the same data, on 8 CPUs in pairs."
expect = "with rr2 more operations than with rr where processes have several threads"
machine = "1n8s2"
scheduler = "rr2"
evidence = "L1"

[workload]
limit = "10s"
programs.operate = [
  {{ repeat = {{ body = [
    {{ repeat = {{ times = 50, body = [{{ run = {{ exponential = "200us" }} }}, {{ mark = "operation" }}] }} }},
    {{ sleep = {{ exponential = "10ms" }} }},
  ] }} }},
]
threads = [
{rows}
]
"""


def _rows(measure: Measure) -> Iterator[Row]:
    for processes, threads, size, sharing, paper, basis in PAPER:
        gains = []
        for seed in SEEDS:
            done = []
            for scheduler in ("rr", "rr2"):
                name = f"co-threads-{processes}x{threads}-{size}-{scheduler}-{seed}"
                run = Run(name, scenario(processes, threads, sharing), scheduler, seed)
                measured = measure(run)
                done.append(measured.ended.marks["operation"][0])
            gains.append(100 * (done[1] / done[0] - 1))
        name = f"{processes} processes x {threads}, {size}"
        ours = f"{statistics.fmean(gains):.2f} % ({min(gains):.1f} to {max(gains):.1f})"
        yield Row(name, "rr2 over rr", paper, ours, basis, measured.wasted, run)


EXPERIMENT = Experiment(
    "co-threads",
    "SCHED_RR2, which groups the threads of a process, against SCHED_RR",
    "operations more than under rr, mean of five seeds and their range",
    "MIPRO 2014, table 1",
    _rows,
)
