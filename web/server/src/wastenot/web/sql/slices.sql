-- What some CPUs did in a window, slice by slice. Slices that reach beyond the window are given whole.
-- parameters:
--   $start, $end  [ns]  window
--   $cpus         list of CPUs; empty: all
--   $limit        rows at most
-- columns:
--   cpu
--   start_ns      [ns]  counted from $start; negative for a slice that began before
--   dur_ns        [ns]
--   utid                0 idle, NULL unobserved or offline
--   end_state           state the thread was left in, a code of `task_state`
SELECT cpu, start_ns - $start::BIGINT AS start_ns, dur_ns, utid, end_state
FROM cpu_slice /* of the window */
WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT AND (len($cpus) = 0 OR list_contains($cpus, cpu))
ORDER BY cpu_slice.start_ns, cpu
LIMIT $limit
