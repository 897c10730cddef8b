"""What the parts of `python -m bench.parallel` share: repetitions, some of which may fail, and their figures."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TypeVar

from bench.recorders import BenchError
from bench.rounds import interleaved

T = TypeVar("T")


def repeated(todo: Mapping[str, Callable[[], T]], repetitions: int, what: str) -> dict[str, list[T]]:
    """The measurements of each contender, in turns. One that could not be made is said on stderr and left out."""
    found = interleaved({name: partial(_or_none, name, once) for name, once in todo.items()}, repetitions, what)
    return {name: [one for one in of if one is not None] for name, of in found.items()}


def _or_none(name: str, once: Callable[[], T]) -> T | None:
    try:
        return once()
    except BenchError as e:
        print(f"\nbench: {name}: {e}", file=sys.stderr)
        return None


def counted(made: int, repetitions: int) -> str:
    """How many of the repetitions have a figure."""
    return str(made) if made == repetitions else f"{made} of {repetitions}"


def spread(values: Iterable[float], digits: int, sign: str = "") -> str:
    """Median and range, as `1.25 (1.20 … 1.31)`; a dash for none, no range for one value or where all look the same.

    `sign`: `+` to write the sign of each.
    """
    of = sorted(values)
    if not of:
        return "–"
    median, low, high = (f"{value:{sign}.{digits}f}" for value in (statistics.median(of), of[0], of[-1]))
    return median if low == high else f"{median} ({low} … {high})"
