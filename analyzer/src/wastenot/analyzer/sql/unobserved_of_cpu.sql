-- When one CPU was not observed, in order.
-- parameters:
--   $cpu      the CPU
-- columns:
--   start_ns, end_ns  [ns]  one stretch
SELECT start_ns, start_ns + dur_ns AS end_ns FROM cpu_slice WHERE cpu = $cpu AND (utid IS NULL OR NOT observed) ORDER BY start_ns
