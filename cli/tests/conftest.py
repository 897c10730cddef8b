"""The command in processes of its own, over small traces that the real checker checked."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from drawing import OVERLOADED, build_drawn

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """`T.duckdb` in `tmp_path`: the trace of `OVERLOADED`."""
    path = tmp_path / "T.duckdb"
    build_drawn(OVERLOADED, path)
    return path


def one_line(result: subprocess.CompletedProcess[str], status: int = 2) -> str:
    """stderr, after checking that it is one line, that stdout is empty, and the exit status."""
    assert result.returncode == status, result
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1 and result.stderr.startswith("wastenot: "), result.stderr
    return result.stderr


@pytest.fixture
def fails(run: Run) -> Callable[..., str]:
    """Runs `wastenot`, checks that it fails with status 2 and one line on stderr, and returns that line."""
    return lambda *arguments, **environment: one_line(run(*arguments, **environment))
