"""Real OpenMP and MPI programs under the recorder: what a trace says of their ranks beside what each measures itself.

Needs root, eBPF, two CPUs and a C compiler with OpenMP; for programs of MPI Open MPI and MPICH, for clang's runtime
libomp.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from wastenot._native import collector
from wastenot.analyzer.balance.advice import advise, part_of_run
from wastenot.analyzer.balance.application import Application
from wastenot.analyzer.balance.decomposition import PLACE
from wastenot.analyzer.balance.measuring import Selection, balance_of

from bench.parallel.measured_ranks import Comparison, compare, shown
from bench.parallel.programs import (
    AHEAD,
    AS_ROOT,
    CPUS,
    LOADS,
    SLEEPING,
    SPINNING,
    NotInstalled,
    application,
    build,
    daemon,
    mpirun,
    mpirun_bound,
    places,
    record,
    run,
)

pytestmark = [
    pytest.mark.skipif(json.loads(collector.doctor())["source"] != "ebpf", reason="`wastenot doctor`: no eBPF here"),
    pytest.mark.skipif(len(CPUS) < 2, reason="ranks need two CPUs"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler (`make build` installs gcc)"),
]
POINTS = 0.02
"""How far a share may be from what the program measures itself."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("libgomp", tmp_path_factory.mktemp("program"))


def built(runtime: str, folder: Path, name: str = "ranks") -> Path:
    """The program for a runtime; skips where that is not installed."""
    try:
        return build(runtime, folder, name)
    except NotInstalled as e:
        pytest.skip(str(e))


def assert_as_measured(app: Application, own: dict[str, Any]) -> Comparison:
    """U and computing of each rank, and what is lost, are within two points of what the program measured in the same
    time: between its first barrier and its last one, in the windows that were observed."""
    compared = compare(app, own)
    print(shown(app, compared))
    for seen, by_itself, leaving in zip(compared.seen, compared.measured, compared.leaving, strict=True):
        assert seen[0] == pytest.approx(by_itself[0], abs=POINTS)
        # A barrier of MPI among ranks that share CPUs is left long after the last one came: that counts as computing.
        assert by_itself[1] - POINTS <= seen[1] <= by_itself[1] + leaving + POINTS
    assert compared.lost[0][0] == pytest.approx(compared.lost[1][0], abs=POINTS)
    return compared


def test_ranks_that_sleep_have_the_utilization_that_they_measure(program: Path, tmp_path: Path) -> None:
    # 0.75 s of computing on each CPU.
    trace, own = record(tmp_path, [*AHEAD, str(program), "30", "0.005", *LOADS[4]], **SLEEPING)
    with trace:
        app = application(trace)
    assert app.level == "H0" and app.has_iterations and app.state == "imbalanced"
    assert_as_measured(app, own)
    assert app.efficiency.load_balance == pytest.approx(0.625, abs=POINTS)


def test_it_is_found_without_being_named(program: Path, tmp_path: Path) -> None:
    trace, _ = record(tmp_path, [str(program), "40", "0.005", "1", "4", "1", "4"], **SLEEPING)
    with trace:
        found = [a for a in balance_of(trace).applications if a.crew.name == "ranks"]
    assert [len(a.ranks) for a in found] == [4]


def test_ranks_that_spin_are_not_visible(program: Path, tmp_path: Path) -> None:
    trace, own = record(tmp_path, [str(program), "40", "0.005", "1", "4"], **SPINNING)
    with trace:
        app = application(trace)
        advice = advise(trace, balance_of(trace, Selection(app="ranks")))[0]
    assert own["ranks"][0]["utilization"] < 0.9, "one of them waits, by what it measured"
    assert app.state == "not_visible"
    assert advice.recommendations == ()


@pytest.mark.parametrize("ranks", LOADS)
@pytest.mark.parametrize("policy", ["active", "passive"])
def test_with_calls_ranks_that_spin_have_the_utilization_that_they_measure(
    program: Path, tmp_path: Path, policy: str, ranks: int
) -> None:
    environment = SPINNING if policy == "active" else SLEEPING
    trace, own = record(tmp_path, [str(program), "40", "0.01", *LOADS[ranks]], "--openmp", **environment)
    with trace:
        app = application(trace)
        notes = trace.sql("SELECT unnest(notes) AS note FROM trace").rows()
    assert app.level == "H1" and app.calls is not None and app.state == "imbalanced"
    assert not [n for n in notes if "OpenMP" in n["note"]]
    names = {c.name: (c.kind, c.calls) for c in app.calls.counts}
    assert names["GOMP_barrier"] == ("barrier", 40 * ranks) and names["GOMP_parallel"] == ("parallel", 1)
    assert names["main._omp_fn.0"] == ("work", ranks)
    assert_as_measured(app, own)
    assert app.efficiency.load_balance == pytest.approx(0.625, abs=POINTS)
    if policy == "active" and ranks == 2:
        spins = [r.parts[PLACE["spin"]] for r in app.ranks]
        assert spins[0] > 5 * spins[1] and spins[0] > 0.05 * app.whole_ns, "it spins while it waits"


def test_with_calls_ranks_of_libomp_have_the_utilization_that_they_measure(tmp_path: Path) -> None:
    trace, own = record(tmp_path, [str(built("libomp", tmp_path)), "40", "0.01", "1", "4"], "--openmp", **SPINNING)
    with trace:
        app = application(trace)
    assert app.level == "H1" and app.calls is not None
    assert {c.kind for c in app.calls.counts} == {"work", "parallel", "barrier"}
    assert_as_measured(app, own)


def test_calls_of_a_stripped_program_are_seen_as_far_as_its_library_shows_them(program: Path, tmp_path: Path) -> None:
    stripped = tmp_path / "ranks"
    subprocess.run(["strip", "-o", str(stripped), str(program)], check=True)
    trace, own = record(tmp_path, [str(stripped), "40", "0.01", "1", "4"], "--openmp", **SPINNING)
    with trace:
        app = application(trace)
        notes = [row["note"] for row in trace.sql("SELECT unnest(notes) AS note FROM trace")]
    assert app.calls is not None and {c.kind for c in app.calls.counts} == {"parallel", "barrier"}
    assert [n for n in notes if "it is stripped" in n]
    assert_as_measured(app, own)


def test_a_program_that_the_command_starts_later_is_found_while_it_runs(program: Path, tmp_path: Path) -> None:
    command = ["sh", "-c", f"sleep 0.2; exec {program} 100 0.01 1 4"]
    trace, own = record(tmp_path, command, "--openmp", **SPINNING)
    with trace:
        app = application(trace)
        (late,) = trace.sql("SELECT note FROM (SELECT unnest(notes) AS note FROM trace) WHERE note LIKE '% of ranks %'")
    print(late["note"])
    assert app.level == "H1" and app.calls is not None and app.calls.total > 150
    assert_as_measured(app, own)


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
    return built("Open MPI", tmp_path_factory.mktemp("program"), "mpi-ranks")


@pytest.mark.parametrize(
    ("runtime", "ranks", "yields"),
    [("Open MPI", 2, False), ("Open MPI", 4, True), ("Open MPI", 4, False), ("MPICH", 2, False), ("MPICH", 4, False)],
)
def test_with_calls_ranks_of_mpi_have_the_utilization_that_they_measure(
    tmp_path: Path, runtime: str, ranks: int, yields: bool
) -> None:
    mpi = built(runtime, tmp_path, "mpi-ranks")
    command = [*mpirun(runtime, ranks, yields=yields), str(mpi), "40", "0.01", *LOADS[ranks]]
    trace, own = record(tmp_path, command, "--mpi", **AS_ROOT)
    with trace:
        app = application(trace, "mpi-ranks")
    assert app.level == "H1" and app.calls is not None and app.crew.found_by == "launcher"
    assert (app.crew.numbered, app.crew.world_size, app.crew.numbers.tolist()) == (True, ranks, list(range(ranks)))
    assert {c.name: c.calls for c in app.calls.counts}["PMPI_Barrier"] == 40 * ranks
    assert_as_measured(app, own)
    assert app.efficiency.load_balance == pytest.approx(0.625, abs=POINTS)


def assert_the_daemon_is_what_is_lost(app: Application, own: dict[str, Any]) -> None:
    """In iterations, nearly all that is lost is extrinsic, and the daemon's; what the ranks measured says so, too."""
    (noise,) = (s for s in app.sources if s.name == "noise-maker")
    inside = noise.in_iterations_ns / app.lost_in_iterations_ns
    print(f"noise-maker: {inside:.2%} of what iterations lose, {noise.extrinsic_ns / app.lost_ns:.2%} of the run")
    compared = assert_as_measured(app, own)
    assert app.state == "imbalanced" and noise.kind == "thread" and app.sources[0] is noise
    # Equal ranks that run ahead of all but the daemon lose about 6 of 52 ms: a tenth of that.
    for seen, by_itself in zip(*compared.lost, strict=True):
        assert seen == pytest.approx(by_itself, abs=0.01)
    lost, _, extrinsic = compared.lost[0]
    own_intrinsic = compared.lost[1][1]  # ranks that compute unequally, by their own clocks, lose that without a daemon
    assert extrinsic >= 0.95 * lost - own_intrinsic
    assert 0.95 - own_intrinsic / lost <= inside <= 1.05
    assert all(abs(s.in_iterations_ns) < 0.05 * app.lost_in_iterations_ns for s in app.sources if s is not noise)


def test_a_daemon_on_the_cpu_of_one_of_equal_ranks_is_found_and_named(program: Path, tmp_path: Path) -> None:
    environment = {**SLEEPING, **places(CPUS)}
    with daemon(CPUS[1]):
        trace, own = record(tmp_path, [*AHEAD, str(program), "26", "0.02", "1", "1"], **environment)
    with trace:
        app = application(trace)
    assert app.level == "H0"
    assert_the_daemon_is_what_is_lost(app, own)


def test_a_daemon_beside_ranks_of_mpi_is_nearly_all_that_iterations_lose(mpi: Path, tmp_path: Path) -> None:
    command = mpirun_bound(CPUS, [*AHEAD, str(mpi), "26", "0.02", "1", "1"])
    with daemon(CPUS[1]):
        trace, own = record(tmp_path, command, "--mpi", **AS_ROOT)
    with trace:
        app = application(trace, "mpi-ranks")
    assert app.level == "H1"
    assert_the_daemon_is_what_is_lost(app, own)


@pytest.mark.parametrize("placed_by", ["kernel", "heavy ranks on one CPU"])
def test_placement_as_advised_takes_as_long_as_promised(program: Path, tmp_path: Path, placed_by: str) -> None:
    # Both heavy ranks on one CPU compute 40 ms in each of 22 iterations: 0.88 s.
    load = [*AHEAD, str(program), "22", "0.005", *LOADS[4]]
    before = {} if placed_by == "kernel" else places([CPUS[0], CPUS[1], CPUS[0], CPUS[1]])
    trace, own = record(tmp_path, load, **SLEEPING, **before)
    with trace:
        advice = advise(trace, balance_of(trace, Selection(app="ranks")))[0]
    placement = advice.placement
    assert placement is not None
    assert sorted(placement.cpus) == [CPUS[0], CPUS[0], CPUS[1], CPUS[1]]
    assert placement.cpus[1] != placement.cpus[3], "the heavy ranks do not share a CPU"
    after = run(load, **SLEEPING, **places(placement.cpus))
    iteration_ns, saved = after["length"] * 1e9 / 21, 1 - after["length"] / own["length"]
    low, high = placement.saves
    promised = [r.saves for r in advice.recommendations if r.kind == "placement"]
    print(
        f"{placed_by}: before {own['length']:.3f} s, as advised {after['length']:.3f} s, saved {saved:.2%}; promised "
        f"{promised}, {low:.2%} to {high:.2%}; an iteration {iteration_ns / 1e6:.3f} ms, predicted "
        f"{placement.low_ns / 1e6:.3f} to {placement.high_ns / 1e6:.3f} ms"
    )
    assert 0.95 * placement.low_ns <= iteration_ns <= 1.05 * placement.high_ns
    assert low - POINTS <= saved <= high + POINTS
    assert after["length"] <= 1.02 * own["length"], "never slower than without the advice"
    if placed_by == "kernel":
        assert bool(promised) == (high >= 0.02), "what saves less is not advised"
    else:
        part = part_of_run(advice.application, advice.segment)
        assert promised == [pytest.approx((low * part, high * part))] and low > 0.3
