"""A pipeline of two programs on one core: an FFT, and an LU decomposition of its results in the iteration after.

Source: Boneti, thesis, UPC 2009, section 2.5.4, table 2.6.
"""

from __future__ import annotations

from collections.abc import Iterator

from wastenot.replay.experiments.hpc.case import SOURCE, Speeds, compared
from wastenot.replay.experiments.hpc.metbench import CHAPTER_3
from wastenot.replay.experiments.model import Basis, Constant, Experiment, Measure, Row, Run

FFT_MS, LU_MS = 1860, 260
"""Time alone. The thesis."""
FFT = Speeds({0: 907, 1: 921, 2: 974, 3: 995})
LU = Speeds({0: 619, -1: 542, -2: 406, -3: 112})
"""Thousandths of the speed alone, where waiting keeps the priority: a program's time alone over its time here.
Calibrated, each on its row: they show that one table fits, and predict nothing."""
PAPER: dict[tuple[int, int], tuple[float, float, float]] = {
    (4, 4): (2.05, 0.42, 2.05), (5, 4): (2.02, 0.48, 2.02), (6, 4): (1.91, 0.64, 1.91), (6, 3): (1.87, 2.33, 2.33),
}  # fmt: skip
"""Priorities of FFT and LU; seconds of FFT, of LU, of an iteration."""
ALONE = 2.12
"""An iteration of one program after the other."""


def scenario(priorities: tuple[int, int], fft: Speeds, lu: Speeds, kept: bool) -> str:
    """One iteration in the middle of the pipeline: both programs start at once."""
    return f"""about = "An FFT and an LU decomposition on the two hardware threads of a core."
expect = "none: one thread per CPU"
machine = "1n2s2"
release = "4.1"

[workload]
limit = "60s"
waiting_keeps_priority = {str(kept).lower()}
loads.fft = {fft.toml()}
loads.lu = {lu.toml()}
programs.FFT = [{{ run = "{FFT_MS}ms" }}]
programs.LU = [{{ run = "{LU_MS}ms" }}]
threads = [
  {{ program = "FFT", placed = "0", cpus = "0", load = "fft", smt_priority = {priorities[0]} }},
  {{ program = "LU", placed = "1", cpus = "1", load = "lu", smt_priority = {priorities[1]} }},
]
"""


def _rows_of(measure: Measure, name: str, fft: Speeds, lu: Speeds, basis: Basis) -> Iterator[Row]:
    slug = "own" if basis == "calibrated" else "metbench"
    for priorities, paper in PAPER.items():
        run = Run(
            f"hpc-fft-lu-{slug}-{priorities[0]}{priorities[1]}",
            scenario(priorities, fft, lu, basis != "variation"),
            "kernel",
        )
        result = measure(run)
        ended = [(result.outcome.ended_ns(program) or 0) / 1e9 for program in ("FFT", "LU")]
        title = f"{priorities[0]},{priorities[1]}" + (f", {name}" if basis == "variation" else "")
        for what, theirs, ours in zip(("FFT", "LU", "iteration"), paper, (*ended, max(ended)), strict=True):
            yield Row(f"{title}: {what}", "kernel", f"{theirs:.2f} s", compared(ours, theirs, "s"), basis,
                      result.wasted, run)  # fmt: skip


def _rows(measure: Measure) -> Iterator[Row]:
    yield from _rows_of(measure, "own speeds", FFT, LU, "calibrated")
    yield from _rows_of(measure, "Metbench's speeds", CHAPTER_3, CHAPTER_3, "variation")


EXPERIMENT = Experiment(
    "hpc-fft-lu",
    "an FFT and an LU decomposition in a pipeline on one core, by their priorities",
    f"seconds of an iteration, {ALONE} one after the other; how far ours are off",
    f"{SOURCE}, table 2.6",
    _rows,
    (
        Constant("time alone, FFT and LU", f"{FFT_MS / 1000} s, {LU_MS / 1000} s", "the thesis"),
        Constant("speed of FFT by difference of priorities", FFT.text(), "calibrated, each on its row"),
        Constant("speed of LU by difference of priorities", LU.text(), "calibrated, each on its row"),
        Constant(
            "a program that waits or has ended", "keeps its priority", "assumed; not so with the speeds of Metbench"
        ),
    ),
)
