"""Real OpenMP and MPI programs under the recorder: what a trace says of their ranks beside what each measures itself.

Needs root, eBPF, two CPUs and a C compiler with OpenMP; for the programs of MPI Open MPI, for clang's runtime libomp.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from wastenot._native import collector
from wastenot.analyzer import Trace, open_trace
from wastenot.analyzer.balance.advice import advise
from wastenot.analyzer.balance.application import Application
from wastenot.analyzer.balance.decomposition import PLACE
from wastenot.analyzer.balance.measuring import Selection, balance_of

SOURCE = Path(__file__).parents[2] / "fixtures/ranks/ranks.c"
CPUS = sorted(os.sched_getaffinity(0))[:2]
pytestmark = [
    pytest.mark.skipif(json.loads(collector.doctor())["source"] != "ebpf", reason="`wastenot doctor`: no eBPF here"),
    pytest.mark.skipif(len(CPUS) < 2, reason="ranks need two CPUs"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler (`make build` installs gcc)"),
]
DAEMON = """
import ctypes, os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
open("/proc/self/comm", "w").write("noise-maker")
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(2))
while os.getppid() == int(sys.argv[2]):
    until = time.monotonic() + 0.006
    while time.monotonic() < until:
        pass
    time.sleep(0.02)
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("program") / "ranks"
    built = subprocess.run(
        ["cc", "-O1", "-fopenmp", "-o", str(out), str(SOURCE)], capture_output=True, text=True, check=False
    )
    if "libgomp" in built.stderr or "-fopenmp" in built.stderr:
        pytest.skip("this C compiler has no OpenMP")
    assert built.returncode == 0, built.stderr
    return out


@contextmanager
def daemon(cpu: int) -> Iterator[None]:
    """A thread `noise-maker` that takes a CPU for 6 ms of each 26, ahead of all others."""
    command = [sys.executable, "-c", DAEMON, str(cpu), str(os.getpid())]
    with subprocess.Popen(command) as noise:
        try:
            yield
        finally:
            noise.kill()


def record(folder: Path, command: list[str], *options: str, **environment: str) -> tuple[Trace, dict[str, Any]]:
    """A recording of the program, and what it measured."""
    out = folder / "T.duckdb"
    ran = subprocess.run(
        [sys.executable, "-m", "wastenot.cli", "record", "-q", "-o", str(out), *options, "--", *command],
        capture_output=True, text=True, timeout=300, check=False, env={**os.environ, **environment},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return open_trace(out), json.loads(ran.stdout)


def application(trace: Trace, name: str = "ranks") -> Application:
    (found,) = balance_of(trace, Selection(app=name)).applications
    return found


def compare(app: Application, own: dict[str, Any], ranks: int) -> None:
    """U and compute of each rank, in its iterations, are within two points of what it measured, and what was left out
    of the figures (the program measures that too)."""
    measured = {r["tid"]: r for r in own["ranks"]}
    assert len(app.ranks) == ranks
    segment = max(app.segments, key=lambda s: s.end - s.first)
    assert segment.kind == "iterations" and segment.windows >= 0.8 * (segment.end - segment.first)
    parts = app.by_segment[segment.number - 1]
    left_out = 1 - segment.length_ns / (segment.end_ns - segment.start_ns)
    for r in app.ranks:
        by_itself = measured[r.rank.tid]
        seen = app.utilization_in_iterations[r.rank.number], parts[r.rank.number, PLACE["compute"]] / segment.length_ns
        print(f"rank {r.rank.number}: U {seen[0]:.4f}, by itself {by_itself['utilization']:.4f}; ", end="")
        print(f"compute {seen[1]:.4f}, by itself {by_itself['compute']:.4f}")
        assert seen == pytest.approx((by_itself["utilization"], by_itself["compute"]), abs=0.02 + left_out)


def test_ranks_that_sleep_have_the_utilization_that_they_measure(program: Path, tmp_path: Path) -> None:
    trace, own = record(tmp_path, [str(program), "40", "0.005", "1", "4", "1", "4"], OMP_WAIT_POLICY="passive")
    with trace:
        app = application(trace)
    assert app.has_iterations and app.state == "imbalanced"
    measured = {r["tid"]: r for r in own["ranks"]}
    assert len(app.ranks) == 4
    for r in app.ranks:
        by_itself, compute = measured[r.rank.tid], app.totals[r.rank.number, 0] / app.length_ns
        print(f"rank {r.rank.number}: U {r.utilization:.4f}, by itself {by_itself['utilization']:.4f}; ", end="")
        print(f"compute {compute:.4f}, by itself {by_itself['compute']:.4f}")
        assert r.utilization == pytest.approx(by_itself["utilization"], abs=0.02)
        assert compute == pytest.approx(by_itself["compute"], abs=0.02)
    assert app.efficiency.load_balance == pytest.approx(0.625, abs=0.02)


def test_it_is_found_without_being_named(program: Path, tmp_path: Path) -> None:
    trace, _ = record(tmp_path, [str(program), "40", "0.005", "1", "4", "1", "4"], OMP_WAIT_POLICY="passive")
    with trace:
        found = [a for a in balance_of(trace).applications if a.crew.name == "ranks"]
    assert [len(a.ranks) for a in found] == [4]


def test_ranks_that_spin_are_not_visible(program: Path, tmp_path: Path) -> None:
    environment = {"OMP_WAIT_POLICY": "active", "GOMP_SPINCOUNT": "infinity", "KMP_BLOCKTIME": "infinite"}
    trace, own = record(tmp_path, [str(program), "40", "0.005", "1", "4"], **environment)
    with trace:
        app = application(trace)
        advice = advise(trace, balance_of(trace, Selection(app="ranks")))[0]
    assert own["ranks"][0]["utilization"] < 0.9, "one of them waits, by what it measured"
    assert app.state == "not_visible"
    assert advice.recommendations == ()


ACTIVE = {"OMP_WAIT_POLICY": "active", "GOMP_SPINCOUNT": "infinity", "KMP_BLOCKTIME": "infinite"}
LOADS = {2: ["1", "4"], 4: ["1", "4", "1", "4"]}


@pytest.mark.parametrize("ranks", LOADS)
@pytest.mark.parametrize("policy", ["active", "passive"])
def test_with_calls_ranks_that_spin_have_the_utilization_that_they_measure(
    program: Path, tmp_path: Path, policy: str, ranks: int
) -> None:
    environment = ACTIVE if policy == "active" else {"OMP_WAIT_POLICY": "passive"}
    trace, own = record(tmp_path, [str(program), "40", "0.01", *LOADS[ranks]], "--openmp", **environment)
    with trace:
        app = application(trace)
        notes = trace.sql("SELECT unnest(notes) AS note FROM trace").rows()
    assert app.level == "H1" and app.calls is not None and app.state == "imbalanced"
    assert not [n for n in notes if "OpenMP" in n["note"]]
    names = {c.name: (c.kind, c.calls) for c in app.calls.counts}
    assert names["GOMP_barrier"] == ("barrier", 40 * ranks) and names["GOMP_parallel"] == ("parallel", 1)
    assert names["main._omp_fn.0"] == ("work", ranks)
    compare(app, own, ranks)
    assert app.efficiency.load_balance == pytest.approx(0.625, abs=0.02)
    if policy == "active" and ranks == 2:
        spins = [r.parts[PLACE["spin"]] for r in app.ranks]
        assert spins[0] > 5 * spins[1] and spins[0] > 0.05 * app.whole_ns, "it spins while it waits"


def test_with_calls_ranks_of_libomp_have_the_utilization_that_they_measure(tmp_path: Path) -> None:
    out = tmp_path / "ranks"
    command = ["clang", "-O1", "-fopenmp=libomp", "-o", str(out), str(SOURCE)]
    if shutil.which("clang") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no clang with libomp (Debian: libomp-dev)")
    trace, own = record(tmp_path, [str(out), "40", "0.01", "1", "4"], "--openmp", **ACTIVE)
    with trace:
        app = application(trace)
    assert app.level == "H1" and app.calls is not None
    assert {c.kind for c in app.calls.counts} == {"work", "parallel", "barrier"}
    compare(app, own, 2)


def test_calls_of_a_stripped_program_are_seen_as_far_as_its_library_shows_them(program: Path, tmp_path: Path) -> None:
    stripped = tmp_path / "ranks"
    subprocess.run(["strip", "-o", str(stripped), str(program)], check=True)
    trace, own = record(tmp_path, [str(stripped), "40", "0.01", "1", "4"], "--openmp", **ACTIVE)
    with trace:
        app = application(trace)
        notes = [row["note"] for row in trace.sql("SELECT unnest(notes) AS note FROM trace")]
    assert app.calls is not None and {c.kind for c in app.calls.counts} == {"parallel", "barrier"}
    assert [n for n in notes if "it is stripped" in n]
    compare(app, own, 2)


def test_a_program_that_the_command_starts_later_is_found_while_it_runs(program: Path, tmp_path: Path) -> None:
    command = ["sh", "-c", f"sleep 0.2; exec {program} 100 0.01 1 4"]
    trace, own = record(tmp_path, command, "--openmp", **ACTIVE)
    with trace:
        app = application(trace)
        (late,) = trace.sql("SELECT note FROM (SELECT unnest(notes) AS note FROM trace) WHERE note LIKE '% of ranks %'")
    print(late["note"])
    assert app.level == "H1" and app.calls is not None and app.calls.total > 150
    compare(app, own, 2)


def test_without_such_a_library_one_line_says_so(tmp_path: Path) -> None:
    out = tmp_path / "T.duckdb"
    ran = subprocess.run(
        [sys.executable, "-m", "wastenot.cli", "record", "--openmp", "--mpi", "-o", str(out), "--", "true"],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    text = " ".join((ran.stdout + ran.stderr).split())
    assert "calls of OpenMP (no libgomp, libomp or libiomp5 in the command or a running process)" in text
    assert "calls of MPI (no libmpi or libmpich in the command or a running process)" in text


@pytest.fixture(scope="module")
def mpi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("mpicc") is None or shutil.which("mpirun") is None:
        pytest.skip("no MPI (Debian: openmpi-bin libopenmpi-dev)")
    out = tmp_path_factory.mktemp("program") / "mpi-ranks"
    subprocess.run(["mpicc", "-O1", "-o", str(out), str(SOURCE.with_name("mpi.c"))], check=True)
    return out


@pytest.mark.parametrize(("ranks", "yields"), [(2, "0"), (4, "1")])
def test_with_calls_ranks_of_mpi_have_the_utilization_that_they_measure(
    mpi: Path, tmp_path: Path, ranks: int, yields: str
) -> None:
    command = ["mpirun", "-n", str(ranks), "--oversubscribe", "--mca", "mpi_yield_when_idle", yields]
    environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    trace, own = record(tmp_path, [*command, str(mpi), "40", "0.01", *LOADS[ranks]], "--mpi", **environment)
    with trace:
        app = application(trace, "mpi-ranks")
    assert app.level == "H1" and app.calls is not None and app.crew.found_by == "launcher"
    assert {c.name: c.calls for c in app.calls.counts}["PMPI_Barrier"] == 40 * ranks
    compare(app, own, ranks)
    assert app.efficiency.load_balance == pytest.approx(0.625, abs=0.02)


def test_a_daemon_on_the_cpu_of_one_of_equal_ranks_is_found_and_named(program: Path, tmp_path: Path) -> None:
    environment = {"OMP_WAIT_POLICY": "passive", "OMP_PROC_BIND": "true", "OMP_PLACES": f"{{{CPUS[0]}}},{{{CPUS[1]}}}"}
    # Ahead of what else runs here, behind the daemon.
    command = ["chrt", "--fifo", "1", str(program), "60", "0.02", "1", "1"]
    with daemon(CPUS[1]):
        trace, _ = record(tmp_path, command, **environment)
    with trace:
        app = application(trace)
    noise = app.sources[0]
    kinds: dict[str, float] = {}
    for source in app.sources:
        kinds[source.kind] = kinds.get(source.kind, 0.0) + source.extrinsic_ns / app.length_ns
    print(f"lost {app.lost_ns / app.length_ns:.2%}, intrinsic {app.intrinsic_ns / app.length_ns:.2%}, extrinsic "
          f"{app.extrinsic_ns / app.length_ns:.2%}, {noise.name} {noise.extrinsic_ns / app.length_ns:.2%}, "
          + ", ".join(f"{kind} {share:.2%}" for kind, share in kinds.items()))  # fmt: skip
    assert app.state == "imbalanced"
    assert (noise.kind, noise.name) == ("thread", "noise-maker")
    assert app.extrinsic_ns >= 0.95 * app.lost_ns
    # What else the machine does meanwhile (interrupts, other threads) is measured too: the daemon comes first by far.
    threads = sum(abs(s.extrinsic_ns) for s in app.sources if s.kind == "thread")
    assert noise.extrinsic_ns >= 0.9 * threads
    assert noise.extrinsic_ns >= 0.75 * app.lost_ns


def test_a_daemon_beside_ranks_of_mpi_is_nearly_all_that_iterations_lose(mpi: Path, tmp_path: Path) -> None:
    # Ranks ahead of what else runs here and behind the daemon, for less than the 0.95 s that real-time threads may run
    # before others get a part of the CPU.
    ranks = [
        ["-n", "1", "taskset", "-c", str(cpu), "chrt", "--fifo", "1", str(mpi), "26", "0.02", "1", "1"] for cpu in CPUS
    ]
    environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    with daemon(CPUS[1]):
        command = ["mpirun", "--bind-to", "none", *ranks[0], ":", *ranks[1]]
        trace, own = record(tmp_path, command, "--mpi", **environment)
    with trace:
        app = application(trace, "mpi-ranks")
    (noise,) = (s for s in app.sources if s.name == "noise-maker")
    inside = noise.in_iterations_ns / app.lost_in_iterations_ns
    print(f"noise-maker: {inside:.2%} of what iterations lose, {noise.extrinsic_ns / app.lost_ns:.2%} of the run")
    compare(app, own, 2)
    assert app.level == "H1" and noise.kind == "thread"
    assert 0.95 <= inside <= 1.05
    assert all(abs(s.in_iterations_ns) < 0.05 * app.lost_in_iterations_ns for s in app.sources if s is not noise)


def test_placement_as_advised_is_no_slower_than_the_kernels(program: Path, tmp_path: Path) -> None:
    load = [str(program), "40", "0.005", "1", "4", "1", "4"]
    trace, before = record(tmp_path, load, OMP_WAIT_POLICY="passive")
    with trace:
        advice = advise(trace, balance_of(trace, Selection(app="ranks")))[0]
    placement = advice.placement
    assert placement is not None
    assert sorted(placement.cpus) == [CPUS[0], CPUS[0], CPUS[1], CPUS[1]]
    assert placement.cpus[1] != placement.cpus[3], "the heavy ranks do not share a CPU"
    places = ",".join(f"{{{cpu}}}" for cpu in placement.cpus)
    environment = {"OMP_WAIT_POLICY": "passive", "OMP_PROC_BIND": "true", "OMP_PLACES": places}
    after = json.loads(
        subprocess.run(load, capture_output=True, text=True, check=True, env={**os.environ, **environment}).stdout
    )
    promised = [r for r in advice.recommendations if r.kind == "placement"]
    print(
        f"before {before['length']:.3f} s, as advised {after['length']:.3f} s, promised {[r.saves for r in promised]}"
    )
