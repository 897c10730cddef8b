-- Idle states or frequencies of CPUs in a window. An interval lasts from an event until the next one of the CPU that reports another value,
-- until events of the CPU are lost, or to the end of the trace. Those that reach beyond the window are given whole.
-- parameters:
--   $of           'idle_state' or 'frequency'
--   $start, $end  [ns]  window
--   $cpus         list of CPUs; empty: all
--   $limit        rows at most
-- columns:
--   cpu
--   start_ns      [ns]  counted from $start; negative for an interval that began before
--   dur_ns        [ns]
--   value               number of the idle state; frequency in kHz
WITH reported AS NOT MATERIALIZED (
  SELECT cpu, id, ts_ns, coalesce(state::INTEGER, -1) AS value FROM cpu_idle WHERE $of = 'idle_state'
  UNION ALL
  SELECT cpu, id, ts_ns, khz AS value FROM cpu_frequency WHERE $of = 'frequency'
  UNION ALL -- not known from here on
  SELECT cpu.cpu, l.id, l.ts_ns, -1 AS value FROM lost_events l JOIN cpu ON l.cpu IS NULL OR l.cpu = cpu.cpu
),
chosen AS NOT MATERIALIZED (FROM reported WHERE len($cpus) = 0 OR list_contains($cpus, cpu)),
-- Windows are small and tables large: outside of the window rows are only counted by value, which needs no order of them. Of each CPU,
-- the value as the window starts is the one reported last; the next to last one says from when on it holds.
last_of_values AS (SELECT cpu, value, max(id) AS id FROM chosen WHERE ts_ns <= $start::BIGINT GROUP BY cpu, value),
at_start AS (
  SELECT cpu, arg_max(value, id) AS value, coalesce(list_sort(list(id), 'DESC')[2], -1) AS other_id
  FROM last_of_values GROUP BY cpu
),
before AS (
  SELECT c.cpu, min(c.id) AS id, arg_min(c.ts_ns, c.id) AS ts_ns, any_value(s.value) AS value
  FROM chosen c JOIN at_start s ON c.cpu = s.cpu AND c.id > s.other_id
  WHERE c.ts_ns <= $start::BIGINT AND c.id > (SELECT min(other_id) FROM at_start) GROUP BY c.cpu
),
inside AS (
  FROM before UNION ALL
  FROM (SELECT cpu, id, ts_ns, value FROM chosen WHERE ts_ns > $start::BIGINT AND ts_ns < $end::BIGINT)
),
at_end AS (SELECT cpu, arg_max(value, id) AS value FROM inside GROUP BY cpu),
first_of_values AS (
  SELECT cpu, value, min(id) AS id, arg_min(ts_ns, id) AS ts_ns FROM chosen WHERE ts_ns >= $end::BIGINT GROUP BY cpu, value
),
after AS (
  SELECT f.cpu, min(f.id) AS id, arg_min(f.ts_ns, f.id) AS ts_ns, arg_min(f.value, f.id) AS value
  FROM first_of_values f JOIN at_end e ON f.cpu = e.cpu AND f.value <> e.value GROUP BY f.cpu
),
nearby AS (FROM inside UNION ALL FROM after),
changes AS (
  FROM nearby QUALIFY value IS DISTINCT FROM lag(value) OVER (PARTITION BY cpu ORDER BY id)
),
intervals AS (
  SELECT cpu, id, ts_ns, value,
    coalesce(lead(ts_ns) OVER (PARTITION BY cpu ORDER BY id), (SELECT end_ns FROM trace)) AS end_ns
  FROM changes
)
SELECT cpu, ts_ns - $start::BIGINT AS start_ns, end_ns - ts_ns AS dur_ns, value
FROM intervals
WHERE value >= 0 AND end_ns > ts_ns AND ts_ns < $end::BIGINT AND end_ns > $start::BIGINT
ORDER BY ts_ns, id
LIMIT $limit
