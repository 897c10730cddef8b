"""`wastenot deadlines`: what it prints, its JSON, conditions, the table of jobs, and what it refuses."""

from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from deadline_tasks import FIFO, LATE, LATE_AND_LOST, PASSED_OVER, PASSED_OVER_AND_LOST, PINNED, UNDESCRIBED
from drawing import build_drawn
from wastenot.analyzer.deadlines import DeclaredTask, parse_task
from wastenot.analyzer.errors import BadArgument

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def late(tmp_path: Path) -> Path:
    path = tmp_path / "T.duckdb"
    build_drawn(LATE, path)
    return path


def test_a_miss_is_printed_with_its_fault_and_what_to_change(run: Run, late: Path) -> None:
    done = run("deadlines", late.name)
    assert done.returncode == 0, done.stderr
    assert max(len(line) for line in done.stdout.splitlines()) <= 80
    text = " ".join(done.stdout.split())
    assert text.startswith("1 of 2 deadlines missed, by up to 2.00 ms: 1 own overrun. Global EDF held")
    for part in (
        "2.00 ms at most, 2.00 ms on average",
        "overruns 1, by up to 3.00 ms; servers throttled 1 time",
        "ran 7.00 ms, 3.00 ms over, throttled 5.00 ms",
        "raise the runtime above the longest job (7.00 ms)",
    ):
        assert part in text, done.stdout


def test_json_has_the_figures_and_the_headline(run: Run, late: Path) -> None:
    found = json.loads(run("deadlines", late.name, "--json").stdout)
    assert found["headline"].startswith("1 of 2 deadlines missed")
    assert (found["jobs"], found["missed"], found["tardiness_max_ns"]) == (2, 1, 2_000_000)
    assert found["faults"] == {
        "own_overrun": 1, "scheduler": 0, "interference": 0, "overload": 0, "not_guaranteed": 0, "not_visible": 0,
        "contention": 0,
    }  # fmt: skip
    (task,) = found["tasks"]
    assert (task["tid"], task["name"], task["runtime_ns"], task["throttles"]) == (100, "control", 4_000_000, 1)
    (root,) = found["root_domains"]
    assert (root["cpus"], root["admission_bound"], root["tests"]["gfb"]) == ([0, 1], 1.9, True)


@pytest.mark.parametrize(
    ("condition", "status", "message"),
    [
        ("misses>0", 1, "misses is 1 (misses>0)"),
        ("misses>1", 0, ""),
        ("violations>0", 0, ""),
        ("tardiness>=2ms", 1, "tardiness is 2.00 ms"),
        ("tardiness>2ms", 0, ""),
        ("laxity<0ms", 1, "laxity is -2.00 ms"),
        ("own_overrun=1", 1, "own_overrun is 1"),
        ("scheduler>0", 0, ""),
    ],
)
def test_conditions_decide_the_exit_status(run: Run, late: Path, condition: str, status: int, message: str) -> None:
    done = run("deadlines", late.name, "-q", "--fail-on", condition)
    assert (done.returncode, done.stdout) == (status, "")
    assert message in done.stderr


def test_a_violation_in_which_events_are_lost_is_counted_and_no_check_passes(run: Run, tmp_path: Path) -> None:
    build_drawn(PASSED_OVER, tmp_path / "whole.duckdb")
    build_drawn(PASSED_OVER_AND_LOST, tmp_path / "lost.duckdb")
    whole = json.loads(run("deadlines", "whole.duckdb", "--json").stdout)
    assert (whole["missed"], whole["losses"], whole["lost"], whole["edf"]["violations"]) == (1, 0, 0, 1)
    lost = json.loads(run("deadlines", "lost.duckdb", "--json").stdout)
    assert (lost["missed"], lost["losses"], lost["lost"], lost["edf"]["violations"]) == (0, 1, 1, 1)
    assert lost["headline"].startswith("No deadline missed as far as is visible: 1 job of 1 task")
    assert "1 more job not seen whole. Global EDF was violated" in lost["headline"]
    assert "events were lost 1 time, so that 1 job or more could not be measured" in lost["headline"]
    for condition, message in (
        ("misses>0", "misses>0: is not known: events were lost 1 time"),
        ("scheduler>0", "is not known: events were lost 1 time"),
        ("tardiness>1ms", "is not known: events were lost 1 time"),
        ("violations>0", "violations is 1 (violations>0)"),
    ):
        done = run("deadlines", "lost.duckdb", "-q", "--fail-on", condition)
        begins = "wastenot: not decided: " if "is not known" in message else "wastenot: failed: "
        assert done.returncode == 1 and done.stderr.startswith(begins) and message in done.stderr, condition


def test_global_edf_is_not_said_to_have_held_where_events_were_lost(run: Run, tmp_path: Path) -> None:
    build_drawn(LATE_AND_LOST, tmp_path / "L.duckdb")
    text = " ".join(run("deadlines", "L.duckdb").stdout.split())
    assert text.startswith(
        "1 of 2 deadlines missed, by up to 2.00 ms: 1 own overrun. Global EDF held as far as is visible"
    )
    assert "but events were lost 1 time" in text
    done = run("deadlines", "L.duckdb", "-q", "--fail-on", "violations>0")
    assert done.returncode == 1 and "violations>0: is not known: events were lost 1 time" in done.stderr
    done = run("deadlines", "L.duckdb", "-q", "--fail-on", "violations>0", "--fail-on", "misses>0")
    assert done.returncode == 1 and "misses is 1" in done.stderr, "what was seen decides where it is true"


def test_a_declared_task_that_no_thread_has_is_said_and_fails_every_check(run: Run, late: Path, tmp_path: Path) -> None:
    done = run("deadlines", late.name, "--task", "nosuch=1ms/20ms")
    text = " ".join(done.stdout.split())
    assert text.startswith("No thread has a name that matches 'nosuch', which is declared. 1 of 2 deadlines missed")
    for condition in ("laxity<-99s", "misses>9", "violations>0", "incomplete>9"):
        done = run("deadlines", late.name, "-q", "--task", "nosuch=1ms/20ms", "--fail-on", condition)
        assert done.returncode == 1, condition
        assert f"{condition}: is not known: No thread has a name that matches 'nosuch'" in done.stderr
    build_drawn(FIFO, tmp_path / "F.duckdb")
    done = run("deadlines", "F.duckdb", "--task", "nosuch=1ms/20ms", "--task", "neither=1ms/2ms")
    text = " ".join(done.stdout.split())
    assert text.startswith(
        "No job was measured. No thread has a name that matches 'nosuch' or 'neither', which are declared"
    )
    # What is declared of a recorded thread is not used, and that is said.
    done = run("deadlines", late.name, "--task", "control=1ms/20ms")
    assert "what is declared of 1 thread is not used, as their parameters were recorded" in " ".join(
        done.stdout.split()
    )
    assert run("deadlines", late.name, "-q", "--task", "control=1ms/2ms", "--fail-on", "misses>9").returncode == 0


def test_tasks_on_one_cpu_are_overload_and_no_test_guarantees_their_deadlines(run: Run, tmp_path: Path) -> None:
    build_drawn(PINNED, tmp_path / "P.duckdb")
    done = run("deadlines", "P.duckdb", "--task", "video=14ms/20ms")
    assert max(len(line) for line in done.stdout.splitlines()) <= 80
    text = " ".join(done.stdout.split())
    for part in (
        "1 of 2 deadlines missed, by up to 8.00 ms: 1 overload",
        "contention: video (100), 14.0 ms; CPU 1: 1.40 needed, 1 allowed",
        "2 declared 1.40 not admitted not tested not tested (class)",
        "class: the kernel admits, and EDF orders, SCHED_DEADLINE threads alone",
    ):
        assert part in text, done.stdout
    assert "interference" not in text and "GFB" not in text and "lock its memory" not in text
    done = run("deadlines", "P.duckdb", "--task", "video=14ms/20ms/40ms")
    text = " ".join(done.stdout.split())
    assert "1 of 2 deadlines missed, by up to 8.00 ms: 1 contention" in text and "a higher priority (chrt)" in text


def test_jobs_that_were_not_seen_whole_are_in_the_headline_and_beside_a_check(run: Run, tmp_path: Path) -> None:
    build_drawn(FIFO + "90ms wakeup 100 on 0\n90ms switch 0: 0 R -> 100 prio 50\n", tmp_path / "F.duckdb")
    done = run("deadlines", "F.duckdb", "--task", "control=6ms/20ms", "--fail-on", "misses>0")
    assert done.returncode == 0
    assert "least laxity 14.0 ms; 1 more job not seen whole." in " ".join(done.stdout.split())
    assert "'misses>0' is false of 1 job; 1 more job not seen whole" in done.stderr
    assert run("deadlines", "F.duckdb", "-q", "--task", "control=6ms/20ms", "--fail-on", "misses>0").stderr == ""


def test_the_table_of_jobs_is_written(run: Run, late: Path, tmp_path: Path) -> None:
    done = run("deadlines", late.name, "--jobs", "jobs.csv")
    assert "wrote jobs.csv (2 jobs)" in done.stderr
    rows = list(csv.DictReader((tmp_path / "jobs.csv").open()))
    assert [row["missed"] for row in rows] == ["false", "true"]
    assert rows[1]["fault"] == "own_overrun" and rows[1]["run_ns"] == "7000000"
    assert run("deadlines", late.name, "-q", "--jobs", "jobs.parquet").returncode == 0
    with duckdb.connect() as con:
        assert con.execute(f"SELECT sum(throttles) FROM '{tmp_path}/jobs.parquet'").fetchall() == [(1,)]


def test_jobs_of_a_declared_task_are_written_and_are_not_in_the_table_as_help_says(run: Run, tmp_path: Path) -> None:
    build_drawn(FIFO, tmp_path / "F.duckdb")
    done = run("deadlines", "F.duckdb", "-q", "--task", "contr*=4ms/5ms/20ms", "--jobs", "jobs.csv")
    assert done.returncode == 0, done.stderr
    assert [row["run_ns"] for row in csv.DictReader((tmp_path / "jobs.csv").open())] == ["6000000"]
    assert json.loads(run("sql", "F.duckdb", "--json", "SELECT count(*) AS n FROM dl_job").stdout) == [{"n": 0}]
    text = " ".join(run("deadlines", "--help").stdout.split())
    assert "the table dl_job, for `wastenot sql`, has the jobs of threads whose parameters were recorded alone" in text


def test_an_existing_file_and_another_suffix_are_refused(fails: Callable[..., str], late: Path, tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text("")
    assert "jobs.csv" in fails("deadlines", late.name, "--jobs", "jobs.csv")
    assert ".csv or .parquet" in fails("deadlines", late.name, "--jobs", "jobs.txt")


def test_without_parameters_the_headline_says_so_and_no_check_passes(run: Run, tmp_path: Path) -> None:
    build_drawn(UNDESCRIBED, tmp_path / "U.duckdb")
    done = run("deadlines", "U.duckdb")
    text = " ".join(done.stdout.split())
    assert text.startswith("Not visible: 1 SCHED_DEADLINE thread ran (control)") and "--task" in text
    done = run("deadlines", "U.duckdb", "-q", "--fail-on", "misses>0")
    assert done.returncode == 1 and "is not known" in done.stderr
    # Declared, its server is modelled.
    done = run("deadlines", "U.duckdb", "--task", "control=4ms/10ms")
    text = " ".join(done.stdout.split())
    assert text.startswith("No deadline missed: 1 job of 1 task") and "modelled by the kernel's rules" in text


def test_a_thread_of_another_class_is_measured_where_it_is_declared(run: Run, tmp_path: Path) -> None:
    build_drawn(FIFO, tmp_path / "F.duckdb")
    assert "No thread had a deadline" in run("deadlines", "F.duckdb").stdout
    found = json.loads(run("deadlines", "F.duckdb", "--task", "contr*=4ms/5ms/20ms", "--json").stdout)
    assert (found["missed"], found["faults"]["own_overrun"], found["edf"]["checked"]) == (1, 1, False)
    assert found["tasks"][0]["parameters"] == "declared"
    assert "declared, not recorded" in found["headline"]
    # Nothing is there to violate the invariant: that is no pass.
    done = run("deadlines", "F.duckdb", "--task", "contr*=4ms/5ms/20ms", "-q", "--fail-on", "violations>0")
    assert done.returncode == 1 and "is not known" in done.stderr


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--task", "x"], "write NAME=RUNTIME/DEADLINE/PERIOD"),
        (["--task", "x=1ms"], "write NAME=RUNTIME/DEADLINE/PERIOD"),
        (["--task", "x=1/2ms/3ms"], "'1' has no unit"),
        (["--task", "x=3ms/2ms/4ms"], "the deadline not shorter"),
        (["--task", "x=1ms/4ms/2ms"], "the period not shorter"),
        (["--task", "=1ms/4ms"], "write NAME="),
        (
            ["--task", "x=1ms/9999999999999999s"],
            "--task 'x=1ms/9999999999999999s': the period must be at most 1,000,000 s",
        ),
        (["--task", "x=1ms/1h"], "--task 'x=1ms/1h': '1h': not a duration"),
        (["--fail-on", "missed>0"], "unknown measure 'missed'"),
        (["--fail-on", "misses"], "write measure, operator and number"),
        (["--fail-on", "misses>0ms"], "is a count"),
        (["--fail-on", "tardiness>3"], "give it a unit"),
    ],
)
def test_bad_options_are_one_line(fails: Callable[..., str], late: Path, options: list[str], part: str) -> None:
    assert part in fails("deadlines", late.name, *options)


def test_a_file_without_the_table_has_no_parameters(run: Run, late: Path) -> None:
    with duckdb.connect(str(late)) as con:
        con.execute("DROP TABLE dl_parameters; DELETE FROM evidence WHERE kind = 'dl_parameters'")
    done = run("deadlines", late.name)
    assert done.returncode == 0, done.stderr
    assert "Not visible: 1 SCHED_DEADLINE thread ran" in " ".join(done.stdout.split())


def test_a_task_is_parsed_with_its_period_or_without() -> None:
    assert parse_task("a=b=1ms/2ms/4ms") == DeclaredTask("a=b", 1_000_000, 2_000_000, 4_000_000)
    assert parse_task("x=500us/2ms").period_ns == 2_000_000
    with pytest.raises(BadArgument):
        parse_task("x=0ms/1ms")
