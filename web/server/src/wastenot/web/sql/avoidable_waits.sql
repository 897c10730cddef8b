-- Which threads waited beside an idle CPU that they could use in a window, exactly as table `avoidable_wait` has it. Intervals that reach beyond it are given whole.
-- parameters:
--   $start, $end  [ns]  window
--   $cpus         list of CPUs that they waited on; empty: all
--   $limit        rows at most
-- columns:
--   utid
--   cpu                 on whose queue it waited
--   start_ns      [ns]  counted from $start; negative for an interval that starts before
--   dur_ns        [ns]
SELECT utid, waited_on AS cpu, start_ns - $start::BIGINT AS start_ns, dur_ns
FROM avoidable_wait /* of the window */
WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT AND (len($cpus) = 0 OR list_contains($cpus, waited_on))
ORDER BY avoidable_wait.start_ns, utid
LIMIT $limit
