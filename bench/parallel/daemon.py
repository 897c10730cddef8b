"""How much of what a daemon takes from one of two equal ranks is attributed to it, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from wastenot.analyzer.balance.application import Application

from bench.parallel import programs
from bench.parallel.measured_ranks import Floats, compare, iterations, released
from bench.parallel.part import counted, repeated, spread
from bench.parallel.programs import (
    AHEAD,
    AS_ROOT,
    CPUS,
    DAEMON_NAME,
    SLEEPING,
    application,
    mpirun_bound,
    places,
    record,
)
from bench.report import Section

HIT = 1
"""The rank on the daemon's CPU."""
LOAD = ["26", "0.02", "1", "1"]
CASES = {
    "OpenMP (libgomp), sleeps; no calls": "libgomp",
    "Open MPI, spins; --mpi": "Open MPI",
}


@dataclass(frozen=True)
class Attributed:
    """One recording. `lost`: share of iterations, by wastenot and by the ranks' own clocks; `intrinsic`: the ranks' own
    part of it; the daemon's part of what is lost in iterations and in the run; `of_taken`: of what it made iterations
    lose by its own log."""

    evidence: str
    is_first: bool
    lost: tuple[float, float]
    intrinsic: float
    in_iterations: float
    in_run: float
    of_taken: float


def taken(bursts: Sequence[tuple[float, float]], phases: Floats) -> float:
    """How long the bursts overlap the phases, each a row of start and end, in the same unit. Neither overlap
    themselves."""
    total = 0.0
    for start, end in bursts:
        total += float(np.clip(np.minimum(phases[:, 1], end) - np.maximum(phases[:, 0], start), 0, None).sum())
    return total


def phases_of(own: dict[str, Any], rank: int, start_ns: float, end_ns: float) -> Floats:
    """When a rank computed or was to compute, by its own clock: from the release of a barrier to its arrival at the
    next one (ns), between two instants. Before the first barrier: from the start on."""
    arrived = np.array(own["ranks"][rank]["arrived"]) * 1e9
    phases = np.stack([np.concatenate([[start_ns], released(own)[:-1]]), arrived], axis=1)
    within: Floats = np.clip(phases, start_ns, end_ns)
    return within


def attributed(app: Application, own: dict[str, Any], bursts: Sequence[tuple[float, float]]) -> Attributed:
    """What one recording says of the daemon."""
    compared = compare(app, own)
    segment = iterations(app)
    noise = next((s for s in app.sources if s.name == DAEMON_NAME), None)
    in_ns = [(start * 1e9, end * 1e9) for start, end in bursts]
    took = taken(in_ns, phases_of(own, HIT, segment.start_ns, segment.end_ns))
    # What one of n equal ranks is kept from, it ends later than all do on average by 1 - 1/n of it.
    costs = took * (1 - 1 / len(app.ranks))
    return Attributed(
        app.evidence,
        noise is not None and app.sources[0] is noise,
        (float(compared.lost[0][0]), float(compared.lost[1][0])),
        float(compared.lost[0][1] / compared.lost[0][0]),
        noise.in_iterations_ns / app.lost_in_iterations_ns if noise else 0.0,
        noise.extrinsic_ns / app.lost_ns if noise else 0.0,
        noise.in_iterations_ns / costs if noise else 0.0,
    )


def once(start: Callable[[], tuple[list[str], list[str], dict[str, str]]], folder: Path) -> Attributed:
    """Record a program beside the daemon. `start`: the command, options of `wastenot record`, the environment."""
    folder.mkdir(parents=True, exist_ok=True)
    command, options, environment = start()
    with programs.daemon(CPUS[HIT]) as noise:
        trace, own = record(folder, command, *options, **environment)
    with trace:
        return attributed(application(trace), own, noise.bursts)


def start_of(runtime: str, program: Path) -> tuple[list[str], list[str], dict[str, str]]:
    """Two equal ranks, each bound to a CPU, ahead of all but the daemon."""
    command = [*AHEAD, str(program), *LOAD]
    if runtime == "Open MPI":
        return mpirun_bound(CPUS, command), ["--mpi"], AS_ROOT
    return command, [], {**SLEEPING, **places(CPUS)}


def measure(built: dict[str, Path], folder: Path, repetitions: int) -> Section:
    """Both programs, as far as they are here."""
    todo = {
        name: partial(once, partial(start_of, runtime, built[runtime]), folder / "daemon")
        for name, runtime in CASES.items()
        if runtime in built
    }
    return section(repeated(todo, repetitions, "daemon"), repetitions)


def section(found: dict[str, list[Attributed]], repetitions: int) -> Section:
    """The table."""
    table = Section(
        "A daemon beside equal ranks",
        f"Two ranks with equal loads, one on each CPU, and a thread `{DAEMON_NAME}` that takes 6 of each 26 ms from "
        "one of them. Lost: share of the iterations, by wastenot and by the ranks' own clocks. Of that: the daemon's "
        "part, and the intrinsic one (ranks that compute unequally long); the daemon's part of what the run loses, "
        "which holds the start of the program as well. Of what it took: the loss in iterations that wastenot "
        "attributes to it, as a share of what its own log of when it ran and the rank's of when it had to compute make "
        "of it. Named: recordings in which it is the first source of the list. "
        f"Median (range) of {repetitions} recordings, in turns.",
        [
            "program, how ranks wait; recorded with", "evidence", "lost, %", "lost by their clocks, %",
            "its part in iterations, %", "intrinsic there, %", "its part in the run, %", "of what it took, %", "named",
            "recordings",
        ],
    )  # fmt: skip
    for name, of in found.items():
        table.add(
            name,
            ", ".join(sorted({a.evidence for a in of})) or "–",
            spread((100 * a.lost[0] for a in of), 2),
            spread((100 * a.lost[1] for a in of), 2),
            spread((100 * a.in_iterations for a in of), 1),
            spread((100 * a.intrinsic for a in of), 1),
            spread((100 * a.in_run for a in of), 1),
            spread((100 * a.of_taken for a in of), 1),
            counted(sum(a.is_first for a in of), len(of)),
            counted(len(of), repetitions),
        )
    return table
