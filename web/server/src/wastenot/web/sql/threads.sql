-- Every thread of the trace: what the ids in all other answers mean.
-- parameters: none
-- columns:
--   utid, tid, tgid, upid, name
--   process               name of its process
--   cgroup_id, cgroup     its last cgroup, and the path of that
--   parent_utid           thread that created it
--   is_kernel             kernel thread
--   start_ns, end_ns      [ns]  creation and last switch; NULL: before the start of the trace, alive at the end
--   run_ns, wait_ns, avoidable_ns  [ns]  on a CPU; queued; of it, while matched to an idle CPU
--   migrations, needless_migrations   counts
SELECT t.utid, t.tid, t.tgid, t.upid, t.name, p.name AS process, t.cgroup_id, c.path AS cgroup, t.parent_utid, t.is_kernel, t.start_ns,
       t.end_ns, t.run_ns, t.wait_wakeup_ns + t.wait_preempted_ns AS wait_ns, t.avoidable_wait_ns AS avoidable_ns,
       t.migrations, t.needless_migrations
FROM thread t LEFT JOIN process p USING (upid) LEFT JOIN cgroup c USING (cgroup_id)
WHERE t.utid <> 0
ORDER BY t.utid
