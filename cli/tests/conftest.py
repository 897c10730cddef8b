"""The command in processes of its own, over small traces that the real checker checked."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from drawing import build_drawn

Run = Callable[..., subprocess.CompletedProcess[str]]

OVERLOADED = """
cpus 0-3
llc 0-1 2-3
node 0-1 2-3
window 0us 300ms
0us cpu 0 runs 100
0us cpu 1 idle
0us cpu 2 idle
0us cpu 3 idle
0us thread 100 burn on 0 running mask 0-3
0us thread 101 burn on 0 asleep mask 0-3
0us thread 102 pinned on 0 asleep mask 0
1ms wakeup 101 on 0
2ms wakeup 102 on 0
150ms switch 0: 100 R -> 102
200ms migrate 101 from 0 to 2
200ms switch 2: 0 R -> 101
250ms switch 0: 102 S -> 100
"""
"""Thread 101 waits on CPU 0 from 1 to 200 ms beside idle CPUs, 100 from 150 to 250 ms; 102 may use CPU 0 only."""


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
