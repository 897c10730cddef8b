-- Waits by their length, each bin twice as long as the one before: [2^i, 2^(i+1)) ns. Bins without waits are left out.
-- parameters:
--   $by         thread, process, cgroup, or all (one histogram)
--   $start_ns   [ns]  start of the window that the waits touch
--   $end_ns     [ns]  its end
-- columns:
--   key                   utid, upid or cgroup_id; NULL unknown
--   low_ns, high_ns  [ns]  bounds of the bin
--   after_wakeup, after_preemption  waits
SELECT
  CASE $by WHEN 'thread' THEN w.utid WHEN 'process' THEN t.upid WHEN 'cgroup' THEN t.cgroup_id END AS key,
  1::BIGINT << floor(log2(w.dur_ns))::BIGINT AS low_ns, 2::BIGINT << floor(log2(w.dur_ns))::BIGINT AS high_ns,
  count(*) FILTER (w.waited_after = 'wakeup') AS after_wakeup,
  count(*) FILTER (w.waited_after = 'preemption') AS after_preemption
FROM waits() w JOIN thread t USING (utid)
WHERE w.start_ns < $end_ns AND w.start_ns + w.dur_ns > $start_ns
GROUP BY ALL
ORDER BY key, low_ns
