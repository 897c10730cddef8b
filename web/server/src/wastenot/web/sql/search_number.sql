-- The episode and the event of a number.
-- Generated from schemas/tables by wastenot.schemas.generate. Do not edit.
-- parameters:
--   $number
-- columns:
--   kind      episode or event
--   id
--   label
--   ts_ns     [ns]
SELECT 'episode' AS kind, episode_id::BIGINT AS id,
       'episode ' || episode_id || ' (' || grade_words(grade) || ')' AS label, start_ns AS ts_ns
FROM episode WHERE episode_id = $number::BIGINT
UNION ALL
SELECT 'event', id, 'event ' || id || ' (' || name || ')', ts_ns
FROM (
  SELECT e.id, e.ts_ns, 'affinity' AS name FROM affinity e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'balance_attempt' AS name FROM balance_attempt e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'balance_kick' AS name FROM balance_kick e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'balance_search' AS name FROM balance_search e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'bubble_event' AS name FROM bubble_event e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'cgroup_move' AS name FROM cgroup_move e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'core_cookie' AS name FROM core_cookie e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'cpu_frequency' AS name FROM cpu_frequency e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'cpu_hotplug' AS name FROM cpu_hotplug e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'cpu_idle' AS name FROM cpu_idle e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'cpu_load' AS name FROM cpu_load e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'cpu_snapshot' AS name FROM cpu_snapshot e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'cpus_scanned' AS name FROM cpus_scanned e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'dl_parameters' AS name FROM dl_parameters e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'event_stack' AS name FROM event_stack e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'ext_access' AS name FROM ext_access e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'ext_counter' AS name FROM ext_counter e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'ext_idle' AS name FROM ext_idle e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'ext_kick' AS name FROM ext_kick e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'ext_of_cgroup' AS name FROM ext_of_cgroup e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'ext_queue' AS name FROM ext_queue e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'ext_scheduler' AS name FROM ext_scheduler e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'ext_search' AS name FROM ext_search e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'ext_state' AS name FROM ext_state e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'idle_exit_late' AS name FROM idle_exit_late e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'irq_span' AS name FROM irq_span e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'lost_events' AS name FROM lost_events e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'migration_disable' AS name FROM migration_disable e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'newidle_entry' AS name FROM newidle_entry e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'nr_running' AS name FROM nr_running e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'perf_counter' AS name FROM perf_counter e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'preferred_llc' AS name FROM preferred_llc e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'process_exec' AS name FROM process_exec e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'process_exit' AS name FROM process_exit e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'process_fork' AS name FROM process_fork e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'process_rank' AS name FROM process_rank e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'region_event' AS name FROM region_event e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'run_span' AS name FROM run_span e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'sched_migrate_task' AS name FROM sched_migrate_task e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'sched_stat_runtime' AS name FROM sched_stat_runtime e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'sched_switch' AS name FROM sched_switch e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'sched_wakeup' AS name FROM sched_wakeup e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'sched_waking' AS name FROM sched_waking e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'schedstat' AS name FROM schedstat e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'thread_name' AS name FROM thread_name e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'thread_snapshot' AS name FROM thread_snapshot e WHERE e.id = $number::BIGINT
  UNION ALL
  SELECT e.id, e.ts_ns, 'throttle' AS name FROM throttle e WHERE e.id = $number::BIGINT
)
