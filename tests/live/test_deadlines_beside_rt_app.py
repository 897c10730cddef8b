"""Jobs and missed deadlines, beside what rt-app logs of its own threads (https://github.com/scheduler-tools/rt-app).

rt-app writes a row for each loop of a thread: when it started, when its timer let it go on, by how much the loop
ended before the timer's next time (`slack`), how late the timer woke it (`wu_lat`). All times are whole microseconds
of CLOCK_MONOTONIC, which is the trace's clock. The timers are absolute, so that loop i of a thread is released at its
first release + i periods. A loop with negative slack does not sleep: with the loops that follow up to the next sleep
it is one job of the kernel, and so of wastenot.

rt-app knows a job's release and when its work ended, wastenot when the kernel woke the thread and when it left the
CPU. The log has a bracket for each difference, so that no machine's speed is a tolerance here: the wakeup is between
release and start of the loop, the switch after the end of the work and before the timer's next time. Whether a
deadline is missed can differ only where the work ended nearer to it than these two differences of that very job. The
workloads stay away from that by milliseconds, but a virtual CPU may be away for as long: a tenth of the jobs may be
so near.

A server of SCHED_DEADLINE whose deadline is shorter than its period gives a thread that is woken before its next period
nothing until then, and the deadline counts from there (dl_check_constrained_dl). One wakeup that a virtual CPU delays
moves the periods that follow, for good: such a job is held to the deadline that the kernel gave it, and half of the
jobs at least must be none of these.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from deadline_admission import without_bound
from wastenot._native import collector
from wastenot.analyzer import open_trace
from wastenot.analyzer.deadlines import Deadlines, find_deadlines, parse_task

TRUNCATED_US = 2
"""Two times that are whole microseconds differ from what they are of by less than this."""
SHORT_US = 100
"""Longer than the way from reading the clock to the switch in `clock_nanosleep` in half of the jobs, and than a server
is throttled because a timer came some microseconds earlier than the one before."""
FIFO_PRIORITIES = {"rt-first": 20, "rt-second": 10}

pytestmark = [
    pytest.mark.skipif(json.loads(collector.doctor())["source"] != "ebpf", reason="`wastenot doctor`: no eBPF here"),
    pytest.mark.skipif(shutil.which("rt-app") is None, reason="rt-app is not installed"),
    pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="the recorder needs a CPU beside the threads"),
]


@dataclass(frozen=True)
class Task:
    """A thread of rt-app: its times, and the runs of each loop in turn (all in ms)."""

    name: str
    runtime: int
    deadline: int
    period: int
    loops: Sequence[Sequence[int]]
    delay: int = 200
    """Until the first release: by then the server's first period is over, which starts as the class is set."""
    cpus: Sequence[int] = ()
    policy: str = ""
    """Another one than that of the others."""
    lock_after: int | None = None
    """The runs from this one on are made with the mutex `m` locked."""

    def to_rt_app(self, repeat: int, policy: str) -> dict[str, Any]:
        """As rt-app reads it: events have numbers, as their names must differ."""
        timer = {"ref": "unique", "period": 1000 * self.period, "mode": "absolute"}
        phases = {f"loop{i}": {"loop": 1, **self._events(runs), "timer": timer} for i, runs in enumerate(self.loops)}
        policy = self.policy or policy
        classes: dict[str, dict[str, Any]] = {
            "SCHED_DEADLINE": {
                "dl-runtime": 1000 * self.runtime, "dl-deadline": 1000 * self.deadline, "dl-period": 1000 * self.period,
            },
            "SCHED_FIFO": {"priority": FIFO_PRIORITIES.get(self.name, 1)},
            "SCHED_OTHER": {},
        }  # fmt: skip
        confined = {"cpus": list(self.cpus)} if self.cpus else {}
        return {
            "policy": policy, **classes[policy], "delay": 1000 * self.delay, "loop": repeat, **confined,
            "phases": phases,
        }  # fmt: skip

    def _events(self, runs: Sequence[int]) -> dict[str, Any]:
        events: dict[str, Any] = {}
        for j, ms in enumerate(runs):
            events |= {"lock": "m"} if j == self.lock_after else {}
            events[f"runtime{j}"] = 1000 * ms
        return events | ({"unlock": "m"} if self.lock_after is not None else {})


@dataclass(frozen=True)
class LoggedJob:
    """Loops without a sleep between them, µs: when the timer let the first one go on, and when the last one had run."""

    release: int
    start: int
    end: int
    next_release: int
    late: int
    """By how much the first loop ended after its deadline; negative: before."""
    loops: int


def record(
    folder: Path, tasks: Sequence[Task], repeat: int, policy: str = "SCHED_DEADLINE", *options: str, pi: bool = False
) -> Path:
    """Record rt-app with these threads, which leaves its logs in the folder."""
    settings = {
        "duration": -1, "calibration": 100, "default_policy": "SCHED_OTHER", "logdir": str(folder), "log_size": 1,
        "log_basename": "log", "lock_pages": True, "gnuplot": False, "ftrace": False, "pi_enabled": pi,
    }  # fmt: skip
    given = {"tasks": {task.name: task.to_rt_app(repeat, policy) for task in tasks}, "global": settings}
    (folder / "tasks.json").write_text(json.dumps(given))
    target = folder / "T.duckdb"
    command = [sys.executable, "-m", "wastenot.cli", "record", "-q", *options, "-o", str(target), "--"]
    done = subprocess.run(
        [*command, "rt-app", str(folder / "tasks.json")], capture_output=True, text=True, timeout=120, check=False
    )
    if "sched_setattr: failed" in done.stderr:
        pytest.skip("this kernel does not admit the threads as SCHED_DEADLINE")
    assert target.exists(), done.stderr
    return target


def rows_in_log(folder: Path, name: str) -> list[dict[str, int]]:
    """The rows that a thread logged."""
    (log,) = folder.glob(f"log-{name}-*.log")
    lines = log.read_text().splitlines()
    names = next(line for line in lines if line.startswith("#idx")).lstrip("#").split()
    return [dict(zip(names, map(int, line.split()), strict=True)) for line in lines if not line.startswith("#")]


def jobs_in_log(folder: Path, task: Task) -> list[LoggedJob]:
    """The jobs that a thread logged, from the first one that its timer released."""
    rows = rows_in_log(folder, task.name)
    period, spare = 1000 * task.period, 1000 * (task.period - task.deadline)
    assert rows and all(row["c_period"] == period for row in rows)
    # The clock is read for `end` just after it was for `wu_lat`.
    first = min(row["end"] - row["wu_lat"] - (i + 1) * period for i, row in enumerate(rows) if row["slack"] > 0)
    jobs, opened = [], None
    for i, row in enumerate(rows):
        if i and rows[i - 1]["slack"] > 0:
            opened = i
        if opened is not None and row["slack"] > 0:
            due, begun = first + (i + 1) * period, rows[opened]
            late = spare - begun["slack"]
            jobs.append(
                LoggedJob(first + opened * period, begun["start"], due - row["slack"], due, late, i + 1 - opened)
            )
            opened = None
    return jobs


def found_in(trace: Path, declared: Sequence[str] = ()) -> Deadlines:
    with open_trace(trace) as opened:
        return find_deadlines(opened, [parse_task(text) for text in declared])


def task_of(found: Deadlines, name: str) -> dict[str, Any]:
    (row,) = (row for row in found.tasks if row["name"] == name)
    return row


def compare(found: Deadlines, task: Task, logged: Sequence[LoggedJob]) -> list[dict[str, Any]]:
    """Compare each job that a thread logged with the one that was found; returns the missed ones."""
    row = task_of(found, task.name)
    ms = 1_000_000
    times = {"runtime_ns": task.runtime * ms, "deadline_ns": task.deadline * ms, "period_ns": task.period * ms}
    assert {name: row[name] for name in times} == times
    jobs = [job for job in found.jobs if job["utid"] == row["utid"] and job["ended_by"] == "sleep"]
    jobs = [job for job in jobs if job["activation_ns"] / 1000 > logged[0].release - TRUNCATED_US]
    switches, missed, unseen, near, postponed = [], [], 0, 0, 0
    for of_log in logged:
        same = [
            job
            for job in jobs
            if of_log.release - TRUNCATED_US < job["activation_ns"] / 1000 < of_log.start + TRUNCATED_US
        ]
        if not same:
            unseen += 1
            continue
        (job,) = same
        end = job["end_ns"] / 1000
        assert of_log.end - TRUNCATED_US < end < of_log.next_release + TRUNCATED_US, (of_log, job)
        switches.append(end - of_log.end)
        woken = job["activation_ns"] / 1000 - of_log.release
        waited = job["deadline_ns"] / 1000 - of_log.release - woken - 1000 * task.deadline
        postponed += waited > SHORT_US
        late = of_log.late - waited
        if abs(late) > woken + switches[-1] + TRUNCATED_US:
            assert job["missed"] == (late > 0), (of_log, job)
        else:
            near += 1
        if job["missed"]:
            missed.append(job)
            late = of_log.end - of_log.release - 1000 * task.deadline
            expected = late + switches[-1] - woken - waited
            assert abs(job["tardiness_ns"] / 1000 - expected) < TRUNCATED_US, (of_log, job)
    # Where a sandbox runs no tracer while a thread of process 1 is current, jobs may not be seen; they are counted.
    assert unseen <= min(row["incomplete"], len(logged) // 10), f"{unseen} jobs of the log are not found"
    assert len(jobs) == len(logged) - unseen, "each job found is one of the log"
    assert near <= len(logged) // 10, f"{near} jobs ended too near to their deadlines"
    if postponed > len(logged) // 2:
        pytest.skip(f"{postponed} of {len(logged)} deadlines count from a later replenishment: nothing to compare with")
    assert median(switches) < SHORT_US
    return missed


def test_a_negative_slack_is_a_miss_and_no_other_job_is_one(tmp_path: Path) -> None:
    # The runs of the fourth loop are times of the clock: 12 ms, then 24 ms in which the server is throttled (a tick
    # late, 4 ms, where the kernel has no HRTICK), then 5 more at the next replenishment: 5 ms late.
    over = Task("rt-over", 14, 40, 40, [[2], [2], [2], [12, 24, 5]])
    spare = Task("rt-spare", 5, 30, 30, [[3]])
    found = found_in(record(tmp_path, [over, spare], 20))
    assert found.report["parameters"]["recorded"]
    logged = jobs_in_log(tmp_path, over)
    missed = compare(found, over, logged)
    assert len([job for job in logged if job.late > 0 and job.loops > 1]) >= 15, "loops were late, and did not sleep"
    assert len([job for job in logged if job.late < 0]) >= 30
    row = task_of(found, "rt-over")
    assert row["faults"]["own_overrun"] == row["missed"] == len(missed), row["faults"]
    assert all(job["fault"] == "own_overrun" and job["throttled_ns"] > 0 for job in missed)
    compare(found, spare, jobs_in_log(tmp_path, spare))
    assert found.report["edf"]["violations"] == 0, found.report["edf"]["longest"][:3]


@pytest.mark.parametrize("policy", ["SCHED_DEADLINE", "SCHED_FIFO"])
def test_jobs_that_another_thread_makes_late_are_those_of_the_log(tmp_path: Path, policy: str) -> None:
    # Every other job of the first has the CPU for 22 ms. The second, released 4 ms later, needs 16 of the 30 ms until
    # its deadline, which is later than the first one's: 4 ms late, and 14 ms of laxity in between.
    cpu = [max(os.sched_getaffinity(0))]
    first = Task("rt-first", 24, 28, 60, [[22], [1]], cpus=cpu)
    second = Task("rt-second", 22, 30, 60, [[16], [16]], delay=204, cpus=cpu)
    is_deadline = policy == "SCHED_DEADLINE"
    with without_bound():
        trace = record(tmp_path, [first, second], 20, policy)
    declared = [] if is_deadline else ["rt-first=24ms/28ms/60ms", "rt-second=22ms/30ms/60ms"]
    found = found_in(trace, declared)
    compare(found, first, jobs_in_log(tmp_path, first))
    logged = jobs_in_log(tmp_path, second)
    missed = compare(found, second, logged)
    assert len([job for job in logged if job.late > 0]) >= 15 and len([job for job in logged if job.late < 0]) >= 15
    row = task_of(found, "rt-second")
    fault = "not_guaranteed" if is_deadline else "contention"
    assert row["parameters"] == ("recorded" if is_deadline else "declared")
    # In such a sandbox (`compare`) the switch to the first thread may be missing, so that the CPU seems to run on with
    # another: at most one in ten.
    others = [job for job in missed if job["fault"] != fault]
    assert len(missed) >= 15 and len(others) <= len(missed) // 10, others[:3]
    # The first loop, released as `delay` ends, is no job of the log, but may be one of the trace.
    assert row["missed"] - len(missed) in (0, 1), row
    of_second = [miss for miss in found.report["misses"] if miss["thread"]["name"] == "rt-second"]
    by_first = [miss for miss in of_second if miss["kept_by"][0]["thread"]["name"] == "rt-first"]
    assert len(by_first) >= 0.9 * len(of_second), of_second


@pytest.mark.parametrize("pi", [True, False], ids=["priority inheritance", "plain futex"])
def test_waits_for_a_lock_that_a_lower_thread_holds_are_those_of_the_log(tmp_path: Path, pi: bool) -> None:
    # The lower thread, of SCHED_FIFO, locks the mutex at its release for 10 and 70 ms in turn, every 120. The other
    # one, released 3 ms later and every 60, runs for 1 ms, and then waits for 6 or 66 ms, or not at all.
    low = Task("rt-low", 0, 120, 120, [[10], [70]], policy="SCHED_FIFO", lock_after=0)
    high = Task("rt-high", 8, 60, 60, [[1, 2], [1, 2]], delay=203, lock_after=1)
    trace = record(tmp_path, [low, high], 12, "SCHED_DEADLINE", "--switch-stacks", pi=pi)
    found = found_in(trace)
    locks = found.report["locks"]
    assert locks["recorded"]
    held = [
        (row["start"], row["end"] - row["wu_lat"] - row["slack"])
        for row in rows_in_log(tmp_path, "rt-low")
        if row["slack"] > 0
    ]
    asked = [row["start"] + 1000 for row in rows_in_log(tmp_path, "rt-high")]
    expected = [(at, end) for at in asked for start, end in held if start < at - SHORT_US and at + SHORT_US < end]
    assert len(expected) >= 10
    kind = "pi_futex" if pi else "futex"
    # As its threads start, rt-app has locks and barriers of its own.
    waits = [row for row in locks["longest"] if row["kind"] == kind and row["start_ns"] / 1000 > asked[0] - 1000]
    ends, holders = [], []
    for at, end in expected:
        # It runs for 1 ms or more before: its server may be throttled meanwhile.
        same = [row for row in waits if at - TRUNCATED_US < row["start_ns"] / 1000 < end]
        if same:
            ends.append(abs(same[0]["end_ns"] / 1000 - end))
            holders.append(same[0]["held_by"] and same[0]["held_by"]["name"])
            assert same[0]["is_inversion"] == (holders[-1] == "rt-low")
    # Waits may be missing where a sandbox lets switches go unreported (`compare`), but none that is found is another.
    unseen = len(expected) - len(ends)
    assert len(ends) >= 5 and len(waits) <= len(expected) and median(ends) < SHORT_US, ends
    if not pi:
        assert set(holders) == {None} and locks["inversions"] == 0, "it may be a condition variable"
        return
    assert holders.count("rt-low") >= 0.9 * len(holders), holders
    assert [thread["name"] for thread in locks["boosted"]] == ["rt-low"]
    assert locks["split_jobs"] >= 0.9 * len(ends)
    # A loop is late where the wait was long, though each of its two jobs meets its own deadline. Those that follow it
    # without a sleep are of the same jobs.
    slacks = [row["slack"] for row in rows_in_log(tmp_path, "rt-high")]
    late = sum(slack < 0 < before for before, slack in pairwise(slacks))
    assert late >= 5 and abs(locks["late"] + found.report["missed"] - late) <= unseen, (late, locks)


def test_a_fair_thread_that_the_deadline_server_of_its_cpu_runs_is_named_as_such(tmp_path: Path) -> None:
    # On one CPU a SCHED_FIFO thread runs for 3.5 s of the clock, and a fair one would, too: from Linux 6.12 on the
    # CPU's deadline server lets it have 50 ms of each second in which it was kept from running.
    release = tuple(map(int, platform.release().split("-")[0].split(".")[:2]))
    if release < (6, 12):
        pytest.skip(f"Linux {platform.release()} has no deadline servers for its fair threads")
    cpu = [max(os.sched_getaffinity(0))]
    hog = Task("rt-hog", 0, 4500, 4500, [[3500]], cpus=cpu)
    fair = Task("rt-fair", 0, 4500, 4500, [[3500]], delay=201, cpus=cpu, policy="SCHED_OTHER")
    found = found_in(record(tmp_path, [hog, fair], 1, "SCHED_FIFO"), ["rt-hog=100ms/500ms/4500ms"])
    assert found.report["servers"]["fair"] is True
    (row,) = (row for row in rows_in_log(tmp_path, "rt-hog"))
    miss = max(found.report["misses"], key=lambda miss: int(miss["tardiness_ns"]))
    assert abs(miss["end_ns"] / 1000 - (row["end"] - row["wu_lat"] - row["slack"])) < 1000
    by_server = [kept for kept in miss["kept_by"] if kept["kind"] == "fair_server"]
    given = sum(kept["dur_ns"] for kept in by_server)
    # Two to four times, by when its first second starts; other fair threads of this CPU have a part of it.
    assert 90_000_000 < given < 210_000_000, miss["kept_by"]
    assert "rt-fair" in [kept["thread"]["name"] for kept in by_server]
