"""Traces and running servers for the tests of the browser's server."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from drawing import build_drawn
from wastenot import replay
from wastenot.analyzer import CheckOptions, ImportOptions, import_source
from wastenot.analyzer.store.building import make
from wastenot.analyzer.store.writing import BatchWriter
from wastenot.web import Settings
from wastenot.web.local import LocalServer, Serve, serving

ROOT = Path(__file__).resolve().parents[3]
WASTED = ROOT / "fixtures/traces/guest-6.1/wasted"
"""A real trace by LTTng: eight threads on the four CPUs of one node, the other node idle."""


TEAM = """
cpus 0-1
window 0us 50us
0us bubble init b1 named team
0us bubble insert_thread t101 to b1
1us bubble wake b1
10us bubble burst b1
20us bubble move t101 to cpu:1
30us bubble close b1
40us bubble destroy b1
"""
"""A bubble with one thread, from its declaration to its end."""


@pytest.fixture
def team_trace(tmp_path: Path) -> Path:
    """It, built: `team.duckdb`."""
    target = tmp_path / "team.duckdb"
    build_drawn(TEAM, target)
    return target


@pytest.fixture(scope="session")
def wasted_trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real trace, imported and checked."""
    target = tmp_path_factory.mktemp("traces") / "wasted.duckdb"
    import_source(WASTED, target, ImportOptions(("*=0-7",)), CheckOptions(tables="all"))
    return target


@pytest.fixture(scope="session")
def served(wasted_trace: Path) -> Iterator[LocalServer]:
    """A server over it, for tests that change nothing."""
    with serving([wasted_trace], Settings(port=0)) as s:
        yield s


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start servers of the test's own: `serve([paths], token=...)`. Requests wait for tables that are being made."""
    with contextlib.ExitStack() as stack:
        others = {"port": 0, "tables_seconds": 60.0}
        yield lambda paths, **reported: stack.enter_context(serving(paths, Settings(**{**others, **reported})))


@pytest.fixture(scope="session")
def busy_trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """64 CPUs, 711 threads, 41,000 events: a simulated build beside busy threads of other sessions, with waste."""
    target = tmp_path_factory.mktemp("traces") / "busy.duckdb"
    scenario = replay.find("make-beside-r")

    def fill(con: duckdb.DuckDBPyConnection) -> None:
        with BatchWriter(con) as writer:
            replay.simulate(scenario, replay.Settings(), writer.emit)

    make(target, fill, CheckOptions(tables="all"))
    return target


@pytest.fixture(scope="session")
def busy(busy_trace: Path) -> Iterator[LocalServer]:
    """A server over it."""
    with serving([busy_trace], Settings(port=0)) as s:
        yield s


@pytest.fixture(scope="session")
def recorded_trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real recording by eBPF on 8 CPUs, with snapshots of all threads, processes of several threads and a cgroup."""
    target = tmp_path_factory.mktemp("traces") / "recorded.duckdb"
    part = target.with_suffix(".duckdb.part")
    shutil.copytree(ROOT / "fixtures/traces/rig/hobbled-interval-6.12-8.part", part)
    import_source(part, target, ImportOptions(), CheckOptions(tables="all"))
    return target


@pytest.fixture(scope="session")
def recorded(recorded_trace: Path) -> Iterator[LocalServer]:
    """A server over it."""
    with serving([recorded_trace], Settings(port=0)) as s:
        yield s


WORKER = """
cpus 0-1
window 0us 100us
0us cpu 0 runs 100
0us cpu 1 idle
0us thread 100 hog on 0 running mask 0-1
0us thread 101 worker on 1 asleep mask 0-1
0us thread 102 sleeper on 1 asleep mask 0-1
10us waking 101 last 1 by 0
11us wakeup 101 on 0
30us switch 0: 100 R -> 101
50us switch 0: 101 D -> 100
70us waking 101 last 0 by 0
70us wakeup 101 on 1
75us switch 1: 0 R -> 101
90us switch 1: 101 T -> 0
"""
"""Thread 101 sleeps, waits on CPU 0, runs, is blocked, waits on CPU 1, runs, is stopped; 100 is preempted meanwhile."""


@pytest.fixture(scope="session")
def worker_drawing() -> str:
    """It, as text."""
    return WORKER


@pytest.fixture(scope="module")
def server(traces: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    """A server over copies of the `traces` of a test's module, which may read these itself."""
    folder = tmp_path_factory.mktemp("served")
    copies = [Path(shutil.copy(path, folder / path.name)) for path in traces.values()]  # a file is opened in one way
    with serving(copies, Settings(port=0, tables_seconds=60.0)) as served:
        yield served
