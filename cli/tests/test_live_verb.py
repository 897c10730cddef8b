"""`wastenot live` where its output is not a terminal, and what it refuses."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_a_trace_is_printed_a_block_for_each_step(run: Run, trace: Path) -> None:
    result = run("live", "T.duckdb", "--speed", "1/10", COLUMNS="80", PYTHONUTF8="1", LANG="C.UTF-8")
    assert (result.returncode, result.stderr) == (0, "")
    blocks = result.stdout.split("\n\n")[:-1]
    assert len(blocks) == 3, "300 ms in steps of 100 ms"
    places = [block.splitlines()[0].rsplit("  ", 1)[1] for block in blocks]
    assert places == [f"paused +{s} of 0.300 s, speed 1/10" for s in ("0.100", "0.200", "0.300")]
    assert blocks[0].splitlines()[1] == "wasted now 1 of 4 CPUs   last second 0.990   last 100 ms 0.099 core-s (24.8 %)"
    assert "CPU 0               2  99.0 ms  burn  burn, pinned" in blocks[0].splitlines()


def test_without_unicode_it_is_ascii(run: Run, trace: Path) -> None:
    result = run("live", "T.duckdb", "--plain", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert result.returncode == 0
    assert result.stdout.isascii()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["absent.duckdb"], "absent.duckdb: no such file"),
        (["T.duckdb", "--speed", "0"], "--speed '0': write trace time per time, as 2 or 1/10"),
        (["T.duckdb", "--speed", "1/0"], "--speed '1/0': write trace time per time"),
        (["T.duckdb", "--speed", "fast"], "--speed 'fast': write trace time per time"),
        (["T.duckdb", "--exact"], "--exact: goes with a running watch, not with a trace"),
        (["T.duckdb", "--run-dir", "x"], "--run-dir: goes with a running watch, not with a trace"),
        (["--speed", "2"], "--speed: goes with a trace"),
        (["T.duckdb", "--for", "soon"], "--for 'soon': not a duration"),
        (["--run-dir", "T.duckdb"], "T.duckdb/watch.sock: the watch did not answer"),
    ],
)
def test_what_it_refuses_is_one_line(
    run: Run, trace: Path, fails: Callable[..., str], arguments: list[str], expected: str
) -> None:
    assert expected in fails("live", *arguments)
