-- Threads with what shows which of them are ranks of one parallel program: process, its creator, the launcher above it.
-- parameters:
--   $launchers  list of names of programs that start the processes of a parallel job (mpirun ...)
-- columns:
--   utid, tid, upid, tgid, name
--   process                     name of its process; its own where the process is not recorded
--   parent_upid                 the process that created its process; NULL not recorded. In traces of programs (Paraver, OTF2) the one
--                               that holds the program
--   launcher_upid, launcher     the nearest process above its process with one of these names, four generations up at most; else NULL
--   world_rank, world_size      which rank of how many its process is, by its environment; NULL not recorded
--   cgroup                      path of the cgroup it was last seen in
--   born_ns, ended_ns     [ns]  its life, cut to the recording
--   run_ns, wait_ns, sleep_ns, blocked_ns  [ns]  sums of its life: on a CPU, runnable, asleep, blocked
--   switches                    times it started to run
WITH RECURSIVE above(upid, ancestor, generation) AS (
  SELECT upid, upid, 1 FROM process
  UNION ALL
  SELECT a.upid, p.parent_upid, a.generation + 1 FROM above a JOIN process p ON p.upid = a.ancestor
  WHERE p.parent_upid IS NOT NULL AND a.generation < 4
),
launched AS (
  SELECT a.upid, arg_min(p.upid, a.generation) AS launcher_upid, arg_min(p.name, a.generation) AS launcher
  FROM above a JOIN process p ON p.upid = a.ancestor WHERE list_contains($launchers, p.name) GROUP BY a.upid
),
holders AS (
  SELECT s.tgid, min(h.upid) AS upid FROM thread_snapshot s JOIN process h ON h.tgid = s.ppid
  WHERE (SELECT source FROM trace) IN ('paraver', 'otf2') GROUP BY s.tgid
),
placed AS (
  SELECT
    t.*, coalesce(p.name, t.name) AS process,
    CASE WHEN t.upid IS NULL THEN creator.upid ELSE coalesce(p.parent_upid, holders.upid) END AS parent_upid
  FROM thread t LEFT JOIN process p ON p.upid = t.upid LEFT JOIN thread creator ON creator.utid = t.parent_utid
  LEFT JOIN holders ON holders.tgid = t.tgid
),
lives AS (
  SELECT upid, tgid, min(coalesce(start_ns, 0)) AS start_ns FROM thread WHERE upid IS NOT NULL GROUP BY ALL
),
ranked AS (
  -- Of several programs that a process ran, the last one.
  SELECT p.upid, arg_max(r.rank, r.id) AS world_rank, arg_max({'size': r.size}, r.id).size AS world_size
  FROM process_rank r ASOF JOIN lives p ON p.tgid = r.tgid AND r.ts_ns >= p.start_ns GROUP BY p.upid
)
SELECT
  t.utid, t.tid, t.upid, t.tgid, t.name, t.process, t.parent_upid, l.launcher_upid, l.launcher, r.world_rank, r.world_size,
  c.path AS cgroup,
  greatest(coalesce(t.start_ns, w.start_ns), w.start_ns) AS born_ns, least(coalesce(t.end_ns, w.end_ns), w.end_ns) AS ended_ns,
  t.run_ns, t.wait_wakeup_ns + t.wait_preempted_ns AS wait_ns, t.sleep_ns, t.blocked_ns, t.switches
FROM placed t CROSS JOIN trace w
LEFT JOIN launched l ON l.upid = t.parent_upid
LEFT JOIN ranked r ON r.upid = t.upid
LEFT JOIN cgroup c ON c.cgroup_id = t.cgroup_id
WHERE t.utid <> 0 AND t.is_kernel IS NOT TRUE AND NOT t.per_cpu_thread AND t.run_ns > 0
  -- In traces of programs the other threads stand for what is not in the trace.
  AND (w.source NOT IN ('paraver', 'otf2') OR t.tid IN (SELECT tid FROM thread_snapshot))
ORDER BY t.utid
