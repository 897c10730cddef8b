-- The longest waits for a CPU that touch a window, of all threads or of some groups, each whole, and the thread that ran longest meanwhile on the CPUs waited on.
-- parameters:
--   $by         thread, process or cgroup: what the keys are of
--   $keys       the utids, upids or cgroup_ids whose waits count, -1 for not recorded; empty: all
--   $after      wakeup, preemption, or any: which waits count
--   $start_ns   [ns]  start of the window
--   $end_ns     [ns]  its end
--   $limit      rows at most
-- columns:
--   utid, tid, tgid, name, cgroup   the thread, and the path of its last cgroup
--   start_ns, dur_ns      [ns]
--   at_ns                 [ns]  from the start of the recording
--   waited_after, cpu, ran_on, queues, throttled_ns, is_cut   as in waits
--   antagonist_tid, antagonist      who ran longest on the CPU where the wait started, while it lasted; tid 0: swapper
--   antagonist_ns         [ns]  for how long
WITH longest AS (
  SELECT w.*, t.tid, t.tgid, t.name, c.path AS cgroup
  FROM waits() w JOIN thread t USING (utid) LEFT JOIN cgroup c USING (cgroup_id)
  WHERE w.start_ns < $end_ns AND w.start_ns + w.dur_ns > $start_ns AND $after IN ('any', w.waited_after)
    AND (len($keys) = 0 OR list_contains($keys, coalesce(CASE $by WHEN 'thread' THEN w.utid WHEN 'process' THEN t.upid ELSE t.cgroup_id END, -1)))
  ORDER BY w.dur_ns DESC, w.start_ns, w.utid
  LIMIT $limit
),
meanwhile AS (
  SELECT
    l.utid, l.start_ns, s.utid AS other,
    sum(least(s.start_ns + s.dur_ns, l.start_ns + l.dur_ns) - greatest(s.start_ns, l.start_ns))::BIGINT AS ns
  FROM longest l JOIN cpu_slice s ON s.cpu = l.cpu AND s.start_ns < l.start_ns + l.dur_ns AND s.start_ns + s.dur_ns > l.start_ns
  WHERE s.utid IS NOT NULL
  GROUP BY l.utid, l.start_ns, s.utid
),
most AS (
  SELECT utid, start_ns, arg_max(other, (ns, -other)) AS other, max(ns) AS ns FROM meanwhile GROUP BY utid, start_ns
)
SELECT
  l.utid, l.tid, l.tgid, l.name, l.cgroup, l.start_ns, l.dur_ns, l.start_ns - (SELECT start_ns FROM verdict) AS at_ns,
  l.waited_after, l.cpu, l.ran_on, l.queues, l.throttled_ns, l.is_cut, o.tid AS antagonist_tid,
  CASE WHEN m.other = 0 THEN 'idle (swapper)' ELSE o.name END AS antagonist, m.ns AS antagonist_ns
FROM longest l
LEFT JOIN most m ON m.utid = l.utid AND m.start_ns = l.start_ns
LEFT JOIN thread o ON o.utid = m.other
ORDER BY l.dur_ns DESC, l.start_ns, l.utid
