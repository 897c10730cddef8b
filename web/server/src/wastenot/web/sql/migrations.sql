-- Moves of threads between CPUs in a window.
-- parameters:
--   $start, $end  [ns]  window
--   $limit        rows at most
-- columns:
--   ts_ns         [ns]
--   utid
--   orig, dest    [cpu]
--   path                who moved it, as in table `migration`; where that is not told: balance (a queued thread) or wakeup
--   needless            the move made nothing better
--   distance            nearest level the two CPUs share
SELECT ts_ns, utid, orig_cpu AS orig, dest_cpu AS dest,
       coalesce(path, CASE WHEN queued THEN 'balance' ELSE 'wakeup' END) AS path, needless, distance_name(distance) AS distance
FROM migration
WHERE ts_ns >= $start::BIGINT AND ts_ns < $end::BIGINT
ORDER BY ts_ns, event_id
LIMIT $limit
