"""Calls of MPI and OpenMP that a preloaded library reports (`record --call-library`), beside what programs measure.

Needs root, eBPF, two CPUs, LTTng-UST and its session daemon, a C compiler with OpenMP; Open MPI, MPICH, and clang's
libomp.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from wastenot._native import collector
from wastenot.analyzer.balance.application import Application
from wastenot.collector.calls import LIBRARY, call_library

from bench.parallel.measured_ranks import compare, shown
from bench.parallel.programs import (
    AS_ROOT,
    BUILDS,
    LOADS,
    PACKAGES,
    SPINNING,
    STARTERS,
    NotInstalled,
    application,
    build,
    mpirun,
    record,
)

pytestmark = [
    pytest.mark.skipif(json.loads(collector.doctor())["source"] != "ebpf", reason="`wastenot doctor`: no eBPF here"),
    pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="ranks need two CPUs"),
    pytest.mark.skipif(call_library() is None, reason=f"no {LIBRARY} (liblttng-ust-dev, then `make build`)"),
    pytest.mark.skipif(shutil.which("lttng") is None, reason="no lttng-tools"),
]
BARRIERS = {
    "libgomp": "GOMP_barrier",
    "libomp": "barrier explicit",
    "Open MPI": "MPI_Barrier",
    "MPICH": "MPI_Barrier",
}


def recorded(runtime: str, folder: Path) -> tuple[Application, dict[str, Any], list[str]]:
    """A program with loads 1:4 as recorded, what it measured itself, and the notes of its trace."""
    try:
        program = build(runtime, folder)
    except NotInstalled as e:
        pytest.skip(str(e))
    start = mpirun(runtime, 2) if runtime in STARTERS else []
    command = [*start, str(program), "40", "0.01", *LOADS[2]]
    trace, own = record(folder, command, "--call-library", **SPINNING, **AS_ROOT)
    with trace:
        notes = [row["note"] for row in trace.sql("SELECT unnest(notes) AS note FROM trace")]
        return application(trace), own, notes


@pytest.mark.parametrize("runtime", BUILDS)
def test_ranks_compute_what_they_measure_and_wait_in_the_calls_that_they_report(runtime: str, tmp_path: Path) -> None:
    app, own, notes = recorded(runtime, tmp_path)
    assert app.level == "H1" and app.calls is not None and app.has_iterations
    counts = {c.name: c.calls for c in app.calls.counts}
    assert counts[BARRIERS[runtime]] == 80
    assert not [note for note in notes if "no application reported" in note]
    compared = compare(app, own)
    print(f"{runtime}: {shown(app, compared)}")
    for seen, by_itself, leaving in zip(compared.seen, compared.measured, compared.leaving, strict=True):
        assert seen[0] == pytest.approx(by_itself[0], abs=0.02)
        assert by_itself[1] - 0.02 <= seen[1] <= by_itself[1] + leaving + 0.02
    assert app.efficiency.load_balance == pytest.approx(0.625, abs=0.02)


LENGTHS = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int rank;
	double data[16] = {0};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		MPI_Send(data, 7, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(data, 16, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Bcast(data, 3, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Allreduce(MPI_IN_PLACE, data, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, 8, MPI_CHAR, MPI_COMM_WORLD);
	MPI_Gather(data, 5, MPI_SHORT, data + 8, 5, MPI_SHORT, 0, MPI_COMM_WORLD);
	MPI_Bcast(data, 0, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Finalize();
	if (rank == 0)
		puts("{}");
	return 0;
}
"""


@pytest.mark.parametrize("runtime", STARTERS)
def test_messages_have_the_lengths_that_the_program_gives(runtime: str, tmp_path: Path) -> None:
    """In bytes, at the entry; where data stays in place, count and type of the other side mean nothing."""
    compiler = BUILDS[runtime][0]
    if shutil.which(compiler) is None or shutil.which(STARTERS[runtime]) is None:
        pytest.skip(f"no {runtime} ({PACKAGES[runtime]})")
    (tmp_path / "lengths.c").write_text(LENGTHS)
    subprocess.run([compiler, "-o", tmp_path / "lengths", tmp_path / "lengths.c"], check=True)
    command = [*mpirun(runtime, 2, yields=runtime == "Open MPI"), str(tmp_path / "lengths")]
    trace, _ = record(tmp_path, command, "--call-library", **AS_ROOT)
    with trace:
        found = trace.sql(
            "SELECT name, bytes FROM region_event WHERE enter AND name LIKE 'MPI_%' AND name NOT IN"
            " ('MPI_Init', 'MPI_Finalize') ORDER BY name, bytes NULLS FIRST"
        ).rows()
    each_twice: dict[str, list[int | None]]
    each_twice = {"MPI_Allgather": [None], "MPI_Allreduce": [16], "MPI_Bcast": [0, 12], "MPI_Gather": [10]}
    expected = [(name, length) for name, lengths in each_twice.items() for length in lengths for _ in range(2)]
    assert [(row["name"], row["bytes"]) for row in found] == [*expected, ("MPI_Recv", 128), ("MPI_Send", 56)]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--call-library", "--for", "1s"], "it is preloaded into a command; give one"),
        (["--call-library", "--mpi", "--", "true"], "leave out --openmp and --mpi"),
    ],
)
def test_what_makes_no_sense_ends_in_one_line(options: list[str], why: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "wastenot.cli", "record", "-o", str(tmp_path / "T.duckdb"), *options]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 2 and why in ran.stderr and ran.stderr.count("\n") == 1
    assert not (tmp_path / "T.duckdb").exists()
