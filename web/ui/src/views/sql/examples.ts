// Example queries over the main tables, each with what it answers.

interface Example {
  title: string;
  answers: string;
  sql: string;
}

export const EXAMPLES: readonly Example[] = [
  {
    title: 'The costliest episodes',
    answers: 'When did most core-time go to waste, on which CPUs, and what let it happen?',
    sql: `SELECT episode_id, start_ns, end_ns, grade_name(severity) AS severity, total_core_ns / 1e9 AS core_s,
       idle_cpus, overloaded_cpus, placed_by_words(placed_by) AS placed_by,
       not_moved_because_words(not_moved_because) AS not_moved_because
FROM episode
WHERE part_of IS NULL -- a part has the waste of the episode that contains it
ORDER BY total_core_ns DESC
LIMIT 20`,
  },
  {
    title: 'Threads that waited beside an idle CPU',
    answers: 'Which threads waited though a CPU that they may use was idle, and for how long in all?',
    sql: `SELECT utid, name, tid, avoidable_wait_ns / 1e6 AS avoidable_ms, run_ns / 1e6 AS run_ms
FROM thread
WHERE avoidable_wait_ns > 0
ORDER BY avoidable_wait_ns DESC
LIMIT 30`,
  },
  {
    title: 'Wasted cores over time',
    answers: 'How many cores were wasted at each instant? As a chart it is the curve of the verdict.',
    sql: `SELECT (start_ns - (SELECT start_ns FROM verdict)) / 1e9 AS at_s, wasted
FROM wasted
ORDER BY start_ns`,
  },
  {
    title: 'The longest waits',
    answers: 'When, where and how long did a single thread wait for a CPU, whether or not another was idle?',
    sql: `SELECT thread_state.start_ns, dur_ns, cpu, utid, name, thread_phase_name(phase) AS phase
FROM thread_state JOIN thread USING (utid)
WHERE phase IN (1, 2)
ORDER BY dur_ns DESC
LIMIT 50`,
  },
  {
    title: 'How long threads waited, by cause of the wait',
    answers: 'Do threads wait longer after a wakeup or after a preemption, usually and at worst?',
    sql: `SELECT thread_phase_name(phase) AS phase, count(*) AS waits, median(dur_ns) / 1e3 AS median_us,
       quantile_cont(dur_ns, 0.99) / 1e3 AS p99_us, max(dur_ns) / 1e3 AS most_us
FROM thread_state
WHERE phase IN (1, 2)
GROUP BY ALL`,
  },
  {
    title: 'Moves between CPUs, by path and distance',
    answers: 'Which part of the scheduler moves threads, how far, and how many moves were needless?',
    sql: `SELECT migration_path_words(path) AS path, distance_words(distance) AS distance, count(*) AS moves,
       count(*) FILTER (needless) AS needless
FROM migration
GROUP BY ALL
ORDER BY moves DESC`,
  },
  {
    title: 'Busy share of each CPU',
    answers: 'Is the load even, or do some CPUs work while others idle?',
    sql: `SELECT cpu, sum(dur_ns) FILTER (utid > 0) / sum(dur_ns) AS busy
FROM cpu_slice
GROUP BY cpu
ORDER BY cpu`,
  },
];
