-- The table `thread` with the figures of a window in place of those of the whole trace: what each thread did in it, and how it was moved.
-- parameters:
--   $start_ns   [ns]  start of the window
--   $end_ns     [ns]  its end
-- columns: those of the table `thread`, a row for each thread of which a state within the window is known
--   utid, tid, tgid, upid, name, parent_utid, start_ns, end_ns, is_kernel, per_cpu_thread, mask_known   of its whole life
--   cgroup_id             its cgroup at the end of the window; NULL where it moved later and was not seen before
--   run_ns, wait_wakeup_ns, wait_preempted_ns, sleep_ns, blocked_ns, throttled_ns, avoidable_wait_ns  [ns]  within the window
--   wakeups               events within it, those of a thread that was awake too
--   switches              times it started to run within it, those of 0 ns left out
--   migrations, needless_migrations   within it
WITH spent AS (
  SELECT utid,
    coalesce(sum(ns) FILTER (phase = 0), 0)::BIGINT AS run_ns, coalesce(sum(ns) FILTER (phase = 1), 0)::BIGINT AS wait_wakeup_ns,
    coalesce(sum(ns) FILTER (phase = 2), 0)::BIGINT AS wait_preempted_ns, coalesce(sum(ns) FILTER (phase = 3), 0)::BIGINT AS sleep_ns,
    coalesce(sum(ns) FILTER (phase = 4), 0)::BIGINT AS blocked_ns, coalesce(sum(ns) FILTER (phase = 7), 0)::BIGINT AS throttled_ns,
    count(*) FILTER (phase = 0 AND starts) AS switches
  FROM (
    SELECT utid, phase, start_ns >= $start_ns AS starts,
      least(start_ns + dur_ns, $end_ns) - greatest(start_ns, $start_ns) AS ns
    FROM thread_state WHERE start_ns < $end_ns AND start_ns + dur_ns > $start_ns
  )
  GROUP BY utid
),
avoidable AS (
  SELECT utid, sum(least(start_ns + dur_ns, $end_ns) - greatest(start_ns, $start_ns))::BIGINT AS avoidable_wait_ns
  FROM avoidable_wait WHERE start_ns < $end_ns AND start_ns + dur_ns > $start_ns
  GROUP BY utid
),
moved AS (
  SELECT utid, count(*) AS migrations, count(*) FILTER (needless) AS needless_migrations
  FROM migration WHERE ts_ns >= $start_ns AND ts_ns < $end_ns
  GROUP BY utid
),
-- A tid belongs to the thread that was created last with it.
lives AS (SELECT utid, tid, coalesce(start_ns, -(1::BIGINT << 62)) AS since FROM thread WHERE utid <> 0),
woken AS (
  SELECT l.utid, count(*) AS wakeups
  FROM (SELECT tid, ts_ns FROM sched_wakeup WHERE ts_ns >= $start_ns AND ts_ns < $end_ns) w
  ASOF JOIN lives l ON l.tid = w.tid AND w.ts_ns >= l.since
  GROUP BY l.utid
),
-- Threads that moved to another cgroup after the window, and where they were seen before.
moved_later AS (
  SELECT DISTINCT l.utid FROM cgroup_move m ASOF JOIN lives l ON l.tid = m.tid AND m.ts_ns >= l.since WHERE m.ts_ns >= $end_ns
),
cgroups_seen AS (
  SELECT tid, ts_ns, cgroup_id FROM cgroup_move WHERE ts_ns < $end_ns
  UNION ALL
  SELECT tid, ts_ns, cgroup_id FROM thread_snapshot WHERE ts_ns < $end_ns AND cgroup_id IS NOT NULL
),
cgroup_then AS (
  SELECT l.utid, arg_max(c.cgroup_id, c.ts_ns) AS cgroup_id
  FROM cgroups_seen c ASOF JOIN lives l ON l.tid = c.tid AND c.ts_ns >= l.since
  WHERE l.utid IN (FROM moved_later)
  GROUP BY l.utid
)
SELECT t.* REPLACE (
  CASE WHEN t.utid IN (FROM moved_later) THEN c.cgroup_id ELSE t.cgroup_id END AS cgroup_id,
  coalesce(s.run_ns, 0) AS run_ns, coalesce(s.wait_wakeup_ns, 0) AS wait_wakeup_ns,
  coalesce(s.wait_preempted_ns, 0) AS wait_preempted_ns, coalesce(s.sleep_ns, 0) AS sleep_ns,
  coalesce(s.blocked_ns, 0) AS blocked_ns, coalesce(s.throttled_ns, 0) AS throttled_ns,
  coalesce(a.avoidable_wait_ns, 0) AS avoidable_wait_ns, coalesce(w.wakeups, 0) AS wakeups, coalesce(s.switches, 0) AS switches,
  coalesce(m.migrations, 0) AS migrations, coalesce(m.needless_migrations, 0) AS needless_migrations
)
FROM thread t
JOIN spent s USING (utid) LEFT JOIN avoidable a USING (utid) LEFT JOIN moved m USING (utid) LEFT JOIN woken w USING (utid)
LEFT JOIN cgroup_then c USING (utid)
ORDER BY t.utid
