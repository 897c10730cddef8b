"""Recording this kernel: what ends a recording, and what is left when it is cut off. Needs a kernel that permits it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from wastenot._native import collector
from wastenot.analyzer import open_trace

Run = Callable[..., subprocess.CompletedProcess[str]]

SOURCE = json.loads(collector.doctor())["source"]
pytestmark = pytest.mark.skipif(SOURCE == "none", reason="`wastenot doctor`: nothing can be recorded here")


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "wastenot.cli", "record", *arguments],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def await_segments(part: Path, process: subprocess.Popen[str]) -> None:
    """Until the recorder has written something to `part`."""
    for _ in range(600):
        written = any(segment.stat().st_size > 0 for segment in (part / "segments").glob("*.seg"))
        if written and (part / "meta.json").is_file():  # the first words of a segment come before it
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    raise AssertionError(f"{part}: nothing written within 30 s")


def test_a_command_is_recorded_until_it_ends_and_checked(run: Run, tmp_path: Path) -> None:
    result = run("record", "-o", "R.duckdb", "--", "sh", "-c", "sleep 0.3; echo hello; exit 7")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("hello\n")
    assert "the command ended with status 7" in result.stderr
    assert "data quality" in result.stdout and "wastenot top R.duckdb" in result.stdout
    assert "not recorded" not in result.stderr, "the verdict says it"
    assert [p.name for p in tmp_path.iterdir()] == ["R.duckdb"]
    with open_trace(tmp_path / "R.duckdb") as trace:
        facts = trace.metric("trace").one()
        assert (facts["end_reason"], facts["complete"]) == ("command", True)
        assert "sleep 0.3" in facts["command"]
        assert trace.sql("SELECT count(*) AS n FROM thread WHERE name = 'sleep'").one()["n"] >= 1
        assert [r for r in trace.metric("check_sums") if not r["holds"]] == []
        assert len(trace.metric("check_one_cpu_per_thread")) == 0


def test_a_recording_ends_when_its_time_is_over_and_takes_the_command_along(run: Run, tmp_path: Path) -> None:
    begin = time.monotonic()
    result = run("record", "-o", "R.duckdb", "--for", "500ms", "--json", "--", "sleep", "60")
    assert result.returncode == 0, result.stderr
    assert time.monotonic() - begin < 50
    assert "; the time is over; the command was ended by SIGTERM\n" in result.stderr
    found = json.loads(result.stdout)["trace"]
    assert 0.4e9 < found["end_ns"] - found["start_ns"] < 5e9


def test_the_trace_gets_a_name_of_its_own(run: Run, tmp_path: Path) -> None:
    assert run("record", "--for", "200ms", "-q").returncode == 0
    (made,) = tmp_path.iterdir()
    assert made.name.startswith("wastenot-") and made.suffix == ".duckdb"


def test_one_interrupt_stops_cleanly_and_gives_the_verdict(tmp_path: Path) -> None:
    process = start(tmp_path, "-o", "R.duckdb")
    await_segments(tmp_path / "R.duckdb.part", process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "; interrupted by SIGINT\n" in err and "data quality" in out


def test_a_recording_that_is_asked_to_end_says_by_which_signal(tmp_path: Path) -> None:
    process = start(tmp_path, "-o", "R.duckdb", "--", "sleep", "60")
    await_segments(tmp_path / "R.duckdb.part", process)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=120)
    assert "; interrupted by SIGTERM; the command was ended by SIGTERM\n" in err, err


def test_a_recorder_that_is_killed_leaves_what_check_finishes(run: Run, tmp_path: Path) -> None:
    process = start(tmp_path, "-o", "R.duckdb")
    await_segments(tmp_path / "R.duckdb.part", process)
    process.kill()
    process.communicate()
    assert "wastenot check R.duckdb" in run("top", "R.duckdb").stderr
    result = run("check", "R.duckdb")
    assert result.returncode == 0, result.stderr
    assert "the recording was cut off (crash" in result.stdout
    assert [p.name for p in tmp_path.iterdir()] == ["R.duckdb"]


def test_a_killed_recording_can_be_imported_under_another_name(run: Run, tmp_path: Path) -> None:
    process = start(tmp_path, "-o", "R.duckdb")
    await_segments(tmp_path / "R.duckdb.part", process)
    process.kill()
    process.communicate()
    result = run("import", "R.duckdb.part", "-o", "other.duckdb")
    assert result.returncode == 0, result.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["R.duckdb.part", "other.duckdb"], "a source is not removed"


def test_force_replaces_what_is_there(run: Run, tmp_path: Path) -> None:
    (tmp_path / "R.duckdb").write_text("old")
    (tmp_path / "R.duckdb.part").mkdir()
    assert run("record", "-o", "R.duckdb", "--for", "200ms", "--force", "-q").returncode == 0
    assert run("check", "R.duckdb", "-q").returncode == 0
