-- How many threads waited for a CPU over time, of all threads or of some groups: the mean of each bin of a window.
-- Bins in which none waited are left out.
-- parameters:
--   $by         thread, process or cgroup: what the keys are of
--   $keys       the utids, upids or cgroup_ids whose waits count, -1 for not recorded; empty: all
--   $after      wakeup, preemption, or any: which waits count
--   $start_ns   [ns]  start of the window
--   $end_ns     [ns]  its end
--   $width_ns   [ns]  length of a bin; the last one may reach beyond the window
-- columns:
--   start_ns      [ns]  start of the bin
--   waiting             threads that waited, on average over the bin; of the last one over the part within the window
WITH part AS (
  SELECT greatest(w.start_ns, $start_ns) AS low, least(w.start_ns + w.dur_ns, $end_ns) AS high
  FROM waits() w JOIN thread t USING (utid)
  WHERE w.start_ns < $end_ns AND w.start_ns + w.dur_ns > $start_ns AND $after IN ('any', w.waited_after)
    AND (len($keys) = 0 OR list_contains($keys, coalesce(CASE $by WHEN 'thread' THEN w.utid WHEN 'process' THEN t.upid ELSE t.cgroup_id END, -1)))
),
placed AS (
  SELECT
    low, high,
    unnest(range((low - $start_ns) // $width_ns, (high - 1 - $start_ns) // $width_ns + 1)) * $width_ns + $start_ns AS start_ns
  FROM part
)
SELECT
  start_ns,
  sum(least(high, start_ns + $width_ns) - greatest(low, start_ns)) / (least(start_ns + $width_ns, $end_ns) - start_ns) AS waiting
FROM placed
GROUP BY start_ns
ORDER BY start_ns
