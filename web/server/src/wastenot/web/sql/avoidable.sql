-- Avoidable wait of each thread in a window: how long it waited while an idle CPU that it may use was its match.
-- parameters:
--   $start, $end  [ns]  window
--   $cpus         list of CPUs that it waited on; empty: all
--   $utids        list of threads; empty: all
-- columns:
--   utid
--   avoidable_ns   [ns]
SELECT utid, sum(least(start_ns + dur_ns, $end::BIGINT) - greatest(start_ns, $start::BIGINT))::BIGINT AS avoidable_ns
FROM avoidable_wait /* of the window */
WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
  AND (len($cpus) = 0 OR list_contains($cpus, waited_on))
  AND (len($utids::INTEGER[]) = 0 OR utid IN (SELECT unnest($utids::INTEGER[])))
GROUP BY utid
