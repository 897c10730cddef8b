"""Experiments of documents about bubbles, thread grouping, imbalance and soft real time, run again in the simulator.

Each has its scenarios, a table of the document's figures, and says which constants were chosen to meet which row; the
other rows are predictions. docs/experiments.md explains what deviates.
"""

from __future__ import annotations

from wastenot.replay.experiments import co_threads, conduction, fibonacci, gangs, hpc, lu, soft_realtime
from wastenot.replay.experiments.model import Experiment, Measure, Row, Run, RunResult

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        conduction.EXPERIMENT, fibonacci.EXPERIMENT, gangs.EXPERIMENT, lu.EXPERIMENT, co_threads.EXPERIMENT,
        *hpc.EXPERIMENTS, soft_realtime.EXPERIMENT,
    )
}  # fmt: skip
"""All of them, by name."""

__all__ = ["EXPERIMENTS", "Experiment", "Measure", "Row", "Run", "RunResult"]
