-- What the trace says of a thread at an instant: priority, policy, process, cgroup and allowed CPUs, each as last recorded until then.
-- parameters:
--   $utid         the thread
--   $at       [ns]  the instant
-- columns: one row; none for an unknown thread
--   tid, name
--   upid, tgid, process
--   prio            the kernel's: 0-99 real-time and deadline threads, 100-139 fair ones; NULL not recorded
--   policy          a value of `policy`, of the last snapshot; NULL: the trace has none of the thread
--   cgroup          path; NULL not recorded
--   allowed         [cpus]  CPUs that it may use, ascending; NULL not recorded
--   allowed_why     why the trace does not hold allowed CPUs; NULL where it does, or does not say
WITH t AS (FROM thread WHERE utid = $utid),
life AS (
  SELECT tid, coalesce(start_ns, -9223372036854775807) AS born_ns, coalesce(end_ns, 9223372036854775807) AS end_ns FROM t
),
-- A snapshot is of the state at its time; the first one also tells how the thread was before.
snapshots AS (
  SELECT s.*, s.ts_ns <= $at::BIGINT AS is_before FROM thread_snapshot s JOIN life l ON s.tid = l.tid AND s.ts_ns BETWEEN l.born_ns AND l.end_ns
),
snapshot AS (FROM snapshots ORDER BY is_before DESC, CASE WHEN is_before THEN -id ELSE id END LIMIT 1),
masks AS (
  SELECT id, mask_id FROM snapshot
  UNION ALL
  SELECT a.id, a.mask_id FROM affinity a JOIN life l ON a.tid = l.tid AND a.ts_ns BETWEEN l.born_ns AND l.end_ns WHERE a.ts_ns <= $at::BIGINT
),
cgroups AS (
  SELECT id, cgroup_id FROM snapshot
  UNION ALL
  SELECT m.id, m.cgroup_id FROM cgroup_move m JOIN life l ON m.tid = l.tid AND m.ts_ns BETWEEN l.born_ns AND l.end_ns WHERE m.ts_ns <= $at::BIGINT
),
prios AS (
  SELECT id, prio FROM snapshot
  UNION ALL
  (SELECT e.id, e.next_prio FROM sched_switch e JOIN life l ON e.next_tid = l.tid AND e.ts_ns >= l.born_ns WHERE e.ts_ns <= $at::BIGINT
   ORDER BY e.id DESC LIMIT 1)
  UNION ALL
  (SELECT e.id, e.prio FROM sched_wakeup e JOIN life l ON e.tid = l.tid AND e.ts_ns >= l.born_ns WHERE e.ts_ns <= $at::BIGINT
   ORDER BY e.id DESC LIMIT 1)
)
SELECT t.tid, t.name, t.upid, coalesce(p.tgid, t.tgid) AS tgid, p.name AS process,
       (SELECT prio FROM prios WHERE prio IS NOT NULL ORDER BY id DESC LIMIT 1) AS prio,
       (SELECT policy_name(policy) FROM snapshot) AS policy,
       (SELECT path FROM cgroup WHERE cgroup_id = coalesce((SELECT cgroup_id FROM cgroups ORDER BY id DESC LIMIT 1), t.cgroup_id)) AS cgroup,
       (SELECT cpus FROM mask WHERE mask_id = (SELECT mask_id FROM masks ORDER BY id DESC LIMIT 1)) AS allowed,
       (SELECT why FROM evidence WHERE kind = 'affinity') AS allowed_why
FROM t LEFT JOIN process p USING (upid)
