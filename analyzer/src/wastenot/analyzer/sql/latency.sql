-- How long threads waited for a CPU, by thread, process or cgroup: how often, in the median, the 99th percentile and at most.
-- Waits that touch a window, each whole. A percentile is a wait that was: the least one that so many are no longer than.
-- parameters:
--   $by         thread, process, cgroup, or all (one row)
--   $start_ns   [ns]  start of the window
--   $end_ns     [ns]  its end
--   $after      wakeup, preemption, or any: which waits count
--   $sort       longest, p99, total or waits: what the rows are ordered by, most first
--   $limit      rows at most
-- columns:
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
    CASE $by WHEN 'thread' THEN w.utid WHEN 'process' THEN t.upid WHEN 'cgroup' THEN t.cgroup_id END AS key, t.tid, t.tgid,
    t.name, w.start_ns, w.dur_ns, w.waited_after, w.is_cut
  FROM waits() w JOIN thread t USING (utid)
  WHERE w.start_ns < $end_ns AND w.start_ns + w.dur_ns > $start_ns AND $after IN ('any', w.waited_after)
),
of_kind AS (
  SELECT
    key, waited_after, {
      waits: count(*), wait_ns: sum(dur_ns)::BIGINT, median_ns: quantile_disc(dur_ns, 0.5), p99_ns: quantile_disc(dur_ns, 0.99),
      longest_ns: max(dur_ns)} AS figures
  FROM chosen GROUP BY key, waited_after
),
summed AS (
  SELECT
    key, any_value(tid) AS tid, any_value(tgid) AS tgid, any_value(name) AS name, count(*) AS waits,
    sum(dur_ns)::BIGINT AS wait_ns, quantile_disc(dur_ns, 0.5) AS median_ns, quantile_disc(dur_ns, 0.99) AS p99_ns,
    max(dur_ns) AS longest_ns, arg_max(start_ns, dur_ns) AS longest_at_ns, count(*) FILTER (is_cut) AS cut
  FROM chosen GROUP BY key
)
SELECT
  s.key, CASE WHEN $by = 'thread' THEN s.tid END AS tid, CASE WHEN $by IN ('thread', 'process') THEN s.tgid END AS tgid,
  CASE $by WHEN 'thread' THEN s.name WHEN 'process' THEN p.name WHEN 'cgroup' THEN c.path END AS name,
  s.waits, s.wait_ns, s.median_ns, s.p99_ns, s.longest_ns, s.longest_at_ns, s.cut, w.figures AS wakeup, e.figures AS preemption
FROM summed s
LEFT JOIN of_kind w ON w.key IS NOT DISTINCT FROM s.key AND w.waited_after = 'wakeup'
LEFT JOIN of_kind e ON e.key IS NOT DISTINCT FROM s.key AND e.waited_after = 'preemption'
LEFT JOIN process p ON $by = 'process' AND p.upid = s.key
LEFT JOIN cgroup c ON $by = 'cgroup' AND c.cgroup_id = s.key
ORDER BY CASE $sort WHEN 'p99' THEN s.p99_ns WHEN 'total' THEN s.wait_ns WHEN 'waits' THEN s.waits ELSE s.longest_ns END DESC,
  s.wait_ns DESC, s.key
LIMIT $limit
