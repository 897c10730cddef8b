"""Hostile files for the tests of `docs/threat-model.md`, and the command in a process of its own."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from drawing import build_drawn

DRAWING = """
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
1ms wakeup 101 on 0
200ms migrate 101 from 0 to 2
200ms switch 2: 0 R -> 101
"""
"""Thread 101 waits on CPU 0 from 1 to 200 ms beside idle CPUs."""

SECRET = "content-of-the-private-file"

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checked trace."""
    path = tmp_path_factory.mktemp("drawn") / "T.duckdb"
    build_drawn(DRAWING, path)
    return path


@pytest.fixture
def trace(drawn: Path, tmp_path: Path) -> Path:
    """A copy of it, `T.duckdb`, for a test of its own."""
    return Path(shutil.copy(drawn, tmp_path / "T.duckdb"))


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file that its owner gives to no one."""
    path = tmp_path / "secret.txt"
    path.write_text(SECRET)
    return path


@pytest.fixture
def prepare(trace: Path) -> Callable[[str], Path]:
    """Runs statements on the trace, as a hostile author of it would."""

    def preparing(statements: str) -> Path:
        with duckdb.connect(str(trace)) as con:
            con.execute(statements)
            con.execute("CHECKPOINT")
        return trace

    return preparing


@pytest.fixture
def fails(run: Run) -> Callable[..., str]:
    """Runs `wastenot`, checks that it ends with status 2 and one line on stderr; returns that line."""

    def start(*arguments: str, timeout: float = 120, **environment: str) -> str:
        result = run(*arguments, timeout=timeout, **environment)
        assert SECRET not in result.stdout + result.stderr
        assert result.returncode == 2, result
        assert result.stdout == ""
        assert result.stderr.count("\n") == 1 and result.stderr.startswith("wastenot: "), result.stderr
        assert "internal error" not in result.stderr
        return result.stderr

    return start
