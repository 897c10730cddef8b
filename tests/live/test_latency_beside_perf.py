"""Waits after a wakeup, beside the scheduling delays that `perf sched timehist` makes of the same recording."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

EVENTS = ("sched_switch", "sched_wakeup", "sched_wakeup_new", "sched_migrate_task")
LINE = re.compile(r"\s*\d+\.\d+ \[\d+\]\s+.*?\[(\d+)(?:/\d+)?\]\s+\S+\s+(\d+\.\d+)\s+\S+\s*$")
"""Time, CPU, name, tid, wait time, scheduling delay, run time; times in ms, to the microsecond."""
CLOSE_MS = 0.002
pytestmark = [
    pytest.mark.skipif(shutil.which("perf") is None, reason="perf is not installed"),
    pytest.mark.skipif(os.geteuid() != 0, reason="recording with perf needs root"),
]


def test_the_longest_wait_of_nearly_each_thread_is_that_of_perf(tmp_path: Path) -> None:
    chosen = [word for event in EVENTS for word in ("-e", f"sched:{event}")]
    workload = ["perf", "bench", "sched", "messaging", "-g", "1", "-l", "100"]
    record = ["perf", "record", "-q", "-a", "-c", "1", "-m", "4096", *chosen, "-o", "perf.data", "--", *workload]
    made = subprocess.run(record, cwd=tmp_path, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        pytest.skip(f"perf record: {made.stderr.strip().splitlines()[-1]}")
    timehist = subprocess.run(
        ["perf", "sched", "timehist", "-i", "perf.data"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    theirs: dict[int, list[float]] = defaultdict(list)
    for line in timehist.splitlines():
        if (match := LINE.match(line)) and match[1] != "0" and float(match[2]) > 0:
            theirs[int(match[1])].append(float(match[2]))

    def wastenot(*words: str) -> str:
        command = [sys.executable, "-m", "wastenot.cli", *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    wastenot("import", "perf.data", "-o", "T.duckdb", "-q")
    query = """SELECT t.tid, w.dur_ns FROM waits() w JOIN thread t USING (utid)
               WHERE waited_after = 'wakeup' AND ran_on IS NOT NULL AND NOT is_cut"""
    ours: dict[int, list[float]] = defaultdict(list)
    for row in json.loads(wastenot("sql", "T.duckdb", query, "--json")):
        ours[row["tid"]].append(row["dur_ns"] / 1e6)
    assert len(theirs) > 40, "the forty threads of the workload, at least"
    tids = theirs.keys() | ours.keys()
    same = [tid for tid in tids if abs(max(theirs.get(tid, [0])) - max(ours.get(tid, [0]))) <= CLOSE_MS]
    assert len(same) >= 0.9 * len(tids), f"{len(same)} of {len(tids)}; where events were lost, the two guess otherwise"
    sums = [sum(map(sum, side.values())) for side in (ours, theirs)]
    assert sums[0] == pytest.approx(sums[1], rel=0.02)
