-- What each thread did on some CPUs in a window.
-- parameters:
--   $start, $end  [ns]  window
--   $cpus         list of CPUs; empty: all
-- columns:
--   utid
--   run_ns, wait_ns  [ns]  running, and queued (throttled not counted), within the window
--   runs, waits            times it did
SELECT utid,
       coalesce(sum(ns) FILTER (phase = 0), 0)::BIGINT AS run_ns, coalesce(sum(ns) FILTER (phase IN (1, 2)), 0)::BIGINT AS wait_ns,
       count(*) FILTER (phase = 0) AS runs, count(*) FILTER (phase IN (1, 2)) AS waits
FROM (
  SELECT utid, phase, least(start_ns + dur_ns, $end::BIGINT) - greatest(start_ns, $start::BIGINT) AS ns
  FROM thread_state /* of the window */
  WHERE phase IN (0, 1, 2) AND start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
    AND (len($cpus) = 0 OR list_contains($cpus, cpu))
)
GROUP BY utid
ORDER BY run_ns + wait_ns DESC, utid
