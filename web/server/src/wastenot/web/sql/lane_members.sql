-- The threads of some lanes, none of which is of a bubble.
-- parameters:
--   $kinds    of each lane t (a thread), p (all threads of a process) or c (all threads of a cgroup: of their last one)
--   $ids      of each lane its utid, upid or cgroup_id
-- columns:
--   lane      number from 0
--   utid
WITH wanted AS (SELECT unnest(range(len($ids)))::INTEGER AS lane, unnest($kinds::VARCHAR[]) AS kind, unnest($ids::BIGINT[]) AS id)
SELECT w.lane, t.utid
FROM wanted w JOIN thread t ON CASE w.kind WHEN 't' THEN t.utid WHEN 'p' THEN t.upid ELSE t.cgroup_id END = w.id
WHERE t.utid <> 0
ORDER BY w.lane, t.utid
