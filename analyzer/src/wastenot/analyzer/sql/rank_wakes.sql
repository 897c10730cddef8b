-- Wakeups of the ranks of a parallel program, each with the thread that ran where it was made.
-- The waker's CPU is that of sched_waking where the trace has one for the wakeup, else that of sched_wakeup (see
-- trace.queued_wakings_only). A wakeup from an interrupt has the interrupted thread as its waker.
-- parameters:
--   $utids    list of threads
-- columns:
--   ts_ns             [ns]  when it became runnable
--   utid              the rank
--   waker_utid        the thread that ran on the waker's CPU; 0 the idle thread, NULL unknown
WITH ranks AS (SELECT utid, tid, start_ns, end_ns FROM thread WHERE utid IN (SELECT unnest($utids))),
wakeups AS (
  SELECT
    r.utid, e.tid, e.ts_ns, e.cpu, e.id,
    coalesce(lag(e.ts_ns) OVER (PARTITION BY r.utid ORDER BY e.id), -9223372036854775808) AS former_ns
  FROM sched_wakeup e
  JOIN ranks r ON r.tid = e.tid AND e.ts_ns >= coalesce(r.start_ns, e.ts_ns) AND e.ts_ns <= coalesce(r.end_ns, e.ts_ns)
),
waked AS (
  SELECT
    w.utid, w.ts_ns, w.id, CASE WHEN k.ts_ns > w.former_ns THEN k.cpu ELSE w.cpu END AS waker_cpu,
    CASE WHEN k.ts_ns > w.former_ns THEN k.ts_ns ELSE w.ts_ns END AS made_ns
  FROM wakeups w ASOF LEFT JOIN sched_waking k ON k.tid = w.tid AND w.ts_ns >= k.ts_ns
)
SELECT w.ts_ns, w.utid, s.utid AS waker_utid
FROM waked w ASOF LEFT JOIN cpu_slice s ON s.cpu = w.waker_cpu AND w.made_ns > s.start_ns
ORDER BY w.ts_ns, w.id
