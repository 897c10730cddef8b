-- Which CPUs load-balance attempts looked at in a window, and from which one each took or wanted to take threads. Of a simulated attempt
-- those are recorded; a real one that searches reads the queues of all CPUs of its domain (kernel/sched/fair.c: update_sd_lb_stats), so
-- that they follow where the domains in force were read from the kernel. One that did not search (should_we_balance) is left out.
-- parameters:
--   $start, $end  [ns]  window
--   $limit        rows at most
-- columns: as of scans
--   scan_id, attempt_id   [event id]  the attempt
--   ts_ns         [ns]
--   cpu           [cpu] CPU that made it
--   utid, prev_cpu, wake_flags   NULL
--   cpus          [cpus]  ascending; NULL not known
--   chosen_cpu    [cpu] whose queue it took threads from, or examined last; NULL none, or not recorded
--   dst_cpu       [cpu] for which the attempt was
--   level               of its domain, 0 the smallest
--   pulled        [threads]  moved; NULL unknown
--   found               1: a busier group was found, 0: none; NULL not recorded
WITH attempts AS (
  SELECT id, ts_ns, cpu, dur_ns, dst_cpu, domain_level, pulled FROM balance_attempt
  WHERE ts_ns >= $start::BIGINT AND ts_ns < $end::BIGINT AND domain_level IS NOT NULL
),
recorded AS (SELECT attempt_id, mask_id, chosen_cpu FROM cpus_scanned WHERE attempt_id IN (SELECT id FROM attempts)),
searched AS (
  SELECT attempt_id, src_cpu, balance_search_result_name(result) = 'found' AS found FROM balance_search
  WHERE attempt_id IN (SELECT id FROM attempts) AND balance_search_result_name(result) IN ('none', 'found')
),
made AS (
  SELECT a.*, r.attempt_id IS NOT NULL AS is_recorded, r.mask_id, coalesce(r.chosen_cpu, s.src_cpu) AS chosen_cpu,
         CASE WHEN a.pulled > 0 THEN true WHEN r.attempt_id IS NOT NULL THEN r.chosen_cpu IS NOT NULL ELSE s.found END AS found
  FROM attempts a LEFT JOIN recorded r ON r.attempt_id = a.id LEFT JOIN searched s ON s.attempt_id = a.id
  WHERE r.attempt_id IS NOT NULL OR s.attempt_id IS NOT NULL OR (a.pulled > 0 AND EXISTS (FROM balance_search))
  ORDER BY a.id LIMIT $limit
),
taken AS (
  SELECT a.id, arg_min(m.orig_cpu, m.id) AS cpu
  FROM made a JOIN sched_migrate_task m
    ON m.cpu = a.cpu AND m.dest_cpu = a.dst_cpu AND m.ts_ns >= a.ts_ns AND m.ts_ns <= a.ts_ns + a.dur_ns
  WHERE a.pulled > 0 AND a.chosen_cpu IS NULL
  GROUP BY a.id
),
-- The domains of each CPU, smallest first, from an instant on; the first ones hold before that, too.
domains AS (
  SELECT cpu, since_ns, CASE WHEN since_ns = min(since_ns) OVER () THEN -(1::BIGINT << 62) ELSE since_ns END AS from_ns,
         bool_and(exact) AS exact, list(level ORDER BY level) FILTER (name <> 'none') AS levels,
         list(list_sort(span) ORDER BY level) FILTER (name <> 'none') AS spans
  FROM domain GROUP BY cpu, since_ns
),
-- Kernels keep the numbers of levels that a machine does not have; recordings from before these were translated have them: the levels of
-- attempts, in their order, are then those of the table.
reported AS (
  SELECT list(DISTINCT domain_level ORDER BY domain_level) AS levels FROM balance_attempt WHERE domain_level IS NOT NULL
),
-- What was read of domains before CPUs went off or on does not hold any more.
changed AS (SELECT ts_ns FROM cpu_hotplug)
SELECT a.id AS scan_id, a.ts_ns, a.cpu, NULL::INTEGER AS utid, a.id AS attempt_id,
       CASE
         WHEN a.is_recorded THEN m.cpus
         WHEN NOT d.exact OR c.ts_ns > d.since_ns THEN NULL
         WHEN list_has_all(d.levels, r.levels) THEN d.spans[list_position(d.levels, a.domain_level)]
         ELSE d.spans[least(len(list_filter(r.levels, lambda l: l < a.domain_level)) + 1, len(d.spans))]
       END AS cpus,
       coalesce(a.chosen_cpu, t.cpu) AS chosen_cpu, NULL::SMALLINT AS prev_cpu, NULL::INTEGER AS wake_flags, a.dst_cpu,
       a.domain_level AS level, a.pulled, a.found::TINYINT AS found
FROM made a CROSS JOIN reported r
LEFT JOIN taken t ON t.id = a.id
LEFT JOIN mask m ON m.mask_id = a.mask_id
ASOF LEFT JOIN domains d ON d.cpu = a.dst_cpu AND a.ts_ns >= d.from_ns
ASOF LEFT JOIN changed c ON a.ts_ns >= c.ts_ns
ORDER BY a.id
