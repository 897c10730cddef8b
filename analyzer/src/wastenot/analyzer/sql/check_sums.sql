-- Cross-check: the sums that must be exact. Rows are the identities; `left_ns` = `right_ns` in every one.
-- parameters: none
-- columns:
--   identity
--   left_ns, right_ns   [core-ns]
--   holds
WITH figures AS (
  SELECT
    (SELECT wasted_ns FROM verdict) AS wasted_ns, (SELECT idle_while_waiting_ns FROM verdict) AS idle_while_waiting_ns,
    (SELECT certain_ns FROM verdict) AS certain_ns,
    (SELECT coalesce(sum(core_ns), 0)::BIGINT FROM excuse_ledger) AS excused_ns,
    (SELECT coalesce(sum(core_ns), 0)::BIGINT FROM verdict_grade WHERE grade_name(grade) <> 'recurrent') AS graded_ns,
    (SELECT coalesce(sum(avoidable_wait_ns), 0)::BIGINT FROM thread) AS avoidable_ns,
    (SELECT coalesce(sum(wasted * dur_ns), 0)::BIGINT FROM wasted) AS over_time_ns,
    (SELECT coalesce(sum(certain * dur_ns), 0)::BIGINT FROM wasted) AS certain_over_time_ns,
    (SELECT coalesce(sum(idle_while_waiting * dur_ns), 0)::BIGINT FROM wasted) AS idle_while_waiting_over_time_ns,
    (SELECT coalesce(sum(run_ns), 0)::BIGINT FROM thread WHERE utid <> 0) AS run_ns,
    (SELECT coalesce(sum(wait_wakeup_ns + wait_preempted_ns), 0)::BIGINT FROM thread WHERE utid <> 0) AS wait_ns,
    (SELECT coalesce(sum(throttled_ns), 0)::BIGINT FROM thread WHERE utid <> 0) AS throttled_ns,
    (SELECT coalesce(sum(value), 0)::BIGINT FROM data_quality WHERE what = 'refuted_wait_ns') AS refuted_ns,
    (SELECT coalesce(sum(wait_ns), 0)::BIGINT FROM cgroup_wait) AS ledger_ns,
    (SELECT coalesce(sum(wait_ns), 0)::BIGINT FROM cgroup_wait WHERE wait_reason_name(reason) = 'avoidable') AS ledger_avoidable_ns
), roots AS (
  SELECT bubble_tree_name(tree) AS tree, run_ns, wait_ns, avoidable_wait_ns
  FROM bubble JOIN bubble_stat USING (bubble_id) WHERE bubble_kind_name(kind) = 'machine'
)
SELECT i.identity, i.left_ns, i.right_ns, i.left_ns = i.right_ns AS holds
FROM figures f, LATERAL (VALUES
  ('idle_while_waiting - wasted = excuse ledger', f.idle_while_waiting_ns - f.wasted_ns, f.excused_ns),
  ('wasted = sum of the grades', f.wasted_ns, f.graded_ns),
  ('wasted = avoidable wait of all threads', f.wasted_ns, f.avoidable_ns),
  ('waiting and throttled time of all threads, and refuted = wait ledger', f.wait_ns + f.throttled_ns + f.refuted_ns, f.ledger_ns),
  ('wasted = avoidable in the wait ledger', f.wasted_ns, f.ledger_avoidable_ns),
  ('wasted = wasted over time', f.wasted_ns, f.over_time_ns),
  ('certain = certain over time', f.certain_ns, f.certain_over_time_ns),
  ('idle_while_waiting = idle_while_waiting over time', f.idle_while_waiting_ns, f.idle_while_waiting_over_time_ns)) i(identity, left_ns, right_ns)
UNION ALL
SELECT i.identity, i.left_ns, i.right_ns, i.left_ns = i.right_ns AS holds
FROM figures f, roots r, LATERAL (VALUES
  ('running of all threads = of the ' || r.tree || ' tree', f.run_ns, r.run_ns),
  ('waiting of all threads = of the ' || r.tree || ' tree', f.wait_ns, r.wait_ns),
  ('avoidable wait of all threads = of the ' || r.tree || ' tree', f.avoidable_ns, r.avoidable_wait_ns)) i(identity, left_ns, right_ns)
