-- Threads by avoidable wait: what each did with its time, and how it was moved.
-- parameters:
--   $limit    rows at most
-- columns:
--   utid, tid, tgid, name
--   run_ns                [ns]  on a CPU
--   wait_ns               [ns]  runnable and queued: wait_wakeup_ns + wait_preempted_ns
--   wait_wakeup_ns, wait_preempted_ns  [ns]  the two kinds of wait
--   avoidable_wait_ns      [ns]  waited while matched to an idle CPU that it may use
--   unavoidable_wait_ns   [ns]  the rest of the wait
--   throttled_ns, sleep_ns, blocked_ns  [ns]
--   wakeups, switches, migrations, needless_migrations   counts
--   mask_known            its allowed CPUs were known throughout
--   cgroup                path of its last cgroup
SELECT
  t.utid, t.tid, t.tgid, t.name, t.run_ns, t.wait_wakeup_ns + t.wait_preempted_ns AS wait_ns, t.wait_wakeup_ns,
  t.wait_preempted_ns, t.avoidable_wait_ns,
  t.wait_wakeup_ns + t.wait_preempted_ns - t.avoidable_wait_ns AS unavoidable_wait_ns,
  t.throttled_ns, t.sleep_ns, t.blocked_ns, t.wakeups, t.switches, t.migrations, t.needless_migrations, t.mask_known,
  c.path AS cgroup
FROM thread t LEFT JOIN cgroup c USING (cgroup_id)
WHERE t.utid <> 0
ORDER BY t.avoidable_wait_ns DESC, wait_ns DESC, t.run_ns DESC, t.utid
LIMIT $limit
