"""`wastenot experiment`, in processes of their own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import duckdb

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_an_experiment_prints_its_figures_beside_the_documents(run: Run) -> None:
    assert "gangs" in run("experiment", "--list").stdout
    reported = json.loads(run("experiment", "gangs", "--no-check", "--json").stdout)
    rows = [row for row in reported["rows"] if row["scheduler"] == "gang"]
    assert [row["document"] for row in rows] == ["26.4", "22.2", "19.3"]
    assert all(row["wasted_share"] is None and "[workload]" in row["scenario"] for row in rows)
    assert {"what": "time slice of gangs", "value": "10 ms", "source": "assumed"} in reported["constants"]


def test_sched_rr2_is_compared_with_all_threads_there(run: Run) -> None:
    done = run("experiment", "co-threads", "--no-check", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert [row["document"] for row in rows[:5]] == ["0.37 %", "16.02 %", "14.29 %", "12.15 %", "9.93 %"]
    assert [row["basis"] for row in rows].count("calibrated") == 1


def test_a_kept_run_is_a_scenario_and_a_trace_with_bubbles(run: Run, tmp_path: Path) -> None:
    done = run("experiment", "gangs", "--keep", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} >= {"gangs-gang.toml", "gangs-gang.duckdb", "gangs-steal.duckdb"}
    with duckdb.connect(str(tmp_path / "gangs-gang.duckdb"), read_only=True) as con:
        kinds = {kind for (kind,) in con.execute("SELECT DISTINCT kind FROM bubble_event").fetchall()}
        broken = con.execute("SELECT * FROM data_quality WHERE what LIKE '%bubble%' AND value > 0").fetchall()
    # init, insert_thread, wake, move
    assert kinds >= {0, 2, 5, 10} and broken == []
    again = run("experiment", "gangs", "--keep", str(tmp_path))
    assert again.returncode == 2 and "--force" in again.stderr
    repeated = run("simulate", str(tmp_path / "gangs-gang.toml"), "-o", str(tmp_path / "again.duckdb"), "--json")
    assert repeated.returncode == 0, repeated.stderr


def test_a_wrong_name_is_refused_in_a_line(run: Run) -> None:
    done = run("experiment", "nonsense")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "co-threads" in done.stderr
