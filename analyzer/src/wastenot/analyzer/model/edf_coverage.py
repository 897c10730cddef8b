"""What part of the time of SCHED_DEADLINE threads the invariant of global EDF could be checked for.

A thread violates the invariant while it waits, and is compared by the deadline of its server. That is known of a thread
from its first row of `dl_parameters` as it is of this class, or, where it is declared, from its first wakeup on.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb

_NO_PARAMETERS = """(SELECT NULL::BIGINT AS id, NULL::BIGINT AS ts_ns, NULL::INTEGER AS tid,
  NULL::BIGINT AS kernel_deadline_ns, NULL::BIGINT AS until_ns, NULL::BIGINT AS deadline_ns,
  NULL::BIGINT AS period_ns, NULL::INTEGER AS flags, NULL::BOOLEAN AS throttled WHERE false)"""
"""In place of `dl_parameters` where a file has no such table."""

_STATEMENT = """
WITH changes AS (
  SELECT id, ts_ns, next_tid AS tid, next_prio AS prio, true AS is_awake, false AS is_wakeup FROM sched_switch
  UNION ALL
  SELECT id, ts_ns, prev_tid, prev_prio, task_state_name(prev_state) IN ('R', 'R+'), false FROM sched_switch
  UNION ALL
  SELECT id, ts_ns, tid, prio, true, true FROM sched_wakeup
  UNION ALL
  SELECT id, ts_ns, tid, prio, queue_state_name(queue) IN ('running', 'queued'), false FROM thread_snapshot
  UNION ALL
  SELECT id, ts_ns, tid, -1, NULL, false FROM {parameters}
),
-- Changes of threads that were of the class at some time; their class is known from one that has a priority on.
of_class AS (
  SELECT
    id, greatest(ts_ns, $start_ns) AS ts_ns, tid, is_wakeup,
    coalesce(last_value(is_awake IGNORE NULLS) OVER before, false) AS is_awake,
    coalesce(last_value(prio IGNORE NULLS) OVER before < 0, false) AS is_deadline,
    greatest(coalesce(lead(ts_ns) OVER (PARTITION BY tid ORDER BY id), $end_ns), $start_ns) AS end_ns
  FROM changes
  WHERE tid IN (SELECT tid FROM changes WHERE prio < 0)
  WINDOW before AS (PARTITION BY tid ORDER BY id)
),
since AS (
  SELECT
    *, max(id) FILTER (WHERE NOT is_deadline) OVER before AS other_class_id,
    min(id) FILTER (WHERE is_wakeup AND is_deadline) OVER before AS woken_id
  FROM of_class
  WINDOW before AS (PARTITION BY tid ORDER BY id)
),
-- With the parameters that were recorded last.
known AS (
  SELECT
    s.tid, s.is_awake AND s.is_deadline AND coalesce(p.flags & $schedutil, 0) = 0 AS counts,
    p.kernel_deadline_ns IS NOT NULL AND p.id > coalesce(s.other_class_id, -1)
      OR list_contains($declared, s.tid) AND s.woken_id IS NOT NULL AS is_known,
    -- A throttled thread does not wait before its server gets runtime again.
    CASE WHEN p.throttled THEN coalesce(greatest(s.ts_ns, p.until_ns - p.deadline_ns + p.period_ns), s.end_ns)
    ELSE s.ts_ns END AS start_ns,
    s.end_ns
  FROM since s ASOF LEFT JOIN {parameters} p ON p.tid = s.tid AND p.id <= s.id
)
SELECT
  coalesce(sum(greatest(end_ns - start_ns, 0)), 0)::BIGINT AS awake_ns,
  coalesce(sum(greatest(end_ns - start_ns, 0)) FILTER (WHERE is_known), 0)::BIGINT AS checked_ns
FROM known WHERE counts
"""

SCHED_FLAG_SUGOV = 0x10000000
"""`flags` of threads of schedutil, which precede all others."""


def edf_coverage(con: duckdb.DuckDBPyConnection, tables: Collection[str], report: dict[str, Any]) -> tuple[int, int]:
    """For how long (ns) SCHED_DEADLINE threads ran or waited for a CPU, throttled ones left out, and for how much of
    this the thread's deadline was known. `tables`: those that the file has; `report`: of the walk."""
    of_class = [task for task in report["tasks"] if task["is_deadline_class"]]
    if not of_class and not report["parameters"]["undescribed"]:
        return 0, 0
    statement = _STATEMENT.format(parameters="dl_parameters" if "dl_parameters" in tables else _NO_PARAMETERS)
    values = {
        "start_ns": report["start_ns"],
        "end_ns": report["end_ns"],
        "declared": [task["tid"] for task in of_class if task["parameters"] == "declared"],
        "schedutil": SCHED_FLAG_SUGOV,
    }
    row = con.execute(statement, values).fetchone()
    assert row is not None
    return int(row[0]), int(row[1])
