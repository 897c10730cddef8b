"""What the programs of fixtures/ranks measure of themselves, beside what a trace says of the same time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from wastenot.analyzer.balance.application import Application, Segment
from wastenot.analyzer.balance.decomposition import EXTRINSIC, PLACE

from bench.recorders import BenchError

Floats = NDArray[np.float64]

LEAST_COMPARED = 0.8
"""Share of the windows of iterations that has to be compared."""


@dataclass(frozen=True)
class Comparison:
    """Of each rank, in one and the same time (`length_ns`): U and computing as the trace has them and by itself."""

    length_ns: float
    seen: Floats
    """By rank: U, share of computing."""
    measured: Floats
    leaving: Floats
    """By rank: CPU time that it may have used to leave barriers, after the last rank had come, as a share of that time.
    A trace counts it as computing; the program cannot distinguish it from what it spun before."""
    lost: tuple[Floats, Floats]
    """Lost, intrinsic, extrinsic as shares of that time: of the trace, and of what the ranks measured."""


def released(own: dict[str, Any]) -> Floats:
    """When each barrier let all ranks go (ns): the last one arrived."""
    times: Floats = np.max([r["arrived"] for r in own["ranks"]], axis=0) * 1e9
    return times


def iterations(app: Application) -> Segment:
    """The segment with most windows, which has to be one of iterations. Raises BenchError."""
    segment = max(app.segments, key=lambda s: s.end - s.first)
    if segment.kind != "iterations":
        raise BenchError(f"no iterations found, but {segment.kind}")
    return segment


def compare(app: Application, own: dict[str, Any]) -> Comparison:
    """The trace beside the program, in the windows of iterations that were observed and lie between its first barrier
    and its last one. Each window is cut out of what the program measured, to the ns. Raises BenchError where too few
    are."""
    assert app.detail is not None
    by_tid = {r["tid"]: r for r in own["ranks"]}
    if [r.rank.tid for r in app.ranks] != [r["tid"] for r in own["ranks"]]:
        raise BenchError("ranks are not numbered as the program does")
    release = released(own)
    segment = iterations(app)
    of = np.arange(segment.first, segment.end)
    starts, ends = app.bounds[:-1], app.bounds[1:]
    of = of[app.observed[of] & (starts[of] >= release[0]) & (ends[of] <= release[-1])]
    if len(of) < LEAST_COMPARED * (segment.end - segment.first):
        raise BenchError(f"{len(of)} of {segment.end - segment.first} windows of iterations can be compared")
    length = float((ends[of] - starts[of]).sum())
    parts = app.detail[:, :, of].astype(np.float64)
    compute = parts[:, PLACE["compute"]]
    runnable = compute + sum(parts[:, PLACE[part]] for part in EXTRINSIC)
    own_runnable, own_compute, leaving = np.zeros_like(runnable), np.zeros_like(compute), np.zeros(len(runnable))
    for number, rank in enumerate(app.ranks):
        arrived, used, left, barrier = (
            np.array(by_tid[rank.rank.tid][key]) * 1e9 for key in ("arrived", "used", "left", "inside")
        )
        leaving[number] = np.minimum(barrier, left - release)[:-1].sum()
        for window, (start, end) in enumerate(zip(starts[of], ends[of], strict=True)):
            inside = np.clip(np.minimum(arrived[1:], end) - np.maximum(release[:-1], start), 0, None)
            own_runnable[number, window] = inside.sum()
            # Of a phase that a bound cuts, the CPU time is spread evenly.
            own_compute[number, window] = (used[1:] * inside / (arrived[1:] - release[:-1])).sum()
    return Comparison(
        length,
        np.stack([runnable.sum(axis=1), compute.sum(axis=1)], axis=1) / length,
        np.stack([own_runnable.sum(axis=1), own_compute.sum(axis=1)], axis=1) / length,
        leaving / length,
        (losses(runnable, compute) / length, losses(own_runnable, own_compute) / length),
    )


def losses(runnable: Floats, compute: Floats) -> Floats:
    """Lost, intrinsic and extrinsic time, by the definitions: runnable and computing by rank and window."""
    lost, intrinsic = (float((of.max(axis=0) - of.mean(axis=0)).sum()) for of in (runnable, compute))
    return np.array([lost, intrinsic, lost - intrinsic])


def shown(app: Application, compared: Comparison) -> str:
    """The figures as a table, for the log of a test."""
    lines = [f"compared in {compared.length_ns / 1e9:.3f} s"]
    for number, (seen, by_itself) in enumerate(zip(compared.seen, compared.measured, strict=True)):
        lines.append(
            f"rank {number}: U {seen[0]:.4f}, by itself {by_itself[0]:.4f}; compute {seen[1]:.4f}, by itself "
            f"{by_itself[1]:.4f}, leaving barriers up to {compared.leaving[number]:.4f}"
        )
    names = ("lost", "intrinsic", "extrinsic")
    lines += [f"{n} {a:.4f}, by itself {b:.4f}" for n, a, b in zip(names, *compared.lost, strict=True)]
    return "\n".join(lines)
