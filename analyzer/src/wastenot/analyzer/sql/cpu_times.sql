-- For how long some CPUs were busy, and idle, within a stretch of time; the rest was not observed, or they were offline.
-- parameters:
--   $cpus             list of CPUs
--   $start_ns         [ns]  start of the stretch
--   $end_ns           [ns]  its end
-- columns:
--   cpu
--   busy_ns           [ns]  a thread ran
--   idle_ns           [ns]  the idle thread ran
WITH cut AS (
  SELECT cpu, utid, least(start_ns + dur_ns, $end_ns) - greatest(start_ns, $start_ns) AS ns
  FROM cpu_slice WHERE cpu IN (SELECT unnest($cpus)) AND start_ns < $end_ns AND start_ns + dur_ns > $start_ns
)
SELECT
  c.cpu, coalesce(sum(s.ns) FILTER (s.utid <> 0), 0)::BIGINT AS busy_ns, coalesce(sum(s.ns) FILTER (s.utid = 0), 0)::BIGINT AS idle_ns
FROM (SELECT unnest($cpus) AS cpu) c LEFT JOIN cut s ON s.cpu = c.cpu
GROUP BY c.cpu ORDER BY c.cpu
