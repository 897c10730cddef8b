"""LU factorizations on demand: several jobs of four or two threads at once on two nodes of two cores.

Source: Thibault, Namyst, Wacrenier, *Building Portable Thread Schedulers for Hierarchical Multiprocessors: the
BubbleSched Framework*, Euro-Par 2007, section 5, figures 4 and 5.
"""

from __future__ import annotations

from collections.abc import Iterator

from wastenot.replay.experiments.model import SEEDS, Basis, Constant, Experiment, Measure, Row, Run, cost, spread

JOB_MS = 400
"""Work of a job on one processor. The document's takes some 10 s."""
STEP_US = (870, 1130)
"""A thread's work between two synchronisations. Calibrated: two jobs of four threads in gangs, 3.5."""
TIMESLICE = "10ms"
JOBS = (1, 2, 4, 8)

PAPER: dict[tuple[int, str], str] = {
    (4, "kernel"): "very bad, erratic",
    (4, "simple"): "very bad, erratic",
    (4, "gang"): "3.5",
    (4, "gang-node"): "limited",
    (2, "kernel"): "very bad, erratic",
    (2, "simple"): "very bad, erratic",
    (2, "gang"): "2 at most",
    (2, "gang-node"): "quite well",
}


def scenario(jobs: int, ways: int, timeslice: str = TIMESLICE) -> str:
    """So many jobs of so many threads each; the bubbles are the natural ones: a thread and those it created."""
    steps = JOB_MS * 1000 // ways // ((STEP_US[0] + STEP_US[1]) // 2)
    low, high = STEP_US
    objects = "\n".join(f'objects.step{i} = {{ barrier = {{ parties = {ways}, wait = "spin" }} }}' for i in range(jobs))
    programs = "\n".join(
        f"programs.job{i} = [{{ repeat = {{ times = {steps}, body = ["
        f'{{ run = {{ uniform = ["{low}us", "{high}us"] }} }}, {{ barrier = "step{i}" }}] }} }}]'
        for i in range(jobs)
    )
    bubbles = ", ".join(f"job{i} = {{}}" for i in range(jobs))
    threads = "\n".join(
        f'  {{ program = "job{i}", count = {ways}, bubble = "job{i}", threads = true }},' for i in range(jobs)
    )
    return f"""about = "{jobs} LU jobs of {ways} threads each, which spin while they wait, on 2 nodes of 2 cores."
expect = "jobs in gangs run as fast as alone; otherwise threads spin for those that have no CPU"
machine = "2n4l2"
scheduler = "gang"
timeslice = "{timeslice}"

[workload]
limit = "60s"
{objects}
{programs}
bubbles = {{ {bubbles} }}
threads = [
{threads}
]
"""


def _rows(measure: Measure) -> Iterator[Row]:
    for (ways, scheduler), paper in PAPER.items():
        for jobs in JOBS:
            text = scenario(jobs, ways)
            speedups, wasted = [], None
            runs = [
                Run(f"lu-{ways}way-{jobs}jobs-{scheduler}-{seed}", text, scheduler, seed, checked=seed == SEEDS[0])
                for seed in SEEDS
            ]
            for run in runs:
                measured = measure(run)
                speedups.append(jobs * JOB_MS / (measured.outcome.end_ns / 1e6))
                wasted = measured.wasted if run.checked else wasted
            fitted = (ways, scheduler, jobs) == (4, "gang", 2)
            basis: Basis = "calibrated" if fitted else "predicted"
            name = f"{ways}-way, {jobs} job{'s' if jobs > 1 else ''}"
            yield Row(name, scheduler, paper, spread(speedups), basis, wasted, runs[0])


EXPERIMENT = Experiment(
    "lu",
    "mixed LU jobs on two nodes of two cores, generic and gang scheduling",
    "speedup over one processor, all jobs together, mean of five seeds and their range",
    "Euro-Par 2007, figure 5",
    _rows,
    (
        Constant("work between two synchronisations", f"{STEP_US[0] / 1000} to {STEP_US[1] / 1000} ms",
                 "calibrated: 4-way, 2 jobs, gang"),
        Constant("work of a job", f"{JOB_MS / 1000} s", "assumed; about 10 s in the document"),
        Constant("refilling caches on another CPU of the node", cost("refill_node"), "the simulator's constant"),
        Constant("refilling caches on a CPU of another node", cost("refill_remote"), "the simulator's constant"),
        Constant("time slice of gangs", TIMESLICE.replace("ms", " ms"), "assumed; 0.2 ms in the document"),
    ),
)  # fmt: skip
