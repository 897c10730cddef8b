"""For all Python tests: which run alone, the list of skips that `scripts/test` prints, the command as a fixture."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

# So that their assertions show their values.
pytest.register_assert_rewrite("rig_deadlines", "rig_queued", "drawn_balance")

REQUIRE_LIVE = os.environ.get("WASTENOT_REQUIRE_LIVE") == "1"
"""Every skip is a failure: set where live recording and all tools that tests use are known to work."""

ROOT = Path(__file__).parent

ALONE = (
    "collector", "tests/live",
    "tests/attack/test_leftovers.py", "tests/attack/test_recorder.py", "tests/attack/test_sql_limits.py",
    "tests/attack/test_storms.py",
    "live/tests/test_live_watch.py",
    "cli/tests/test_faults.py", "cli/tests/test_provoke.py", "cli/tests/test_record.py", "cli/tests/test_serve.py",
    "web/server/tests/test_cross_site.py", "web/server/tests/test_guards.py",
    "web/server/tests/test_hostile_clients.py",
    "web/server/tests/test_library.py", "web/server/tests/test_number_grid.py", "web/server/tests/test_sandbox.py",
    "web/server/tests/test_ui_answers.py", "web/server/tests/test_upload_progress.py",
    "web/server/tests/test_uploads.py",
    "watch/tests/test_http.py", "watch/tests/test_live.py", "watch/tests/test_metrics.py",
    "watch/tests/test_watching.py",
)  # fmt: skip
"""Where tests record this machine, or hold a server or a process to a time: nothing may run beside them."""

BROWSER = ("tests/browser",)
"""Journeys of a browser: two at once take as long as one after the other, and wait for each other."""

AT_REST = (
    "collector", "tests/browser", "tests/live", "live/tests/test_live_watch.py", "watch/tests/test_live.py",
    "watch/tests/test_watching.py",
)  # fmt: skip
"""Which of them a machine that is busy with something else, or whose host runs other guests, can make fail: they are
run up to three times, and the summary counts what was run again."""


SLOW = ROOT / "tests/slow.txt"
"""What `make test` leaves to `make test-all`: a line per test function, of which it runs the first case (none where the
function has no cases), or per case. `scripts/slowest` makes it from the times of a whole run."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of `ALONE`, `BROWSER`, `AT_REST` and `SLOW`."""
    _mark_slow(items)
    marks = ((ALONE, "alone"), (BROWSER, "browser"), (AT_REST, pytest.mark.flaky(reruns=2)))
    for places, mark in marks:
        folders = tuple(ROOT / place for place in places)
        for item in items:
            if any(item.path.is_relative_to(folder) for folder in folders):
                item.add_marker(mark)


def _mark_slow(items: list[pytest.Item]) -> None:
    slow = frozenset(SLOW.read_text(encoding="utf-8").splitlines()) if SLOW.exists() else frozenset()
    first = set()
    for item in items:
        function, _, case = item.nodeid.partition("[")
        if item.nodeid in slow or (function in slow and (not case or function in first)):
            item.add_marker("slow")
        first.add(function)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """List a skip, and turn it into a failure where `WASTENOT_REQUIRE_LIVE` is 1. Expected failures are not skips."""
    report = yield
    if not report.skipped or hasattr(report, "wasxfail"):
        return report
    why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    line = f"SKIPPED [1] {item.nodeid}: {why.removeprefix('Skipped: ')}".replace("\n", " ")
    listed = os.environ.get("WASTENOT_SKIPS")
    if listed:
        with Path(listed).open("a", encoding="utf-8") as f:
            f.write(line + "\n")
    if REQUIRE_LIVE:
        report.outcome = "failed"
        report.longrepr = f"WASTENOT_REQUIRE_LIVE=1: {line}"
    return report


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `wastenot` with some arguments in `tmp_path`; no terminal, so neither colour nor progress."""

    def start(*arguments: str, timeout: float = 120, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "wastenot.cli", *arguments],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return start
