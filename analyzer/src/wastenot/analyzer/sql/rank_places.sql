-- On which CPUs threads ran.
-- parameters:
--   $utids    list of threads
-- columns:
--   utid
--   cpu
--   run_ns    [ns]
SELECT utid, cpu, run_ns FROM thread_cpu WHERE utid IN (SELECT unnest($utids)) ORDER BY utid, run_ns DESC, cpu
