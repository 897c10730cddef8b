-- How long each CPU idled within a window.
-- parameters:
--   $start, $end  [ns]  window
-- columns: the longest first
--   cpu
--   ns            [ns]
SELECT cpu, sum(least(start_ns + dur_ns, $end::BIGINT) - greatest(start_ns, $start::BIGINT))::BIGINT AS ns
FROM cpu_slice /* of the window */
WHERE utid = 0 AND start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
GROUP BY cpu
ORDER BY ns DESC, cpu
