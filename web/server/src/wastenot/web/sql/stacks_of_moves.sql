-- Kernel stacks of moves to some CPUs, or of some threads, in a window.
-- parameters:
--   $start, $end  [ns]  window
--   $cpus         list of CPUs that threads move to; empty: all
--   $utids        list of threads; empty: all
-- columns: a row per stack, the most frequent first
--   stack_id            NULL: moves without a stack
--   symbols             function+0xoffset per frame, innermost first; NULL likewise
--   state               NULL
--   events              moves
--   ns                  0
WITH chosen AS (
  SELECT tid, coalesce(start_ns, -9223372036854775807) AS born_ns, coalesce(end_ns, 9223372036854775807) AS end_ns
  FROM thread WHERE utid IN (SELECT unnest($utids::INTEGER[]))
),
counted AS (
  SELECT e.stack_id, count(*) AS events
  FROM sched_migrate_task e
  WHERE e.ts_ns >= $start::BIGINT AND e.ts_ns < $end::BIGINT
    AND (len($cpus::INTEGER[]) = 0 OR list_contains($cpus::INTEGER[], e.dest_cpu))
    AND (len($utids::INTEGER[]) = 0 OR EXISTS (FROM chosen c WHERE c.tid = e.tid AND e.ts_ns BETWEEN c.born_ns AND c.end_ns))
  GROUP BY e.stack_id
)
SELECT c.stack_id, s.symbols, NULL::VARCHAR AS state, c.events, 0::BIGINT AS ns
FROM counted c LEFT JOIN stack s USING (stack_id)
ORDER BY c.events DESC, c.stack_id
