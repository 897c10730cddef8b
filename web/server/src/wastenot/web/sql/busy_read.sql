-- Busy CPUs over time from the slices, in the bins of curve.sql.
-- parameters:
--   $start, $end  [ns]  window
--   $width        [ns]  of a bin
-- columns:
--   bin           from 0; bins in which nothing ran are left out
--   busy_ns       [cpu-ns]
WITH runs AS (
  SELECT greatest(start_ns, $start::BIGINT) - $start::BIGINT AS a, least(start_ns + dur_ns, $end::BIGINT) - $start::BIGINT AS b
  FROM cpu_slice /* of the window */ WHERE utid > 0 AND start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
)
SELECT bin, sum(least(b, (bin + 1) * $width::BIGINT) - greatest(a, bin * $width::BIGINT))::BIGINT AS busy_ns
FROM (SELECT *, unnest(range(a // $width::BIGINT, (b - 1) // $width::BIGINT + 1)) AS bin FROM runs)
GROUP BY bin
