-- Wasted cores and busy CPUs over time, in bins of equal length (the last one may be shorter).
-- parameters:
--   $start, $end  [ns]  window
--   $width        [ns]  of a bin
-- columns:
--   start_ns, dur_ns      [ns]
--   wasted, certain, upper, busy  [cores]  mean over the bin
--   wasted_max            [cores]  most at once
WITH bins AS (
  SELECT i AS bin, $start::BIGINT + i * $width::BIGINT AS start_ns, least($width::BIGINT, $end::BIGINT - $start::BIGINT - i * $width::BIGINT) AS dur_ns
  FROM range(($end::BIGINT - $start::BIGINT + $width::BIGINT - 1) // $width::BIGINT) r(i)
),
spells AS (
  SELECT wasted, certain, upper, greatest(start_ns, $start::BIGINT) - $start::BIGINT AS a, least(start_ns + dur_ns, $end::BIGINT) - $start::BIGINT AS b
  FROM wasted WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
),
cut AS (SELECT *, unnest(range(a // $width::BIGINT, (b - 1) // $width::BIGINT + 1)) AS bin FROM spells),
waste AS (
  SELECT bin, sum(wasted * ns)::DOUBLE AS wasted, sum(certain * ns)::DOUBLE AS certain, sum(upper * ns)::DOUBLE AS upper,
         max(wasted) AS wasted_max
  FROM (SELECT *, least(b, (bin + 1) * $width::BIGINT) - greatest(a, bin * $width::BIGINT) AS ns FROM cut)
  GROUP BY bin
),
runs AS (
  SELECT greatest(start_ns, $start::BIGINT) - $start::BIGINT AS a, least(start_ns + dur_ns, $end::BIGINT) - $start::BIGINT AS b
  FROM cpu_slice WHERE utid > 0 AND start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
),
run_bins AS (SELECT *, unnest(range(a // $width::BIGINT, (b - 1) // $width::BIGINT + 1)) AS bin FROM runs),
busy AS (
  SELECT bin, sum(least(b, (bin + 1) * $width::BIGINT) - greatest(a, bin * $width::BIGINT))::DOUBLE AS busy FROM run_bins GROUP BY bin
)
SELECT b.start_ns, b.dur_ns, coalesce(w.wasted / b.dur_ns, 0) AS wasted, coalesce(w.wasted_max, 0)::INTEGER AS wasted_max,
       coalesce(w.certain / b.dur_ns, 0) AS certain, coalesce(w.upper / b.dur_ns, 0) AS upper,
       coalesce(y.busy / b.dur_ns, 0) AS busy
FROM bins b LEFT JOIN waste w USING (bin) LEFT JOIN busy y USING (bin)
ORDER BY b.bin
