"""A real OpenMP program under the recorder: what the trace says of its ranks beside what each measures of itself.

Needs root, eBPF, two CPUs and a C compiler with OpenMP.
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


def record(folder: Path, command: list[str], **environment: str) -> tuple[Trace, dict[str, Any]]:
    """A recording of the program, and what it measured."""
    out = folder / "T.duckdb"
    ran = subprocess.run(
        [sys.executable, "-m", "wastenot.cli", "record", "-q", "-o", str(out), "--", *command],
        capture_output=True, text=True, timeout=300, check=False, env={**os.environ, **environment},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return open_trace(out), json.loads(ran.stdout)


def application(trace: Trace) -> Application:
    (found,) = balance_of(trace, Selection(app="ranks")).applications
    return found


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


def test_a_daemon_on_the_cpu_of_one_of_equal_ranks_is_found_and_named(program: Path, tmp_path: Path) -> None:
    environment = {"OMP_WAIT_POLICY": "passive", "OMP_PROC_BIND": "true", "OMP_PLACES": f"{{{CPUS[0]}}},{{{CPUS[1]}}}"}
    # Ahead of what else runs here, behind the daemon.
    command = ["chrt", "--fifo", "1", str(program), "60", "0.02", "1", "1"]
    with daemon(CPUS[1]):
        trace, _ = record(tmp_path, command, **environment)
    with trace:
        app = application(trace)
    noise = app.sources[0]
    print(f"lost {app.lost_ns / app.length_ns:.2%}, intrinsic {app.intrinsic_ns / app.length_ns:.2%}, extrinsic "
          f"{app.extrinsic_ns / app.length_ns:.2%}, {noise.name} {noise.extrinsic_ns / app.length_ns:.2%}")  # fmt: skip
    others = sum(abs(s.extrinsic_ns) for s in app.sources if s.kind == "thread" and s.name != "noise-maker")
    if others > 0.02 * app.lost_ns:
        pytest.skip(f"other programs took {others / app.lost_ns:.0%} of what was lost: needs a machine at rest")
    assert app.state == "imbalanced"
    assert (noise.kind, noise.name) == ("thread", "noise-maker")
    assert app.extrinsic_ns >= 0.95 * app.lost_ns
    assert noise.extrinsic_ns >= 0.95 * app.lost_ns


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
