-- Cross-check on the raw events alone: the thread a CPU switches from is the one it switched to before (or the one the
-- snapshot showed). Rows are violations. A tid renamed by an exec, and a switch across lost events, are not violations.
-- parameters: none
-- columns:
--   id                 [event id]  the switch
--   ts_ns              [ns]
--   cpu                [cpu]
--   prev_tid, expected_tid  [tid]  whom it says it leaves, and who ran there
WITH currents AS (
  SELECT id, ts_ns, cpu, NULL::INTEGER AS prev_tid, current_tid AS next_tid FROM cpu_snapshot
  UNION ALL
  SELECT id, ts_ns, cpu, prev_tid, next_tid FROM sched_switch
),
paired AS (
  SELECT id, ts_ns, cpu, prev_tid, lag(next_tid) OVER by_cpu AS expected_tid, lag(ts_ns) OVER by_cpu AS since_ns
  FROM currents
  WINDOW by_cpu AS (PARTITION BY cpu ORDER BY id)
)
SELECT p.id, p.ts_ns, p.cpu, p.prev_tid, p.expected_tid
FROM paired p
WHERE p.prev_tid <> p.expected_tid
  AND NOT EXISTS (SELECT 1 FROM process_exec x WHERE x.tid = p.prev_tid AND x.old_tid = p.expected_tid)
  AND NOT EXISTS (SELECT 1 FROM lost_events l WHERE (l.cpu IS NULL OR l.cpu = p.cpu) AND l.ts_ns <= p.ts_ns AND l.end_ns >= p.since_ns)
ORDER BY p.id
