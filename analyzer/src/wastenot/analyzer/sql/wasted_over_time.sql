-- Wasted cores over time, averaged in bins of equal length.
-- parameters:
--   $bins     number of bins
-- columns:
--   bin                       from 0
--   start_ns, end_ns  [ns]    the bin
--   wasted, certain, idle_while_waiting  [cores]  mean over the bin
WITH span AS (SELECT start_ns AS origin, greatest(end_ns - start_ns, 1) AS length FROM verdict),
bins AS (
  SELECT i AS bin, s.origin + (i * s.length::HUGEINT // $bins)::BIGINT AS start_ns,
         s.origin + ((i + 1) * s.length::HUGEINT // $bins)::BIGINT AS end_ns
  FROM span s, range($bins) r(i)
),
-- What had been wasted by each instant at which an interval starts, and how fast it goes on from there until the interval ends.
running AS (
  SELECT start_ns, start_ns + dur_ns AS stop_ns, wasted, certain, idle_while_waiting,
         coalesce(sum(wasted * dur_ns) OVER before, 0)::BIGINT AS wasted_ns,
         coalesce(sum(certain * dur_ns) OVER before, 0)::BIGINT AS certain_ns,
         coalesce(sum(idle_while_waiting * dur_ns) OVER before, 0)::BIGINT AS idle_while_waiting_ns
  FROM wasted
  WINDOW before AS (ORDER BY start_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
),
edges AS (SELECT start_ns AS at_ns FROM bins UNION SELECT end_ns FROM bins),
reached AS (
  SELECT e.at_ns,
         coalesce(r.wasted_ns + r.wasted * (least(e.at_ns, r.stop_ns) - r.start_ns), 0) AS wasted_ns,
         coalesce(r.certain_ns + r.certain * (least(e.at_ns, r.stop_ns) - r.start_ns), 0) AS certain_ns,
         coalesce(r.idle_while_waiting_ns + r.idle_while_waiting * (least(e.at_ns, r.stop_ns) - r.start_ns), 0) AS idle_while_waiting_ns
  FROM edges e ASOF LEFT JOIN running r ON r.start_ns <= e.at_ns
)
SELECT b.bin, b.start_ns, b.end_ns,
       coalesce((z.wasted_ns - a.wasted_ns) / nullif(b.end_ns - b.start_ns, 0), 0.0) AS wasted,
       coalesce((z.certain_ns - a.certain_ns) / nullif(b.end_ns - b.start_ns, 0), 0.0) AS certain,
       coalesce((z.idle_while_waiting_ns - a.idle_while_waiting_ns) / nullif(b.end_ns - b.start_ns, 0), 0.0) AS idle_while_waiting
FROM bins b JOIN reached a ON a.at_ns = b.start_ns JOIN reached z ON z.at_ns = b.end_ns
ORDER BY b.bin
