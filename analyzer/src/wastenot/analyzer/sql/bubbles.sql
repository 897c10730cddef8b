-- Bubbles of one tree by avoidable wait: who works together, and whether it was kept together.
-- A thread counts for its bubble, and for the bubbles around it, while it belongs to them.
-- parameters:
--   $tree     declared, natural or creation
--   $limit    rows at most
-- columns:
--   bubble_id, parent_id, depth, name, kind   the bubble; NULL a root
--   priority                    declared: the last
--   state                       ended, else what its threads did last: running when one ran, else waiting when one waited,
--                               else off
--   holder                      declared: where it was last, and how (closed, burst, regenerating)
--   cpu_share             [1]   CPU time / length of the trace: 2 is two CPUs all the time
--   cpus, llcs, nodes           how many it ran on
--   threads, peak_threads       that belonged to it; that ran at once, at most
--   run_ns, active_ns, wait_ns, avoidable_wait_ns, expected_ns  [ns]  as in `bubble_stat`
--   llc_kept, node_kept   [1]   affinity kept: CPU time in the cache (on the node) where it ran longest / CPU time
--   spread                [1]   caches in use at once, mean while one of its threads ran
--   held_share            [1]   declared: CPU time on a CPU of the runqueue that held the thread / CPU time
--   cache_misses, migrations, llc_migrations, bursts, regenerations   counts
--   start_ns, end_ns      [ns]  its life
WITH doing AS (
  SELECT utid, arg_max(s.phase, s.start_ns) AS phase FROM thread_state s JOIN thread USING (utid)
  WHERE thread.end_ns IS NULL GROUP BY utid
), last_stay AS (
  SELECT bubble_id, arg_max({'holder': holder, 'id': holder_id, 'state': state}, (start_ns, dur_ns)) AS stay
  FROM entity_holder WHERE bubble_id IS NOT NULL GROUP BY bubble_id
), below AS (
  WITH RECURSIVE inside(outer_id, bubble_id) AS (
    SELECT bubble_id, bubble_id FROM bubble WHERE bubble_tree_name(tree) = $tree
    UNION SELECT inside.outer_id, m.member_id FROM inside JOIN bubble_member m USING (bubble_id) WHERE m.member_id IS NOT NULL
  )
  SELECT outer_id AS bubble_id, bool_or(doing.phase = 0) AS runs, bool_or(doing.phase IN (1, 2)) AS waits
  FROM inside JOIN bubble_member m USING (bubble_id) JOIN doing USING (utid)
  GROUP BY outer_id
)
SELECT
  b.bubble_id, b.parent_id, b.depth, b.name, bubble_kind_name(b.kind) AS kind, b.priority,
  CASE WHEN b.end_ns < t.end_ns THEN 'ended' WHEN below.runs THEN 'running' WHEN below.waits THEN 'waiting' ELSE 'off' END AS state,
  holder_name(stay.holder) || coalesce(' ' || CASE WHEN stay.holder > 2 OR stay.holder = 1 THEN stay.id END, '')
    || CASE WHEN stay.state > 0 THEN ', ' || bubble_state_name(stay.state) ELSE '' END AS holder,
  s.run_ns / nullif(t.end_ns - t.start_ns, 0) AS cpu_share, s.cpus, s.llcs, s.nodes, s.threads, s.peak_threads,
  s.run_ns, s.active_ns, s.wait_ns, s.avoidable_wait_ns, s.expected_ns, s.main_llc_ns / nullif(s.run_ns, 0) AS llc_kept,
  s.main_node_ns / nullif(s.run_ns, 0) AS node_kept, s.spread / 1000 AS spread, s.held_ns / nullif(s.run_ns, 0) AS held_share,
  s.cache_misses, s.migrations, s.llc_migrations, s.bursts, s.regenerations, b.start_ns, b.end_ns
FROM bubble b JOIN bubble_stat s USING (bubble_id) CROSS JOIN trace t
LEFT JOIN below USING (bubble_id) LEFT JOIN last_stay USING (bubble_id)
WHERE bubble_tree_name(b.tree) = $tree
ORDER BY s.avoidable_wait_ns DESC, s.wait_ns DESC, s.run_ns DESC, b.bubble_id
LIMIT $limit
