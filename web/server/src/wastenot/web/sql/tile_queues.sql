-- Queues with threads in a window.
-- parameters:
--   $start, $end  [ns]  window
-- columns:
--   cpu
--   a, b          [ns]  start and end, counted from $start
--   weight    [threads] queued beside the running one
SELECT cpu, start_ns - $start::BIGINT AS a, start_ns + dur_ns - $start::BIGINT AS b, queued AS weight
FROM runqueue /* of the window */ WHERE queued > 0 AND start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
