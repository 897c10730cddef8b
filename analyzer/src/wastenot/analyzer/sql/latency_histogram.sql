-- Waits by their length, each bin twice as long as the one before: [2^i, 2^(i+1)) ns. Bins without waits between others are there.
-- parameters:
--   $by         thread, process, cgroup, or all
--   $key        utid, upid or cgroup_id of the waits that count; NULL those without one; of all it does not matter
--   $start_ns, $end_ns   [ns]  the window that they touch
-- columns:
--   low_ns, high_ns  [ns]  bounds of the bin
--   after_wakeup, after_preemption  waits
WITH chosen AS (
  SELECT floor(log2(w.dur_ns))::INTEGER AS bin, w.waited_after
  FROM waits() w JOIN thread t USING (utid)
  WHERE w.start_ns < $end_ns AND w.start_ns + w.dur_ns > $start_ns AND (
    $by = 'all'
    OR CASE $by WHEN 'thread' THEN w.utid WHEN 'process' THEN t.upid WHEN 'cgroup' THEN t.cgroup_id END
      IS NOT DISTINCT FROM $key::BIGINT)
),
bins AS (
  SELECT unnest(range(least_bin, most_bin + 1)) AS bin
  FROM (SELECT min(bin) AS least_bin, max(bin) AS most_bin FROM chosen)
)
SELECT
  1::BIGINT << b.bin::BIGINT AS low_ns, 2::BIGINT << b.bin::BIGINT AS high_ns,
  count(*) FILTER (c.waited_after = 'wakeup') AS after_wakeup, count(*) FILTER (c.waited_after = 'preemption') AS after_preemption
FROM bins b LEFT JOIN chosen c USING (bin)
GROUP BY b.bin
ORDER BY b.bin
