-- Kernel stacks of the switches by which threads left some CPUs, or of some threads, in a window; with the time until they ran again.
-- parameters:
--   $start, $end  [ns]  window
--   $cpus         list of CPUs that they left; empty: all
--   $utids        list of threads that left; empty: all
-- columns: a row per stack and state, the one with the longest time first
--   stack_id            NULL: switches without a stack
--   symbols             function+0xoffset per frame, innermost first; NULL likewise
--   state               in which they left: a value of `thread_phase`
--   events              switches
--   ns            [ns]  until they ran again, or the window ends; 0 for threads that ended
WITH chosen AS (
  SELECT tid, coalesce(start_ns, -9223372036854775807) AS born_ns, coalesce(end_ns, 9223372036854775807) AS end_ns
  FROM thread WHERE utid IN (SELECT unnest($utids::INTEGER[]))
),
switches AS (
  SELECT id, ts_ns, cpu, prev_tid, next_tid, task_state_name(prev_state) AS letter
  FROM sched_switch WHERE ts_ns >= $start::BIGINT AND ts_ns < $end::BIGINT
),
leaving AS (
  SELECT id, ts_ns, cpu, prev_tid AS tid,
         CASE WHEN letter = 'R' THEN 'runnable' WHEN letter = 'R+' THEN 'preempted' WHEN letter = 'D' THEN 'blocked'
              WHEN letter IN ('T', 't') THEN 'stopped' WHEN letter IN ('X', 'Z') THEN 'dead' WHEN letter = '?' THEN 'unknown'
              ELSE 'sleeping' END AS state
  FROM switches e
  WHERE prev_tid <> 0 AND (len($cpus::INTEGER[]) = 0 OR list_contains($cpus::INTEGER[], cpu))
    AND (len($utids::INTEGER[]) = 0 OR EXISTS (FROM chosen c WHERE c.tid = e.prev_tid AND e.ts_ns BETWEEN c.born_ns AND c.end_ns))
),
came_back AS (SELECT id, ts_ns, next_tid AS tid FROM switches WHERE next_tid <> 0),
left_until AS (
  SELECT l.*, CASE WHEN l.state = 'dead' THEN 0 ELSE coalesce(r.ts_ns, $end::BIGINT) - l.ts_ns END AS ns
  FROM leaving l ASOF LEFT JOIN came_back r ON r.tid = l.tid AND l.id < r.id
),
stacks AS (
  SELECT ts_ns, cpu, tid, any_value(stack_id) AS stack_id FROM event_stack
  WHERE stack_event_name(of) = 'sched_switch' AND ts_ns >= $start::BIGINT AND ts_ns < $end::BIGINT
  GROUP BY ALL
),
counted AS (
  SELECT k.stack_id, l.state, count(*) AS events, sum(l.ns)::BIGINT AS ns
  FROM left_until l LEFT JOIN stacks k ON k.ts_ns = l.ts_ns AND k.cpu = l.cpu AND k.tid = l.tid
  GROUP BY ALL
)
SELECT c.stack_id, s.symbols, c.state, c.events, c.ns
FROM counted c LEFT JOIN stack s USING (stack_id)
ORDER BY c.ns DESC, c.events DESC, c.stack_id, c.state
