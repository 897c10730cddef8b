-- Intervals in which it is not known what a CPU did: lost events, offline, before its first event.
-- parameters:
--   $start, $end  [ns]  window
--   $limit        rows at most
-- columns:
--   cpu
--   start_ns, dur_ns  [ns]  intervals that overlap the window, whole; a CPU's first one begins with the trace, and
--                    that of a CPU of which nothing was known yet ends with the window
WITH known AS (
  SELECT cpu, start_ns, dur_ns, observed FROM cpu_slice /* of the window */ WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
),
-- From its first slice on, the slices of a CPU leave no gap.
first AS (
  SELECT cpu, min(start_ns) AS start_ns FROM known GROUP BY cpu
),
begin AS (SELECT min(start_ns) AS start_ns FROM verdict)
SELECT cpu, start_ns, dur_ns FROM known WHERE NOT observed
UNION ALL
SELECT c.cpu, b.start_ns, coalesce(f.start_ns, $end::BIGINT) - b.start_ns
FROM cpu c LEFT JOIN first f USING (cpu), begin b
WHERE coalesce(f.start_ns, $end::BIGINT) > greatest(b.start_ns, $start::BIGINT)
ORDER BY start_ns, cpu
LIMIT $limit
