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


def test_of_a_process_thread_or_cgroup_it_lists_their_waits_alone(run: Run, fails: Fails, trace: Path) -> None:
    keys = {"thread": ("utid", "tid"), "process": ("upid", "tgid")}
    for by, (key, number) in keys.items():
        groups = json.loads(run("latency", "T.duckdb", "--by", by, "--json").stdout)["groups"]
        asked = next(row for row in groups if row["key"] is not None)
        for of in (asked["name"], str(asked[number])):
            found = json.loads(run("latency", "T.duckdb", "--by", by, "--of", of, "--json").stdout)
            assert {group["name"] for group in found["of"]} == {asked["name"]}
            meant = ", ".join(str(group["key"]) for group in found["of"])
            query = f"""SELECT w.utid, w.start_ns, w.dur_ns FROM waits() w JOIN thread t USING (utid)
                WHERE t.{key} IN ({meant}) ORDER BY w.dur_ns DESC, w.start_ns, w.utid LIMIT 20"""
            rows = json.loads(run("sql", "T.duckdb", query, "--json").stdout)
            assert rows and [{k: w[k] for k in ("utid", "start_ns", "dur_ns")} for w in found["longest"]] == rows
        first = run("latency", "T.duckdb", "--by", by, "--of", str(asked[number])).stdout.splitlines()[0]
        assert f"of {asked['name']} ({number} {asked[number]})" in first
    assert json.loads(run("latency", "T.duckdb", "--json").stdout)["of"] is None
    for by in ("thread", "process", "cgroup"):
        line = fails("latency", "T.duckdb", "--by", by, "--of", "moon")
        assert f"latency of 'moon': no such {by} in this trace" in line


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
