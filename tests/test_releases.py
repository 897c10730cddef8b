"""The same schedule, written as each kernel release and tool version would, gives the same verdict.

`make test` takes every release, every tool version and every machine once; `make matrix` all of their combinations
(RELEASES=all), on more schedules. The truth of a schedule is what the second oracle says of it, to the nanosecond.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from oracle.obvious import Result
from releases import perfdata, schedule
from releases.cells import Cell, cells
from releases.ftrace import MACHINES
from releases.reading import Figures, figures, imported
from releases.schedule import PINNED, Schedule
from releases.tables import kernels
from releases.truth import truth
from samples import ALL
from wastenot import collector

SEEDS = (1, 2, 4) if ALL else (1,)
AFFINITY = tuple(f"{name}={cpus[0]}-{cpus[-1]}" for name, cpus in PINNED.items())


def chosen() -> list[Cell]:
    """All cells, or so many that each release has each format, and each version each rule."""
    every = list(cells())
    if ALL:
        return every
    random.Random(0).shuffle(every)
    covered: set[tuple[str, ...]] = set()
    picked = []
    for cell in every:
        release, tool, *machine = cell.name.split(", ")
        wanted = {(cell.format, part) for part in cell.name.split(", ")} | {(tool, part) for part in machine}
        wanted.add((tool, cell.kernel.rule) if cell.format == "CTF" else (release, cell.format))
        if not wanted <= covered:
            covered |= wanted
            picked.append(cell)
    return picked


CELLS = chosen()


@cache
def happened(seed: int) -> tuple[Schedule, Result]:
    """A schedule and its truth."""
    made = schedule.make(seed)
    return made, truth(made)


episodes: dict[int, dict[str, int]] = {}
"""Episodes by grade, by seed, as the first cell had them: the oracle does not grade durations."""


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_the_verdict_does_not_depend_on_who_wrote_the_trace(tmp_path: Path, cell: Cell, seed: int) -> None:
    made, true = happened(seed)
    cell.write(tmp_path / "trace", cell.schedule(made))
    with imported(tmp_path / "trace", AFFINITY) as con:
        found = figures(con)
    assert as_true(found) == as_true(true)
    assert found.episodes == episodes.setdefault(seed, found.episodes)


def as_true(found: Figures | Result) -> tuple[int, int, int, dict[str, int], Counter[tuple[int, str, int, int]]]:
    """The figures that checker and oracle have in common."""
    return found.idle_while_waiting, found.wasted, found.certain, found.excused, found.threads


def test_the_schedules_are_worth_comparing() -> None:
    for seed in SEEDS:
        _, true = happened(seed)
        assert 0 < true.certain < true.wasted < true.idle_while_waiting
        assert all(true.excused[excuse] for excuse in ("per_cpu_thread", "affinity", "irq_busy"))
        assert not true.inferred, "nothing in a schedule has to be repaired"


def test_every_release_tool_and_machine_is_in_the_matrix() -> None:
    every = list(cells())
    assert len(every) > 600
    for kind in ("text", "trace.dat", "perf.data", "perfetto", "CTF"):
        assert parts(CELLS, kind) == parts(every, kind)


def parts(some: list[Cell], kind: str) -> set[str]:
    """What the names of the cells of a format are made of: releases, tools, machines."""
    return {part for cell in some if cell.format == kind for part in cell.name.split(", ")}


def test_perf_data_without_the_formats_of_its_events_is_refused_in_one_line(tmp_path: Path) -> None:
    perfdata.write(tmp_path / "perf.data", happened(1)[0], kernels()["6.1"], MACHINES[0], tracing=False)
    with pytest.raises(collector.WastenotError, match="formats of its events are missing") as error:
        imported(tmp_path / "perf.data")
    assert "\n" not in str(error.value)
