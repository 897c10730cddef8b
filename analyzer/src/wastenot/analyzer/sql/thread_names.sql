-- What threads did with their time, by name. Names that differ in digits only are one: `*` is in their place.
-- parameters:
--   $limit    names at most, those with most time on a CPU or waiting for one; the others are one row
-- columns:
--   name                  NULL: of threads without a known name; `other names` of the rest
--   threads
--   run_ns, wait_wakeup_ns, wait_preempted_ns, throttled_ns, avoidable_wait_ns  [ns]  summed over the threads
--   wakeups, switches, migrations, needless_migrations   counts
WITH named AS (
  SELECT regexp_replace(name, '[0-9]+', '*', 'g') AS name, count(*) AS threads, sum(run_ns) AS run_ns,
    sum(wait_wakeup_ns) AS wait_wakeup_ns, sum(wait_preempted_ns) AS wait_preempted_ns, sum(throttled_ns) AS throttled_ns,
    sum(avoidable_wait_ns) AS avoidable_wait_ns, sum(wakeups) AS wakeups, sum(switches) AS switches,
    sum(migrations) AS migrations, sum(needless_migrations) AS needless_migrations
  FROM thread WHERE utid <> 0 GROUP BY 1),
placed AS (
  SELECT *, row_number() OVER (ORDER BY run_ns + wait_wakeup_ns + wait_preempted_ns DESC, name) > $limit AS is_other FROM named)
SELECT CASE WHEN is_other THEN 'other names' ELSE name END AS name, sum(threads)::BIGINT AS threads, sum(run_ns)::BIGINT AS run_ns,
  sum(wait_wakeup_ns)::BIGINT AS wait_wakeup_ns, sum(wait_preempted_ns)::BIGINT AS wait_preempted_ns,
  sum(throttled_ns)::BIGINT AS throttled_ns, sum(avoidable_wait_ns)::BIGINT AS avoidable_wait_ns, sum(wakeups)::BIGINT AS wakeups,
  sum(switches)::BIGINT AS switches, sum(migrations)::BIGINT AS migrations, sum(needless_migrations)::BIGINT AS needless_migrations
FROM placed GROUP BY is_other, 1
ORDER BY is_other, sum(run_ns + wait_wakeup_ns + wait_preempted_ns) DESC, 1
