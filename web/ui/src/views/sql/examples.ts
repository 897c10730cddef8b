// Example queries over the main tables.

export const EXAMPLES: readonly { title: string; sql: string }[] = [
  {
    title: 'The costliest episodes',
    sql: `SELECT episode_id, grade_name(grade) AS grade, core_ns / 1e9 AS core_s, (end_ns - start_ns) / 1e6 AS ms,
       idle_cpus, overloaded_cpus, placed_by_words(placed_by) AS placed_by,
       not_moved_because_words(not_moved_because) AS not_moved_because
FROM episode
ORDER BY core_ns DESC
LIMIT 20`,
  },
  {
    title: 'Threads that waited beside an idle CPU',
    sql: `SELECT name, tid, avoidable_wait_ns / 1e6 AS avoidable_ms, run_ns / 1e6 AS run_ms
FROM thread
WHERE avoidable_wait_ns > 0
ORDER BY avoidable_wait_ns DESC
LIMIT 30`,
  },
  {
    title: 'Wasted cores over time',
    sql: `SELECT (start_ns - (SELECT start_ns FROM verdict)) / 1e9 AS at_s, wasted
FROM wasted
ORDER BY start_ns`,
  },
  {
    title: 'How long threads waited, by cause of the wait',
    sql: `SELECT thread_phase_name(phase) AS phase, count(*) AS waits, median(dur_ns) / 1e3 AS median_us,
       quantile_cont(dur_ns, 0.99) / 1e3 AS p99_us, max(dur_ns) / 1e3 AS most_us
FROM thread_state
WHERE phase IN (1, 2)
GROUP BY ALL`,
  },
  {
    title: 'Busy share of each CPU',
    sql: `SELECT cpu, sum(dur_ns) FILTER (utid > 0) / sum(dur_ns) AS busy
FROM cpu_slice
GROUP BY cpu
ORDER BY cpu`,
  },
];
