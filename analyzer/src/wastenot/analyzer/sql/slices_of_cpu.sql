-- What one CPU did, in order.
-- parameters:
--   $cpu      the CPU
-- columns:
--   start_ns, end_ns  [ns]  one slice
--   utid              the thread that ran; 0 the idle thread, -1 not observed
SELECT start_ns, start_ns + dur_ns AS end_ns, coalesce(utid, -1) AS utid FROM cpu_slice WHERE cpu = $cpu ORDER BY start_ns
