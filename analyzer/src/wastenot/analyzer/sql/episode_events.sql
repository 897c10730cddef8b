-- The events an episode rests on: those at which it began and ended, and the evidence of its causes, in order.
-- parameters:
--   $episode  its number
--   $low      [event id]  first of them, as episode_bounds.sql tells: where to look
--   $high     [event id]  last of them
--   $limit    rows at most
-- columns:
--   id        [event id]
--   ts_ns     [ns]
--   at_ns     [ns]       counted from the begin of the recording
--   cpu       [cpu]      CPU that wrote the event
--   event                table of the event
--   what                 the event in words
WITH wanted AS (
  SELECT unnest(list_filter([first_event, last_event], lambda x: x IS NOT NULL)) AS id FROM episode WHERE episode_id = $episode
  UNION
  SELECT unnest(evidence) FROM episode_pair WHERE episode_id = $episode
),
told AS (
  SELECT id, ts_ns, cpu, 'sched_switch' AS event,
         'tid ' || prev_tid || ' leaves in state ' || task_state_name(prev_state) || ', tid ' || next_tid || ' runs' AS what
  FROM sched_switch WHERE id BETWEEN $low AND $high
  UNION ALL
  SELECT id, ts_ns, cpu, 'sched_waking', 'tid ' || tid || ' is being woken, last ran on CPU ' || coalesce(target_cpu::VARCHAR, '?')
  FROM sched_waking WHERE id BETWEEN $low AND $high
  UNION ALL
  SELECT id, ts_ns, cpu, 'sched_wakeup', 'tid ' || tid || CASE WHEN is_new THEN ' is new' ELSE ' is awake' END || ', queued on CPU ' || target_cpu
  FROM sched_wakeup WHERE id BETWEEN $low AND $high
  UNION ALL
  SELECT m.id, m.ts_ns, m.cpu, 'sched_migrate_task',
         'tid ' || m.tid || ' moves from CPU ' || coalesce(m.orig_cpu::VARCHAR, '?') || ' to CPU ' || m.dest_cpu
           || CASE WHEN s.symbols IS NULL THEN '' ELSE ', by ' || array_to_string(s.symbols[1:6], ' < ') END
  FROM sched_migrate_task m LEFT JOIN stack s USING (stack_id)
  WHERE m.id BETWEEN $low AND $high
  UNION ALL
  SELECT id, ts_ns, cpu, 'balance_attempt',
         function || ' for CPU ' || dst_cpu || ' (' || idle_type_name(idle_type) || ') pulled ' || coalesce(pulled::VARCHAR, '?')
  FROM balance_attempt WHERE id BETWEEN $low AND $high
  UNION ALL
  SELECT c.id, c.ts_ns, c.cpu, 'considered',
         CASE WHEN c.tid IS NULL THEN 'a pass' ELSE 'the placement of tid ' || c.tid END
           || coalesce(' looked at CPUs ' || m.cpus::VARCHAR || ' and', '') || ' chose CPU ' || coalesce(c.chosen_cpu::VARCHAR, '?')
  FROM considered c LEFT JOIN mask m USING (mask_id) WHERE c.id BETWEEN $low AND $high
  UNION ALL
  SELECT id, ts_ns, cpu, 'schedstat', 'what the balancer counted was read'
  FROM schedstat WHERE id BETWEEN $low AND $high
  UNION ALL
  SELECT a.id, a.ts_ns, a.cpu, 'affinity', 'tid ' || a.tid || ' may use CPUs ' || coalesce(m.cpus::VARCHAR, '?')
  FROM affinity a LEFT JOIN mask m USING (mask_id) WHERE a.id BETWEEN $low AND $high
  UNION ALL
  SELECT id, ts_ns, cpu, 'migration_disable', 'tid ' || tid || CASE WHEN disabled THEN ' may not be moved' ELSE ' may be moved again' END
  FROM migration_disable WHERE id BETWEEN $low AND $high
  UNION ALL
  SELECT id, ts_ns, cpu, 'throttle', 'tid ' || tid || CASE WHEN throttled THEN ' has no quota' ELSE ' has quota again' END
  FROM throttle WHERE id BETWEEN $low AND $high
  UNION ALL
  SELECT id, ts_ns, cpu, 'core_cookie', 'tid ' || tid || ' has cookie ' || cookie
  FROM core_cookie WHERE id BETWEEN $low AND $high
  UNION ALL
  SELECT id, ts_ns, cpu, 'cgroup_move', 'tid ' || tid || ' is in cgroup ' || cgroup_id
  FROM cgroup_move WHERE id BETWEEN $low AND $high
  UNION ALL
  SELECT id, ts_ns, cpu, 'irq_span', irq_kind_name(kind) || ' work of ' || dur_ns || ' ns'
  FROM irq_span WHERE id BETWEEN $low AND $high
  UNION ALL
  SELECT id, ts_ns, cpu, 'cpu_hotplug', CASE WHEN online THEN 'comes online' ELSE 'goes offline' END
  FROM cpu_hotplug WHERE id BETWEEN $low AND $high
  UNION ALL
  SELECT id, ts_ns, cpu, 'lost_events', 'lost ' || coalesce(count::VARCHAR, 'an unknown number of') || ' events (' || what || ')'
  FROM lost_events WHERE id BETWEEN $low AND $high
  UNION ALL
  SELECT id, ts_ns, cpu, 'nr_running', 'nr_running becomes ' || nr_running
  FROM nr_running WHERE id BETWEEN $low AND $high
  UNION ALL
  SELECT id, ts_ns, cpu, 'process_fork', 'tid ' || parent_tid || ' makes tid ' || child_tid
  FROM process_fork WHERE id BETWEEN $low AND $high
  UNION ALL
  SELECT id, ts_ns, cpu, 'process_exec', 'tid ' || tid || ' runs a new program'
  FROM process_exec WHERE id BETWEEN $low AND $high
  UNION ALL
  SELECT id, ts_ns, cpu, 'process_exit', 'tid ' || tid || ' begins to exit'
  FROM process_exit WHERE id BETWEEN $low AND $high
  UNION ALL
  SELECT id, ts_ns, cpu, 'cpu_snapshot', 'runs tid ' || coalesce(current_tid::VARCHAR, '?') || ' as the recording begins'
  FROM cpu_snapshot WHERE id BETWEEN $low AND $high
  UNION ALL
  SELECT id, ts_ns, cpu, 'thread_snapshot', 'tid ' || tid || ' (' || name || ') is ' || queue_state_name(queue) || ' as the recording begins'
  FROM thread_snapshot WHERE id BETWEEN $low AND $high
)
SELECT e.id, e.ts_ns, e.ts_ns - t.start_ns AS at_ns, e.cpu, e.event, e.what
FROM told e SEMI JOIN wanted w USING (id), trace t
ORDER BY e.id
LIMIT $limit
