"""Experiments: scenarios, each run under schedulers, and a row of a document beside each figure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from wastenot.replay.faults import constants
from wastenot.replay.simulation import SimulationOutcome

Basis = Literal["calibrated", "predicted", "no figure", "variation"]
"""A constant was chosen to meet the row; the row follows from the constants; the document has no figure for it; the row
shows what another value of a constant does, whatever value the document has."""


@dataclass(frozen=True)
class Run:
    """A scenario under a scheduler: `text` is its TOML, `scheduler` one of `schedulers()`.

    `checked` is False for the seeds of a row whose waste is not shown.
    """

    name: str
    text: str
    scheduler: str
    seed: int = 1
    checked: bool = True


@dataclass(frozen=True)
class RunResult:
    """The outcome of a run, and the share of its core-time that is wasted; None where it was not checked."""

    outcome: SimulationOutcome
    wasted: float | None


@dataclass(frozen=True)
class Row:
    """A row of the table.

    `paper` is the document's figure or words, `ours` the simulation's figure; `basis` says how it came about; `wasted`
    is the checker's verdict on the run that `run` repeats; a row of a model without a trace has neither.
    """

    name: str
    scheduler: str
    paper: str
    ours: str
    basis: Basis
    wasted: float | None
    run: Run | None = None


@dataclass(frozen=True)
class Constant:
    """A constant of an experiment's scenarios: what it is, its value with a unit, and where the value is from."""

    what: str
    value: str
    source: str


Measure = Callable[[Run], RunResult]


@dataclass(frozen=True)
class Experiment:
    """An experiment by name: `rows` measures and yields them as they come; `figure` says what the figures are.

    `constants` are those that decide its figures beside the simulator's own (`replay.constants()`).
    """

    name: str
    about: str
    figure: str
    source: str
    rows: Callable[[Measure], Iterator[Row]]
    constants: tuple[Constant, ...]


SEEDS = (1, 2, 3, 4, 5)
"""Seeds of rows that are shown as a mean and a range."""


def cost(name: str) -> str:
    """A time of the simulator's constants, as a table shows it."""
    return f"{constants()[name] / 1000:g} µs"


def spread(values: list[float], unit: str = "") -> str:
    """The mean of several seeds and their range."""
    return f"{fmean(values):.2f}{unit} ({min(values):.2f} to {max(values):.2f})"
