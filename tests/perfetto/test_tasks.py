"""The questions of docs/guide/perfetto.md, in SQL to Perfetto's own trace processor: its answers are ours.

`pytest -s` prints how long each takes there, with loading the export.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from wastenot.analyzer import CheckOptions, ImportOptions, Trace, export_perfetto, import_source, open_trace

Rows = list[dict[str, Any]]
Query = Callable[..., list[Rows]]

WASTED = Path(__file__).parents[2] / "fixtures/traces/guest-6.1/wasted"

WAIT = """
    WITH wait AS (
        SELECT ts, dur, ts + dur AS end_ts, utid FROM thread_state
        WHERE state IN ('R', 'R+') AND utid = (SELECT utid FROM thread WHERE tid = {tid})
            AND ts <= {at} AND ts + dur > {at}
    ), ran AS (
        SELECT s.cpu FROM sched_slice s JOIN wait w ON s.utid = w.utid AND s.ts >= w.end_ts ORDER BY s.ts LIMIT 1
    )"""
"""The wait of a thread at a time, and the CPU that it ran on then: a state that is runnable has none there."""

DELAYED_BY = f"""{WAIT}
    SELECT t.tid, sum(min(s.ts + s.dur, w.end_ts) - max(s.ts, w.ts)) AS ns
    FROM sched_slice s JOIN ran USING (cpu) JOIN wait w ON s.ts < w.end_ts AND s.ts + s.dur > w.ts
    JOIN thread t ON t.utid = s.utid
    WHERE t.tid <> 0 GROUP BY t.tid ORDER BY ns DESC LIMIT 1"""

LONGEST_OF_PROCESS = """
    SELECT s.ts, s.dur FROM thread_state s JOIN thread t USING (utid) JOIN process p USING (upid)
    WHERE p.pid = {pid} AND s.state IN ('R', 'R+') ORDER BY s.dur DESC LIMIT 1"""

IDLED = f"""{WAIT}
    SELECT s.cpu, sum(min(s.ts + s.dur, w.end_ts) - max(s.ts, w.ts)) AS ns
    FROM sched_slice s JOIN wait w ON s.ts < w.end_ts AND s.ts + s.dur > w.ts JOIN thread t ON t.utid = s.utid
    WHERE t.tid = 0 GROUP BY s.cpu ORDER BY s.cpu"""

MOVES = "SELECT count(*) AS n FROM ftrace_event WHERE name = 'sched_migrate_task'"


@dataclass(frozen=True)
class Exported:
    """A trace, and its export."""

    trace: Trace
    path: Path


@pytest.fixture(scope="module")
def wasted(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("tasks") / "wasted.duckdb"
    import_source(WASTED, path, ImportOptions(("*=0-7",)), CheckOptions(tables="all"))
    export_perfetto(path, path.with_suffix(".pftrace"))
    with open_trace(path) as trace:
        yield Exported(trace, path.with_suffix(".pftrace"))


@pytest.fixture
def asked(query: Query, wasted: Exported) -> Callable[[str, str], Rows]:
    """Ask Perfetto's trace processor, and print how long that took."""

    def ask(task: str, sql: str) -> Rows:
        began = time.monotonic()
        (rows,) = query(wasted.path, sql)
        print(f"{task}: {time.monotonic() - began:.1f} s")
        return rows

    return ask


def longest_wait(trace: Trace) -> dict[str, Any]:
    """The longest wait of the trace, in our tables."""
    waits = "SELECT utid, start_ns, dur_ns FROM waits() ORDER BY dur_ns DESC LIMIT 1"
    return dict(trace.sql(f"SELECT w.*, t.tid, t.tgid FROM ({waits}) w JOIN thread t USING (utid)").one())


def test_who_delayed_a_thread_at_a_time(asked: Callable[[str, str], Rows], wasted: Exported) -> None:
    wait = longest_wait(wasted.trace)
    (behind,) = asked("who delayed a thread", DELAYED_BY.format(tid=wait["tid"], at=wait["start_ns"] + 1000))
    (ours,) = wasted.trace.latency(by="thread").longest[:1]
    assert (behind["tid"], behind["ns"]) == (ours["antagonist_tid"], ours["antagonist_ns"])


def test_the_longest_wait_of_a_process(asked: Callable[[str, str], Rows], wasted: Exported) -> None:
    wait = longest_wait(wasted.trace)
    (found,) = asked("longest wait of a process", LONGEST_OF_PROCESS.format(pid=wait["tgid"]))
    assert (found["ts"], found["dur"]) == (wait["start_ns"], wait["dur_ns"])


def test_which_cpus_idled_meanwhile(asked: Callable[[str, str], Rows], wasted: Exported) -> None:
    wait = longest_wait(wasted.trace)
    found = asked("which CPUs idled meanwhile", IDLED.format(tid=wait["tid"], at=wait["start_ns"] + 1000))
    start, end = wait["start_ns"], wait["start_ns"] + wait["dur_ns"]
    ours = wasted.trace.sql(
        f"""
        SELECT cpu, sum(least(start_ns + dur_ns, {end}) - greatest(start_ns, {start}))::BIGINT AS ns
        FROM cpu_slice WHERE utid = 0 AND start_ns < {end} AND start_ns + dur_ns > {start} GROUP BY cpu ORDER BY cpu"""
    ).rows()
    assert [(row["cpu"], row["ns"]) for row in found] == [(row["cpu"], row["ns"]) for row in ours] != []


def test_what_the_balancer_did(asked: Callable[[str, str], Rows], wasted: Exported) -> None:
    """Perfetto drops what comes before the first switch."""
    (found,) = asked("what the balancer did: moves", MOVES)
    since = "(SELECT min(ts_ns) FROM sched_switch)"
    ours = wasted.trace.sql(f"SELECT count(*) AS n FROM sched_migrate_task WHERE ts_ns >= {since}").one()
    assert found["n"] == ours["n"] > 0
