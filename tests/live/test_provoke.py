"""The workloads of `wastenot provoke`, recorded: the verdict is the one that `--list` tells to expect."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from wastenot._native import collector

pytestmark = [
    pytest.mark.skipif(
        json.loads(collector.doctor())["source"] != "ebpf", reason="`wastenot doctor`: no recording with eBPF here"
    ),
    pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one CPU alone is never idle beside an overloaded one"),
]
WASTENOT = [sys.executable, "-m", "wastenot.cli"]


def recorded(folder: Path, name: str) -> tuple[dict[str, Any], float]:
    """The verdict of a recording of the workload, and the avoidable wait of its threads in core-seconds."""
    out = folder / "T.duckdb"
    provoke = [*WASTENOT, "provoke", name, "-q", "--seconds", "3"]
    command = [*WASTENOT, "record", "-q", "-o", str(out), "--json", "--", *provoke]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    assert ran.returncode == 0, ran.stderr
    query = f"SELECT coalesce(sum(avoidable_wait_ns), 0) / 1e9 AS s FROM thread WHERE name LIKE '{name}%'"
    return json.loads(ran.stdout), asked(out, query)


def asked(trace: Path, query: str) -> float:
    """The one figure `s` that a query gives."""
    rows = subprocess.run([*WASTENOT, "sql", str(trace), query, "--json"], capture_output=True, text=True, check=True)
    return float(json.loads(rows.stdout)[0]["s"])


def need_idle_cpus(folder: Path, verdict: dict[str, Any]) -> None:
    """Skip where other programs kept all CPUs busy, as their switches show: nothing could idle beside the workload."""
    idle_s = asked(
        folder / "T.duckdb",
        """SELECT coalesce(sum(until - ts_ns), 0) / 1e9 AS s
           FROM (SELECT ts_ns, next_tid, lead(ts_ns) OVER (PARTITION BY cpu ORDER BY id) AS until FROM sched_switch)
           WHERE next_tid = 0""",
    )
    if idle_s < 1.5:
        pytest.skip(f"other programs keep the CPUs of this machine busy: idle for {idle_s:.1f} s by their switches")
    assert verdict["wasted"]["idle_while_waiting_core_s"] > 0.5, f"CPUs idled for {idle_s:.1f} s beside a queue"


def test_pinned_wastes_nothing_and_affinity_excuses_it(tmp_path: Path) -> None:
    verdict, avoidable_s = recorded(tmp_path, "pinned")
    need_idle_cpus(tmp_path, verdict)
    # Some microseconds at most, before they are pinned.
    assert avoidable_s < 1e-3
    # What else there is to excuse is the matter of whatever runs beside it.
    excused = verdict["wasted"]["excused_core_s"]
    assert max(excused, key=excused.get) == "affinity", excused


def test_released_wastes_something_after_each_release(tmp_path: Path) -> None:
    verdict, avoidable_s = recorded(tmp_path, "released")
    need_idle_cpus(tmp_path, verdict)
    # Half of the time they are released, and a balancer takes one within some ticks.
    assert 0 < avoidable_s < 0.5 * verdict["wasted"]["excused_core_s"]["affinity"]


def test_a_convoy_leaves_idle_cores_but_wastes_nothing_that_lasts(tmp_path: Path) -> None:
    verdict, _ = recorded(tmp_path, "convoy")
    # Others' waits, those of the commands that begin and end it too, are not the convoy's.
    lasting = asked(
        tmp_path / "T.duckdb",
        """SELECT coalesce(sum(p.core_ns), 0) / 1e9 AS s
           FROM episode_pair p JOIN episode e USING (episode_id) JOIN thread t USING (utid)
           WHERE grade_name(e.grade) IN ('lasting', 'persistent') AND t.name LIKE 'convoy%'""",
    )
    assert lasting < 0.02 * (verdict["trace"]["end_ns"] - verdict["trace"]["start_ns"]) / 1e9
