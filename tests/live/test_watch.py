"""Boxes of a watched machine, checked as any other recording."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from wastenot._native import WastenotError, collector

pytestmark = [
    pytest.mark.skipif(
        json.loads(collector.doctor())["source"] != "ebpf", reason="`wastenot doctor`: no recording with eBPF here"
    ),
    pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one CPU alone is never idle beside an overloaded one"),
]
WASTENOT = [sys.executable, "-m", "wastenot.cli"]
SECOND = 1_000_000_000


def run(*arguments: str) -> str:
    """Output of the command; it must succeed."""
    ran = subprocess.run([*WASTENOT, *arguments], capture_output=True, text=True, timeout=180, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def asked(trace: Path, query: str) -> Any:
    """The one value `v` that a query gives."""
    return json.loads(run("sql", str(trace), query, "--json"))[0]["v"]


def box_of(folder: Path, workload: str) -> tuple[Path, dict[str, Any], dict[str, Any]]:
    """The trace of a box saved while the workload ran, what saving it reported, and the verdict."""
    watcher = collector.Watcher(json.dumps({"keep_ns": SECOND}))
    started = json.loads(watcher.start())
    assert started["no_black_box"] is None
    trace = folder / "box.duckdb"
    provoked = threading.Thread(target=run, args=("provoke", workload, "-q", "--seconds", "4"))
    provoked.start()
    provoked.join(3)
    saved = json.loads(watcher.save(f"{trace}.part", SECOND // 2, workload))
    provoked.join()
    watcher.stop()
    return trace, saved, json.loads(run("check", str(trace), "--json"))


def need_idle_cpus(trace: Path) -> None:
    """Skip where other programs kept all CPUs busy while the box was filled."""
    idle_s = asked(
        trace,
        """SELECT coalesce(sum(until - ts_ns), 0) / 1e9 AS v
           FROM (SELECT ts_ns, next_tid, lead(ts_ns) OVER (PARTITION BY cpu ORDER BY id) AS until FROM sched_switch)
           WHERE next_tid = 0""",
    )
    if idle_s < 0.4:
        pytest.skip(f"other programs keep the CPUs of this machine busy: idle for {idle_s:.1f} s by their switches")


def test_a_box_is_a_trace_with_the_masks_that_excuse(tmp_path: Path) -> None:
    trace, saved, verdict = box_of(tmp_path, "pinned")
    assert saved["whole"] and saved["lost"] == 0
    assert saved["kept_ns"] >= SECOND and saved["end_ns"] - saved["asked_ns"] >= SECOND // 2
    assert asked(trace, "SELECT end_reason AS v FROM trace") == "watch: pinned"
    assert asked(trace, "SELECT complete AS v FROM trace")
    assert asked(trace, "SELECT count(*) AS v FROM lost_events") == 0
    assert asked(trace, "SELECT (end_ns - start_ns) AS v FROM trace") >= 1.5 * SECOND
    need_idle_cpus(trace)
    excused = verdict["wasted"]["excused_core_s"]
    assert max(excused, key=excused.get) == "affinity", excused


def test_a_violation_is_in_the_box(tmp_path: Path) -> None:
    trace, saved, verdict = box_of(tmp_path, "released")
    assert saved["lost"] == 0
    need_idle_cpus(trace)
    query = "SELECT coalesce(sum(avoidable_wait_ns), 0) / 1e9 AS v FROM thread WHERE name LIKE 'released%'"
    assert asked(trace, query) > 0
    assert verdict["wasted"]["certain_core_s"] > 0, verdict["wasted"]


def test_errors_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(WastenotError, match=r"^watch options: ") as error:
        collector.Watcher('{"look_ns": 1}')
    assert "\n" not in str(error.value)
    watcher = collector.Watcher("{}")
    with pytest.raises(WastenotError, match=r"^the watcher does not run$"):
        watcher.status()
    with pytest.raises(WastenotError, match=r"^the watcher does not run$"):
        watcher.save(tmp_path / "t.part", 0, "test")
