-- cgroups by avoidable wait. Waits count for the cgroup that a thread was in at the time (table cgroup_wait), the rest for the one
-- it was last seen in; threads of unknown cgroup are one row.
-- parameters:
--   $limit    rows at most
-- columns:
--   cgroup_id, cgroup           the group and its path; NULL unknown
--   cpus_quota                  quota / period, NULL none or unknown
--   threads
--   run_ns                      [ns]  summed over its threads
--   wait_ns, throttled_ns       [ns]  runnable and not running, with quota and without
--   avoidable_wait_ns, unavoidable_wait_ns  [ns]  the two parts of wait_ns
--   confined_ns, wakeup_latency_ns, interrupts_ns, rt_dl_ns, kernel_threads_ns, own_threads_ns, neighbour_ns,
--   unknown_cgroup_ns, unknown_ns  [ns]  the parts of unavoidable_wait_ns, by reason (docs/semantics.md: the wait ledger)
--   confined_by                 list of {excuse, wait_ns}: the parts of confined_ns, longest first
--   neighbours                  list of {cgroup_id, cgroup, wait_ns}: the cgroups waited for in neighbour_ns, longest first, five at most;
--                               cgroup_id NULL: the lightest ones together
--   wakeups, switches, migrations, needless_migrations   counts, summed over its threads
WITH waits AS (
  SELECT
    cgroup_id, wait_reason_name(reason) AS reason, excuse_name(excuse) AS excuse, culprit_cgroup_id, wait_ns
  FROM cgroup_wait),
ledger AS (
  SELECT
    cgroup_id,
    coalesce(sum(wait_ns) FILTER (reason <> 'own_quota'), 0)::BIGINT AS wait_ns,
    coalesce(sum(wait_ns) FILTER (reason = 'own_quota'), 0)::BIGINT AS throttled_ns,
    coalesce(sum(wait_ns) FILTER (reason = 'avoidable'), 0)::BIGINT AS avoidable_wait_ns,
    coalesce(sum(wait_ns) FILTER (reason NOT IN ('own_quota', 'avoidable')), 0)::BIGINT AS unavoidable_wait_ns,
    coalesce(sum(wait_ns) FILTER (reason = 'confined'), 0)::BIGINT AS confined_ns,
    coalesce(sum(wait_ns) FILTER (reason = 'wakeup_latency'), 0)::BIGINT AS wakeup_latency_ns,
    coalesce(sum(wait_ns) FILTER (reason = 'interrupts'), 0)::BIGINT AS interrupts_ns,
    coalesce(sum(wait_ns) FILTER (reason = 'rt_dl'), 0)::BIGINT AS rt_dl_ns,
    coalesce(sum(wait_ns) FILTER (reason = 'kernel_threads'), 0)::BIGINT AS kernel_threads_ns,
    coalesce(sum(wait_ns) FILTER (reason = 'own_threads'), 0)::BIGINT AS own_threads_ns,
    coalesce(sum(wait_ns) FILTER (reason = 'neighbour'), 0)::BIGINT AS neighbour_ns,
    coalesce(sum(wait_ns) FILTER (reason = 'unknown_cgroup'), 0)::BIGINT AS unknown_cgroup_ns,
    coalesce(sum(wait_ns) FILTER (reason = 'unknown'), 0)::BIGINT AS unknown_ns,
    coalesce(list({excuse: excuse, wait_ns: wait_ns} ORDER BY wait_ns DESC, excuse) FILTER (reason = 'confined'), [])
      AS confined_by
  FROM waits GROUP BY cgroup_id),
neighbours AS (
  SELECT
    w.cgroup_id,
    list({cgroup_id: w.culprit_cgroup_id, cgroup: c.path, wait_ns: w.wait_ns} ORDER BY w.wait_ns DESC, w.culprit_cgroup_id)[:5]
      AS neighbours
  FROM waits w LEFT JOIN cgroup c ON c.cgroup_id = w.culprit_cgroup_id
  WHERE w.reason = 'neighbour' GROUP BY w.cgroup_id),
threads AS (
  SELECT
    cgroup_id, count(*) AS threads, sum(run_ns)::BIGINT AS run_ns, sum(wakeups)::BIGINT AS wakeups,
    sum(switches)::BIGINT AS switches, sum(migrations)::BIGINT AS migrations,
    sum(needless_migrations)::BIGINT AS needless_migrations
  FROM thread WHERE utid <> 0 GROUP BY cgroup_id),
found AS (SELECT cgroup_id FROM threads UNION SELECT cgroup_id FROM ledger)
SELECT
  f.cgroup_id, c.path AS cgroup, c.quota_ns / nullif(c.period_ns, 0) AS cpus_quota, coalesce(t.threads, 0) AS threads,
  coalesce(t.run_ns, 0) AS run_ns, coalesce(l.wait_ns, 0) AS wait_ns,
  coalesce(l.avoidable_wait_ns, 0) AS avoidable_wait_ns, coalesce(l.unavoidable_wait_ns, 0) AS unavoidable_wait_ns,
  coalesce(l.throttled_ns, 0) AS throttled_ns, coalesce(l.confined_ns, 0) AS confined_ns,
  coalesce(l.wakeup_latency_ns, 0) AS wakeup_latency_ns, coalesce(l.interrupts_ns, 0) AS interrupts_ns,
  coalesce(l.rt_dl_ns, 0) AS rt_dl_ns, coalesce(l.kernel_threads_ns, 0) AS kernel_threads_ns,
  coalesce(l.own_threads_ns, 0) AS own_threads_ns, coalesce(l.neighbour_ns, 0) AS neighbour_ns,
  coalesce(l.unknown_cgroup_ns, 0) AS unknown_cgroup_ns, coalesce(l.unknown_ns, 0) AS unknown_ns,
  coalesce(l.confined_by, []) AS confined_by, coalesce(n.neighbours, []) AS neighbours,
  coalesce(t.wakeups, 0) AS wakeups, coalesce(t.switches, 0) AS switches, coalesce(t.migrations, 0) AS migrations,
  coalesce(t.needless_migrations, 0) AS needless_migrations
FROM found f
LEFT JOIN threads t ON t.cgroup_id IS NOT DISTINCT FROM f.cgroup_id
LEFT JOIN ledger l ON l.cgroup_id IS NOT DISTINCT FROM f.cgroup_id
LEFT JOIN neighbours n ON n.cgroup_id IS NOT DISTINCT FROM f.cgroup_id
LEFT JOIN cgroup c ON c.cgroup_id = f.cgroup_id
ORDER BY avoidable_wait_ns DESC, wait_ns DESC, run_ns DESC, f.cgroup_id
LIMIT $limit
