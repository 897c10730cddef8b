"""What an experiment is: scenarios, each run under schedulers, and a row of a document beside each figure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from wastenot.replay.simulating import Ended

Basis = Literal["calibrated", "predicted", "not told"]
"""Whether a constant was chosen to meet a row, the row came out of it, or the document has no figure."""


@dataclass(frozen=True)
class Run:
    """A scenario under a scheduler: `text` is its TOML, `scheduler` one of `schedulers()`."""

    name: str
    text: str
    scheduler: str
    seed: int = 1


@dataclass(frozen=True)
class Measured:
    """How a run ended, and the share of its core-time that the checker calls wasted; None where it was not checked."""

    ended: Ended
    wasted: float | None


@dataclass(frozen=True)
class Row:
    """A row of the table.

    `paper` is the document's figure as it stands there, `ours` the simulation's; `basis` says what ours rests on;
    `wasted` is the checker's verdict on the run that `run` repeats.
    """

    name: str
    scheduler: str
    paper: str
    ours: str
    basis: Basis
    wasted: float | None
    run: Run


Measure = Callable[[Run], Measured]


@dataclass(frozen=True)
class Experiment:
    """An experiment by name: `rows` measures and yields them as they come; `figure` says what the figures are."""

    name: str
    about: str
    figure: str
    source: str
    rows: Callable[[Measure], Iterator[Row]]
