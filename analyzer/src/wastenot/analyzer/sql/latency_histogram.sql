-- Waits by their length, each bin twice as long as the one before: [2^i, 2^(i+1)) ns. Bins without waits are left out.
-- parameters:
--   $by         thread, process or cgroup
--   $keys       the utids, upids or cgroup_ids that count, -1 for not recorded; empty: all
--   $start_ns   [ns]  start of the window that the waits touch
--   $end_ns     [ns]  its end
-- columns:
--   is_total              of all waits together
--   key                   utid, upid or cgroup_id; NULL unknown
--   low_ns, high_ns  [ns]  bounds of the bin
--   after_wakeup, after_preemption  waits
SELECT
  grouping(key) = 1 AS is_total, key, 1::BIGINT << bin AS low_ns, 2::BIGINT << bin AS high_ns,
  count(*) FILTER (waited_after = 'wakeup') AS after_wakeup,
  count(*) FILTER (waited_after = 'preemption') AS after_preemption
FROM (
  SELECT
    CASE $by WHEN 'thread' THEN w.utid WHEN 'process' THEN t.upid ELSE t.cgroup_id END AS key,
    floor(log2(w.dur_ns))::BIGINT AS bin, w.waited_after
  FROM waits() w JOIN thread t USING (utid)
  WHERE w.start_ns < $end_ns AND w.start_ns + w.dur_ns > $start_ns
)
WHERE len($keys) = 0 OR list_contains($keys, coalesce(key, -1))
GROUP BY GROUPING SETS ((key, bin), (bin))
ORDER BY is_total, key, bin
