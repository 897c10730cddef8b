"""Waits of deadline tasks for locks and who held them, on drawn threads with exact times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from deadline_tasks import LATE
from drawing import build_drawn
from wastenot.analyzer import open_trace
from wastenot.analyzer.deadlines import Deadlines, find_deadlines, parse_task
from wastenot.analyzer.text.deadlines import headline, main_loss

MS = 1_000_000
PI_FUTEX = "__schedule < rt_mutex_schedule < rt_mutex_slowlock_block.constprop.0 < futex_lock_pi < do_futex"
MUTEX = "__schedule < schedule_preempt_disabled < __mutex_lock.constprop.0 < do_sys_open"
FUTEX = "__schedule < schedule < futex_do_wait < __futex_wait < futex_wait < do_futex"
TIMER = "__schedule < schedule < do_nanosleep < hrtimer_nanosleep"

WAITS = """
cpus 0-1
kernel 6.12
realtime 950ms of 1s
window 0ms 100ms
0ms cpu 0 idle
0ms cpu 1 runs 200
0ms thread 100 control on 0 asleep mask 0-1 prio {prio}
0ms thread 200 logger on 1 running mask 1 prio {holder}
0ms thread 300 other on 1 queued mask 1 prio {holder}
1ms {parameters} until 11ms left 8ms
1ms wakeup 100 on 0
1ms switch 0: 0 R -> 100 prio {prio}
2ms switch 0: 100 {state} -> 0
2ms stack switch 100 on 0 by {stack}
4ms switch 1: 200 R -> 300 prio {holder}
7ms switch 1: 300 S -> 200 prio {holder}
9ms waking 100 last 0 by 1
9ms {parameters} until {until}ms left {left}ms
9ms wakeup 100 on 0
9ms switch 0: 0 R -> 100 prio {prio}
12ms switch 0: 100 S -> 0
12ms stack switch 100 on 0 by __schedule < schedule < do_nanosleep < hrtimer_nanosleep
20ms {parameters} until 30ms left 8ms
20ms wakeup 100 on 0
20ms switch 0: 0 R -> 100 prio {prio}
21ms switch 0: 100 S -> 0
"""
"""A job of 10 ms until its deadline, which waits from 2 to 9 ms for what `logger` gives back; that runs for 4 ms of
this, and waits for `other` for 3. What follows ends at 12 ms, after the first deadline at 11. Another job at 20 ms."""


def waits_in(
    path: Path,
    stack: str,
    *tasks: str,
    state: str = "S",
    prio: int = -1,
    holder: int = 120,
    drop: str = "nothing",
    more: str = "",
) -> Deadlines:
    """What is found in the drawing."""
    parameters = "deadline 100 runtime 8ms deadline 10ms period 10ms"
    until, left = ("11", "7") if state == "D" else ("19", "8")
    text = WAITS.format(
        stack=stack, state=state, prio=prio, holder=holder, parameters=parameters, until=until, left=left
    )
    lines = [line for line in text.splitlines() if not (tasks and " deadline 100 " in line) and drop not in line]
    build_drawn("\n".join(lines) + "\n" + more, path)
    with open_trace(path) as trace:
        return find_deadlines(trace, [parse_task(task) for task in tasks])


def the_wait(found: Deadlines) -> dict[str, Any]:
    (row,) = found.report["locks"]["longest"]
    return dict(row)


def test_a_wait_for_a_lock_that_a_lower_thread_holds_is_a_priority_inversion(tmp_path: Path) -> None:
    found = waits_in(tmp_path / "T.duckdb", PI_FUTEX)
    row = the_wait(found)
    assert (row["start_ns"], row["end_ns"], row["kind"]) == (2 * MS, 9 * MS, "pi_futex")
    assert (row["thread"]["name"], row["held_by"]["name"], row["is_inversion"]) == ("control", "logger", True)
    assert (row["holder_ran_ns"], row["holder_waited_ns"]) == (4 * MS, 3 * MS)
    locks = found.report["locks"]
    assert (locks["waits"], locks["inversions"], locks["inversion_ns"], locks["not_known"]) == (1, 1, 7 * MS, 0)
    assert (locks["split_jobs"], locks["late"], found.report["jobs"], found.report["missed"]) == (1, 1, 3, 0)
    text = headline(found)
    assert "priority inversion: tasks waited 1 time for a lock that a thread of lower priority held" in text
    assert "for up to 7.00 ms (control for logger (200))" in text
    assert "what follows 1 wait for a lock counts as a job of its own" in text
    assert "1 of the last ones ended after the deadline of the first" in text
    shown = " ".join(str(found).split())
    assert "logger (200), of lower" in shown and "ran 4.00 ms, waited for a" in shown


def test_a_mutex_of_the_kernel_blocks_within_a_job_and_a_miss_names_who_held_it(tmp_path: Path) -> None:
    found = waits_in(tmp_path / "T.duckdb", MUTEX, state="D")
    assert (found.report["jobs"], found.report["missed"], found.report["locks"]["split_jobs"]) == (2, 1, 0)
    (miss,) = found.report["misses"]
    assert (miss["fault"], miss["spent_ns"]["blocked"], miss["tardiness_ns"]) == ("interference", 7 * MS, MS)
    assert miss["kept_by"][0]["thread"]["name"] == "logger" and miss["kept_by"][0]["dur_ns"] == 7 * MS
    assert main_loss(miss) == "blocked: logger (200), 7.00 ms"
    assert the_wait(found)["kind"] == "kernel_mutex" and the_wait(found)["is_inversion"]


def test_no_thread_is_blamed_for_a_futex_that_may_not_be_a_lock(tmp_path: Path) -> None:
    found = waits_in(tmp_path / "T.duckdb", FUTEX)
    row = the_wait(found)
    assert (row["kind"], row["held_by"], row["is_inversion"], row["holder_ran_ns"]) == ("futex", None, False, None)
    locks = found.report["locks"]
    assert (locks["waits"], locks["inversions"], locks["not_known"], locks["split_jobs"]) == (1, 0, 1, 0)
    assert "inversion" not in headline(found) and "who held it is not known" in " ".join(str(found).split())


@pytest.mark.parametrize(
    ("prio", "holder", "is_inversion"),
    [(-1, 0, True), (50, 60, True), (50, 50, False), (50, 40, False), (-1, -1, False), (50, 120, True)],
)
def test_the_holder_is_lower_by_its_own_priority(prio: int, holder: int, is_inversion: bool, tmp_path: Path) -> None:
    tasks = () if prio < 0 else ("control=8ms/10ms",)
    found = waits_in(tmp_path / "T.duckdb", PI_FUTEX, *tasks, prio=prio, holder=holder)
    assert the_wait(found)["is_inversion"] == is_inversion
    assert the_wait(found)["held_by"]["name"] == "logger"
    assert found.report["locks"]["inversions"] == int(is_inversion)


def test_an_interrupt_or_an_unknown_waker_holds_nothing(tmp_path: Path) -> None:
    # Without `waking` the CPU of the wakeup counts, which idles: a timer woke it there.
    found = waits_in(tmp_path / "T.duckdb", PI_FUTEX, drop="waking 100")
    assert (the_wait(found)["held_by"], the_wait(found)["is_inversion"]) == (None, False)
    assert found.report["locks"]["inversions"] == 0


def test_a_thread_of_which_a_switch_is_missing_is_not_taken_for_the_holder(tmp_path: Path) -> None:
    # `logger` seems to run on when another leaves the CPU.
    found = waits_in(tmp_path / "T.duckdb", PI_FUTEX, more="10ms switch 1: 300 S -> 200 prio 120\n")
    assert (the_wait(found)["held_by"], the_wait(found)["is_inversion"]) == (None, False)


def test_a_wait_whose_wakeup_was_not_reported_is_not_measured(tmp_path: Path) -> None:
    found = waits_in(tmp_path / "T.duckdb", PI_FUTEX, drop="9ms wakeup 100")
    assert found.report["locks"]["recorded"] and found.report["locks"]["waits"] == 0


def test_a_sleep_on_a_timer_is_not_a_wait_for_a_lock_and_without_stacks_none_is_known(tmp_path: Path) -> None:
    found = waits_in(tmp_path / "timer.duckdb", TIMER)
    assert found.report["locks"]["recorded"] and found.report["locks"]["waits"] == 0
    build_drawn(LATE, tmp_path / "late.duckdb")
    with open_trace(tmp_path / "late.duckdb") as trace:
        locks = find_deadlines(trace).report["locks"]
    assert (locks["recorded"], locks["waits"], locks["longest"], locks["longest_inversion"]) == (False, 0, [], None)


def test_a_thread_that_runs_boosted_held_a_lock_though_no_stacks_say_so(tmp_path: Path) -> None:
    boosted = LATE + (
        "0ms thread 101 logger on 1 asleep mask 0-1 prio 120\n"
        "40ms wakeup 101 on 1\n40ms switch 1: 0 R -> 101 prio 120\n"
        "42ms deadline 101 runtime 0ms deadline 0ms period 0ms until 52ms left 1ms\n42ms switch 1: 101 S -> 0\n"
    )
    build_drawn(boosted, tmp_path / "T.duckdb")
    with open_trace(tmp_path / "T.duckdb") as trace:
        found = find_deadlines(trace)
    assert [thread["name"] for thread in found.report["locks"]["boosted"]] == ["logger"]
    assert "logger held a lock for which a SCHED_DEADLINE thread waited (priority inheritance)" in headline(found)
