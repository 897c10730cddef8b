"""What of the servers of deadline threads the figures do not account for, on drawn threads with exact times."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from deadline_tasks import FIFO, LATE, START
from drawing import build_drawn
from wastenot.analyzer import open_trace
from wastenot.analyzer.deadlines import Deadlines, find_deadlines, parse_task
from wastenot.analyzer.text.deadlines import headline

MS = 1_000_000
FAIR = "servers that run fair threads within the deadline class (dl_server, from Linux 6.8 on) are not recorded"
POSTPONED = (
    START.format(prio=-1)
    + """
1ms deadline 100 runtime 8ms deadline 10ms period 20ms until 11ms left 8ms
1ms wakeup 100 on 0
1ms switch 0: 0 R -> 100 prio -1
3ms switch 0: 100 S -> 0
15ms deadline 100 runtime 8ms deadline 10ms period 20ms until 11ms left 6ms throttled
15ms wakeup 100 on 0
21ms deadline 100 runtime 8ms deadline 10ms period 20ms until 31ms left 8ms
21ms switch 0: 0 R -> 100 prio -1
{end}ms switch 0: 100 S -> 0
"""
)
"""Two jobs: the second wakes at 15 ms, before the next period of its server, which starts at 21 ms."""


def found_in(path: Path, drawing: str, *tasks: str, flags: int = 0) -> Deadlines:
    """What is found in a drawing, whose parameters get these flags."""
    build_drawn(drawing, path)
    if flags:
        with duckdb.connect(path) as con:
            con.execute("UPDATE dl_parameters SET flags = ?", [flags])
    with open_trace(path) as trace:
        return find_deadlines(trace, [parse_task(task) for task in tasks])


@pytest.mark.parametrize(("end_ms", "late"), [(24, 0), (25, 0), (26, 1), (29, 1), (32, 0)])
def test_a_deadline_that_counts_from_a_replenishment_is_named_with_what_would_be_late(
    end_ms: int, late: int, tmp_path: Path
) -> None:
    found = found_in(tmp_path / "T.duckdb", POSTPONED.format(end=end_ms))
    second = max(found.jobs, key=lambda job: int(job["activation_ns"]))
    assert (second["activation_ns"], second["deadline_ns"]) == (15 * MS, 31 * MS)
    assert second["missed"] == (end_ms > 31)
    assert found.report["servers"]["postponed"] == {"jobs": 1, "max_ns": 6 * MS, "late": late}
    more = ", counted from which 1 more would be missed" if late else ""
    assert f"the deadline of 1 job counts from a replenishment up to 6.00 ms after the wakeup{more}, as" in headline(
        found
    )


def test_deadlines_that_count_from_the_wakeup_are_not_postponed(tmp_path: Path) -> None:
    found = found_in(tmp_path / "T.duckdb", LATE)
    assert found.report["servers"]["postponed"] == {"jobs": 0, "max_ns": 0, "late": 0}
    assert "replenishment" not in headline(found)


@pytest.mark.parametrize(("flags", "reclaims"), [(0, False), (1, False), (2, True), (3, True), (4, False)])
def test_threads_that_reclaim_runtime_are_named(flags: int, reclaims: bool, tmp_path: Path) -> None:
    found = found_in(tmp_path / "T.duckdb", LATE, flags=flags)
    names = [thread["name"] for thread in found.report["servers"]["reclaiming"]]
    assert names == (["control"] if reclaims else [])
    assert ("runtime that 1 thread may reclaim of others (SCHED_FLAG_RECLAIM)" in headline(found)) == reclaims


@pytest.mark.parametrize(
    ("kernel", "fair"),
    [
        ("5.10", False),
        ("6.7", False),
        ("6.8", True),
        ("6.12", True),
        ("6.18.44-fc-v595", True),
        ("7.0", True),
        (None, None),
    ],
)
def test_a_kernel_with_servers_for_fair_threads_is_named(kernel: str | None, fair: bool | None, tmp_path: Path) -> None:
    drawing = LATE.replace("kernel 6.12\n", f"kernel {kernel}\n" if kernel else "")
    found = found_in(tmp_path / "T.duckdb", drawing)
    assert found.report["servers"]["fair"] is fair
    assert (FAIR in headline(found)) == bool(fair)


def test_nothing_is_said_of_servers_where_no_thread_is_of_their_class(tmp_path: Path) -> None:
    found = found_in(tmp_path / "T.duckdb", FIFO, "control=4ms/10ms")
    assert found.report["jobs"] == 1 and found.report["servers"]["fair"]
    assert FAIR not in headline(found)
