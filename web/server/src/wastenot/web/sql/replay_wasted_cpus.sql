-- Which CPUs were wasted when, in a window: at every instant as many as replay_waste.sql counts.
-- parameters:
--   $start, $end  [ns]  window
--   $limit        rows at most
-- columns:
--   cpu
--   start_ns, dur_ns  [ns]     intervals that overlap the window, whole
SELECT cpu, start_ns, dur_ns FROM wasted_cpu /* of the window */
WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
ORDER BY wasted_cpu.start_ns, cpu
LIMIT $limit
