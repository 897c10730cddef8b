-- Wasted CPUs in a window.
-- parameters:
--   $start, $end  [ns]  window
-- columns:
--   cpu
--   a, b          [ns]  start and end, counted from $start
--   weight              1
SELECT cpu, start_ns - $start::BIGINT AS a, start_ns + dur_ns - $start::BIGINT AS b, 1 AS weight
FROM wasted_cpu /* of the window */ WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
