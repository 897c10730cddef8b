"""Traces and running servers for the tests of the browser's server."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from wastenot.analyzer import CheckOptions, ImportOptions, import_source
from wastenot.web import Settings
from wastenot.web.local import Served, serving

ROOT = Path(__file__).resolve().parents[3]
WASTED = ROOT / "fixtures/traces/guest-6.1/wasted"
"""A real trace by LTTng: eight threads on the four CPUs of one node, the other node idle."""

Serve = Callable[..., Served]


@pytest.fixture(scope="session")
def wasted_trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real trace, imported and checked."""
    target = tmp_path_factory.mktemp("traces") / "wasted.duckdb"
    import_source(WASTED, target, ImportOptions(("*=0-7",)), CheckOptions())
    return target


@pytest.fixture(scope="session")
def served(wasted_trace: Path) -> Iterator[Served]:
    """A server over it, for tests that change nothing."""
    with serving([wasted_trace], Settings(port=0)) as s:
        yield s


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start servers of the test's own: `serve([paths], token=...)`."""
    with contextlib.ExitStack() as stack:
        yield lambda paths, **told: stack.enter_context(serving(paths, Settings(**{"port": 0, **told})))
