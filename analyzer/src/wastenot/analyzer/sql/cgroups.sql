-- cgroups by avoidable wait. A thread counts for the cgroup it was last seen in; threads of unknown cgroup are one row.
-- parameters:
--   $limit    rows at most
-- columns:
--   cgroup_id, cgroup           the group and its path; NULL unknown
--   cpus_quota                  quota / period, NULL none or unknown
--   threads
--   run_ns, wait_ns, avoidable_wait_ns, unavoidable_wait_ns, throttled_ns  [ns]  summed over its threads
--   wakeups, switches, migrations, needless_migrations   counts
SELECT
  t.cgroup_id, c.path AS cgroup, c.quota_ns / nullif(c.period_ns, 0) AS cpus_quota, count(*) AS threads,
  sum(t.run_ns)::BIGINT AS run_ns, sum(t.wait_wakeup_ns + t.wait_preempted_ns)::BIGINT AS wait_ns,
  sum(t.avoidable_wait_ns)::BIGINT AS avoidable_wait_ns,
  sum(t.wait_wakeup_ns + t.wait_preempted_ns - t.avoidable_wait_ns)::BIGINT AS unavoidable_wait_ns,
  sum(t.throttled_ns)::BIGINT AS throttled_ns, sum(t.wakeups)::BIGINT AS wakeups, sum(t.switches)::BIGINT AS switches,
  sum(t.migrations)::BIGINT AS migrations, sum(t.needless_migrations)::BIGINT AS needless_migrations
FROM thread t LEFT JOIN cgroup c USING (cgroup_id)
WHERE t.utid <> 0
GROUP BY t.cgroup_id, c.path, c.quota_ns, c.period_ns
ORDER BY avoidable_wait_ns DESC, wait_ns DESC, run_ns DESC, t.cgroup_id
LIMIT $limit
