-- Where the trace comes from and how far it reaches, and the machine in brief.
-- parameters: none
-- columns: one row
--   source, recorder, kernel, clock, evidence_level, end_reason, complete, command: as in table `trace`
--   start_ns, end_ns        [ns]      window of the recording
--   events                  [events]  rows in all event tables
--   cpus                    [cpus]    CPUs online at the start
--   tick_ns                 [ns]      the scheduler's tick; NULL: not recorded
--   preemption                        where the kernel preempts: none, voluntary, full, lazy or rt; NULL: not recorded
--   sched_ext                         sched_ext schedulers that were in charge, by name, with commas; NULL: none
--   sched_ext_recorded                what they decided was recorded; NULL: none
--   sched_ext_of_cgroups              names of those that scheduled the threads of a cgroup, of all that were loaded
--   sched_ext_ended                   why the kernel ended the one of all threads (enum ext_scheduler_change), the last time; NULL: it did not
--   sched_ext_ended_ns      [ns]      when, from the start of the recording
--   sched_ext_counters                by how much the kernel's counters of the one of all threads grew, those that did, largest first
--   notes                             what else limits the trace; the metric evidence says what was recorded
--   shows_wakeups                     false: the trace has switches and no sched_wakeup, or none while more than 1 % of its sleeps
--                                     began (20 at least), so that waits after one are not seen
--   wakeups_from_ns         [ns]      the first sched_wakeup, from the start of the recording; NULL: none
--   has_waking                        it has sched_waking
--   silent_cpus                       CPUs of which nothing is known throughout, though nothing says that they are offline
--   has_domains                     scheduling domains of the machine are known: recorded, or declared when the trace was imported
--   unverified                        ways in which the input goes past what the readers have been verified on
WITH wakes AS MATERIALIZED (
  SELECT (SELECT ts_ns FROM sched_wakeup WHERE NOT is_new ORDER BY ts_ns LIMIT 1) AS first_ns
),
-- Reads only the start of the table, whose rows lie in the order of their times.
early AS MATERIALIZED (
  SELECT count(*) AS n FROM sched_switch
  WHERE ts_ns < (SELECT first_ns FROM wakes) AND prev_tid <> 0 AND task_state_name(prev_state) NOT IN ('R', 'R+', '?')
),
-- All sleeps; they are counted, and the table is read, only where their number matters.
sleeps AS MATERIALIZED (
  SELECT count(*) AS n FROM sched_switch
  WHERE (SELECT n FROM early) >= 20 AND prev_tid <> 0 AND task_state_name(prev_state) NOT IN ('R', 'R+', '?')
),
-- What happens to the scheduler of all threads and is neither seen in sysfs nor bypass is why it ends.
ended AS MATERIALIZED (
  SELECT max_by(ext_scheduler_change_name(change), id) AS change, max(ts_ns) AS ts_ns FROM ext_scheduler
  WHERE cgroup_id IS NULL AND ext_scheduler_change_name(change) NOT IN ('loaded', 'gone', 'bypass_begin', 'bypass_end')
),
-- A counter of one that was loaded before the recording began counts from its first reading on.
loads AS MATERIALIZED (
  SELECT id, ts_ns = (SELECT min(ts_ns) FROM ext_state) AS before FROM ext_scheduler
  WHERE cgroup_id IS NULL AND ext_scheduler_change_name(change) = 'loaded'
),
grown AS MATERIALIZED (
  SELECT name, sum(value - coalesce(lower, CASE WHEN before THEN value ELSE 0 END))::BIGINT AS growth
  FROM (
    SELECT c.name, c.value, l.before, lag(c.value) OVER (PARTITION BY c.name, l.id ORDER BY c.id) AS lower
    FROM ext_counter c ASOF LEFT JOIN loads l ON l.id <= c.id
    WHERE c.cgroup_id IS NULL)
  GROUP BY name
)
SELECT
  t.source, t.recorder, t.kernel, t.clock, t.epoch_ns, t.start_ns, t.end_ns, t.events, t.evidence_level, t.end_reason,
  t.complete, t.command,
  t.notes, t.unverified,
  NOT EXISTS (FROM sched_switch) OR (wakes.first_ns IS NOT NULL AND (early.n < 20 OR early.n < 0.01 * sleeps.n)) AS shows_wakeups,
  wakes.first_ns - t.start_ns AS wakeups_from_ns,
  EXISTS (FROM sched_waking) AS has_waking,
  EXISTS (FROM domain) AS has_domains,
  coalesce((SELECT list(cpu ORDER BY cpu) FROM data_quality WHERE what = 'self_check' AND detail = 'silent_cpus'), []) AS silent_cpus,
  coalesce((SELECT count(*) FROM cpu WHERE online), 0)::INTEGER AS cpus,
  (SELECT max(tick_ns) FROM machine WHERE tick_ns > 0) AS tick_ns,
  (SELECT max(json_extract_string(snapshot, '$.preemption')) FROM machine) AS preemption,
  (SELECT string_agg(DISTINCT coalesce(name, '?'), ', ' ORDER BY coalesce(name, '?')) FROM ext_state WHERE ext_change_name(change) = 'enabled') AS sched_ext,
  (SELECT bool_and(recorded) FROM ext_state WHERE ext_change_name(change) = 'enabled') AS sched_ext_recorded,
  coalesce((
    SELECT list(name ORDER BY cgroup_id) FROM (
      SELECT cgroup_id, coalesce(max(name), '?') AS name FROM ext_scheduler WHERE cgroup_id IS NOT NULL GROUP BY cgroup_id)
  ), []) AS sched_ext_of_cgroups,
  ended.change AS sched_ext_ended,
  ended.ts_ns - t.start_ns AS sched_ext_ended_ns,
  coalesce((SELECT list({'name': name, 'growth': growth} ORDER BY growth DESC, name) FROM grown WHERE growth > 0), []) AS sched_ext_counters
FROM trace t, wakes, early, sleeps LEFT JOIN ended ON true
