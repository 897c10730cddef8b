"""Deadlines of shipped recordings: a real one with overruns and overload, and real-time threads that have none."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from wastenot.analyzer import CheckOptions, build, open_trace
from wastenot.analyzer.deadlines import Deadlines, find_deadlines, parse_task

TRACES = Path(__file__).parents[1] / "fixtures/traces"
REALTIME = sorted((TRACES / "rig").glob("rt-hog-*.part"))
"""Recordings of earlier versions, in which round-robin threads run beside others."""


def imported(recording: Path, folder: Path, *tasks: str) -> Deadlines:
    """The deadlines of a copy: building a trace removes the recording."""
    shutil.copytree(recording, folder / "T.duckdb.part")
    build(folder / "T.duckdb.part", folder / "T.duckdb", CheckOptions())
    with open_trace(folder / "T.duckdb") as trace:
        return find_deadlines(trace, [parse_task(text) for text in tasks])


def test_each_miss_of_a_real_recording_has_the_fault_that_was_provoked(tmp_path: Path) -> None:
    """Linux 6.18 on two CPUs: `control` overruns in every fifth job; `video-*` need 1.4 of CPU 1; `audio` fits."""
    found = imported(TRACES / "deadlines.part", tmp_path)
    tasks = {task["name"]: task for task in found.tasks}
    assert sorted(tasks) == ["audio", "control", "video-1", "video-2"]
    assert found.report["parameters"]["recorded"] and not found.report["parameters"]["undescribed"]
    times = {
        name: [task[f"{which}_ns"] / 1e6 for which in ("runtime", "deadline", "period")] for name, task in tasks.items()
    }
    assert times == {"control": [3, 20, 20], "audio": [2, 10, 10], "video-1": [14, 20, 20], "video-2": [14, 20, 20]}
    assert tasks["audio"]["missed"] == 0 and tasks["audio"]["jobs"] > 50
    control = tasks["control"]
    assert control["missed"] == control["faults"]["own_overrun"] == control["overruns"] > 5
    assert control["throttles"] >= 2 * control["missed"]
    for name in ("video-1", "video-2"):
        assert tasks[name]["missed"] == tasks[name]["faults"]["overload"] > 0 and tasks[name]["overruns"] == 0
    overload = next(miss for miss in found.report["misses"] if miss["fault"] == "overload")
    assert overload["cpus"] == [1] and overload["needed"] == pytest.approx(1.4)
    edf = found.report["edf"]
    assert edf["checked"] and edf["violations"] == 0 and edf["outside_mask"] == 0
    (root,) = found.report["root_domains"]
    assert root["cpus"] == [0, 1] and root["admission_bound"] is None and root["bound_exceeded"] is False
    assert root["tests"]["utilisation"] == pytest.approx(0.15 + 0.2 + 1.4)
    # Two of the four may use CPU 1 only, which holds 1 of their 1.4.
    assert (root["tests"]["gfb"], root["tests"]["not_covered"]) == (None, "affinity")
    assert root["tests"]["partitioned_first_fit"] is False
    assert (found.report["lost"], found.report["losses"], edf["undecided"]) == (0, 0, 0)


@pytest.mark.parametrize(("kernel", "fair"), [("6.1", False), ("6.12", True), ("7.2", True)])
def test_deadline_servers_of_fair_threads_are_named_where_the_kernel_has_them(
    tmp_path: Path, kernel: str, fair: bool
) -> None:
    found = imported(TRACES / f"rig/deadlines-{kernel}-8.part", tmp_path)
    assert found.report["servers"]["fair"] is fair
    assert ("dl_server" in found.to_json()["headline"]) == fair


@pytest.mark.parametrize("recording", REALTIME, ids=lambda path: path.stem)
def test_real_time_threads_are_not_taken_for_deadline_threads(tmp_path: Path, recording: Path) -> None:
    found = imported(recording, tmp_path)
    assert not found.tasks and not found.report["parameters"]["undescribed"]
    # Recordings of before deadlines were recorded cannot say that there are none.
    assert found.to_json()["headline"].startswith(("Not visible: ", "No thread had a deadline: "))
    assert not found.report["edf"]["checked"]


def test_there_are_recordings_of_real_time_threads() -> None:
    assert len(REALTIME) >= 3


def test_a_declared_task_of_an_imported_trace_is_measured(tmp_path: Path) -> None:
    found = imported(REALTIME[0], tmp_path, "provoke=100ms/100ms", "busy*=100ms/100ms")
    assert found.tasks and all(task["parameters"] == "declared" for task in found.tasks)
    assert not any(task["is_deadline_class"] for task in found.tasks)
    assert "declared, not recorded" in found.to_json()["headline"]
