-- Cross-check: no thread runs on two CPUs at once. Rows are violations; an empty result is what must hold.
-- parameters: none
-- columns:
--   utid                           the thread
--   cpu, other_cpu         [cpu]   where it ran at once
--   start_ns               [ns]    start of the later slice
--   overlap_ns             [ns]    for how long
SELECT utid, earlier_cpu AS cpu, cpu AS other_cpu, start_ns, earlier_end - start_ns AS overlap_ns
FROM (
  SELECT utid, cpu, start_ns,
         lag(start_ns + dur_ns) OVER in_time AS earlier_end, lag(cpu) OVER in_time AS earlier_cpu
  FROM cpu_slice
  WHERE utid > 0
  WINDOW in_time AS (PARTITION BY utid ORDER BY start_ns, cpu)
)
WHERE earlier_end > start_ns
ORDER BY start_ns, utid
