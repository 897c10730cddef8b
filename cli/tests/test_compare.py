"""`wastenot compare`: which arguments are which side, the baseline, the exit status."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Fails = Callable[..., str]


@pytest.fixture
def sides(trace: Path, tmp_path: Path) -> Path:
    """Folders `base` and `new` with four traces each; a tenth of the machine more is wasted in those of `new`."""
    for side, more in (("base", 0), ("new", 1)):
        (tmp_path / side).mkdir()
        for i in range(4):
            copy = tmp_path / side / f"{i}.duckdb"
            shutil.copy(trace, copy)
            with duckdb.connect(str(copy)) as con:
                con.execute(f"UPDATE trace SET kernel = '6.12.1', start_ns = start_ns + {i + 10 * more}")
                con.execute(f"UPDATE verdict SET wasted_ns = (online_ns * (0.1 * {more} + 0.001 * {i}))::BIGINT")
    return tmp_path


def test_two_folders_or_two_lists_are_two_sides(run: Run, sides: Path) -> None:
    new = [f"new/{i}.duckdb" for i in range(4)]
    found = [
        json.loads(run("compare", *arguments, "--json").stdout)
        for arguments in (("base", "new"), ("base", "--", *new), ("base", "--", "new"), ("--baseline", "base", *new))
    ]
    assert all(f["primary"] == found[0]["primary"] for f in found)
    primary = found[0]["primary"]
    assert primary["difference"] == pytest.approx(0.1, abs=1e-6) and primary["p"] == pytest.approx(2 / 70)
    assert [len(found[0][side]) for side in ("base", "new")] == [4, 4] and primary["changed"] is True
    assert found[0]["base"][0]["name"] == "base/0.duckdb"


def test_options_may_follow_the_second_side(run: Run, sides: Path) -> None:
    result = run("compare", "base", "--", "new", "--fail-on", "wasted>+1% p<0.05", "-q")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("wastenot: failed: wasted 0.15 % → 10.1 %, +10.0 points")


def test_a_side_beside_itself_shows_no_change_and_is_said_to_be_one(run: Run, sides: Path) -> None:
    result = run("compare", "base", "base", "--fail-on", "wasted>+1% p<0.05")
    assert result.returncode == 0 and "--fail-on incomparable fails on that" in result.stderr
    text = " ".join(result.stdout.split())
    assert text.startswith("Not comparable as they stand: the same recording is on both sides (base/0.duckdb and 3 mor")
    assert "As measured: no change of waste is shown" in text
    assert run("compare", "base", "base", "--fail-on", "incomparable", "-q").returncode == 1


def test_copies_of_a_trace_are_one_run(fails: Fails, run: Run, sides: Path) -> None:
    (sides / "copies").mkdir()
    for i in range(4):
        shutil.copy(sides / "base/0.duckdb", sides / "copies" / f"{i}.duckdb")
    error = fails("compare", "copies", "--", "new", "--fail-on", "wasted<-1% p<0.05")
    assert "copies/1.duckdb: the same run as copies/0.duckdb" in error and "on the base side" in error
    assert "on the new side" in fails("compare", "new", "copies")
    assert "on the new side" in fails("compare", "copies", "--save-baseline", "base.json")
    with duckdb.connect(str(sides / "copies/1.duckdb")) as con:
        con.execute("UPDATE verdict SET wasted_ns = wasted_ns + 1")  # as a check with other thresholds finds
    assert "the same run as" in fails("compare", "copies", "--", "new")


def test_a_baseline_beside_its_own_traces_is_the_same_runs(fails: Fails, run: Run, sides: Path) -> None:
    assert run("compare", "base", "--save-baseline", "base.json").returncode == 0
    error = fails("compare", "base.json", "base", "--", "new")
    assert "base/0.duckdb: the same run as base/0.duckdb in base.json" in error
    shutil.copy(sides / "base.json", sides / "copy.json")
    assert "base/0.duckdb in copy.json: the same run" in fails("compare", "base.json", "copy.json", "--", "new")
    beside = run("compare", "base.json", "--", "base")
    assert "stand: the same recording is on both sides" in " ".join(beside.stdout.split())


def test_a_saved_baseline_stands_for_its_traces(run: Run, sides: Path) -> None:
    saved = run("compare", "base", "--save-baseline", "base.json")
    assert (saved.returncode, saved.stdout, saved.stderr) == (0, "", "wrote base.json (4 runs)\n")
    direct = json.loads(run("compare", "base", "new", "--json").stdout)
    shutil.rmtree(sides / "base")
    for arguments in (("--baseline", "base.json", "new"), ("base.json", "new"), ("base.json", "--", "new")):
        assert json.loads(run("compare", *arguments, "--json").stdout) == direct
    again = run("compare", "new", "--save-baseline", "base.json")
    assert again.returncode == 2 and "base.json: exists already; choose another name, or --force" in again.stderr
    both = run("compare", "base.json", "new", "--save-baseline", "next.json", "-q")
    assert both.returncode == 0 and json.loads((sides / "next.json").read_text())["runs"][0]["name"] == "new/0.duckdb"


def test_traces_that_were_not_checked_are_checked_first(run: Run, sides: Path) -> None:
    for side in ("base", "new"):
        with duckdb.connect(str(sides / side / "0.duckdb")) as con:
            con.execute("TRUNCATE verdict")
    result = run("compare", "base/0.duckdb", "new/0.duckdb", "--json")
    assert json.loads(result.stdout)["primary"]["difference"] == pytest.approx(0, abs=1e-6)
    assert "One run on a side" in json.loads(result.stdout)["sentence"]


def test_usage_errors_say_what_to_write(fails: Fails, sides: Path) -> None:
    one = "base/0.duckdb"
    assert "which are the base? write `--` between the sides" in fails("compare", one, one, "new")
    assert "one side alone" in fails("compare", "new")
    assert "no traces of the new side" in fails("compare")
    assert "no traces of the new side" in fails("compare", "base", "--")
    assert "no traces before `--`" in fails("compare", "--", "new")
    assert "leave out the traces before `--`" in fails("compare", "base", "--baseline", "base", "--", "new")
    assert "one separates the base from the new side" in fails("compare", "base", "--", "new", "--", "new")
    assert "given twice on the base side" in fails("compare", "base", one, "--", "new")
    (sides / "empty").mkdir()
    assert "empty: a folder without traces (*.duckdb)" in fails("compare", "empty", "new")
    assert "no such file" in fails("compare", "absent.duckdb", "new")
    assert "needs two sides" in fails("compare", "new", "--save-baseline", "x.json", "--fail-on", "wasted>+1%")
    (sides / "x.json").write_text("{}")
    assert "x.json: not a baseline" in fails("compare", "x.json", "new")
    assert "write the sign" in fails("compare", "base", "new", "--fail-on", "wasted>1%")
    assert "can never be true with 1 + 1 runs" in fails(
        "compare", one, "new/0.duckdb", "--fail-on", "wasted>+1% p<0.05"
    )


def test_incomparable_runs_are_said_so_first_and_can_fail(run: Run, sides: Path) -> None:
    with duckdb.connect(str(sides / "new/1.duckdb")) as con:
        con.execute("INSERT INTO lost_events VALUES (1, 0, 0, 0, 5, 'any')")
    result = run("compare", "base", "new")
    assert result.stdout.startswith("Not comparable as they stand: ") and "lost events in 1 of 8 runs" in result.stdout
    assert result.returncode == 0
    assert run("compare", "base", "new", "--fail-on", "incomparable").returncode == 1
    passed = run("compare", "base", "new", "--fail-on", "wasted>+50% p<0.05")
    assert passed.returncode == 0 and "--fail-on incomparable fails on that" in passed.stderr
