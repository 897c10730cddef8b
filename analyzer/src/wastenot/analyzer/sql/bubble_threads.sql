-- The threads of bubbles, as a listing of a scheduler shows them: priority, share of a CPU, state and CPU.
-- parameters:
--   $bubbles  list of bubble_id; threads that belong to one of them directly
-- columns:
--   bubble_id, utid, tid, name
--   priority                    declared: the last
--   cpu_share             [1]   CPU time / length of the trace, over its whole life
--   state                       ended, else what it did last: running, runnable, sleeping ...
--   cpu                         CPU it ran or waited on last; NULL unknown
--   run_ns, wait_ns, avoidable_wait_ns  [ns]  over its whole life
--   migrations                  count
--   start_ns, end_ns      [ns]  when it belonged to the bubble
WITH doing AS (
  SELECT utid, arg_max(phase, start_ns) AS phase, arg_max(cpu, start_ns) AS cpu FROM thread_state GROUP BY utid
), priorities AS (
  SELECT utid, arg_max(priority, (start_ns, dur_ns, id)) AS priority FROM entity_holder WHERE utid IS NOT NULL GROUP BY utid
), belongs AS (
  SELECT bubble_id, utid, min(start_ns) AS start_ns, max(end_ns) AS end_ns
  FROM bubble_member WHERE list_contains($bubbles, bubble_id) AND utid IS NOT NULL GROUP BY bubble_id, utid
)
SELECT
  m.bubble_id, t.utid, t.tid, t.name, p.priority, t.run_ns / nullif(w.end_ns - w.start_ns, 0) AS cpu_share,
  CASE WHEN t.end_ns IS NOT NULL THEN 'ended' ELSE coalesce(thread_phase_name(d.phase), 'unknown') END AS state, d.cpu, t.run_ns,
  t.wait_wakeup_ns + t.wait_preempted_ns AS wait_ns, t.avoidable_wait_ns, t.migrations, m.start_ns, m.end_ns
FROM belongs m JOIN thread t USING (utid) CROSS JOIN trace w
LEFT JOIN doing d USING (utid) LEFT JOIN priorities p USING (utid)
ORDER BY m.bubble_id, t.utid
