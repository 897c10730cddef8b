-- Threads, processes and cgroups whose name, number or path fits a text; `hog 407` is a name with its number.
-- parameters:
--   $q        the text, any case
--   $limit    rows at most
-- columns:
--   kind      thread, process or cgroup
--   id        utid, upid or cgroup_id
--   label
--   ts_ns     [ns]  start of its life; NULL before the trace
--   rank            0 the same, 1 begins with it, 2 holds it
WITH named AS (
  SELECT 'thread' AS kind, t.utid::BIGINT AS id, coalesce(t.name, '?') AS name, t.tid::VARCHAR AS number,
         coalesce(t.name, '?') || ' (tid ' || t.tid || ')' AS label, t.start_ns AS ts_ns, t.run_ns AS weight
  FROM thread t WHERE t.utid <> 0
  UNION ALL
  SELECT 'process', p.upid, coalesce(p.name, '?'), p.tgid::VARCHAR, coalesce(p.name, '?') || ' (pid ' || p.tgid || ')', NULL, 0
  FROM process p
  UNION ALL
  SELECT 'cgroup', c.cgroup_id, c.path, c.cgroup_id::VARCHAR, c.path, NULL, 0 FROM cgroup c
)
SELECT kind, id, label, ts_ns,
       CASE WHEN lower(name) = lower($q) OR number = $q OR lower(name || ' ' || number) = lower($q) THEN 0 WHEN starts_with(lower(name), lower($q)) THEN 1 ELSE 2 END AS rank
FROM named
WHERE contains(lower(name || ' ' || number), lower($q)) AND (contains(lower(name), lower($q)) OR contains($q, ' ')) OR number = $q
ORDER BY rank, weight DESC, kind DESC, label, id
LIMIT $limit
