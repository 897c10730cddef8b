-- Wasted cores over time, in bins of equal length (the last one may be shorter). A row for every bin.
-- parameters:
--   $start, $end  [ns]  window
--   $width        [ns]  of a bin
-- columns:
--   start_ns, dur_ns      [ns]
--   wasted, certain, idle_while_waiting  [cores]  mean over the bin
--   wasted_max            [cores]  most at once
WITH intervals AS (
  SELECT wasted, certain, idle_while_waiting, greatest(start_ns, $start::BIGINT) - $start::BIGINT AS a,
         least(start_ns + dur_ns, $end::BIGINT) - $start::BIGINT AS b
  FROM wasted /* of the window */ WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
),
-- Most intervals lie within one bin; only the others have to be cut.
pieces AS (
  SELECT a // $width::BIGINT AS bin, b - a AS ns, wasted, certain, idle_while_waiting
  FROM intervals WHERE a // $width::BIGINT = (b - 1) // $width::BIGINT
  UNION ALL
  SELECT bin, least(b, (bin + 1) * $width::BIGINT) - greatest(a, bin * $width::BIGINT), wasted, certain, idle_while_waiting
  FROM (
    SELECT *, unnest(range(a // $width::BIGINT, (b - 1) // $width::BIGINT + 1)) AS bin
    FROM intervals WHERE a // $width::BIGINT < (b - 1) // $width::BIGINT
  )
),
sums AS (
  SELECT bin, sum(wasted * ns)::DOUBLE AS wasted, sum(certain * ns)::DOUBLE AS certain, sum(idle_while_waiting * ns)::DOUBLE AS idle_while_waiting,
         max(wasted) AS wasted_max
  FROM pieces GROUP BY bin
),
bins AS (
  SELECT i AS bin, $start::BIGINT + i * $width::BIGINT AS start_ns,
         least($width::BIGINT, $end::BIGINT - $start::BIGINT - i * $width::BIGINT) AS dur_ns
  FROM range(($end::BIGINT - $start::BIGINT + $width::BIGINT - 1) // $width::BIGINT) r(i)
)
SELECT b.start_ns, b.dur_ns, coalesce(s.wasted / b.dur_ns, 0) AS wasted, coalesce(s.wasted_max, 0)::INTEGER AS wasted_max,
       coalesce(s.certain / b.dur_ns, 0) AS certain, coalesce(s.idle_while_waiting / b.dur_ns, 0) AS idle_while_waiting
FROM bins b LEFT JOIN sums s USING (bin)
ORDER BY b.bin
