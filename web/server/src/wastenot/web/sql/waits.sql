-- Threads that were queued on some CPUs in a window: waiting to run, or without quota.
-- parameters:
--   $start, $end  [ns]  window
--   $cpus         list of CPUs; empty: all
--   $limit        rows at most
-- columns:
--   utid, cpu
--   start_ns      [ns]  counted from $start; negative for a wait that began before
--   dur_ns        [ns]
--   phase               1 runnable (after a wakeup), 2 preempted, 7 throttled: codes of `thread_phase`
SELECT utid, cpu, start_ns - $start::BIGINT AS start_ns, dur_ns, phase
FROM thread_state /* of the window */
WHERE phase IN (1, 2, 7) AND start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
  AND (len($cpus) = 0 OR list_contains($cpus, cpu))
ORDER BY thread_state.start_ns, utid
LIMIT $limit
