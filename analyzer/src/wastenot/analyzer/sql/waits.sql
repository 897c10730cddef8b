-- Waits for a CPU, whole: from the instant at which a thread could run to that at which it runs, on whichever queues it was.
-- `waits()` stands for these rows in SQL. (Of a window: of the rows of thread_state that touch it, so that a wait which was moved
-- between queues outside of it is shorter than in the whole trace.)
-- parameters: none
-- columns:
--   utid                  the thread
--   start_ns, dur_ns [ns] from when it could run, and for how long it did not
--   waited_after          wakeup (or creation) or preemption
--   cpu, ran_on  [cpu]    on whose queue the wait started, and where the thread then ran; NULL: it did not run, as far as is known
--   queues                queues that it was on, one after the other
--   throttled_ns [ns]     of the wait, time in which its cgroup had no quota left
--   is_cut                it was longer than that, or may have been: the recording, or what is known of the thread, starts or ends in it
WITH placed AS (
  SELECT
    utid, start_ns, dur_ns, phase, cpu, phase IN (1, 2, 7) AS waits, -- runnable, preempted, throttled
    coalesce(lag(start_ns + dur_ns) OVER states = start_ns, false) AS has_before, lag(phase) OVER states AS before,
    coalesce(lead(start_ns) OVER states = start_ns + dur_ns, false) AS has_next, lead(phase) OVER states AS next,
    lead(cpu) OVER states AS next_cpu
  FROM thread_state
  WINDOW states AS (PARTITION BY utid ORDER BY start_ns)
),
marked AS (
  SELECT *, NOT (has_before AND before IN (1, 2, 7)) AS is_first, NOT (has_next AND next IN (1, 2, 7)) AS is_last
  FROM placed WHERE waits
),
-- Nearly all waits are one row.
numbered AS (
  SELECT *, sum(is_first::INTEGER) OVER (PARTITION BY utid ORDER BY start_ns) AS number
  FROM marked WHERE NOT (is_first AND is_last)
),
whole AS (
  SELECT
    utid, start_ns, dur_ns, (phase = 2)::INTEGER AS preempted, (phase = 1)::INTEGER AS woken, has_before, before, cpu, has_next,
    next, coalesce(next_cpu, -1) AS next_cpu, 1 AS queues, CASE WHEN phase = 7 THEN dur_ns ELSE 0 END AS throttled_ns
  FROM marked WHERE is_first AND is_last
  UNION ALL
  SELECT
    utid, min(start_ns), sum(dur_ns)::BIGINT, count(*) FILTER (phase = 2), count(*) FILTER (phase = 1),
    arg_min(has_before, start_ns), arg_min(before, start_ns), arg_min(cpu, start_ns), arg_max(has_next, start_ns),
    arg_max(next, start_ns), arg_max(coalesce(next_cpu, -1), start_ns), count(*),
    coalesce(sum(dur_ns) FILTER (phase = 7), 0)::BIGINT
  FROM numbered GROUP BY utid, number
)
SELECT
  w.utid, w.start_ns, w.dur_ns,
  CASE WHEN w.preempted > 0 OR (w.woken = 0 AND w.has_before AND w.before = 0) THEN 'preemption' ELSE 'wakeup' END AS waited_after,
  w.cpu, CASE WHEN w.has_next AND w.next = 0 AND w.next_cpu >= 0 THEN w.next_cpu END AS ran_on, w.queues, w.throttled_ns,
  NOT w.has_next OR (NOT w.has_before AND (t.tid, w.start_ns) IN (SELECT tid, ts_ns FROM thread_snapshot)) AS is_cut
FROM whole w JOIN thread t USING (utid)
