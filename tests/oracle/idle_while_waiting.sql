-- ∫ idle_while_waiting dt of a trace in plain SQL over its raw tables, core-ns: one row, one column `idle_while_waiting_ns`.
--
-- The same definitions as upper_sweep.py (which has them in words); here to say how fast SQL answers that one question.
-- Does not follow threads through an exec by a non-leader, and knows no lost events.
WITH currents AS (  -- what each CPU runs by its events, and what it ran by the one before
  SELECT *, lag(current_tid) OVER (PARTITION BY cpu ORDER BY id) AS before FROM (
    SELECT id, ts_ns, cpu, prev_tid, next_tid AS current_tid FROM sched_switch
    UNION ALL
    SELECT id, ts_ns, cpu, NULL, current_tid FROM cpu_snapshot
    UNION ALL
    SELECT id, ts_ns, cpu, NULL, NULL FROM cpu_hotplug
  )
),
said AS (  -- what the events say about threads; phase 0 unknown, 1 off, 2 queued, 3 running
  SELECT tid, id, ts_ns, 'switch' AS kind, [3, 2, 1, 0][queue + 1] AS phase, cpu, throttled FROM thread_snapshot
  UNION ALL
  SELECT prev_tid, id, ts_ns, 'switch', CASE WHEN prev_state <= 1 THEN 2 ELSE 1 END, cpu, NULL FROM sched_switch
  UNION ALL
  SELECT next_tid, id, ts_ns, 'switch', 3, cpu, NULL FROM sched_switch
  UNION ALL
  SELECT tid, id, ts_ns, 'wakeup', 2, target_cpu, NULL FROM sched_wakeup
  UNION ALL
  SELECT tid, id, ts_ns, 'migrate', NULL, dest_cpu, NULL FROM sched_migrate_task
  UNION ALL
  SELECT tid, id, ts_ns, 'throttle', NULL, NULL, throttled FROM throttle
  UNION ALL  -- a switch shows another thread where this one ran: how it left was not recorded
  SELECT before, id, ts_ns, 'displaced', 0, cpu, NULL FROM currents WHERE before <> 0 AND before <> prev_tid
),
ran AS (
  SELECT *, kind = 'switch' OR (kind = 'displaced' AND last_value(CASE WHEN kind = 'switch' THEN phase END IGNORE NULLS) OVER so_far = 3
    AND last_value(CASE WHEN kind = 'switch' THEN cpu END IGNORE NULLS) OVER so_far = cpu) AS switched
  FROM said WHERE tid <> 0
  WINDOW so_far AS (PARTITION BY tid ORDER BY id ROWS UNBOUNDED PRECEDING)
),
runs AS (  -- only switches start and end a run: a wakeup of a running thread says nothing
  SELECT *, switched OR (kind = 'wakeup' AND last_value(CASE WHEN switched THEN phase END IGNORE NULLS) OVER so_far IS DISTINCT FROM 3) AS counts
  FROM ran
  WINDOW so_far AS (PARTITION BY tid ORDER BY id ROWS UNBOUNDED PRECEDING)
),
phases AS (
  SELECT *, last_value(CASE WHEN counts THEN phase END IGNORE NULLS) OVER so_far AS now_phase,
    last_value(throttled IGNORE NULLS) OVER so_far AS now_throttled
  FROM runs
  WINDOW so_far AS (PARTITION BY tid ORDER BY id ROWS UNBOUNDED PRECEDING)
),
places AS (  -- the queue a thread stands in: a CPU, -1 the throttled waiters, -2 none
  SELECT tid, id, ts_ns, CASE WHEN now_phase IS DISTINCT FROM 2 THEN -2 WHEN now_throttled THEN -1
    ELSE last_value(CASE WHEN counts OR (kind = 'migrate' AND now_phase = 2) THEN cpu END IGNORE NULLS) OVER so_far END AS place
  FROM phases
  WINDOW so_far AS (PARTITION BY tid ORDER BY id ROWS UNBOUNDED PRECEDING)
),
moves AS (
  SELECT id, ts_ns, place, lag(place, 1, -2) OVER (PARTITION BY tid ORDER BY id) AS before FROM places
),
changes AS (  -- of queue lengths, and of what a CPU runs
  SELECT id, ts_ns, place AS cpu, 1 AS delta, NULL AS swapper, NULL AS online FROM moves WHERE place <> before AND place <> -2
  UNION ALL
  SELECT id, ts_ns, before, -1, NULL, NULL FROM moves WHERE place <> before AND before <> -2
  UNION ALL
  SELECT id, ts_ns, cpu, 0, next_tid = 0, NULL FROM sched_switch
  UNION ALL
  SELECT id, ts_ns, cpu, 0, coalesce(online AND current_tid = 0, false), online FROM cpu_snapshot
  UNION ALL
  SELECT id, ts_ns, cpu, 0, false, online FROM cpu_hotplug
),
steps AS (
  SELECT cpu, id, any_value(ts_ns) AS ts_ns, sum(delta) AS delta, bool_or(swapper) AS swapper, bool_or(online) AS online
  FROM changes GROUP BY cpu, id
),
queues AS (
  SELECT cpu, id, ts_ns, delta, sum(delta) OVER so_far AS length,
    coalesce(last_value(swapper IGNORE NULLS) OVER so_far, false) AND coalesce(last_value(online IGNORE NULLS) OVER so_far, true) AS runs_swapper
  FROM steps
  WINDOW so_far AS (PARTITION BY cpu ORDER BY id ROWS UNBOUNDED PRECEDING)
),
states AS (
  SELECT *, (cpu >= 0 AND runs_swapper AND length = 0)::INTEGER AS idle,
    (cpu >= 0 AND runs_swapper AND length > 0)::INTEGER AS about_to_run
  FROM queues
),
differences AS (
  SELECT id, ts_ns, idle - lag(idle, 1, 0) OVER of_cpu AS idle,
    delta - (about_to_run - lag(about_to_run, 1, 0) OVER of_cpu) AS waiting
  FROM states
  WINDOW of_cpu AS (PARTITION BY cpu ORDER BY id)
),
instants AS (
  SELECT id, any_value(ts_ns) AS ts_ns, sum(idle) AS idle, sum(waiting) AS waiting FROM differences GROUP BY id
),
intervals AS (
  SELECT least(sum(idle) OVER in_order, sum(waiting) OVER in_order) AS idle_while_waiting,
    greatest(ts_ns, (SELECT start_ns FROM trace)) AS from_ns,
    least(lead(ts_ns) OVER in_order, (SELECT end_ns FROM trace)) AS to_ns
  FROM instants
  WINDOW in_order AS (ORDER BY id)
)
SELECT coalesce(sum(idle_while_waiting * (coalesce(to_ns, (SELECT end_ns FROM trace)) - from_ns)), 0)::BIGINT AS idle_while_waiting_ns
FROM intervals WHERE idle_while_waiting > 0;
