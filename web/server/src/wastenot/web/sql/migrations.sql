-- Moves of threads between CPUs in a window.
-- parameters:
--   $start, $end  [ns]  window
--   $limit        rows at most
-- columns:
--   ts_ns         [ns]
--   utid
--   orig, dest    [cpu]
--   path                who moved it: wakeup, fork, exec, newidle, periodic, active, swap, push_pull, affinity, hotplug, balance
--                       (a queued thread, stack not recorded)
--   needless            the move made nothing better
--   distance            nearest level the two CPUs share
SELECT m.ts_ns, m.utid, m.orig_cpu AS orig, m.dest_cpu AS dest,
       CASE
         WHEN NOT m.queued THEN CASE WHEN s.calls LIKE '%sched_exec%' THEN 'exec' WHEN s.calls LIKE '%wake_up_new_task%' THEN 'fork' ELSE 'wakeup' END
         WHEN s.calls LIKE '%newidle%' THEN 'newidle'
         WHEN s.calls LIKE '%active_load_balance%' THEN 'active'
         WHEN s.calls LIKE '%migrate_swap%' THEN 'swap'
         WHEN s.calls LIKE '%push_%task%' OR s.calls LIKE '%pull_%task%' THEN 'push_pull'
         WHEN s.calls LIKE '%set_cpus_allowed%' OR s.calls LIKE '%migration_cpu_stop%' THEN 'affinity'
         WHEN s.calls LIKE '%load_balance%' OR s.calls LIKE '%sched_balance_%' THEN 'periodic'
         WHEN s.calls LIKE '%cpu_deactivate%' OR s.calls LIKE '%balance_push%' THEN 'hotplug'
         ELSE 'balance'
       END AS path,
       m.needless, distance_name(m.distance) AS distance
FROM migration m LEFT JOIN (SELECT stack_id, array_to_string(symbols, ' ') AS calls FROM stack) s USING (stack_id)
WHERE m.ts_ns >= $start::BIGINT AND m.ts_ns < $end::BIGINT
ORDER BY m.ts_ns, m.event_id
LIMIT $limit
