-- Threads with what tells which of them are ranks of one parallel program: process, its creator, the launcher above it.
-- parameters:
--   $launchers  list of names of programs that start the processes of a parallel job (mpirun ...)
-- columns:
--   utid, tid, upid, tgid, name
--   process                     name of its process
--   parent_upid                 the process that created its process; NULL not recorded
--   launcher_upid, launcher     the nearest process above its process with one of these names, four generations up at most; else NULL
--   cgroup_id, cgroup           the cgroup it was last seen in
--   born_ns, ended_ns     [ns]  its life, cut to the recording
--   run_ns, wait_ns, sleep_ns, blocked_ns  [ns]  sums of its life: on a CPU, runnable, asleep, blocked
--   switches                    times it started to run
WITH RECURSIVE above(upid, ancestor, generation) AS (
  SELECT upid, parent_upid, 1 FROM process WHERE parent_upid IS NOT NULL
  UNION ALL
  SELECT a.upid, p.parent_upid, a.generation + 1 FROM above a JOIN process p ON p.upid = a.ancestor
  WHERE p.parent_upid IS NOT NULL AND a.generation < 4
),
launched AS (
  SELECT a.upid, arg_min(p.upid, a.generation) AS launcher_upid, arg_min(p.name, a.generation) AS launcher
  FROM above a JOIN process p ON p.upid = a.ancestor WHERE list_contains($launchers, p.name) GROUP BY a.upid
)
SELECT
  t.utid, t.tid, t.upid, t.tgid, t.name, p.name AS process, p.parent_upid, l.launcher_upid, l.launcher, t.cgroup_id, c.path AS cgroup,
  greatest(coalesce(t.start_ns, w.start_ns), w.start_ns) AS born_ns, least(coalesce(t.end_ns, w.end_ns), w.end_ns) AS ended_ns,
  t.run_ns, t.wait_wakeup_ns + t.wait_preempted_ns AS wait_ns, t.sleep_ns, t.blocked_ns, t.switches
FROM thread t CROSS JOIN trace w
LEFT JOIN process p ON p.upid = t.upid
LEFT JOIN launched l ON l.upid = t.upid
LEFT JOIN cgroup c ON c.cgroup_id = t.cgroup_id
WHERE t.utid <> 0 AND t.is_kernel IS NOT TRUE AND NOT t.per_cpu_thread AND t.run_ns > 0
ORDER BY t.utid
