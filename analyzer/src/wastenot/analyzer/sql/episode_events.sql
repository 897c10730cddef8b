-- The events an episode rests on: those at which it began and ended, and those its causes rest on, in order.
-- Generated from schemas/tables by wastenot.schemas.generate. Do not edit.
-- parameters:
--   $episode  its number
--   $low      [event id]  first of them, as episode_bounds.sql gives it: where to look
--   $high     [event id]  last of them
--   $limit    rows at most
-- columns:
--   id        [event id]
--   ts_ns     [ns]       NULL where no table has the event
--   at_ns     [ns]       counted from the start of the recording; NULL where no table has the event
--   cpu       [cpu]      CPU that wrote the event; NULL where the table has none
--   event                table of the event; 'missing' where no table has it
--   what                 the event in words
WITH wanted AS (
  SELECT unnest(list_filter([first_event, last_event], lambda x: x IS NOT NULL)) AS id
  FROM episode WHERE episode_id = $episode
  UNION
  SELECT unnest(event_ids) FROM episode_pair WHERE episode_id = $episode
),
described AS (
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'affinity' AS event,
         'tid ' || e.tid || ' may use CPUs ' || coalesce(m.cpus::VARCHAR, '?') AS what
  FROM affinity e LEFT JOIN mask m USING (mask_id) WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'balance_attempt' AS event,
         e.function || ' for CPU ' || e.dst_cpu || ' (' || idle_type_name(e.idle_type) || ') pulled ' || coalesce(e.pulled::VARCHAR, '?') AS what
  FROM balance_attempt e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'balance_kick' AS event,
         CASE kick_kind_name(e.kind) WHEN 'sent' THEN 'CPU ' || e.target_cpu || ' is kicked' WHEN 'sent_to_balance' THEN 'CPU ' || e.target_cpu || ' is kicked to balance' WHEN 'sent_for_loads' THEN 'CPU ' || e.target_cpu || ' is kicked to update loads' ELSE 'the balancing softirq starts on CPU ' || e.target_cpu END AS what
  FROM balance_kick e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'balance_search' AS event,
         'a balance attempt ' || CASE balance_search_result_name(e.result) WHEN 'not_made' THEN 'returned without a search' WHEN 'none' THEN 'found no busier group' WHEN 'found' THEN 'found a busier group' ELSE 'searched' END || coalesce('; of ' || e.examined || ' threads of CPU ' || e.src_cpu || ' it left ' || e.not_allowed || ' as not allowed here, ' || e.running || ' as running, ' || e.hot || ' as cache-hot, ' || e.other || ' for another reason', '') AS what
  FROM balance_search e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'bubble_event' AS event,
         coalesce('bubble ' || e.bubble, 'tid ' || e.entity_tid, 'bubbles') || ': ' || bubble_event_kind_name(e.kind) AS what
  FROM bubble_event e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'cgroup_move' AS event,
         'tid ' || e.tid || ' is in cgroup ' || e.cgroup_id AS what
  FROM cgroup_move e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'core_cookie' AS event,
         'tid ' || e.tid || ' has cookie ' || e.cookie AS what
  FROM core_cookie e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'cpu_frequency' AS event,
         'runs at ' || e.khz || ' kHz' AS what
  FROM cpu_frequency e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'cpu_hotplug' AS event,
         CASE WHEN e.online THEN 'comes online' ELSE 'goes offline' END AS what
  FROM cpu_hotplug e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'cpu_idle' AS event,
         CASE WHEN e.state IS NULL THEN 'leaves its idle state' ELSE 'enters idle state ' || e.state END AS what
  FROM cpu_idle e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'cpu_load' AS event,
         'a balance attempt sees load ' || e.load || ' on CPU ' || e.of_cpu || coalesce(', ' || e.nr_running || ' threads', '') || coalesce(', ' || e.util || ' of ' || e.capacity || ' used', '') AS what
  FROM cpu_load e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'cpu_snapshot' AS event,
         'runs tid ' || coalesce(e.current_tid::VARCHAR, '?') || ' as the recording starts' AS what
  FROM cpu_snapshot e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'cpus_scanned' AS event,
         CASE WHEN e.tid IS NULL THEN 'a balance attempt' ELSE 'the placement of tid ' || e.tid END || coalesce(' scanned CPUs ' || m.cpus::VARCHAR || ' and', '') || ' chose CPU ' || coalesce(e.chosen_cpu::VARCHAR, '?') AS what
  FROM cpus_scanned e LEFT JOIN mask m USING (mask_id) WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'dl_parameters' AS event,
         'tid ' || e.tid || ' may run ' || e.runtime_ns / 1e6 || ' ms within ' || e.deadline_ns / 1e6 || ' ms, every ' || e.period_ns / 1e6 || ' ms' || CASE WHEN e.throttled THEN '; it is throttled' ELSE '' END AS what
  FROM dl_parameters e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'event_stack' AS event,
         'kernel stack of the ' || stack_event_name(e.of) || ' of tid ' || e.tid || coalesce(': ' || array_to_string(s.symbols[1:6], ' < '), '') AS what
  FROM event_stack e LEFT JOIN stack s USING (stack_id) WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'ext_access' AS event,
         'the sched_ext scheduler of cgroup ' || e.cgroup_id || CASE WHEN e.may_use THEN ' may' ELSE ' may not' END || ' use CPU ' || e.for_cpu AS what
  FROM ext_access e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'ext_counter' AS event,
         e.name || ' is ' || e.value AS what
  FROM ext_counter e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'ext_idle' AS event,
         'select_cpu placed tid ' || e.tid || ' as the kernel showed ' || CASE WHEN m.cpus IS NULL THEN 'unknown CPUs' WHEN len(m.cpus) = 0 THEN 'no CPU' ELSE 'CPUs ' || m.cpus::VARCHAR END || ' as idle' AS what
  FROM ext_idle e LEFT JOIN mask m USING (mask_id) WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'ext_kick' AS event,
         'the sched_ext scheduler kicks CPU ' || e.target_cpu AS what
  FROM ext_kick e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'ext_of_cgroup' AS event,
         'tid ' || e.tid || ' is with the sched_ext scheduler of cgroup ' || e.cgroup_id AS what
  FROM ext_of_cgroup e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'ext_queue' AS event,
         'tid ' || e.tid || CASE ext_place_name(e.place) WHEN 'local' THEN ' is in the local queue of CPU ' || e.queue_cpu WHEN 'held' THEN ' is kept by the scheduler, in no dispatch queue' ELSE ' is in ' || ext_place_words(e.place) || CASE ext_place_name(e.place) WHEN 'shared' THEN ' ' || e.dsq ELSE '' END END || CASE ext_step_name(e.step) WHEN 'select_cpu' THEN ', by select_cpu' WHEN 'enqueue' THEN ', by enqueue' WHEN 'dispatch' THEN ', by dispatch or the kernel' ELSE '' END AS what
  FROM ext_queue e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'ext_scheduler' AS event,
         'the sched_ext scheduler ' || coalesce(e.name || ' ', '') || CASE WHEN e.cgroup_id IS NULL THEN '' ELSE 'of cgroup ' || e.cgroup_id || ' ' END || ext_scheduler_change_words(e.change) AS what
  FROM ext_scheduler e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'ext_search' AS event,
         'CPU ' || e.for_cpu || ' asks the sched_ext scheduler for a thread and gets none' AS what
  FROM ext_search e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'ext_state' AS event,
         CASE ext_change_name(e.change) WHEN 'enabled' THEN 'the sched_ext scheduler ' || coalesce(e.name, '?') || ' is in charge' WHEN 'disabled' THEN 'no sched_ext scheduler is in charge' WHEN 'bypass_begin' THEN 'the kernel begins to bypass the sched_ext scheduler' ELSE 'the kernel ceases to bypass the sched_ext scheduler' END AS what
  FROM ext_state e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'idle_exit_late' AS event,
         'CPU ' || e.cpu || ' leaves idle ' || round(e.late_ns / 1e6, 2) || ' ms after it was asked to' AS what
  FROM idle_exit_late e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'irq_span' AS event,
         irq_kind_name(e.kind) || ' work of ' || e.dur_ns || ' ns' AS what
  FROM irq_span e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'lost_events' AS event,
         'lost ' || coalesce(e.count::VARCHAR, 'an unknown number of') || ' events (' || e.what || ')' AS what
  FROM lost_events e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'migration_disable' AS event,
         'tid ' || e.tid || CASE WHEN e.disabled THEN ' may not be moved' ELSE ' may be moved again' END AS what
  FROM migration_disable e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'newidle_entry' AS event,
         'about to idle' || CASE WHEN e.wakeup_pending THEN ', with a wakeup pending' ELSE '' END || CASE WHEN e.overloaded THEN '' ELSE ', with no CPU known as overloaded' END || ', expecting ' || e.avg_idle_ns // 1000 || ' us of idle time' || coalesce(', less than an attempt costs from level ' || e.too_short_level || ' on', '') || coalesce(', periodic attempts due in ' || e.next_balance_ns // 1000000 || ' ms', '') AS what
  FROM newidle_entry e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'nr_running' AS event,
         'nr_running becomes ' || e.nr_running AS what
  FROM nr_running e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'perf_counter' AS event,
         'tid ' || e.tid || ' adds ' || e.value || ' to ' || e.counter AS what
  FROM perf_counter e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'preferred_llc' AS event,
         'a balance attempt leaves ' || e.threads || CASE e.threads WHEN 1 THEN ' thread' ELSE ' threads' END || ' of CPU ' || e.src_cpu || ' in the cache that the process prefers' AS what
  FROM preferred_llc e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'process_exec' AS event,
         'tid ' || e.tid || ' runs a new program' AS what
  FROM process_exec e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'process_exit' AS event,
         'tid ' || e.tid || ' starts to exit' AS what
  FROM process_exit e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'process_fork' AS event,
         'tid ' || e.parent_tid || ' makes tid ' || e.child_tid AS what
  FROM process_fork e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, NULL::SMALLINT AS cpu, 'process_rank' AS event,
         'process ' || e.tgid || ' is rank ' || e.rank || coalesce(' of ' || e.size, '') AS what
  FROM process_rank e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'region_event' AS event,
         'tid ' || e.tid || CASE WHEN e.enter THEN ' enters ' ELSE ' leaves ' END || e.name AS what
  FROM region_event e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'run_span' AS event,
         'tid ' || e.tid || ' ran for ' || e.dur_ns || ' ns, by its accounted runtime; the switch to it was not reported' AS what
  FROM run_span e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'sched_migrate_task' AS event,
         'tid ' || e.tid || ' moves from CPU ' || coalesce(e.orig_cpu::VARCHAR, '?') || ' to CPU ' || e.dest_cpu || CASE WHEN s.symbols IS NULL THEN '' ELSE ', by ' || array_to_string(s.symbols[1:6], ' < ') END AS what
  FROM sched_migrate_task e LEFT JOIN stack s USING (stack_id) WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'sched_stat_runtime' AS event,
         'tid ' || e.tid || ' ran for ' || e.runtime_ns || ' ns since its last account' AS what
  FROM sched_stat_runtime e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'sched_switch' AS event,
         'tid ' || e.prev_tid || ' leaves in state ' || task_state_name(e.prev_state) || ', tid ' || e.next_tid || ' runs' || coalesce(', nr_running ' || e.nr_running, '') AS what
  FROM sched_switch e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'sched_wakeup' AS event,
         'tid ' || e.tid || CASE WHEN e.is_new THEN ' is new' ELSE ' is awake' END || ', queued on CPU ' || e.target_cpu AS what
  FROM sched_wakeup e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'sched_waking' AS event,
         'tid ' || e.tid || ' is being woken, last ran on CPU ' || coalesce(e.target_cpu::VARCHAR, '?') AS what
  FROM sched_waking e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'schedstat' AS event,
         'the load balancer''s counters are read' AS what
  FROM schedstat e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, NULL::SMALLINT AS cpu, 'thread_name' AS event,
         'tid ' || e.tid || ' is called ' || e.name AS what
  FROM thread_name e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'thread_snapshot' AS event,
         'tid ' || e.tid || ' (' || coalesce(e.name, '?') || ') is ' || queue_state_name(e.queue) || ' as the recording starts' AS what
  FROM thread_snapshot e WHERE e.id BETWEEN $low AND $high
  UNION ALL
  SELECT e.id, e.ts_ns, e.cpu AS cpu, 'throttle' AS event,
         'tid ' || e.tid || CASE WHEN e.throttled THEN ' has no quota' ELSE ' has quota again' END AS what
  FROM throttle e WHERE e.id BETWEEN $low AND $high
)
SELECT w.id, e.ts_ns, e.ts_ns - t.start_ns AS at_ns, e.cpu, coalesce(e.event, 'missing') AS event,
       coalesce(e.what, 'the trace has no event of this number, although the episode rests on it') AS what
FROM wanted w LEFT JOIN described e USING (id), trace t
ORDER BY w.id
LIMIT $limit
