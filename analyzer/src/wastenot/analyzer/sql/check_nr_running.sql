-- Cross-check: the kernel's own count of each runqueue against the reconstructed length, running thread included.
-- The count of a switch is compared at that switch. Of the changes in `nr_running` each is compared at the last instant at
-- which it held, because the kernel counts before the switch or wakeup event is written, and only those that held for
-- $settled_ns or more. Since 6.12 the kernel also counts threads whose dequeue is
-- delayed: it may be more than ours for that reason, never fewer.
-- parameters:
--   $settled_ns   [ns]   shortest hold of a change that is compared
-- columns: a row per difference
--   difference     [threads]  kernel's count - ours
--   counts                    how often
--   held_ns        [ns]       for how long; of counts at switches until the CPU's next switch
--   share          [1]        of all compared counts
WITH kernel AS (
  SELECT cpu, ts_ns, nr_running, lead(ts_ns) OVER (PARTITION BY cpu ORDER BY id) AS next_ns FROM nr_running
),
settled AS (
  SELECT cpu, nr_running, next_ns - ts_ns AS held_ns, next_ns - 1 AS at_ns FROM kernel WHERE next_ns - ts_ns >= $settled_ns
  UNION ALL
  SELECT cpu, nr_running, coalesce(lead(ts_ns) OVER (PARTITION BY cpu ORDER BY id) - ts_ns, 0) AS held_ns, ts_ns AS at_ns
  FROM sched_switch WHERE nr_running IS NOT NULL
),
compared AS (
  SELECT k.nr_running - (r.queued + r.running::INTEGER) AS difference, k.held_ns
  FROM settled k ASOF JOIN runqueue r ON r.cpu = k.cpu AND r.start_ns <= k.at_ns
  WHERE r.start_ns + r.dur_ns > k.at_ns
)
SELECT difference, count(*) AS counts, sum(held_ns)::BIGINT AS held_ns, count(*) / sum(count(*)) OVER () AS share
FROM compared
GROUP BY difference
ORDER BY difference
