"""The replay and the report in a real Chromium; the replay's state against SQL."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from wastenot.analyzer import CheckOptions, ImportOptions, import_source
from wastenot.web import Settings
from wastenot.web.local import Served, serving
from wastenot.web.report import LARGEST, write_report

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
UI = ROOT / "web/ui"
WASTED = ROOT / "fixtures/traces/guest-6.1/wasted"

needs_node = pytest.mark.skipif(
    shutil.which("node") is None or not (UI / "node_modules/playwright-core").is_dir(),
    reason="no Node packages in web/ui: make .tools/npm",
)
needs_browser = pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium")
needs_pages = pytest.mark.skipif(
    not files("wastenot.web").joinpath("static", "report", "report.js").is_file(),
    reason="pages not built: make .tools/ui",
)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real trace: eight threads on the four CPUs of one node, the other node idle."""
    target = tmp_path_factory.mktemp("traces") / "wasted.duckdb"
    import_source(WASTED, target, ImportOptions(("*=0-7",)), CheckOptions())
    return target


@pytest.fixture(scope="module")
def served(trace: Path) -> Iterator[Served]:
    with serving([trace], Settings(port=0)) as s:
        yield s


def run(*command: str | Path, cwd: Path = HERE, **environment: str) -> str:
    """What a Node program prints; its error as the test's failure."""
    done = subprocess.run(
        ["node", *map(str, command)],
        cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    return done.stdout


@needs_node
def test_state_at_random_instants_is_that_of_the_tables(served: Served) -> None:
    vitest = UI / "node_modules/vitest/vitest.mjs"
    told = run(
        vitest, "run", "src/replay/truth.test.ts",
        cwd=UI, WASTENOT_SERVER=f"http://127.0.0.1:{served.port}", INSTANTS="60", NO_COLOR="1",
    )  # fmt: skip
    assert "1 passed" in told


@needs_node
@needs_browser
@needs_pages
def test_a_trace_is_played_stepped_reversed_linked_and_saved(served: Served, tmp_path: Path) -> None:
    assert "ok" in run("replay.mjs", f"http://127.0.0.1:{served.port}/", "wasted", tmp_path)


@needs_node
@needs_browser
@needs_pages
def test_a_report_opens_from_a_file_without_a_network_and_plays(trace: Path, tmp_path: Path) -> None:
    page = tmp_path / "R.html"
    written = write_report(trace, page, episodes=4)
    assert written.bytes == page.stat().st_size < LARGEST
    assert "ok" in run("report.mjs", page, str(written.episodes))
