-- Kernel stacks of a thread's wakeups, moves and switches between two instants, both included.
-- parameters:
--   $tid          thread
--   $start, $end  [ns]
--   $limit        rows at most
-- columns: in order of time
--   of                  `stack_event`, or sched_migrate_task
--   ts_ns         [ns]
--   cpu           [cpu] that wrote the event
--   symbols             function+0xoffset per frame, innermost first
SELECT of, ts_ns, cpu, symbols
FROM (
  SELECT id, ts_ns, cpu, stack_event_name(of) AS of, stack_id FROM event_stack
  WHERE tid = $tid AND ts_ns BETWEEN $start::BIGINT AND $end::BIGINT
  UNION ALL
  SELECT id, ts_ns, cpu, 'sched_migrate_task' AS of, stack_id FROM sched_migrate_task
  WHERE tid = $tid AND ts_ns BETWEEN $start::BIGINT AND $end::BIGINT
) JOIN stack USING (stack_id)
ORDER BY id
LIMIT $limit
