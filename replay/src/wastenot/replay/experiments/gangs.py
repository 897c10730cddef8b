"""Three gangs of busy threads share four processors.

Source: Thibault, Namyst, Wacrenier, *Building Portable Thread Schedulers for Hierarchical Multiprocessors: the
BubbleSched Framework*, Euro-Par 2007, figure 3.
"""

from __future__ import annotations

from collections.abc import Iterator

from wastenot.replay.experiments.model import Basis, Constant, Experiment, Measure, Row, Run
from wastenot.replay.scenarios import find

PAPER = {"0": "26.4", "1": "22.2", "2": "19.3"}
"""Percent of a CPU per thread, the mean over a gang's threads in the listing."""


def _rows(measure: Measure) -> Iterator[Row]:
    text = find("gangs").text
    for scheduler in ("gang", "simple", "burst", "steal"):
        run = Run(f"gangs-{scheduler}", text, scheduler)
        measured = measure(run)
        for gang in measured.outcome.threads:
            share = 100 * gang["run_ns"] / gang["threads"] / measured.outcome.end_ns
            published = scheduler == "gang"
            paper = PAPER[gang["name"]] if published else "-"
            name = f"gang {gang['name']}, {gang['threads']} threads"
            basis: Basis = "predicted" if published else "no figure"
            yield Row(name, scheduler, paper, f"{share:.1f}", basis, measured.wasted, run)


EXPERIMENT = Experiment(
    "gangs",
    "three gangs of busy threads on four processors",
    "% of a CPU for each thread",
    "Euro-Par 2007, figure 3",
    _rows,
    (Constant("time slice of gangs", "10 ms", "assumed"), Constant("length of the run", "6 s", "assumed")),
)
