-- The placement of a thread by a wakeup: the last one since the wakeup before it.
-- parameters:
--   $tid          the thread
--   $wakeup       [event id]  its sched_wakeup
--   $from         [ns]  earliest that it may be
--   $is_new       it is the thread's first wakeup: the placement is that of the fork
-- columns: one row at most
--   scan_id       [event id]
--   ts_ns         [ns]
--   cpu           [cpu] CPU that decided
--   scanned       [cpus]  tested for being idle, ascending; NULL not recorded
--   chosen_cpu    [cpu]
--   prev_cpu      [cpu] that it had before
WITH before AS (
  SELECT coalesce(max(id), -1) AS id FROM sched_wakeup WHERE tid = $tid AND id < $wakeup AND ts_ns >= $from::BIGINT
)
SELECT s.id AS scan_id, s.ts_ns, s.cpu, m.cpus AS scanned, s.chosen_cpu, s.prev_cpu
FROM cpus_scanned s LEFT JOIN mask m ON m.mask_id = s.mask_id
WHERE s.tid = $tid AND s.id < $wakeup AND s.id > (SELECT id FROM before) AND s.ts_ns >= $from::BIGINT
  -- That of an exec is made by the thread itself, between two wakeups.
  AND coalesce(s.wake_flags & CASE WHEN $is_new THEN 4 ELSE 8 END, 1) <> 0
ORDER BY s.id DESC
LIMIT 1
