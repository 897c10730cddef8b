-- Wakeups in a window: which thread was woken where, and queued on which CPU.
-- parameters:
--   $start, $end  [ns]  window
--   $limit        rows at most
-- columns:
--   ts_ns         [ns]
--   utid                thread woken; NULL when no thread of that tid is known then
--   cpu           [cpu] CPU that wrote the event
--   target_cpu    [cpu] CPU on whose queue it was put
--   is_new              its first wakeup
WITH woken AS (
  SELECT id, ts_ns, tid, cpu, target_cpu, is_new FROM sched_wakeup
  WHERE ts_ns >= $start::BIGINT AND ts_ns < $end::BIGINT ORDER BY id LIMIT $limit
),
lives AS (SELECT utid, tid, coalesce(start_ns, -9223372036854775807) AS start_ns FROM thread)
SELECT w.ts_ns, t.utid, w.cpu, w.target_cpu, w.is_new
FROM woken w ASOF LEFT JOIN lives t ON t.tid = w.tid AND t.start_ns <= w.ts_ns
ORDER BY w.id
