-- Arrivals of threads in a window, each as if for one ns.
-- parameters:
--   $start, $end  [ns]  window
-- columns:
--   cpu
--   a, b          [ns]  counted from $start
--   weight              1
SELECT dest_cpu AS cpu, ts_ns - $start::BIGINT AS a, ts_ns - $start::BIGINT + 1 AS b, 1 AS weight
FROM migration WHERE ts_ns >= $start::BIGINT AND ts_ns < $end::BIGINT
