"""What of the servers of deadline threads the walk's figures do not account for.

Runtime that a server reclaims of others (SCHED_FLAG_RECLAIM), the servers that the kernel has for fair threads, and
deadlines that count from a later replenishment than the wakeup.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb
    from wastenot._native import Rows

SCHED_FLAG_RECLAIM = 2
"""`flags` of a thread whose server gets runtime that others leave (GRUB, kernel/sched/deadline.c: grub_reclaim)."""
FAIR_SERVERS_FROM = (6, 8)
"""The release that has deadline servers (dl_server) at all; from 6.12 on each CPU has one for its fair threads."""

POSTPONED_FROM_NS = 50_000
"""A server whose thread is woken a little less than a period after the last wakeup is throttled for a moment: noise."""

_RECLAIMING = "SELECT DISTINCT tid FROM dl_parameters WHERE flags & $reclaim != 0"
_POSTPONED = """
WITH
tasks AS (SELECT unnest($utids) AS utid, unnest($tids) AS tid),
parameters AS (SELECT DISTINCT tid, deadline_ns FROM dl_parameters WHERE runtime_ns > 0 AND deadline_ns > 0),
-- A thread may have had several: with the longest that fits, it is postponed by the least.
found AS (
  SELECT
    jobs_of_walk.utid, activation_ns, any_value(missed) AS missed, any_value(end_ns) AS end_ns,
    any_value(jobs_of_walk.deadline_ns) AS until_ns,
    min(jobs_of_walk.deadline_ns - activation_ns - parameters.deadline_ns) AS by_ns
  FROM jobs_of_walk JOIN tasks USING (utid) JOIN parameters USING (tid)
  WHERE activated_by = 'wakeup' AND parameters.deadline_ns <= jobs_of_walk.deadline_ns - activation_ns
  GROUP BY jobs_of_walk.utid, activation_ns
)
SELECT count(*), coalesce(max(by_ns), 0), count(*) FILTER (WHERE NOT missed AND end_ns + by_ns > until_ns)
FROM found WHERE by_ns > $from_ns
"""


def reclaiming(con: duckdb.DuckDBPyConnection, tables: Collection[str], report: dict[str, Any]) -> list[dict[str, Any]]:
    """The tasks whose servers reclaim runtime, as threads."""
    if "dl_parameters" not in tables:
        return []
    tids = {tid for (tid,) in con.execute(_RECLAIMING, {"reclaim": SCHED_FLAG_RECLAIM}).fetchall()}
    return [{k: task[k] for k in ("utid", "tid", "name")} for task in report["tasks"] if task["tid"] in tids]


def fair_servers(con: duckdb.DuckDBPyConnection) -> bool | None:
    """Whether the kernel has deadline servers, which may run its fair threads; None: its release is not known."""
    ((kernel,),) = con.execute("SELECT kernel FROM trace").fetchall()
    release = re.match(r"(\d+)\.(\d+)", kernel or "")
    return (int(release[1]), int(release[2])) >= FAIR_SERVERS_FROM if release else None


def postponed(
    con: duckdb.DuckDBPyConnection, tables: Collection[str], report: dict[str, Any], jobs: Rows
) -> dict[str, int]:
    """Jobs whose deadline counts from a replenishment after the wakeup, as their server was throttled then.

    `jobs`: how many; `max_ns`: by how much at most; `late`: those of them that met this deadline, and ended after the
    one that counts from the wakeup.
    """
    tasks = [task for task in report["tasks"] if task["parameters"] == "recorded"]
    if not tasks or "dl_parameters" not in tables:
        return {"jobs": 0, "max_ns": 0, "late": 0}
    values = {"utids": [t["utid"] for t in tasks], "tids": [t["tid"] for t in tasks], "from_ns": POSTPONED_FROM_NS}
    con.register("jobs_of_walk", jobs)
    try:
        ((count, max_ns, late),) = con.execute(_POSTPONED, values).fetchall()
    finally:
        con.unregister("jobs_of_walk")
    return {"jobs": count, "max_ns": max_ns, "late": late}
