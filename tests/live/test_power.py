"""Idle states as wastenot's own recorder has them, beside the switches to swapper of the same recording.

Needs root and eBPF, and a kernel that reports idle states.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from wastenot._native import collector
from wastenot.analyzer import open_trace

pytestmark = pytest.mark.skipif(
    json.loads(collector.doctor())["source"] != "ebpf", reason="`wastenot doctor`: no eBPF here"
)


def record(target: Path, *options: str) -> None:
    """Two seconds of a machine whose CPUs are woken again and again."""
    wakes = "import time\nfor _ in range(300): time.sleep(0.005)"
    command = [sys.executable, "-m", "wastenot.cli", "record", "-q", *options, "-o", str(target), "--"]
    subprocess.run([*command, sys.executable, "-c", wakes], check=True, timeout=120)


def test_cpus_enter_idle_states_only_while_they_run_swapper(tmp_path: Path) -> None:
    record(tmp_path / "T.duckdb", "--power")
    with open_trace(tmp_path / "T.duckdb") as trace:
        entered = trace.sql("SELECT count(*) AS n FROM cpu_idle WHERE state IS NOT NULL").one()["n"]
        left = trace.sql("SELECT count(*) AS n FROM cpu_idle WHERE state IS NULL").one()["n"]
        beside = trace.sql("""
            SELECT count(*) AS n
            FROM cpu_idle i ASOF JOIN sched_switch s ON s.cpu = i.cpu AND i.ts_ns >= s.ts_ns
            WHERE i.state IS NOT NULL AND s.next_tid <> 0
              -- Some sandboxes run no tracer while a thread of process 1 is current: its switch-outs are missing.
              AND s.next_tid NOT IN (SELECT tid FROM thread WHERE tgid = 1)""").one()["n"]
        twice = trace.sql("""
            SELECT count(*) AS n
            FROM (SELECT state, lag(state) OVER (PARTITION BY cpu ORDER BY id) AS before,
                         row_number() OVER (PARTITION BY cpu ORDER BY id) AS number FROM cpu_idle)
            WHERE number > 1 AND (state IS NULL) = (before IS NULL)""").one()["n"]
    assert entered > 250 and abs(entered - left) <= 4
    assert beside == 0, "an idle state while a thread runs"
    assert twice <= entered // 50, "a state that was entered is left before the next"


def test_without_the_option_there_are_none(tmp_path: Path) -> None:
    record(tmp_path / "T.duckdb")
    with open_trace(tmp_path / "T.duckdb") as trace:
        assert trace.sql("SELECT count(*) AS n FROM cpu_idle").one()["n"] == 0


def test_another_source_than_ebpf_is_refused(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "wastenot.cli",
        "record",
        "--power",
        "--source",
        "tracefs",
        "-o",
        "T.duckdb",
        "true",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--power: idle states and frequencies are recorded with eBPF alone" in " ".join(done.stderr.split())
