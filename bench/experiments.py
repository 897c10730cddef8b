"""Experiments of documents about bubbles and thread grouping, simulated: the tables of docs/experiments.md.

`python -m bench.experiments` prints them and needs no root; `wastenot experiment NAME` adds what each run wasted.
"""

from __future__ import annotations

from wastenot import replay
from wastenot.replay.experiments import EXPERIMENTS, Experiment, Measured, Run

from bench.report import Section


def measure() -> list[Section]:
    """A section per experiment."""
    return [_section(experiment) for experiment in EXPERIMENTS.values()]


def _section(experiment: Experiment) -> Section:
    how = f"{experiment.figure[0].upper()}{experiment.figure[1:]}."
    section = Section(experiment.about, how, ["row", "scheduler", experiment.source, "simulated", ""])
    for row in experiment.rows(_run):
        section.add(row.name, row.scheduler, row.paper, row.ours, row.basis)
    return section


def _run(run: Run) -> Measured:
    settings = replay.Settings(seed=run.seed, scheduler=run.scheduler)
    return Measured(replay.simulate(replay.parse(run.text, run.name), settings), None)


if __name__ == "__main__":
    for made in measure():
        print(made.markdown(), flush=True)
