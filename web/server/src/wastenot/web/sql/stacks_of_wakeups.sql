-- Kernel stacks of the wakers of threads that were queued on some CPUs, or of some threads, in a window.
-- The stack of a wakeup is that of its sched_waking, on the waker's CPU, where the trace has one since the thread's former wakeup (of
-- the last $reach ns); else that of its sched_wakeup, which another CPU may have completed in an interrupt.
-- parameters:
--   $start, $end  [ns]  window
--   $reach        [ns]
--   $cpus         list of CPUs on which the threads were queued; empty: all
--   $utids        list of threads woken; empty: all
-- columns: a row per stack, the most frequent first
--   stack_id            NULL: wakeups without a stack
--   symbols             function+0xoffset per frame, innermost first; NULL likewise
--   state               NULL
--   events              wakeups
--   ns                  0
WITH chosen AS (
  SELECT tid, coalesce(start_ns, -9223372036854775807) AS born_ns, coalesce(end_ns, 9223372036854775807) AS end_ns
  FROM thread WHERE utid IN (SELECT unnest($utids::INTEGER[]))
),
woken AS (
  SELECT e.id, e.ts_ns, e.cpu, e.tid, e.target_cpu
  FROM sched_wakeup e
  WHERE e.ts_ns >= $start::BIGINT - $reach::BIGINT AND e.ts_ns < $end::BIGINT
    AND (len($utids::INTEGER[]) = 0 OR EXISTS (FROM chosen c WHERE c.tid = e.tid AND e.ts_ns BETWEEN c.born_ns AND c.end_ns))
),
numbered AS (
  SELECT *, coalesce(lag(ts_ns) OVER (PARTITION BY tid ORDER BY id), -9223372036854775807) AS former_ns FROM woken
),
wakeups AS (
  FROM numbered WHERE ts_ns >= $start::BIGINT AND (len($cpus::INTEGER[]) = 0 OR list_contains($cpus::INTEGER[], target_cpu))
),
stacks AS (
  SELECT ts_ns, cpu, tid, stack_event_name(of) AS of, stack_id FROM event_stack
  WHERE ts_ns >= $start::BIGINT - $reach::BIGINT AND ts_ns < $end::BIGINT
),
completed AS (
  SELECT w.id, w.tid, w.ts_ns, w.former_ns, any_value(s.stack_id) AS stack_id
  FROM wakeups w LEFT JOIN stacks s ON s.ts_ns = w.ts_ns AND s.cpu = w.cpu AND s.tid = w.tid AND s.of = 'sched_wakeup'
  GROUP BY ALL
),
counted AS (
  SELECT CASE WHEN k.ts_ns > c.former_ns THEN coalesce(k.stack_id, c.stack_id) ELSE c.stack_id END AS stack_id, count(*) AS events
  FROM completed c ASOF LEFT JOIN (FROM stacks WHERE of = 'sched_waking') k ON k.tid = c.tid AND c.ts_ns >= k.ts_ns
  GROUP BY 1
)
SELECT c.stack_id, s.symbols, NULL::VARCHAR AS state, c.events, 0::BIGINT AS ns
FROM counted c LEFT JOIN stack s USING (stack_id)
ORDER BY c.events DESC, c.stack_id
