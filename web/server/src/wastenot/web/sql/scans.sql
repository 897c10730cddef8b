-- What placements of threads scanned in a window, and what each chose.
-- parameters:
--   $start, $end  [ns]  window
--   $limit        rows at most
-- columns:
--   scan_id       [event id]
--   ts_ns         [ns]
--   cpu           [cpu] CPU that decided
--   utid                thread placed; NULL where no thread of that tid is known then
--   attempt_id, dst_cpu, level, pulled, found   NULL: as in attempt_scans
--   cpus          [cpus]  scanned, ascending; NULL not recorded
--   chosen_cpu    [cpu] NULL none
--   prev_cpu      [cpu] CPU that the thread had before
--   wake_flags          2 exec, 4 fork, 8 wakeup
WITH scans AS (
  SELECT id, ts_ns, cpu, tid, mask_id, chosen_cpu, prev_cpu, wake_flags FROM cpus_scanned
  WHERE ts_ns >= $start::BIGINT AND ts_ns < $end::BIGINT AND attempt_id IS NULL ORDER BY id LIMIT $limit
),
lives AS (SELECT utid, tid, coalesce(start_ns, -9223372036854775807) AS start_ns FROM thread)
SELECT s.id AS scan_id, s.ts_ns, s.cpu, t.utid, NULL::BIGINT AS attempt_id, m.cpus, s.chosen_cpu, s.prev_cpu, s.wake_flags,
       NULL::SMALLINT AS dst_cpu, NULL::SMALLINT AS level, NULL::INTEGER AS pulled, NULL::TINYINT AS found
FROM scans s
ASOF LEFT JOIN lives t ON t.tid = s.tid AND t.start_ns <= s.ts_ns
LEFT JOIN mask m ON m.mask_id = s.mask_id
ORDER BY s.id
