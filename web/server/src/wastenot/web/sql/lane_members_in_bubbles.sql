-- The threads of some lanes.
-- parameters:
--   $kinds    of each lane t (a thread), p (all threads of a process), c (all threads of a cgroup: of their last one) or b (all threads
--             of a bubble: of the one of its tree that they were in last)
--   $ids      of each lane its utid, upid, cgroup_id or bubble_id
-- columns:
--   lane      number from 0
--   utid
WITH wanted AS (SELECT unnest(range(len($ids)))::INTEGER AS lane, unnest($kinds::VARCHAR[]) AS kind, unnest($ids::BIGINT[]) AS id),
of_bubble AS (
    SELECT m.utid, arg_max(m.bubble_id, (m.end_ns, m.start_ns, m.bubble_id)) AS bubble_id
    FROM bubble_member m JOIN bubble b USING (bubble_id)
    WHERE m.utid IS NOT NULL AND bubble_kind_name(b.kind) <> 'machine' -- as bubbles.py leaves it out
    GROUP BY m.utid, b.tree
),
of_lane AS (
    SELECT w.lane, t.utid
    FROM wanted w
    JOIN thread t ON CASE w.kind WHEN 't' THEN t.utid WHEN 'p' THEN t.upid WHEN 'c' THEN t.cgroup_id END = w.id
    UNION ALL
    SELECT w.lane, m.utid FROM wanted w JOIN of_bubble m ON w.kind = 'b' AND m.bubble_id = w.id
)
SELECT lane, utid
FROM of_lane
WHERE utid <> 0
ORDER BY lane, utid
