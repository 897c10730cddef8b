-- What some CPUs did in a window, summed.
-- parameters:
--   $start, $end  [ns]  window
--   $cpus         list of CPUs; empty: all
-- columns: one row
--   run_ns, idle_ns, unobserved_ns  [cpu-ns]  threads ran, swapper ran, not observed or offline
SELECT coalesce(sum(ns) FILTER (utid > 0), 0)::BIGINT AS run_ns, coalesce(sum(ns) FILTER (utid = 0), 0)::BIGINT AS idle_ns,
       coalesce(sum(ns) FILTER (utid IS NULL), 0)::BIGINT AS unobserved_ns
FROM (
  SELECT utid, least(start_ns + dur_ns, $end::BIGINT) - greatest(start_ns, $start::BIGINT) AS ns
  FROM cpu_slice /* of the window */
  WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT AND (len($cpus) = 0 OR list_contains($cpus, cpu))
)
