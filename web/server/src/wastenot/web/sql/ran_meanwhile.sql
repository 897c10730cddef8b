-- Which threads ran on a CPU in a window, the longest first.
-- parameters:
--   $start, $end  [ns]  window
--   $cpu
-- columns:
--   utid                0 the idle thread; NULL not observed
--   ns            [ns]  for how long within the window
--   first_ns      [ns]  when it first did
SELECT utid, sum(least(start_ns + dur_ns, $end::BIGINT) - greatest(start_ns, $start::BIGINT))::BIGINT AS ns,
       min(greatest(start_ns, $start::BIGINT)) AS first_ns
FROM cpu_slice /* of the window */
WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT AND cpu = $cpu
GROUP BY utid
ORDER BY ns DESC, utid
