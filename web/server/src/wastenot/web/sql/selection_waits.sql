-- Waits in a window, of some CPUs or some threads: after a wakeup, after a preemption, and time without quota. A wait that is moved
-- from queue to queue is one; it counts with its part within the window, on the CPUs. A wait with parts of several kinds counts in each.
-- parameters:
--   $start, $end  [ns]  window
--   $cpus         list of CPUs on whose queues threads waited; empty: all
--   $utids        list of threads; empty: all
-- columns: a row for each that there is
--   after                  wakeup, preemption, or throttling (the thread had no quota)
--   waits                  waits of which a part is such time, in the window
--   wait_ns, longest_ns  [ns]  of such time, together and of one wait at most, within the window
WITH queued AS (
  SELECT utid, cpu, phase, start_ns, least(start_ns + dur_ns, $end::BIGINT) - greatest(start_ns, $start::BIGINT) AS ns,
         coalesce(lag(start_ns + dur_ns) OVER (PARTITION BY utid ORDER BY start_ns) = start_ns, false) AS goes_on
  FROM thread_state /* of the window */
  WHERE phase IN (1, 2, 7) AND start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
    AND (len($utids::INTEGER[]) = 0 OR utid IN (SELECT unnest($utids::INTEGER[])))
),
numbered AS (
  SELECT *, count(*) FILTER (NOT goes_on) OVER (PARTITION BY utid ORDER BY start_ns) AS number FROM queued
),
waits AS (
  SELECT utid, number, phase, sum(ns)::BIGINT AS ns
  FROM numbered
  WHERE len($cpus) = 0 OR list_contains($cpus, cpu)
  GROUP BY utid, number, phase
)
SELECT CASE phase WHEN 1 THEN 'wakeup' WHEN 2 THEN 'preemption' ELSE 'throttling' END AS after,
       count(*) AS waits, sum(ns)::BIGINT AS wait_ns, max(ns) AS longest_ns
FROM waits
GROUP BY phase
ORDER BY phase
