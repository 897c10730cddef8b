-- What each CPU does at an instant: what runs there, how many threads wait on its queue, and whether it is wasted.
-- parameters:
--   $at      [ns]  the instant
--   $since   [ns]  start of the time whose idle share is asked for; it ends at the instant
-- columns:
--   cpu, node, llc, core   the CPU and its place
--   offline                taken offline before the instant, or not online at the start
--   observed               false: what it does is not known; NULL: it has no row at this instant
--   utid, running          the thread that runs and its name; utid 0: swapper
--   queued       [threads] that wait on its queue, the running one not counted
--   wasted                 idle, and the match of a waiting thread that may use it
--   interrupt              runs swapper, and works on interrupts
--   idle_ns           [ns] idle since $since
WITH slice AS (
  SELECT cpu, utid, observed FROM cpu_slice WHERE start_ns <= $at::BIGINT AND start_ns + dur_ns > $at::BIGINT),
queue AS (
  SELECT cpu, queued FROM runqueue WHERE start_ns <= $at::BIGINT AND start_ns + dur_ns > $at::BIGINT),
waste AS (
  SELECT DISTINCT cpu FROM wasted_cpu WHERE start_ns <= $at::BIGINT AND start_ns + dur_ns > $at::BIGINT),
interrupted AS (
  SELECT DISTINCT cpu FROM irq_span WHERE ts_ns <= $at::BIGINT AND ts_ns + dur_ns > $at::BIGINT),
hotplugged AS (
  SELECT cpu, arg_max(online, id) AS online FROM cpu_hotplug WHERE ts_ns <= $at::BIGINT GROUP BY cpu),
idle AS (
  SELECT cpu, sum(least(start_ns + dur_ns, $at::BIGINT) - greatest(start_ns, $since::BIGINT))::BIGINT AS idle_ns
  FROM cpu_slice
  WHERE utid = 0 AND observed AND start_ns < $at::BIGINT AND start_ns + dur_ns > $since::BIGINT
  GROUP BY cpu)
SELECT c.cpu, c.node, c.llc, c.core, NOT coalesce(h.online, c.online) AS offline, s.observed, s.utid,
       t.name AS running, coalesce(q.queued, 0) AS queued, w.cpu IS NOT NULL AS wasted,
       i.cpu IS NOT NULL AS interrupt, coalesce(d.idle_ns, 0) AS idle_ns
FROM cpu c LEFT JOIN slice s USING (cpu) LEFT JOIN queue q USING (cpu) LEFT JOIN waste w USING (cpu)
     LEFT JOIN interrupted i USING (cpu) LEFT JOIN hotplugged h USING (cpu) LEFT JOIN idle d USING (cpu)
     LEFT JOIN thread t ON t.utid = s.utid
ORDER BY c.cpu
