"""SCHED_RR2 against SCHED_RR: processes whose threads write the same data, on four cores of two hardware threads.

Source: Milić, Jelenković, *Improving thread scheduling by thread grouping in heavily loaded many-core processor
systems*, MIPRO 2014, table 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from wastenot.replay.experiments.model import SEEDS, Basis, Constant, Experiment, Measure, Row, Run, RunResult, spread

CPUS = 8
"""i7-2670QM: four cores of two hardware threads behind one last-level cache."""
SMALL = 60
"""Thousandths of the time spent on data that co-threads write, when it is small. Calibrated: 11 x 5, small, 16.02 %."""
CACHE_CYCLES = {"small": 4, "medium": 12, "larger": 28}
"""Cycles of a load from the cache that holds the data: first level, second level, last level (26 to 31). Source: Intel
64 and IA-32 Architectures Optimization Reference Manual, Sandy Bridge, load latencies. That small, medium and larger
data are of these caches' sizes is assumed."""
OTHER_CORE_CYCLES = 60
"""The same for a line that another core has modified (same table)."""
REPEATS = 50
OPERATION_US = 200
SLEEP_MS = 10
"""A thread sleeps after so many operations of such mean length, for such a mean time. Assumed."""

IN_TURN = "threads dealt out over the CPUs in turn"
ONE_CPU = "all threads on one CPU"
BY_PROCESS = "each process on one CPU"
"""Where the threads are when the clock starts. The document does not say; rows of other placements are variations."""

PAPER: tuple[tuple[int, int, str, str, Basis], ...] = (
    (7, 1, "small", "0.37 %", "predicted"),
    (11, 5, "small", "16.02 %", "calibrated"),
    (9, 3, "small", "14.29 %", "predicted"),
    (9, 3, "medium", "12.15 %", "predicted"),
    (9, 3, "larger", "9.93 %", "predicted"),
)
"""Processes, threads of each, size of the data, the document's improvement, and how ours came about."""


def sharing(size: str) -> int:
    """Thousandths of the time on shared data: the small data's accesses, each as long as its cache takes."""
    slower = CACHE_CYCLES[size] / CACHE_CYCLES["small"]
    return round(1000 * SMALL * slower / (1000 - SMALL + SMALL * slower))


def miss_factor(size: str) -> int:
    """Time of an access to a line that another core has modified, in thousandths of one to the own cache."""
    return round(1000 * OTHER_CORE_CYCLES / CACHE_CYCLES[size])


def scenario(processes: int, threads: int, size: str, placement: str = IN_TURN) -> str:
    """Threads operate on the data of their process and sleep now and then, for 10 s as in the document.

    All threads exist when the clock starts. A launcher would be an ordinary thread, and starved once every CPU has a
    real-time thread to run, as the threads never end.
    """
    rows = "\n".join(
        f'  {{ program = "operate", name = "process{i}", count = {threads}, threads = true, '
        f'sharing = {sharing(size)}, policy = {{ rr = 10 }}, placed = "{_cpus(i, threads, placement)}" }},'
        for i in range(processes)
    )
    return f"""about = "{processes} processes of {threads} threads that write the same data, on 8 CPUs in pairs."
expect = "with rr2 more operations than with rr where processes have several threads"
machine = "1n8s2"
scheduler = "rr2"
evidence_level = "L1"
costs = {{ shared_llc = {miss_factor(size)} }}

[workload]
limit = "10s"
programs.operate = [
  {{ repeat = {{ body = [
    {{ repeat = {{ times = {REPEATS}, body = [
      {{ run = {{ exponential = "{OPERATION_US}us" }} }}, {{ mark = "operation" }},
    ] }} }},
    {{ sleep = {{ exponential = "{SLEEP_MS}ms" }} }},
  ] }} }},
]
threads = [
{rows}
]
"""


def _cpus(process: int, threads: int, placement: str) -> str:
    """The CPUs on which a process's threads are when the clock starts."""
    if placement == ONE_CPU:
        return "0"
    if placement == BY_PROCESS:
        return str(process % CPUS)
    return ",".join(str(cpu) for cpu in sorted({(process * threads + i) % CPUS for i in range(threads)}))


def _rows(measure: Measure) -> Iterator[Row]:
    for processes, threads, size, paper, basis in PAPER:
        yield _row(measure, processes, threads, size, paper, basis)
    for placement in (ONE_CPU, BY_PROCESS):
        for processes, threads, size, _, _ in PAPER[1:3]:
            yield _row(measure, processes, threads, size, "-", "variation", placement)


def _row(
    measure: Measure, processes: int, threads: int, size: str, paper: str, basis: Basis, placement: str = IN_TURN
) -> Row:
    """How many operations more rr2 does than rr, over all seeds."""
    text = scenario(processes, threads, size, placement)
    name = f"{processes} processes x {threads}, {size}" + (f", {placement}" if placement != IN_TURN else "")
    slug = f"co-threads-{processes}x{threads}-{size}-{placement.replace(' ', '-')}"

    def run(scheduler: str, seed: int) -> Run:
        shown = scheduler == "rr2" and seed == SEEDS[0]
        return Run(f"{slug}-{scheduler}-{seed}", text, scheduler, seed, checked=shown)

    def done(measured: RunResult) -> int:
        return measured.outcome.marks["operation"][0]

    grouped = [measure(run("rr2", seed)) for seed in SEEDS]
    plain = [measure(run("rr", seed)) for seed in SEEDS]
    gains = [100 * (done(a) / done(b) - 1) for a, b in zip(grouped, plain, strict=True)]
    return Row(name, "rr2 over rr", paper, spread(gains, " %"), basis, grouped[0].wasted, run("rr2", SEEDS[0]))


EXPERIMENT = Experiment(
    "co-threads",
    "SCHED_RR2, which groups the threads of a process, against SCHED_RR",
    "operations more than under rr, mean of five seeds and their range",
    "MIPRO 2014, table 1",
    _rows,
    (
        Constant("time on data that co-threads write, small data", f"{SMALL / 10} %", "calibrated: 11 x 5, small"),
        *(
            Constant(f"the same, {size} data", f"{sharing(size) / 10} %", "as many accesses, to a slower cache")
            for size in ("medium", "larger")
        ),
        *(
            Constant(f"cache that holds {size} data", f"{cycles} cycles", "Intel's manual; which cache it is: assumed")
            for size, cycles in CACHE_CYCLES.items()
        ),
        Constant("line that another core has modified", f"{OTHER_CORE_CYCLES} cycles", "Intel's manual"),
        Constant("threads when the clock starts", "in turn", "assumed: " + IN_TURN),
        Constant("work between two sleeps, mean", f"{REPEATS * OPERATION_US / 1000:g} ms", "assumed"),
        Constant("sleep, mean", f"{SLEEP_MS} ms", "assumed"),
    ),
)
