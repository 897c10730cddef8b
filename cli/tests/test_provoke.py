"""`wastenot provoke`: every workload for a moment, in processes of their own."""

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

import pytest
from mutations.processes import descendants
from wastenot._native import provoke as native

Run = Callable[..., subprocess.CompletedProcess[str]]
WORKLOADS: list[dict[str, str]] = json.loads(native.workloads())
NAMES = [w["name"] for w in WORKLOADS]


def test_there_are_the_corner_cases_and_their_controls() -> None:
    corners = {"barrier-spin", "barrier-sleep", "make", "database", "pipeline", "fork-storm", "convoy", "autogroup"}
    assert corners | {"pinned", "released", "busy"} == {*NAMES}
    assert all(w["does"] and w["expect"] and w["unit"] for w in WORKLOADS)


@pytest.mark.parametrize("name", NAMES)
def test_each_does_its_work_and_ends(run: Run, name: str) -> None:
    done = run("provoke", name, "--seconds", "0.3", "--seed", "7", "--json", timeout=30)
    assert done.returncode == 0, done.stderr
    reported: dict[str, Any] = json.loads(done.stdout)
    assert reported["work"] > 0 and reported["threads"] >= 1 and reported["seed"] == 7
    assert reported["took_s"] >= 0.3


@pytest.mark.parametrize("name", NAMES)
def test_one_thread_is_enough_for_each(name: str) -> None:
    reported = json.loads(native.run(name, 1, 0.1, 1))
    assert reported["threads"] == 1 and reported["work"] > 0


def test_the_list_has_the_verdict_to_expect(run: Run) -> None:
    done = run("provoke", "--list")
    assert done.returncode == 0 and "verdict to expect" in done.stdout
    assert all(f"{name} " in done.stdout for name in NAMES)
    assert json.loads(run("provoke", "--list", "--json").stdout) == WORKLOADS


def test_a_provocation_reports_what_it_did_and_what_to_expect(run: Run) -> None:
    done = run("provoke", "busy", "--seconds", "0.1", "--threads", "2")
    assert done.stdout.startswith("busy: ") and "slices of 1 ms by 2 in" in done.stdout and "expect: " in done.stdout
    assert run("provoke", "busy", "--seconds", "0.1", "-q").stdout == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "name a workload"),
        (["nothing"], "unknown workload nothing; one of barrier-spin, "),
        (["busy", "--seconds", "0"], "--seconds 0: between"),
        (["busy", "--seconds", "nan"], "--seconds NaN: between"),
        (["busy", "--threads", "0"], "--threads 0: between 1 and"),
        (["busy", "--threads", "1000000"], "--threads 1000000: between 1 and"),
        (["busy", "--seed", "-1"], "--seed"),
    ],
)
def test_impossible_requests_are_refused_in_a_line(fails: Callable[..., str], arguments: list[str], says: str) -> None:
    assert says in fails("provoke", *arguments)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("name", ["autogroup", "database"])
def test_nothing_is_left_behind_however_it_ends(tmp_path: Path, name: str, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "wastenot.cli", "provoke", name, "--seconds", "60"]
    running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 30
        while len(started := descendants(running.pid)) < (3 if name == "autogroup" else 1):
            assert running.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        os.kill(running.pid, number)
        _, said = running.communicate(timeout=10)
    finally:
        running.kill()
    if number == signal.SIGINT:
        assert running.returncode == 2 and said == "wastenot: interrupted\n"
    deadline = time.monotonic() + 10
    while any(alive(pid) for pid in started):
        assert time.monotonic() < deadline, "processes of the workload outlive it"
        time.sleep(0.05)


def alive(pid: int) -> bool:
    """Whether the process is there and no zombie that waits for a reaper."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
