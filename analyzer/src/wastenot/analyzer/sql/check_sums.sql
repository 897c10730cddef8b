-- Cross-check: the sums that must be exact. Rows are the identities; `left_ns` = `right_ns` in every one.
-- parameters: none
-- columns:
--   identity
--   left_ns, right_ns   [core-ns]
--   holds
WITH figures AS (
  SELECT
    (SELECT wasted_ns FROM summary) AS wasted_ns, (SELECT upper_ns FROM summary) AS upper_ns,
    (SELECT certain_ns FROM summary) AS certain_ns,
    (SELECT coalesce(sum(core_ns), 0)::BIGINT FROM ledger) AS excused_ns,
    (SELECT coalesce(sum(core_ns), 0)::BIGINT FROM grade_total WHERE grade_name(grade) <> 'recurrent') AS graded_ns,
    (SELECT coalesce(sum(needless_wait_ns), 0)::BIGINT FROM thread) AS needless_ns,
    (SELECT coalesce(sum(wasted * dur_ns), 0)::BIGINT FROM wasted) AS over_time_ns,
    (SELECT coalesce(sum(certain * dur_ns), 0)::BIGINT FROM wasted) AS certain_over_time_ns,
    (SELECT coalesce(sum(upper * dur_ns), 0)::BIGINT FROM wasted) AS upper_over_time_ns,
    (SELECT coalesce(sum(run_ns), 0)::BIGINT FROM thread WHERE utid <> 0) AS run_ns,
    (SELECT coalesce(sum(wait_wakeup_ns + wait_preempted_ns), 0)::BIGINT FROM thread WHERE utid <> 0) AS wait_ns
), roots AS (
  SELECT bubble_tree_name(tree) AS tree, run_ns, wait_ns, needless_wait_ns
  FROM bubble JOIN bubble_stat USING (bubble_id) WHERE bubble_kind_name(kind) = 'machine'
)
SELECT i.identity, i.left_ns, i.right_ns, i.left_ns = i.right_ns AS holds
FROM figures f, LATERAL (VALUES
  ('upper - wasted = excuse ledger', f.upper_ns - f.wasted_ns, f.excused_ns),
  ('wasted = sum of the grades', f.wasted_ns, f.graded_ns),
  ('wasted = needless wait of all threads', f.wasted_ns, f.needless_ns),
  ('wasted = wasted over time', f.wasted_ns, f.over_time_ns),
  ('certain = certain over time', f.certain_ns, f.certain_over_time_ns),
  ('upper = upper over time', f.upper_ns, f.upper_over_time_ns)) i(identity, left_ns, right_ns)
UNION ALL
SELECT i.identity, i.left_ns, i.right_ns, i.left_ns = i.right_ns AS holds
FROM figures f, roots r, LATERAL (VALUES
  ('running of all threads = of the ' || r.tree || ' tree', f.run_ns, r.run_ns),
  ('waiting of all threads = of the ' || r.tree || ' tree', f.wait_ns, r.wait_ns),
  ('needless wait of all threads = of the ' || r.tree || ' tree', f.needless_ns, r.needless_wait_ns)) i(identity, left_ns, right_ns)
