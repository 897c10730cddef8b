-- Which thread waited for which idle CPU, in all episodes that are listed with their pairs.
-- parameters:
--   $limit  rows at most
-- columns:
--   episode_id, utid
--   waited_on, idle_cpu  [cpu]
SELECT episode_id, utid, waited_on, idle_cpu FROM episode_pair ORDER BY episode_id, core_ns DESC, utid, idle_cpu LIMIT $limit
