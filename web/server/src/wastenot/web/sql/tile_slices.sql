-- What the CPUs did in a window, for tiles whose bins are too narrow to be stored.
-- parameters:
--   $start, $end  [ns]  window
-- columns:
--   cpu
--   a, b          [ns]  start and end, counted from $start
--   utid                0 idle, -1 unobserved or offline
SELECT cpu, start_ns - $start::BIGINT AS a, start_ns + dur_ns - $start::BIGINT AS b, coalesce(utid, -1) AS utid
FROM cpu_slice /* of the window */ WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
