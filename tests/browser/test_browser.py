"""The page as its users have it: a server with nine traces, Chromium, Firefox, and journeys through every view."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from drawing import build_drawn
from programs import noisy_job
from wastenot.analyzer import CheckOptions

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STATIC = ROOT / "web/server/src/wastenot/web/static/index.html"
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
JOURNEYS = sorted(path.name for path in HERE.glob("*.test.mjs"))

POWER = """
cpus 0-1
window 0ms 100ms
0ms cpu 0 runs 100
0ms cpu 1 idle
0ms thread 100 hog on 0 running mask 0-1
4ms cpu_frequency 0 = 1800000
4ms cpu_frequency 1 = 600000
10ms switch 0: 100 S -> 0
10ms cpu_idle 0 enters 0
20ms cpu_idle 0 leaves
20ms cpu_idle 0 enters 2
40ms cpu_idle 0 leaves
40ms wakeup 100 on 0
40ms switch 0: 0 R -> 100
50ms cpu_frequency 0 = 2400000
60ms cpu_idle 1 enters 1
90ms switch 0: 100 S -> 0
"""
"""Idle states and frequencies: CPU 0 idles in two states of three, and runs at two frequencies."""


def missing() -> str | None:
    """What keeps the tests from running here."""
    if shutil.which("node") is None:
        return "node is not installed"
    if shutil.which("chromium") is None:
        return "chromium is not installed"
    if not (ROOT / "web/ui/node_modules/playwright-core").is_dir():
        return "web/ui/node_modules lacks playwright-core; run `make build`"
    return None if STATIC.is_file() else "the page is not built; run `make build`"


def wastenot(*arguments: str | Path) -> None:
    """The command, which must succeed."""
    command = [sys.executable, "-m", "wastenot.cli", *map(str, arguments)]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the server answers; it ends with the tests."""
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("browser")
    names = ("wasted", "nodes", "gangs", "doubtful", "solver", "realtime", "placed", "power", "many")
    traces = [folder / f"{name}.duckdb" for name in names]
    wasted, nodes, gangs, doubtful, solver, realtime, placed, power, many = traces
    wastenot("import", ROOT / "fixtures/traces/guest-6.1/wasted", "--affinity", "*=0-7", "-o", wasted)
    wastenot("simulate", "make-beside-r", "-o", nodes)
    wastenot("simulate", "gangs", "--scheduler", "burst", "-o", gangs)
    wastenot("import", ROOT / "fixtures/traces/guest-6.1/trace.dat", "-o", doubtful)
    wastenot("import", ROOT / "fixtures/traces/deadlines.part", "-o", realtime)
    wastenot("import", ROOT / "fixtures/traces/rig/placements-6.12-8.part", "-o", placed)
    wastenot("import", ROOT / "fixtures/traces/rig/no-common-domain-6.1-256.part", "-o", many)
    build_drawn(noisy_job(), solver, CheckOptions(tables="all"))
    build_drawn(POWER, power, CheckOptions(tables="all"))
    command = [sys.executable, "-m", "wastenot.cli", "serve", *map(str, traces), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        said = server.stderr.readline()
        found = re.search(r"http://\S+", said)
        assert found is not None, said
        yield found.group()
        server.terminate()


@pytest.mark.parametrize("journey", JOURNEYS)
def test_a_journey_through_the_page(journey: str, address: str) -> None:
    environment = {**os.environ, "WASTENOT_URL": address}
    if journey.startswith("firefox"):
        if FIREFOX is None:
            pytest.skip("firefox-esr is not installed")
        environment["WASTENOT_FIREFOX"] = FIREFOX
    command = ["node", "--test", "--test-reporter=spec", str(HERE / journey)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
