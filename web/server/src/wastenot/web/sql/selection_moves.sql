-- Moves in a window from or to some CPUs, by path.
-- parameters:
--   $start, $end  [ns]  window
--   $cpus         list of CPUs; empty: all
-- columns:
--   path          as in migrations.sql
--   migrations, needless   counts
SELECT migration_path_name(m.path) AS path, count(*) AS migrations, count(*) FILTER (needless) AS needless
FROM migration /* instants of the window */ m
WHERE ts_ns >= $start::BIGINT AND ts_ns < $end::BIGINT
  AND (len($cpus) = 0 OR list_contains($cpus, orig_cpu) OR list_contains($cpus, dest_cpu))
GROUP BY ALL
ORDER BY migrations DESC, path
