"""An application as JSON in the layout of TALP, the profiler of DLB (Barcelona Supercomputing Center), for its readers.

Names and units are those of DLB 3.5 (`src/talp/talp_output.c`): times in ns, efficiencies as shares, one object per
region. The region `Global` is the whole run, `iterations` the part of it that repeats. TALP measures a rank between
calls and so counts time in which the machine kept it from a CPU as useful; here useful is what it computed. What a
trace does not record has no field, or is null where TALP-Pages asks for the field.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from wastenot._native import version
from wastenot.analyzer.balance.application import Application
from wastenot.analyzer.balance.decomposition import PLACE
from wastenot.analyzer.balance.metrics import Efficiency
from wastenot.analyzer.balance.timelines import Ints
from wastenot.analyzer.errors import BadArgument, OutputExists
from wastenot.analyzer.result import Queryable
from wastenot.analyzer.store.temporary_files import finish, temporary_beside

LAYOUT = "3.5.1"
"""The version of DLB whose layout this is. TALP-Pages chooses how to read a file by it."""


def export_talp(trace: Queryable, application: Application, target: Path, *, force: bool = False) -> int:
    """Write the figures of an application as `target`; returns the number of regions.

    Raises OutputExists, BadArgument where the name does not end in `.json` or the balance is not visible, NoAccess,
    DiskFull.
    """
    if target.suffix != ".json":
        raise BadArgument(f"{target}: the name of a file of TALP ends in .json; its readers look for that")
    if application.state == "not_visible":
        raise BadArgument(
            f"{target}: the balance of {application.crew.name} is not visible, so that there are no figures to write; "
            "record with --openmp or --mpi"
        )
    if target.exists() and not force:
        raise OutputExists(target)
    epoch_ns = trace.sql("SELECT epoch_ns FROM trace").one()["epoch_ns"]
    shown = talp_json(application, epoch_ns)
    with temporary_beside(target) as written:
        written.write_text(json.dumps(shown, indent=2, allow_nan=False) + "\n", encoding="utf-8")
        finish(written, target)
    return len(shown["Application"])


def talp_json(a: Application, epoch_ns: int | None) -> dict[str, Any]:
    """The content of the file. `epoch_ns`: the time of day at 0 ns of the trace; None: not recorded."""
    regions = list(_regions(a))
    at = {} if epoch_ns is None else {"timestamp": _time_of_day(epoch_ns + a.start_ns)}
    processes = {"Process": {name: _processes(a, parts, e) for name, parts, e, _ in regions}} if _of_mpi(a) else {}
    return {
        "dlbVersion": f"{LAYOUT}-wastenot",
        **at,
        "wastenot": {
            "version": version(), "application": a.crew.name, "ranks": a.crew.kind, "evidence_level": a.evidence,
            "state": a.state, "bounds": a.level == "H0", "observed_share": a.length_ns / a.whole_ns,
        },
        "resources": _resources(a),
        "Application": {name: _region(a, name, parts, e, entered) for name, parts, e, entered in regions},
        **processes,
    }  # fmt: skip


_Region = tuple[str, Ints, Efficiency, int]
"""Name, ns by rank and part, efficiency, and how often the ranks went through it."""


def _regions(a: Application) -> Iterator[_Region]:
    yield "Global", a.totals, a.efficiency, 1
    repeating = [s for s in a.segments if s.kind == "iterations" and s.windows]
    for number, s in enumerate(repeating, 1):
        name = "iterations" if len(repeating) == 1 else f"iterations-{number}"
        yield name, a.by_segment[s.number - 1], s.efficiency, s.windows


def _of_mpi(a: Application) -> bool:
    """Whether the ranks are written as those of MPI: TALP has no other processes."""
    return a.crew.kind != "threads"


def _resources(a: Application) -> dict[str, int]:
    count = len(a.ranks)
    return {"numCpus": count, "numNodes": 1, "numMpiRanks": count if _of_mpi(a) else 0}


def _region(a: Application, name: str, parts: Ints, e: Efficiency, entered: int) -> dict[str, Any]:
    cycles, instructions = _counted(a) if name == "Global" else (0, 0)
    return {
        **_resources(a),
        "cycles": cycles,
        "instructions": instructions,
        "numMeasurements": entered * len(a.ranks),
        "elapsedTime": e.length_ns,
        "usefulTime": int(parts[:, PLACE["compute"]].sum()),
        "parallelEfficiency": e.parallel_efficiency,
        **(_efficiencies_of_mpi(e) if _of_mpi(a) else _efficiencies_of_openmp(e)),
    }


def _efficiencies_of_mpi(e: Efficiency) -> dict[str, float | None]:
    """A trace is of one node: all imbalance is within it."""
    return {
        "mpiParallelEfficiency": e.parallel_efficiency,
        "mpiCommunicationEfficiency": e.communication_efficiency,
        "mpiLoadBalance": e.load_balance,
        "mpiLoadBalanceIn": e.load_balance,
        "mpiLoadBalanceOut": 1.0,
    }


def _efficiencies_of_openmp(e: Efficiency) -> dict[str, float | None]:
    """TALP splits what is lost besides imbalance into scheduling and serialization; a trace has the product alone."""
    return {
        "ompParallelEfficiency": e.parallel_efficiency,
        "ompLoadBalance": e.load_balance,
        "ompSchedulingEfficiency": None,
        "ompSerializationEfficiency": None,
    }


def _counted(a: Application) -> tuple[int, int]:
    """Cycles and instructions of all computing; 0, as TALP writes it, where they were not counted beside calls (H2)."""
    sums = [0.0, 0.0]
    for rank, parts in zip(a.ranks, a.totals, strict=True):
        if a.evidence != "H2" or rank.counters is None:
            return 0, 0
        # Runs that touch a call are not counted: what was counted stands for all computing of the rank.
        times = int(parts[PLACE["compute"]]) / rank.counters.counted_ns
        sums[0] += rank.counters.cycles * times
        sums[1] += rank.counters.instructions * times
    return round(sums[0]), round(sums[1])


def _processes(a: Application, parts: Ints, e: Efficiency) -> list[dict[str, Any]]:
    return [
        {
            "rank": r.rank.number, "pid": r.rank.tid if r.rank.tgid is None else r.rank.tgid, "nodeId": 0, "numCpus": 1,
            "elapsedTime": e.length_ns, "usefulTime": int(parts[r.rank.place, PLACE["compute"]]),
        }
        for r in a.ranks
    ]  # fmt: skip


def _time_of_day(ns: int) -> str:
    """As DLB writes it, without a zone; in UTC."""
    return f"{datetime.fromtimestamp(ns / 1e9, UTC):%Y-%m-%dT%H:%M:%S}"
