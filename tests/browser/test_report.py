"""A report in a real Chromium without a network; and the replay's state, as the page computes it, against SQL."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from wastenot.analyzer import CheckOptions, ImportOptions, import_source
from wastenot.web import Settings
from wastenot.web.local import LocalServer, serving
from wastenot.web.report import LARGEST, write_report

from .test_browser import HERE, ROOT, missing

UI = ROOT / "web/ui"


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real trace: eight threads on the four CPUs of one node, the other node idle."""
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    target = tmp_path_factory.mktemp("traces") / "wasted.duckdb"
    options = CheckOptions(tables="all")
    import_source(ROOT / "fixtures/traces/guest-6.1/wasted", target, ImportOptions(("*=0-7",)), options)
    return target


@pytest.fixture(scope="module")
def served(trace: Path) -> Iterator[LocalServer]:
    """A server over it."""
    with serving([trace], Settings(port=0)) as s:
        yield s


def node(*command: str | Path, cwd: Path = HERE, **environment: str) -> str:
    """What a Node program prints; its error is the test's."""
    done = subprocess.run(
        ["node", *map(str, command)],
        cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    return done.stdout


def test_state_at_random_instants_is_that_of_the_tables(served: LocalServer) -> None:
    reported = node(
        UI / "node_modules/vitest/vitest.mjs", "run", "src/replay/truth.test.ts",
        cwd=UI, WASTENOT_SERVER=f"http://127.0.0.1:{served.port}", INSTANTS="60", NO_COLOR="1",
    )  # fmt: skip
    assert "1 passed" in reported


def test_a_report_opens_from_a_file_without_a_network_and_plays(trace: Path, tmp_path: Path) -> None:
    page = tmp_path / "R.html"
    written = write_report(trace, page, episodes=4)
    assert written.bytes == page.stat().st_size < LARGEST
    node("report.mjs", page, str(written.episodes))
