"""`wastenot latency` and `wastenot top --sort`: what they print, and what they refuse."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Fails = Callable[..., str]


def test_it_lists_percentiles_a_histogram_and_the_longest_waits(run: Run, trace: Path) -> None:
    shown = run("latency", "T.duckdb")
    assert shown.returncode == 0 and "for a CPU: median" in shown.stdout.splitlines()[0]
    assert "longest waits" in shown.stdout and "histogram: from" in shown.stdout
    found = json.loads(run("latency", "T.duckdb", "--json", "--worst", "1", "-n", "2").stdout)
    assert found["total"]["waits"] > 0 and len(found["longest"]) == 1 and 0 < len(found["groups"]) <= 2
    assert found["longest"][0]["dur_ns"] == found["total"]["longest_ns"]
    asked = run("sql", "T.duckdb", "SELECT count(*) AS n, max(dur_ns) AS ns FROM waits()", "--json").stdout
    assert json.loads(asked) == [{"n": found["total"]["waits"], "ns": found["total"]["longest_ns"]}]


def test_a_window_and_a_kind_limit_it(run: Run, trace: Path) -> None:
    whole = json.loads(run("latency", "T.duckdb", "--json").stdout)
    first = whole["longest"][0]
    around = f"{first['start_ns']}..{first['start_ns'] + 1}"
    part = json.loads(run("latency", "T.duckdb", "--json", "--window", around).stdout)
    assert 0 < part["total"]["waits"] <= whole["total"]["waits"] and first in part["longest"]
    kinds = [
        json.loads(run("latency", "T.duckdb", "--json", "--after", k).stdout)["total"] for k in ("wakeup", "preemption")
    ]
    assert sum(k["waits"] for k in kinds if k) == whole["total"]["waits"]


def test_what_it_does_not_know_is_refused_in_a_line(fails: Fails, trace: Path) -> None:
    assert "--by moon: one of thread, process, cgroup" in fails("latency", "T.duckdb", "--by", "moon")
    assert "--after moon: one of any, wakeup, preemption" in fails("latency", "T.duckdb", "--after", "moon")
    assert "--sort moon: one of longest, p99, total, waits" in fails("latency", "T.duckdb", "--sort", "moon")
    assert "write FROM..TO" in fails("latency", "T.duckdb", "--window", "3")
    assert "no such file" in fails("latency", "absent.duckdb")
    assert "--sort moon: one of avoidable, wait, longest, p99" in fails("top", "T.duckdb", "--sort", "moon")
    assert "order of their tree" in fails("top", "T.duckdb", "--sort", "p99", "--by", "bubble")


def test_top_can_be_sorted_by_single_waits(run: Run, trace: Path) -> None:
    rows = json.loads(run("top", "T.duckdb", "--sort", "longest", "--json").stdout)
    lengths = [r["longest_wait_ns"] for r in rows]
    assert lengths == sorted(lengths, reverse=True) and lengths[0] > 0
    assert "longest wait" in run("top", "T.duckdb", "--sort", "p99").stdout
