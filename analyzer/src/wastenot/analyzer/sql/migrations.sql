-- Migrations by the distance they crossed.
-- parameters: none
-- columns:
--   distance              nearest level that origin and destination share
--   migrations            moves
--   queued                of them, moves of a runnable thread (the balancer's); the others happened in sleep or at a wakeup
--   needless              moves that made nothing better
--   with_stack            moves whose kernel stack was recorded
SELECT distance_name(distance) AS distance, count(*) AS migrations, count(*) FILTER (queued) AS queued,
       count(*) FILTER (needless) AS needless, count(stack_id) AS with_stack
FROM migration
GROUP BY migration.distance
ORDER BY migration.distance
