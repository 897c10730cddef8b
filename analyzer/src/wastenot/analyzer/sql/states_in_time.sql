-- What the ranks of a parallel program did, in order of time, of the states that start in a stretch of time.
-- parameters:
--   $utids    list of threads
--   $low      [ns]  from when on
--   $high     [ns]  up to when (not part of it)
-- columns:
--   utid
--   start_ns, end_ns  [ns]  one state
--   phase             as in table `thread_state`
--   cpu               CPU it ran, was queued or ran last on; -1 not known
WITH ranks AS (
  SELECT utid, start_ns, dur_ns, phase, last_value(cpu IGNORE NULLS) OVER (PARTITION BY utid ORDER BY start_ns) AS cpu
  FROM thread_state WHERE utid IN (SELECT unnest($utids))
)
SELECT utid, start_ns, start_ns + dur_ns AS end_ns, phase, coalesce(cpu, -1) AS cpu
FROM ranks WHERE start_ns >= $low AND start_ns < $high ORDER BY start_ns, utid
