-- When CPUs were wasted in a window, exactly as table `wasted_cpu` has it. Intervals that reach beyond it are given whole.
-- parameters:
--   $start, $end  [ns]  window
--   $cpus         list of CPUs; empty: all
--   $limit        rows at most
-- columns:
--   cpu                 the idle CPU
--   start_ns      [ns]  counted from $start; negative for an interval that starts before
--   dur_ns        [ns]
SELECT cpu, start_ns - $start::BIGINT AS start_ns, dur_ns
FROM wasted_cpu /* of the window */
WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT AND (len($cpus) = 0 OR list_contains($cpus, cpu))
ORDER BY wasted_cpu.start_ns, cpu
LIMIT $limit
