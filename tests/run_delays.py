"""How long threads waited: by the kernel's own sum, and by a trace.

The kernel adds to `run_delay` from when a thread is queued until it runs, and from when it is preempted until it runs
again (kernel/sched/stats.h: sched_info_enqueue, sched_info_arrive, sched_info_depart).
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from wastenot.analyzer import Trace


def run_delays(file: Path) -> dict[int, int]:
    """The sums that `provoke` leaves where WASTENOT_RUN_DELAYS says: ns by thread, from its start to its end."""
    lines = (line.split() for line in file.read_text(encoding="ascii").splitlines())
    return {int(tid): int(ns) for tid, ns in lines}


def waits_by_thread(trace: Trace, tids: Collection[int]) -> dict[int, int]:
    """The waits of these threads in a trace, ns."""
    rows = trace.sql(
        "SELECT tid, sum(wait_wakeup_ns + wait_preempted_ns + throttled_ns)::BIGINT AS ns FROM thread "
        "WHERE list_contains($tids, tid) GROUP BY tid",
        {"tids": list(tids)},
    ).rows()
    return {row["tid"]: row["ns"] for row in rows}
