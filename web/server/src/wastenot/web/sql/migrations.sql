-- Moves of threads between CPUs in a window.
-- parameters:
--   $start, $end  [ns]  window
--   $limit        rows at most
-- columns:
--   ts_ns         [ns]
--   utid
--   orig, dest    [cpu]
--   path                a value of `migration_path`: the path of the kernel that moved it
--   needless            the move made nothing better
--   distance            nearest level the two CPUs share
SELECT ts_ns, utid, orig_cpu AS orig, dest_cpu AS dest,
       migration_path_name(path) AS path, needless, distance_name(distance) AS distance
FROM migration
WHERE ts_ns >= $start::BIGINT AND ts_ns < $end::BIGINT
ORDER BY ts_ns, event_id
LIMIT $limit
