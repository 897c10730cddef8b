"""DLRB, the dynamic load and resource balancer, beside priorities by hand and the class hpc.

Source: Boneti, thesis, UPC 2009, section 5.3, figures 5.3, 5.5, 5.7 and 5.8.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from wastenot.replay.experiments.hpc import bt_mz, metbench, siesta
from wastenot.replay.experiments.hpc.case import KEPT, SOURCE, compared
from wastenot.replay.experiments.model import Basis, Constant, Experiment, Measure, Row, Run

SAME, ANY = "same-conditions", "any-iteration"
"""Rules of a change of phase: of iterations under the same conditions only; of any two, as the thesis says."""
VARIANTS = {"static": "static", "hpc-adaptive": "HPCSched", SAME: "DLRB", ANY: "DLRB, any bitmap"}

Works = Sequence[Sequence[int]]

METBENCH: tuple[tuple[str, Works, dict[str, float]], ...] = (
    ("Metbench, 10 iterations", metbench.constant_load(), {"static": 85, "hpc-adaptive": 88, SAME: 89}),
    ("Metbench, 100 iterations", metbench.constant_load(100), {"static": 85, SAME: 85.5}),
    ("MetbenchVar, k = 15", metbench.alternating_load(),
     {"static": 150, "hpc-adaptive": 89, SAME: 95}),
    ("MetbenchVar, k = 45", metbench.alternating_load(180, 45), {SAME: 88}),
)  # fmt: skip
"""Works, and percents of the standard time: figures 5.3 and 5.5, and section 5.3.1 and 5.3.2."""


def _percent(name: str, variant: str, run: Run, measure: Measure, standard: float, paper: float | None) -> Row:
    result = measure(run)
    ours = 100 * result.outcome.end_ns / standard
    basis: Basis = "variation" if variant == ANY else "predicted" if paper is not None else "no figure"
    shown = f"{paper:g} %" if paper is not None else "-"
    text = compared(ours, paper, "%", 1) if paper is not None else f"{ours:.1f} %"
    return Row(f"{name}: {VARIANTS[variant]}", run.scheduler, shown, text, basis, result.wasted, run)


def _rows(measure: Measure) -> Iterator[Row]:
    speeds = metbench.CHAPTER_4
    for number, (name, works, paper) in enumerate(METBENCH):
        prefix = f"hpc-dlrb-metbench{number}"
        standard = measure(Run(f"{prefix}-standard", metbench.scenario(works, speeds), "kernel", checked=False))
        texts = {
            "static": metbench.scenario(works, speeds, metbench.STATIC),
            "hpc-adaptive": metbench.scenario(works, speeds, policy="hpc", bound=False),
            SAME: metbench.scenario(works, speeds, bound=False, dlrb=SAME),
            ANY: metbench.scenario(works, speeds, bound=False, dlrb=ANY),
        }
        for variant, text in texts.items():
            run = Run(f"{prefix}-{variant}", text, variant if variant.startswith("hpc") else "kernel")
            figure = paper.get(SAME if variant == ANY else variant)
            yield _percent(name, variant, run, measure, standard.outcome.end_ns, figure)
    yield from _rows_of_kept_priorities(measure)
    yield from _rows_of_bt_mz(measure)
    yield from _rows_of_siesta(measure)


def _rows_of_kept_priorities(measure: Measure) -> Iterator[Row]:
    """What wrong priorities cost where waiting keeps them."""
    name, works, paper = METBENCH[2]
    kept = [(times, *(_kept_work(work) for work in of_ranks)) for times, *of_ranks in works]
    speeds = metbench.KEPT_SPEEDS
    text = metbench.scenario(kept, speeds, kept=True)
    standard = measure(Run("hpc-dlrb-kept-standard", text, "kernel", checked=False))
    texts = {
        "static": metbench.scenario(kept, speeds, metbench.STATIC, kept=True),
        SAME: metbench.scenario(kept, speeds, bound=False, dlrb=SAME, kept=True),
    }
    for variant, text in texts.items():
        run = Run(f"hpc-dlrb-kept-{variant}", text, "kernel")
        row = _percent(f"{name}, {KEPT}", variant, run, measure, standard.outcome.end_ns, paper[variant])
        yield dataclasses.replace(row, basis="variation")


def _kept_work(work: int) -> int:
    return metbench.KEPT_SMALL_MS if work == metbench.SMALL_MS else metbench.KEPT_LARGE_MS


BT_MZ: tuple[tuple[str, float, dict[str, float]], ...] = (
    ("BT-MZ, class A", 1.0, {"static": 83, "hpc-adaptive": 84, SAME: 84}),
    ("BT-MZ, class B", 304 * 208 * 17 / (128 * 128 * 16), {"static": 84, "hpc-adaptive": 84, SAME: 84}),
    ("BT-MZ, class C", 480 * 320 * 28 / (128 * 128 * 16), {"static": 83, "hpc-adaptive": 84, SAME: 84}),
)
"""How much more work a process has than in class A, and percents of the standard time: figure 5.7. The thesis has no
works of B and C; assumed is that they grow with the number of grid points (NASA Ames, NPB multi-zone versions)."""


def _rows_of_bt_mz(measure: Measure) -> Iterator[Row]:
    equal = (4, 4, 4, 4)
    for number, (name, scale, paper) in enumerate(BT_MZ):
        works = [scale * work for work in bt_mz.WORKS_S]
        prefix = f"hpc-dlrb-bt{number or ''}"
        standard = measure(
            Run(f"{prefix}-standard", bt_mz.scenario(works, bt_mz.IN_ORDER, equal), "kernel", checked=False)
        )
        texts = {
            "static": bt_mz.scenario(works, bt_mz.BY_WEIGHT, (4, 4, 5, 6)),
            "hpc-adaptive": bt_mz.scenario(works, bt_mz.BY_WEIGHT, equal, policy="hpc", bound=False),
            SAME: bt_mz.scenario(works, bt_mz.IN_ORDER, equal, bound=False, dlrb=True),
        }
        for variant, text in texts.items():
            run = Run(f"{prefix}-{variant}", text, variant if variant.startswith("hpc") else "kernel")
            yield _percent(name, variant, run, measure, standard.outcome.end_ns, paper[variant])


def _rows_of_siesta(measure: Measure) -> Iterator[Row]:
    standard = measure(Run("hpc-dlrb-siesta-standard", siesta.benzene(), "kernel", checked=False))
    texts = {
        "hpc-adaptive": (siesta.benzene("hpc", bound=False), 94),
        SAME: (siesta.benzene(bound=False, dlrb=True), 95),
    }
    for variant, (text, paper) in texts.items():
        run = Run(f"hpc-dlrb-siesta-{variant}", text, variant if variant.startswith("hpc") else "kernel")
        yield _percent("SIESTA, benzene", variant, run, measure, standard.outcome.end_ns, paper)


EXPERIMENT = Experiment(
    "hpc-dlrb",
    "the dynamic load and resource balancer, beside priorities by hand and the class hpc",
    "percent of the time with equal priorities; how far ours are off",
    f"{SOURCE}, figures 5.3 to 5.8",
    _rows,
    (
        Constant("iterations of MetbenchVar", "45 with k = 15, 180 with k = 45", "the thesis"),
        Constant("Metbench, BT-MZ, SIESTA", "as in their experiments", "calibrated there, not here"),
        Constant("works of BT-MZ, classes B and C", "4.10 and 16.41 times those of A",
                 "assumed: as the number of grid points (NPB-MZ)"),
        Constant("high utilisation, in the bitmap of a phase", "95 %", "the thesis"),
        Constant("threshold of the resource balancer; priorities", "20 %; 4 to 6", "the thesis"),
        Constant("bitmaps compared", "of iterations with the same priorities and places", "assumed; variation: any"),
        Constant("placed at first, Metbench", "P2 and P4 on one core", "the thesis: dealt out in turn"),
    ),
)  # fmt: skip
