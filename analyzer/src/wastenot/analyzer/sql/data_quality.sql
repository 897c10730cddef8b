-- How far the results can be relied on: the checker's counts, summed over CPUs and times, and what the import left out.
-- parameters: none
-- columns:
--   what       events_read, events_applied, rejected, contradiction, lost, unobserved_ns, unknown_mask_threads,
--              placements_inferred, late_idle_exit_ns, clock_steps, migrate_mismatch, nr_running_compared ...
--   detail     reason, where counted by reason; of `rejected` also what the import left out: garbled (fields that cannot be),
--              strays (far away in time from all others), wrong_stamps (far ahead of their neighbours)
--   value      the count, or nanoseconds where the name says so
--   rows       rows of table `data_quality` behind it (one per CPU or time range); 0 of what the import left out
WITH import AS (
  SELECT events, CASE WHEN json_valid(options) THEN options::JSON END AS counts FROM trace
), dropped AS (
  SELECT unnest(['garbled', 'strays', 'wrong_stamps']) AS detail,
    unnest([counts ->> 'garbled', counts ->> 'strays', counts ->> 'wrong_stamps']) AS value
  FROM import
), rejected AS (
  SELECT detail, sum(value)::BIGINT AS value, count(*) AS rows FROM data_quality WHERE what = 'rejected' GROUP BY detail
  UNION ALL
  SELECT detail, value::BIGINT, 0 FROM dropped WHERE try_cast(value AS BIGINT) > 0
), left_out AS (
  -- Of all events that mean something here. From five on, and above 1 %, they make the verdict suspect.
  SELECT n, (1e6 * n / (events + outside))::BIGINT AS ppm
  FROM (SELECT coalesce(sum(value), 0)::BIGINT AS n, coalesce(sum(value) FILTER (rows = 0), 0) AS outside FROM rejected), import
  WHERE n > 0
), out_of_order AS (
  SELECT n, (1e6 * n / greatest(events, n))::BIGINT AS ppm
  FROM (SELECT try_cast(counts ->> 'out_of_order' AS BIGINT) AS n, events FROM import)
  WHERE n > 0
), of_import AS (
  SELECT 'left_out' AS detail, n, ppm FROM left_out
  UNION ALL
  SELECT 'out_of_order', n, ppm FROM out_of_order
)
SELECT what, detail, sum(value)::BIGINT AS value, count(*) AS rows
FROM data_quality
WHERE what <> 'rejected'
GROUP BY what, detail
UNION ALL
SELECT 'rejected', detail, value, rows FROM rejected
UNION ALL
SELECT 'self_check_total', detail, n, 0 FROM of_import
UNION ALL
SELECT 'self_check_ppm', detail, ppm, 0 FROM of_import
UNION ALL
SELECT 'suspect', detail, ppm, 0 FROM of_import WHERE n >= 5 AND ppm > 10000
ORDER BY what, detail
