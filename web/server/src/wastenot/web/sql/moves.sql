-- Changes of threads' states in a window, in order. A state at $start and these changes give the state at any instant of it.
-- parameters:
--   $start, $end  [ns]  window: changes after $start, up to and with $end
--   $limit        rows at most
-- columns:
--   ts_ns     [ns]
--   utid
--   phase           a code of `thread_phase` from now on; NULL: its state is not known from now on, or it is dead
--   cpu       [cpu] that it runs or is queued on; NULL when it does neither
--   path            on a move to another CPU: wakeup or balance, as far as the tables tell; else NULL
WITH begins AS (
  SELECT start_ns AS ts_ns, utid, phase, cpu FROM thread_state WHERE start_ns > $start::BIGINT AND start_ns <= $end::BIGINT
),
ends AS (
  SELECT start_ns + dur_ns AS ts_ns, utid FROM thread_state
  WHERE start_ns <= $end::BIGINT AND start_ns + dur_ns > $start::BIGINT AND start_ns + dur_ns <= $end::BIGINT
),
last AS (
  SELECT e.ts_ns, e.utid, NULL::UTINYINT AS phase, NULL::SMALLINT AS cpu
  FROM ends e ANTI JOIN begins b ON b.utid = e.utid AND b.ts_ns = e.ts_ns
),
moved AS (
  SELECT utid, ts_ns, any_value(CASE WHEN queued THEN 'balance' ELSE 'wakeup' END) AS path
  FROM migration WHERE ts_ns > $start::BIGINT AND ts_ns <= $end::BIGINT GROUP BY ALL
)
SELECT c.ts_ns, c.utid, c.phase, c.cpu, m.path
FROM (FROM begins UNION ALL FROM last) c LEFT JOIN moved m ON m.utid = c.utid AND m.ts_ns = c.ts_ns
ORDER BY c.ts_ns, c.utid
LIMIT $limit
