"""`wastenot simulate`: scenarios as traces, in processes of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from wastenot import replay
from wastenot.analyzer.store.tables import event_tables

Run = Callable[..., subprocess.CompletedProcess[str]]

HOGS = """\
about = "As many busy threads as CPUs."
machine = "{machine}"

[workload]
limit = "{limit}"
programs.hog = [{{ repeat = {{ body = [{{ run = "10ms" }}] }} }}]
threads = [{{ program = "hog", count = 4 }}]
"""


def figures(done: subprocess.CompletedProcess[str]) -> dict[str, float]:
    assert done.returncode == 0, done.stderr
    wasted: dict[str, float] = json.loads(done.stdout)["wasted"]
    return wasted


def test_the_list_shows_scenarios_and_faults_with_a_line_each(run: Run) -> None:
    done = run("simulate", "--list")
    assert done.returncode == 0
    assert "pinned " in done.stdout and "group-imbalance " in done.stdout
    reported = json.loads(run("simulate", "--list", "--json").stdout)
    assert {f["name"] for f in reported["faults"]} <= {s["name"].removeprefix("fault-") for s in reported["scenarios"]}
    assert all(s["about"] and s["expect"] for s in reported["scenarios"])


def test_two_scenarios_alike_in_their_events_differ_in_what_they_waste(run: Run) -> None:
    pinned = figures(run("simulate", "pinned", "--json"))
    assert pinned["core_s"] == 0 and 11.4 < pinned["idle_while_waiting_core_s"] <= 12
    wasted = figures(run("simulate", "wasted", "--json"))
    assert wasted["certain_core_s"] == pytest.approx(10, rel=0.05)


def test_many_short_gaps_that_add_up_fail_as_a_lasting_waste(run: Run) -> None:
    """make -j64 beside two R: 13.7 cores for 1.3 s, of gaps that last less than a balance interval each."""
    assert run("simulate", "make-beside-r", "-o", "m.duckdb", "-q").returncode == 0
    failed = run("check", "m.duckdb", "-q", "--fail-on", "lasting>0")
    assert failed.returncode == 1 and "lasting is 12 episodes" in failed.stderr
    verdict = json.loads(run("check", "m.duckdb", "--json").stdout)
    assert verdict["episodes"]["lasting"]["count"] == 0, "the grades keep their definitions"
    listed = json.loads(run("episodes", "m.duckdb", "--json").stdout)
    biggest = listed[0]
    assert (biggest["grade"], biggest["severity"]) == ("expected", "persistent")
    assert biggest["total_core_ns"] > 15e9 and biggest["episode_id"] == verdict["worst"][0]["id"]
    assert verdict["severity"] == "persistent"


def test_the_same_seed_gives_the_same_tables(run: Run, tmp_path: Path) -> None:
    for name, seed in (("a", "7"), ("b", "7"), ("c", "8")):
        assert run("simulate", "make", "--seed", seed, "-o", f"{name}.duckdb", "-q").returncode == 0
    with duckdb.connect() as con:
        for name in "abc":
            con.execute(f"ATTACH '{tmp_path / name}.duckdb' AS {name} (READ_ONLY)")

        def differing(one: str, other: str) -> int:
            query = "SELECT count(*) FROM (SELECT * FROM {0}.{2} EXCEPT ALL SELECT * FROM {1}.{2})"
            counts = [con.execute(query.format(x, y, t)).fetchone() for t in event_tables()
                      for x, y in ((one, other), (other, one))]  # fmt: skip
            return sum(c[0] for c in counts if c)

        assert differing("a", "b") == 0
        assert differing("a", "c") > 0


def test_a_fault_wastes_and_its_fix_does_not(run: Run) -> None:
    on = figures(run("simulate", "fault-numa-allowance", "--json", "-o", "on.duckdb"))
    off = figures(run("simulate", "fault-numa-allowance", "--fixed", "numa-allowance", "--json", "-o", "off.duckdb"))
    assert on["certain_core_s"] > 0.3 and off["certain_core_s"] < on["certain_core_s"] / 10


def test_another_topology_is_a_file_or_a_description(run: Run, tmp_path: Path) -> None:
    machine = Path(__file__).parents[2] / "fixtures/machines/guest-2n8.json"
    for topology in (str(machine), "1n4", "2n16s2"):
        assert figures(run("simulate", "pinned", "--topology", topology, "--json", "--force"))["core_s"] < 0.01


def test_a_trace_shows_no_more_than_its_evidence_level(run: Run, tmp_path: Path) -> None:
    for level, moves, passes in (("L0", False, False), ("L1", True, False), ("L2", True, True)):
        run("simulate", "fault-cache-hot", "--evidence-level", level, "-o", "T.duckdb", "--force", "-q")
        with duckdb.connect(str(tmp_path / "T.duckdb"), read_only=True) as con:
            rows = [con.execute(f"SELECT count(*) FROM {t}").fetchone() for t in ("nr_running", "balance_attempt")]
            assert [bool(r and r[0]) for r in rows] == [moves, passes], level
            trace = con.execute("SELECT source, evidence_level, command FROM trace").fetchone()
            assert trace is not None and trace[:2] == ("simulation", level) and "fault-cache-hot" in trace[2]


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (("pinnned",), "neither a scenario nor a file; scenarios: barrier-sleep"),
        (("missing.toml",), "missing.toml: No such file"),
        (("pinned", "--fault", "no"), "is not a fault; one of group-imbalance"),
        (("pinned", "--topology", "3n8"), "cannot be shared out evenly"),
        (("pinned", "--topology", "missing.xml"), "--topology missing.xml: No such file"),
        (("pinned", "--release", "5.4"), "one of 4.1 6.12"),
        (("pinned", "--evidence-level", "L9"), "one of L0 L1 L2 L3"),
        (("fault-asymmetric-capacity", "--topology", "2n8"), "cannot show on this machine"),
        ((), "name a SCENARIO"),
    ],
)
def test_what_cannot_be_simulated_is_refused_in_one_line(run: Run, arguments: tuple[str, ...], reported: str) -> None:
    done = run("simulate", *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert reported in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "reported"),
    [
        ('run = "10ms"', 'run = "10 parsecs"', "line 6: "),
        ("count = 4", "count = 4, colour = 1", "line 7: unknown field `colour`"),
        ('program = "hog"', 'program = "hgo"', '"hgo" is not a program'),
        ('"1n4"', "4", "line 2: invalid type: integer"),
        ("[workload]", "[workload", "line 4: "),
        ("[workload]", 'timeslice = "0ns"\nscheduler = "gang"\n[workload]', "timeslice of 0 ns: at least 1us"),
        ('limit = "1s"', 'limit = "2000000s"', "above an hour"),
        ("[workload]", 'provokes = "cache-hot"\n[workload]', "and not both"),
    ],
)
def test_an_error_in_a_scenario_names_its_file_and_line(
    run: Run, tmp_path: Path, old: str, new: str, reported: str
) -> None:
    text = HOGS.format(machine="1n4", limit="1s")
    assert old in text
    (tmp_path / "mine.toml").write_text(text.replace(old, new))
    done = run("simulate", "mine.toml")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "mine" in done.stderr and reported in done.stderr
    assert not (tmp_path / "mine.duckdb").exists()


def test_an_existing_trace_is_replaced_only_with_force(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(HOGS.format(machine="1n4", limit="50ms"))
    assert run("simulate", "mine.toml", "-q").returncode == 0
    again = run("simulate", "mine.toml", "-q")
    assert again.returncode == 2 and "mine.duckdb" in again.stderr
    assert run("simulate", "mine.toml", "-q", "--force").returncode == 0


def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    pipeline = (Path(replay.scenarios.folder()) / "pipeline.toml").read_text()
    (tmp_path / "long.toml").write_text(pipeline.replace('limit = "1s"', 'limit = "600s"'))
    command = [sys.executable, "-m", "wastenot.cli", "simulate", "long.toml"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=os.environ) as child:
        deadline = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        _, reported = child.communicate(timeout=60)
    assert child.returncode == 2 and "interrupted" in reported
    assert [p.name for p in tmp_path.iterdir()] == ["long.toml"]


def test_rt_app_json_is_taken_where_it_maps(run: Run, tmp_path: Path) -> None:
    rt_app: dict[str, Any] = {
        "global": {"duration": 1, "calibration": "CPU0"},
        "tasks": {
            "worker": {"instance": 3, "loop": 20, "phases": {"p": {"run": 2000, "timer": {"period": 5000}}}},
            "rt": {"policy": "SCHED_FIFO", "priority": 20, "loop": -1, "run": 500, "sleep": 9500},
        },
    }
    (tmp_path / "app.json").write_text(json.dumps(rt_app))
    assert run("simulate", "app.json", "--topology", "1n2").returncode == 0
    rt_app["tasks"]["rt"]["suspend"] = "rt"
    (tmp_path / "app.json").write_text(json.dumps(rt_app))
    done = run("simulate", "app.json", "--force")
    assert done.returncode == 2 and "rt: 'suspend' does not map" in done.stderr
