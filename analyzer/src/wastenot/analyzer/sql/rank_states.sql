-- What the ranks of a parallel program did, in order.
-- parameters:
--   $utids    list of threads
-- columns:
--   utid
--   start_ns, end_ns  [ns]  one state
--   phase             as in table `thread_state`
--   cpu               CPU it ran or was queued on; -1 none
SELECT utid, start_ns, start_ns + dur_ns AS end_ns, phase, coalesce(cpu, -1) AS cpu
FROM thread_state WHERE utid IN (SELECT unnest($utids)) ORDER BY utid, start_ns
