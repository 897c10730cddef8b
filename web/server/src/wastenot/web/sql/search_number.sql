-- The episode and the event of a number.
-- parameters:
--   $number
-- columns:
--   kind      episode or event
--   id
--   label
--   ts_ns     [ns]
SELECT 'episode' AS kind, episode_id::BIGINT AS id, 'episode ' || episode_id || ' (' || replace(grade_name(grade), '_', ' ') || ')' AS label, start_ns AS ts_ns
FROM episode WHERE episode_id = $number::BIGINT
UNION ALL
SELECT 'event', id, 'event ' || id || ' (' || name || ')', ts_ns
FROM (
  SELECT id, ts_ns, 'sched_switch' AS name FROM sched_switch WHERE id = $number::BIGINT
  UNION ALL SELECT id, ts_ns, 'sched_wakeup' FROM sched_wakeup WHERE id = $number::BIGINT
  UNION ALL SELECT id, ts_ns, 'sched_waking' FROM sched_waking WHERE id = $number::BIGINT
  UNION ALL SELECT id, ts_ns, 'sched_migrate_task' FROM sched_migrate_task WHERE id = $number::BIGINT
  UNION ALL SELECT id, ts_ns, 'balance_attempt' FROM balance_attempt WHERE id = $number::BIGINT
  UNION ALL SELECT id, ts_ns, 'process_fork' FROM process_fork WHERE id = $number::BIGINT
  UNION ALL SELECT id, ts_ns, 'affinity' FROM affinity WHERE id = $number::BIGINT
  UNION ALL SELECT id, ts_ns, 'cpu_hotplug' FROM cpu_hotplug WHERE id = $number::BIGINT
)
