-- Threads that took time from ranks of a parallel program: what they are.
-- parameters:
--   $utids    list of threads
-- columns:
--   utid, tid, tgid, name
--   is_kernel           a kernel thread
--   is_alive            it was alive at the end of the recording
--   cgroup              path of its cgroup; NULL not recorded
SELECT t.utid, t.tid, t.tgid, t.name, coalesce(t.is_kernel, false) AS is_kernel, t.end_ns IS NULL AS is_alive, c.path AS cgroup
FROM thread t LEFT JOIN cgroup c ON c.cgroup_id = t.cgroup_id
WHERE t.utid IN (SELECT unnest($utids)) ORDER BY t.utid
