-- How far the results can be relied on: the checker's counts, summed over CPUs and times.
-- parameters: none
-- columns:
--   what       events_read, events_applied, rejected, contradiction, lost, unobserved_ns, unknown_mask_threads,
--              placements_inferred, clock_steps, migrate_mismatch, nr_running_compared ...
--   detail     reason, where counted by reason
--   value      the count, or nanoseconds where the name says so
--   rows       rows of table `trust` behind it (one per CPU or time range)
SELECT what, detail, sum(value)::BIGINT AS value, count(*) AS rows
FROM trust
GROUP BY what, detail
ORDER BY what, detail
