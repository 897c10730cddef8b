-- How long threads waited for a CPU, by thread, process or cgroup: how often, in the median, the 99th percentile and at most.
-- Waits that touch a window, each whole. A percentile is a wait that was: the least one that so many are no longer than.
-- parameters:
--   $by         thread, process or cgroup
--   $keys       the utids, upids or cgroup_ids that count, -1 for not recorded; empty: all
--   $start_ns   [ns]  start of the window
--   $end_ns     [ns]  its end
--   $after      wakeup, preemption, or any: which waits count
--   $sort       longest, p99, total or waits: what the rows are ordered by, most first
--   $limit      groups at most
-- columns:
--   is_total              the first row: all waits together
--   key                   utid, upid or cgroup_id; NULL unknown
--   tid, tgid, name       of the thread; of the process tgid and name; of the cgroup its path as name
--   waits                 how many
--   wait_ns               [ns]  summed
--   median_ns, p99_ns, longest_ns  [ns]
--   longest_at_ns         [ns]  when the longest one started
--   cut                   of them those that were longer, or may have been (see waits)
--   wakeup, preemption    {waits, wait_ns, median_ns, p99_ns, longest_ns}: those after a wakeup and after a preemption; NULL none
WITH chosen AS (
  SELECT
    CASE $by WHEN 'thread' THEN w.utid WHEN 'process' THEN t.upid ELSE t.cgroup_id END AS key, t.tid, t.tgid,
    t.name, w.start_ns, w.dur_ns, w.waited_after, w.is_cut
  FROM waits() w JOIN thread t USING (utid)
  WHERE w.start_ns < $end_ns AND w.start_ns + w.dur_ns > $start_ns AND $after IN ('any', w.waited_after)
    AND (len($keys) = 0 OR list_contains($keys, coalesce(CASE $by WHEN 'thread' THEN w.utid WHEN 'process' THEN t.upid ELSE t.cgroup_id END, -1)))
),
-- Of each group and of all: both kinds together and each alone.
figures AS (
  SELECT
    grouping(key) = 1 AS is_total, key, waited_after, any_value(tid) AS tid, any_value(tgid) AS tgid, any_value(name) AS name,
    count(*) AS waits, sum(dur_ns)::BIGINT AS wait_ns, quantile_disc(dur_ns, [0.5, 0.99]) AS percentiles, max(dur_ns) AS longest_ns,
    arg_max(start_ns, dur_ns) AS longest_at_ns, count(*) FILTER (is_cut) AS cut, grouping(waited_after) = 1 AS is_both
  FROM chosen GROUP BY GROUPING SETS ((key, waited_after), (key), (waited_after), ())
),
of_kind AS (
  SELECT
    is_total, key, waited_after,
    {waits: waits, wait_ns: wait_ns, median_ns: percentiles[1], p99_ns: percentiles[2], longest_ns: longest_ns} AS figures
  FROM figures WHERE NOT is_both
),
summed AS (SELECT * FROM figures WHERE is_both AND waits > 0)
SELECT
  s.is_total, s.key, CASE WHEN $by = 'thread' AND NOT s.is_total THEN s.tid END AS tid,
  CASE WHEN $by IN ('thread', 'process') AND NOT s.is_total THEN s.tgid END AS tgid,
  CASE WHEN s.is_total THEN NULL WHEN $by = 'thread' THEN s.name WHEN $by = 'process' THEN p.name ELSE c.path END AS name,
  s.waits, s.wait_ns, s.percentiles[1] AS median_ns, s.percentiles[2] AS p99_ns, s.longest_ns, s.longest_at_ns, s.cut,
  w.figures AS wakeup, e.figures AS preemption
FROM summed s
LEFT JOIN of_kind w ON w.is_total = s.is_total AND w.key IS NOT DISTINCT FROM s.key AND w.waited_after = 'wakeup'
LEFT JOIN of_kind e ON e.is_total = s.is_total AND e.key IS NOT DISTINCT FROM s.key AND e.waited_after = 'preemption'
LEFT JOIN process p ON $by = 'process' AND p.upid = s.key
LEFT JOIN cgroup c ON $by = 'cgroup' AND c.cgroup_id = s.key
ORDER BY
  s.is_total DESC,
  CASE $sort WHEN 'p99' THEN s.percentiles[2] WHEN 'total' THEN s.wait_ns WHEN 'waits' THEN s.waits ELSE s.longest_ns END DESC,
  s.wait_ns DESC, s.key
LIMIT $limit + 1
