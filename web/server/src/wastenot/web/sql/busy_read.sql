-- Busy and idle CPUs over time from the slices, in the bins of curve.sql.
-- parameters:
--   $start, $end  [ns]  window
--   $width        [ns]  of a bin
-- columns:
--   bin           from 0; bins of which nothing is known are left out
--   busy_ns, idle_ns  [cpu-ns]
WITH runs AS (
  SELECT utid > 0 AS busy, greatest(start_ns, $start::BIGINT) - $start::BIGINT AS a, least(start_ns + dur_ns, $end::BIGINT) - $start::BIGINT AS b
  FROM cpu_slice /* of the window */ WHERE utid IS NOT NULL AND start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
)
SELECT bin, coalesce(sum(ns) FILTER (busy), 0)::BIGINT AS busy_ns, coalesce(sum(ns) FILTER (NOT busy), 0)::BIGINT AS idle_ns
FROM (
  SELECT bin, busy, least(b, (bin + 1) * $width::BIGINT) - greatest(a, bin * $width::BIGINT) AS ns
  FROM (SELECT *, unnest(range(a // $width::BIGINT, (b - 1) // $width::BIGINT + 1)) AS bin FROM runs)
)
GROUP BY bin
