"""A tile from rows: those the checker stored for it, or the slices themselves. Columns in, an Arrow table out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

COLUMNS = 64
LANES = 64
TOP = 4
CELLS = COLUMNS * LANES
"""A cell is a bin of a lane: lane * COLUMNS + bin."""

Columns = Mapping[str, npt.NDArray[Any]]
"""Rows, column by column."""
Ints = npt.NDArray[np.int64]
Sums = npt.NDArray[np.float64]


def _zeros() -> Sums:
    return np.zeros(CELLS)


@dataclass
class Cells:
    """What the cells of one tile hold: ns, threads times ns, arrivals. Whole numbers below 2^53, so exact."""

    busy: Sums = field(default_factory=_zeros)
    idle: Sums = field(default_factory=_zeros)
    unobserved: Sums = field(default_factory=_zeros)
    waiting: Sums = field(default_factory=_zeros)
    wasted: Sums = field(default_factory=_zeros)
    migrations: Sums = field(default_factory=_zeros)
    utids: Ints = field(default_factory=lambda: np.zeros((TOP, CELLS), np.int64))
    ns: Sums = field(default_factory=lambda: np.zeros((TOP, CELLS)))

    def table(self, width: int) -> pa.Table:
        """The rows of the tile, of cells with anything in them, in the order of lanes, then bins."""
        held = self.busy + self.idle + self.unobserved + self.waiting + self.wasted + self.migrations > 0
        at = np.flatnonzero(held)

        def share(values: Sums) -> pa.Array:
            return pa.array((values[at] / width).astype(np.float32))

        columns: dict[str, Any] = {
            "lane": pa.array((at // COLUMNS).astype(np.uint8)),
            "bin": pa.array((at % COLUMNS).astype(np.uint8)),
            "busy": share(self.busy),
            "idle": share(self.idle),
            "unobserved": share(self.unobserved),
            "waiting": share(self.waiting),
            "wasted": share(self.wasted),
            "migrations": pa.array(np.minimum(self.migrations[at], 65_535).astype(np.uint16)),
        }
        for i in range(TOP):
            utids = self.utids[i][at].astype(np.int32)
            columns[f"utid{i + 1}"] = pa.array(utids, mask=utids == 0)
        for i in range(TOP):
            columns[f"share{i + 1}"] = share(self.ns[i])
        columns["rest"] = share(self.busy - self.ns.sum(axis=0))
        return pa.table(columns)


def stored(runs: Columns, loads: Columns, cpus: list[int], width: int) -> pa.Table:
    """The tile of rows of `tile_run` and `tile_load`."""
    cells = Cells()
    row, cell = _cells_of_rows(runs, cpus)
    cells.busy[cell] = _column(runs, "busy_ns")[row]
    cells.idle[cell] = _column(runs, "idle_ns")[row]
    cells.unobserved[cell] = _column(runs, "unobserved_ns")[row]
    for i in range(TOP):
        cells.utids[i][cell] = _column(runs, f"utid{i + 1}")[row]
        cells.ns[i][cell] = _column(runs, f"ns{i + 1}")[row]
    row, cell = _cells_of_rows(loads, cpus)
    measure, value = _column(loads, "measure")[row], _column(loads, "value")[row]
    for code, sums in enumerate((cells.waiting, cells.wasted, cells.migrations)):
        of = measure == code
        sums[cell[of]] = value[of]
    return cells.table(width)


def read(slices: Columns, queues: Columns, wasted: Columns, arrivals: Columns, cpus: list[int], width: int) -> pa.Table:
    """The tile of the rows that lie in it; their times count from its start."""
    cells = Cells()
    for rows, sums in ((queues, cells.waiting), (wasted, cells.wasted), (arrivals, cells.migrations)):
        row, cell, ns = _cut_at_bins(rows, cpus, width)
        sums += np.bincount(cell, ns * _column(rows, "weight")[row], CELLS)
    row, cell, ns = _cut_at_bins(slices, cpus, width)
    utid = _column(slices, "utid")[row]
    for sums, of in ((cells.busy, utid > 0), (cells.idle, utid == 0), (cells.unobserved, utid < 0)):
        sums += np.bincount(cell[of], ns[of], CELLS)
    _rank(cells, cell[utid > 0], utid[utid > 0], ns[utid > 0])
    return cells.table(width)


def _rank(cells: Cells, cell: Ints, utid: Ints, ns: Ints) -> None:
    """The TOP threads of each cell: most time first, then by utid."""
    pairs, of = np.unique(cell << 32 | utid, return_inverse=True)
    sums = np.bincount(of, ns, len(pairs))
    cell, utid = pairs >> 32, pairs & 0xFFFF_FFFF
    order = np.lexsort((utid, -sums, cell))
    cell, utid, sums = cell[order], utid[order], sums[order]
    place = np.arange(len(cell)) - np.searchsorted(cell, cell)
    for i in range(TOP):
        here = place == i
        cells.utids[i][cell[here]] = utid[here]
        cells.ns[i][cell[here]] = sums[here]


def _column(rows: Columns, name: str) -> Ints:
    return rows[name].astype(np.int64)


def _lanes(rows: Columns, cpus: list[int]) -> Ints:
    """The lane of each row's CPU; -1 for one that is not in this tile."""
    return _lane_of(tuple(cpus))[rows["cpu"]]


@lru_cache(maxsize=64)
def _lane_of(cpus: tuple[int, ...]) -> Ints:
    lanes = np.full(1 << 16, -1, np.int64)
    lanes[list(cpus)] = np.arange(len(cpus))
    return lanes


def _cells_of_rows(rows: Columns, cpus: list[int]) -> tuple[Ints, Ints]:
    """For each cell that rows fill: the row, and the cell."""
    lane, bins = _lanes(rows, cpus), _column(rows, "bins")
    bins = np.where(lane >= 0, bins, 0)
    row, step = _repeated(bins)
    return row, lane[row] * COLUMNS + _column(rows, "bin")[row] + step


def _cut_at_bins(rows: Columns, cpus: list[int], width: int) -> tuple[Ints, Ints, Ints]:
    """Rows cut at the bins' ends: the row, the cell and the length of each piece."""
    lane = _lanes(rows, cpus)
    a, b = np.maximum(_column(rows, "a"), 0), np.minimum(_column(rows, "b"), COLUMNS * width)
    first = a // width
    row, step = _repeated(np.where(lane >= 0, (b - 1) // width - first + 1, 0))
    bin = first[row] + step
    return row, lane[row] * COLUMNS + bin, np.minimum(b[row], (bin + 1) * width) - np.maximum(a[row], bin * width)


def _repeated(times: Ints) -> tuple[Ints, Ints]:
    """np.repeat over the indices, and the ordinal of each repetition."""
    index = np.repeat(np.arange(len(times)), times)
    return index, np.arange(len(index)) - np.repeat(np.cumsum(times) - times, times)
