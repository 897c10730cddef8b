-- Changes of threads' states in a window, in order. A state at $start and these changes give the state at any instant of it.
-- parameters:
--   $start, $end  [ns]  window: changes after $start, up to and with $end
--   $limit        rows at most
-- columns:
--   ts_ns     [ns]
--   utid
--   phase           a code of `thread_phase` from now on; NULL: its state is not known from now on, or it is dead
--   cpu       [cpu] that it runs or is queued on; NULL when it does neither
--   path            on a move to another CPU a value of `migration_path`; else NULL
WITH intervals AS MATERIALIZED (
  SELECT utid, phase, cpu, start_ns AS a, start_ns + dur_ns AS b FROM thread_state /* of the window */
  WHERE start_ns <= $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
),
begins AS (SELECT a AS ts_ns, utid, phase, cpu FROM intervals WHERE a > $start::BIGINT),
ends AS (SELECT b AS ts_ns, utid FROM intervals WHERE b <= $end::BIGINT),
last AS (
  SELECT e.ts_ns, e.utid, NULL::UTINYINT AS phase, NULL::SMALLINT AS cpu
  FROM ends e ANTI JOIN begins b ON b.utid = e.utid AND b.ts_ns = e.ts_ns
),
placed AS (
  SELECT *, coalesce(lag(ts_ns) OVER (PARTITION BY utid ORDER BY ts_ns), $start::BIGINT) AS before_ns
  FROM begins WHERE cpu IS NOT NULL
),
-- A move at a wakeup is recorded before the thread is queued: it belongs to the placement that follows.
moved AS (
  SELECT p.utid, p.ts_ns, migration_path_name(m.path) AS path
  FROM placed p ASOF JOIN (FROM migration WHERE ts_ns >= $start::BIGINT AND ts_ns <= $end::BIGINT) m ON p.utid = m.utid AND p.ts_ns >= m.ts_ns
  WHERE m.ts_ns > p.before_ns AND m.dest_cpu = p.cpu
)
SELECT c.ts_ns, c.utid, c.phase, c.cpu, m.path
FROM (FROM begins UNION ALL FROM last) c LEFT JOIN moved m ON m.utid = c.utid AND m.ts_ns = c.ts_ns
ORDER BY c.ts_ns, c.utid
LIMIT $limit
