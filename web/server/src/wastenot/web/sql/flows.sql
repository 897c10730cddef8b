-- Wakeups of some threads in a window: which thread made each, on which CPU the woken thread was queued, and when and where it ran.
-- The waker is the thread that ran on the CPU of sched_waking, where the trace has one since the thread's former wakeup (of the last
-- $reach ns), else on that of sched_wakeup (see trace.queued_wakings_only). A wakeup from an interrupt has the interrupted thread as its
-- waker. A wakeup of a thread that was still on its way off a CPU queues nothing, and has no run.
-- parameters:
--   $from, $to    [ns]  window of the wakeups
--   $reach        [ns]
--   $start, $end  [ns]  what is read of slices and states: from $from - $reach until the threads that were woken ran
--   $utids        the threads
--   $limit        rows at most
-- columns:
--   wakeup_id       [event id]
--   utid                thread woken
--   waking_ns     [ns]  the decision, on the waker's CPU
--   waking_known        a sched_waking says so; else it is that of the wakeup
--   waker_cpu     [cpu]
--   waker_utid          thread that ran there; 0 the idle thread: an interrupt; NULL not observed
--   wakeup_ns     [ns]  it was queued
--   target_cpu    [cpu] there
--   is_new              its first wakeup
--   run_ns        [ns]  start of its next run; NULL: not within the trace, or not read
--   run_cpu       [cpu]
WITH chosen AS (
  SELECT utid, tid, coalesce(start_ns, -9223372036854775807) AS born_ns, coalesce(end_ns, 9223372036854775807) AS end_ns
  FROM thread WHERE utid IN (SELECT unnest($utids::INTEGER[]))
),
woken AS (
  SELECT c.utid, e.id, e.tid, e.ts_ns, e.cpu, e.target_cpu, e.is_new
  FROM sched_wakeup e JOIN chosen c ON c.tid = e.tid AND e.ts_ns >= c.born_ns AND e.ts_ns <= c.end_ns
  WHERE e.ts_ns >= $from::BIGINT - $reach::BIGINT AND e.ts_ns < $to::BIGINT
),
numbered AS (
  SELECT *, coalesce(lag(ts_ns) OVER (PARTITION BY utid ORDER BY id), -9223372036854775807) AS former_ns FROM woken
),
wakeups AS (SELECT * FROM numbered WHERE ts_ns >= $from::BIGINT ORDER BY id LIMIT $limit),
wakings AS (
  SELECT tid, ts_ns, cpu FROM sched_waking
  WHERE ts_ns >= $from::BIGINT - $reach::BIGINT AND ts_ns < $to::BIGINT AND tid IN (SELECT tid FROM chosen)
),
made AS (
  SELECT w.*, coalesce(k.ts_ns > w.former_ns, false) AS waking_known,
         CASE WHEN k.ts_ns > w.former_ns THEN k.cpu ELSE w.cpu END AS waker_cpu,
         CASE WHEN k.ts_ns > w.former_ns THEN k.ts_ns ELSE w.ts_ns END AS waking_ns
  FROM wakeups w ASOF LEFT JOIN wakings k ON k.tid = w.tid AND w.ts_ns >= k.ts_ns
),
slices AS (
  SELECT cpu, utid, start_ns FROM cpu_slice /* of the window */ WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
),
states AS MATERIALIZED (
  SELECT utid, phase, cpu, start_ns FROM thread_state /* of the window */
  WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT AND phase IN (0, 1, 2, 7) AND utid IN (SELECT utid FROM chosen)
),
waker AS (
  SELECT m.*, s.utid AS waker_utid FROM made m ASOF LEFT JOIN slices s ON s.cpu = m.waker_cpu AND m.waking_ns > s.start_ns
),
ran AS (
  SELECT w.id, r.start_ns AS run_ns, r.cpu AS run_cpu
  FROM waker w ASOF JOIN (FROM states WHERE phase = 0) r ON r.utid = w.utid AND w.ts_ns <= r.start_ns
  -- It was queued, or ran, as of the wakeup: not one that only took back a sleep that had not begun.
  WHERE EXISTS (FROM states s WHERE s.utid = w.utid AND s.start_ns = w.ts_ns)
)
SELECT w.id AS wakeup_id, w.utid, w.waking_ns, w.waking_known, w.waker_cpu, w.waker_utid, w.ts_ns AS wakeup_ns, w.target_cpu, w.is_new,
       r.run_ns, r.run_cpu
FROM waker w LEFT JOIN ran r USING (id)
ORDER BY w.id
