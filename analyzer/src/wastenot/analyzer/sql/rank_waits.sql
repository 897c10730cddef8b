-- When ranks of a parallel program were queued on one CPU and did not run.
-- parameters:
--   $utids    list of threads
--   $cpu      the CPU
-- columns:
--   utid
--   start_ns, end_ns  [ns]  one wait
--   phase             as in table `thread_state`
SELECT utid, start_ns, start_ns + dur_ns AS end_ns, phase
FROM thread_state
WHERE utid IN (SELECT unnest($utids)) AND cpu = $cpu AND phase IN (1, 2) -- runnable, preempted
ORDER BY utid, start_ns
