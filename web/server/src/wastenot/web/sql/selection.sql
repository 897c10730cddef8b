-- What each thread did in a window: on some CPUs, or of some threads; those that ran or waited there, and threads asked for by name.
-- parameters:
--   $start, $end  [ns]  window
--   $cpus         list of CPUs on which runs and waits count; empty: all
--   $utids        list of threads; empty: all
-- columns:
--   utid
--   run_ns, wait_ns  [ns]  running, and queued (throttled not counted), within the window
--   runs, waits            times it did; a wait over two queues is two
--   longest_wait_ns  [ns]  the longest of these within the window
--   longest_wait_at_ns  [ns]  when that begins, within the window; NULL: none
--   sleep_ns, blocked_ns, stopped_ns, throttled_ns  [ns]  within the window, wherever it ran before
SELECT utid,
       coalesce(sum(ns) FILTER (phase = 0), 0)::BIGINT AS run_ns, coalesce(sum(ns) FILTER (phase IN (1, 2)), 0)::BIGINT AS wait_ns,
       count(*) FILTER (phase = 0) AS runs, count(*) FILTER (phase IN (1, 2)) AS waits,
       coalesce(max(ns) FILTER (phase IN (1, 2)), 0)::BIGINT AS longest_wait_ns,
       arg_max(at_ns, (ns, -at_ns)) FILTER (phase IN (1, 2)) AS longest_wait_at_ns,
       coalesce(sum(ns) FILTER (phase = 3), 0)::BIGINT AS sleep_ns, coalesce(sum(ns) FILTER (phase = 4), 0)::BIGINT AS blocked_ns,
       coalesce(sum(ns) FILTER (phase = 5), 0)::BIGINT AS stopped_ns, coalesce(sum(ns) FILTER (phase = 7), 0)::BIGINT AS throttled_ns
FROM (
  SELECT utid, phase, greatest(start_ns, $start::BIGINT) AS at_ns, least(start_ns + dur_ns, $end::BIGINT) - at_ns AS ns
  FROM thread_state /* of the window */
  WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
    AND (phase NOT IN (0, 1, 2) OR len($cpus) = 0 OR list_contains($cpus, cpu))
    AND (len($utids::INTEGER[]) = 0 OR utid IN (SELECT unnest($utids::INTEGER[])))
)
GROUP BY utid
HAVING run_ns + wait_ns > 0 OR len($utids::INTEGER[]) > 0
ORDER BY run_ns + wait_ns DESC, utid
