-- Processes by avoidable wait: is a slowdown the scheduler's or the application's?
-- Of the time its threads existed: running, avoidable wait (the scheduler's), unavoidable wait (no idle CPU they may use),
-- throttled (its quota), and waiting for others (sleep and blocked: the application's).
-- parameters:
--   $limit    rows at most
-- columns:
--   upid, tgid, name, threads
--   run_ns, wait_ns, avoidable_wait_ns, unavoidable_wait_ns, throttled_ns, others_ns  [ns]  summed over its threads
--   needless_share        [1]   avoidable wait / (run + wait): of the time it wanted a CPU
--   wakeups, switches, migrations, needless_migrations   counts
SELECT
  p.upid, p.tgid, p.name, count(*) AS threads, sum(t.run_ns)::BIGINT AS run_ns,
  sum(t.wait_wakeup_ns + t.wait_preempted_ns)::BIGINT AS wait_ns, sum(t.avoidable_wait_ns)::BIGINT AS avoidable_wait_ns,
  sum(t.wait_wakeup_ns + t.wait_preempted_ns - t.avoidable_wait_ns)::BIGINT AS unavoidable_wait_ns,
  sum(t.throttled_ns)::BIGINT AS throttled_ns, sum(t.sleep_ns + t.blocked_ns)::BIGINT AS others_ns,
  coalesce(sum(t.avoidable_wait_ns) / nullif(sum(t.run_ns + t.wait_wakeup_ns + t.wait_preempted_ns), 0), 0.0) AS needless_share,
  sum(t.wakeups)::BIGINT AS wakeups, sum(t.switches)::BIGINT AS switches, sum(t.migrations)::BIGINT AS migrations,
  sum(t.needless_migrations)::BIGINT AS needless_migrations
FROM thread t JOIN process p USING (upid)
WHERE t.utid <> 0
GROUP BY p.upid, p.tgid, p.name
ORDER BY avoidable_wait_ns DESC, wait_ns DESC, run_ns DESC, p.upid
LIMIT $limit
