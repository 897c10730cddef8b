"""For what part of the time of SCHED_DEADLINE threads global EDF is checked, on drawn threads with exact times."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from deadline_tasks import FIFO, IN_PART, LATE, PASSED_OVER, START, THROTTLED, UNDESCRIBED
from drawing import build_drawn
from wastenot.analyzer import open_trace
from wastenot.analyzer.deadline_conditions import parse_deadline_condition
from wastenot.analyzer.deadlines import Deadlines, find_deadlines, parse_task
from wastenot.analyzer.text.deadlines import headline

PARAMETERS = "deadline 100 runtime 4ms deadline 10ms period 10ms until {until}ms left 4ms\n"
NEVER_AWAKE = START.format(prio=-1) + "1ms " + PARAMETERS.format(until=11) + UNDESCRIBED.split("mask 0-1 prio -1\n")[1]
NEVER_AWAKE = NEVER_AWAKE.replace("wakeup 100", "wakeup 101").replace("100 prio", "101 prio").replace("100 S", "101 S")
NEVER_AWAKE = NEVER_AWAKE.replace("1ms deadline", "0ms thread 101 other on 0 asleep mask 0-1 prio -1\n1ms deadline")
"""One row of parameters, of a thread that sleeps; another one, without, runs for 6 ms."""
RUNNING = (
    START.format(prio=-1).replace("cpu 0 idle", "cpu 0 runs 100").replace("asleep", "running")
    + "5ms "
    + PARAMETERS.format(until=15)
    + "8ms switch 0: 100 S -> 0\n"
)
"""A thread that runs as the recording starts; its parameters are recorded at 5 of the 8 ms."""
LEAVES = LATE + (
    "30ms wakeup 100 on 0\n30ms switch 0: 0 R -> 100 prio 120\n40ms switch 0: 100 S -> 0\n"
    "50ms wakeup 100 on 0\n50ms switch 0: 0 R -> 100 prio -1\n54ms switch 0: 100 S -> 0\n"
)
"""`LATE`, whose thread then is a fair one for 10 ms and of the class again for 4 ms, without parameters."""


def found_in(path: Path, drawing: str, *tasks: str) -> Deadlines:
    """What is found in a drawing."""
    build_drawn(drawing, path)
    with open_trace(path) as trace:
        return find_deadlines(trace, [parse_task(task) for task in tasks])


@pytest.mark.parametrize(
    ("drawing", "tasks", "awake_ms", "checked_ms"),
    [
        (LATE, (), 9, 9),
        (THROTTLED, (), 7, 7),
        (PASSED_OVER, (), 51, 51),
        (FIFO, (), 0, 0),
        (UNDESCRIBED, (), 6, 0),
        (UNDESCRIBED, ("control=4ms/10ms",), 6, 6),
        (IN_PART, (), 20, 11),
        (IN_PART, ("other=4ms/10ms",), 20, 17),
        (NEVER_AWAKE, (), 6, 0),
        (RUNNING, (), 8, 3),
        (LEAVES, (), 13, 9),
    ],
)
def test_time_is_checked_while_the_deadline_of_a_thread_that_is_awake_is_known(
    drawing: str, tasks: tuple[str, ...], awake_ms: int, checked_ms: int, tmp_path: Path
) -> None:
    edf = found_in(tmp_path / "T.duckdb", drawing, *tasks).report["edf"]
    assert (edf["awake_ns"], edf["checked_ns"]) == (awake_ms * 1_000_000, checked_ms * 1_000_000)
    assert edf["checked"] == (checked_ms > 0)


def test_what_was_not_checked_is_in_the_headline_and_no_condition_on_violations_passes(tmp_path: Path) -> None:
    violations = parse_deadline_condition("violations>0")
    whole = found_in(tmp_path / "whole.duckdb", LATE)
    assert "Global EDF held: no thread" in headline(whole) and violations.undecided(whole) is None
    part = found_in(tmp_path / "part.duckdb", IN_PART)
    unknown = (
        "in 45.0 % of the time for which SCHED_DEADLINE threads ran or waited their deadlines are not known "
        "(of 1 thread none is)"
    )
    assert "Global EDF held as far as is visible: no thread was seen passed over" in headline(part)
    assert f"but {unknown}." in headline(part)
    assert violations.failure(part) is None
    assert violations.undecided(part) == f"violations>0: is not known: {unknown}"
    # Misses are of the jobs that were measured; the headline says which threads were not.
    assert parse_deadline_condition("misses>9").undecided(part) is None


def test_a_single_row_of_a_thread_that_sleeps_checks_nothing(tmp_path: Path) -> None:
    found = found_in(tmp_path / "T.duckdb", NEVER_AWAKE)
    assert "Global EDF: not checked" in headline(found)
    assert parse_deadline_condition("violations>0").undecided(found) is not None


def test_a_file_without_the_table_of_parameters_has_no_checked_time(tmp_path: Path) -> None:
    build_drawn(LATE, tmp_path / "T.duckdb")
    with duckdb.connect(str(tmp_path / "T.duckdb")) as con:
        con.execute("DROP TABLE dl_parameters; DELETE FROM evidence WHERE kind = 'dl_parameters'")
    with open_trace(tmp_path / "T.duckdb") as trace:
        edf = find_deadlines(trace).report["edf"]
    # Without its parameters it is not known either that it is throttled from 16 to 21 ms.
    assert (edf["checked"], edf["awake_ns"], edf["checked_ns"]) == (False, 14_000_000, 0)
