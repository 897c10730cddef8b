-- The wait ledger: how long threads of each cgroup were runnable and did not run, and why, longest first.
-- parameters: none
-- columns:
--   cgroup_id, cgroup     the group that waited and its path; NULL not recorded
--   reason                why (docs/semantics.md: the wait ledger)
--   excuse                what kept it from the idle CPUs, where the reason is confined
--   culprit_cgroup_id, culprit   the group that ran, and its path, where the reason is neighbour or rt_dl
--   wait_ns               [ns]  summed over its threads
SELECT
  w.cgroup_id, c.path AS cgroup, wait_reason_name(w.reason) AS reason, excuse_name(w.excuse) AS excuse,
  w.culprit_cgroup_id, ran.path AS culprit, w.wait_ns
FROM cgroup_wait w
LEFT JOIN cgroup c ON c.cgroup_id = w.cgroup_id
LEFT JOIN cgroup ran ON ran.cgroup_id = w.culprit_cgroup_id
ORDER BY w.wait_ns DESC, w.cgroup_id, w.reason, w.excuse, w.culprit_cgroup_id
