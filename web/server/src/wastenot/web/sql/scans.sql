-- What placements of threads and load-balance attempts scanned in a window, and what each chose.
-- parameters:
--   $start, $end  [ns]  window
--   $limit        rows at most
-- columns:
--   scan_id       [event id]
--   ts_ns         [ns]
--   cpu           [cpu] CPU that decided
--   utid                thread placed; NULL for an attempt, and where no thread of that tid is known then
--   attempt_id    [event id]  load-balance attempt; NULL for a placement
--   cpus          [cpus]  scanned, ascending; NULL not recorded
--   chosen_cpu    [cpu] NULL none
--   prev_cpu      [cpu] CPU that the thread had before; NULL for an attempt
--   wake_flags          of the placement: 2 exec, 4 fork, 8 wakeup
--   dst_cpu       [cpu] for which the attempt was
--   level               of the attempt's domain, 0 the smallest
--   pulled        [threads]  moved by the attempt; NULL unknown
WITH scans AS (
  SELECT id, ts_ns, cpu, tid, attempt_id, mask_id, chosen_cpu, prev_cpu, wake_flags FROM cpus_scanned
  WHERE ts_ns >= $start::BIGINT AND ts_ns < $end::BIGINT ORDER BY id LIMIT $limit
),
lives AS (SELECT utid, tid, coalesce(start_ns, -9223372036854775807) AS start_ns FROM thread),
of_attempts AS (
  SELECT id AS attempt_id, dst_cpu, domain_level, pulled FROM balance_attempt WHERE id IN (SELECT attempt_id FROM scans)
)
SELECT s.id AS scan_id, s.ts_ns, s.cpu, t.utid, s.attempt_id, m.cpus, s.chosen_cpu, s.prev_cpu, s.wake_flags,
       a.dst_cpu, a.domain_level AS level, a.pulled
FROM scans s
ASOF LEFT JOIN lives t ON t.tid = s.tid AND t.start_ns <= s.ts_ns
LEFT JOIN mask m ON m.mask_id = s.mask_id
LEFT JOIN of_attempts a ON a.attempt_id = s.attempt_id
ORDER BY s.id
