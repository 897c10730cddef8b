-- Which CPUs load-balance attempts looked at in a window, and from which one each took or wanted to take threads. Of a simulated attempt
-- those are recorded; a real one that searches reads the queues of all CPUs of its domain (kernel/sched/fair.c: update_sd_lb_stats), so
-- that they follow where the domains were read from the kernel. One that did not search (should_we_balance) is left out.
-- parameters:
--   $start, $end  [ns]  window
--   $limit        rows at most
-- columns: as of scans
--   scan_id, attempt_id   [event id]  the attempt
--   ts_ns         [ns]
--   cpu           [cpu] CPU that made it
--   utid, prev_cpu, wake_flags   NULL
--   cpus          [cpus]  ascending; NULL not known
--   chosen_cpu    [cpu] whose queue it took threads from, or examined; NULL none, or not recorded
--   dst_cpu       [cpu] for which the attempt was
--   level               of its domain, 0 the smallest
--   pulled        [threads]  moved; NULL unknown
WITH attempts AS (
  SELECT id, ts_ns, cpu, dur_ns, dst_cpu, domain_level, pulled FROM balance_attempt
  WHERE ts_ns >= $start::BIGINT AND ts_ns < $end::BIGINT AND domain_level IS NOT NULL
),
recorded AS (SELECT attempt_id, mask_id, chosen_cpu FROM cpus_scanned WHERE attempt_id IN (SELECT id FROM attempts)),
searched AS (
  SELECT attempt_id, src_cpu FROM balance_search
  WHERE attempt_id IN (SELECT id FROM attempts) AND balance_search_result_name(result) IN ('none', 'found')
),
made AS (
  SELECT a.*, r.attempt_id IS NOT NULL AS is_recorded, r.mask_id, coalesce(r.chosen_cpu, s.src_cpu) AS chosen_cpu
  FROM attempts a LEFT JOIN recorded r ON r.attempt_id = a.id LEFT JOIN searched s ON s.attempt_id = a.id
  WHERE r.attempt_id IS NOT NULL OR s.attempt_id IS NOT NULL OR a.pulled > 0
  ORDER BY a.id LIMIT $limit
),
taken AS (
  SELECT a.id, arg_min(m.orig_cpu, m.id) AS cpu
  FROM made a JOIN sched_migrate_task m
    ON m.cpu = a.cpu AND m.dest_cpu = a.dst_cpu AND m.ts_ns >= a.ts_ns AND m.ts_ns <= a.ts_ns + a.dur_ns
  WHERE a.pulled > 0 AND a.chosen_cpu IS NULL
  GROUP BY a.id
),
domains AS (SELECT since_ns, cpu, level, list_sort(span) AS span FROM domain WHERE exact)
SELECT a.id AS scan_id, a.ts_ns, a.cpu, NULL::INTEGER AS utid, a.id AS attempt_id,
       CASE WHEN a.is_recorded THEN m.cpus ELSE d.span END AS cpus, coalesce(a.chosen_cpu, t.cpu) AS chosen_cpu,
       NULL::SMALLINT AS prev_cpu, NULL::INTEGER AS wake_flags, a.dst_cpu, a.domain_level AS level, a.pulled
FROM made a
LEFT JOIN taken t ON t.id = a.id
LEFT JOIN mask m ON m.mask_id = a.mask_id
ASOF LEFT JOIN domains d ON d.cpu = a.dst_cpu AND d.level = a.domain_level AND a.ts_ns >= d.since_ns
ORDER BY a.id
