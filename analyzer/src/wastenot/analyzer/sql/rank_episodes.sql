-- Episodes of waste in which ranks of a parallel program waited beside idle CPUs.
-- parameters:
--   $utids    list of threads
--   $limit    rows at most
-- columns:
--   episode_id
--   grade
--   waited_on, idle_cpu   [cpu]      where ranks waited, and the CPU that they could have run on
--   core_ns               [core-ns]  for how long, of this pair of CPUs
SELECT p.episode_id, grade_name(e.grade) AS grade, p.waited_on, p.idle_cpu, sum(p.core_ns)::BIGINT AS core_ns
FROM episode_pair p JOIN episode e USING (episode_id)
WHERE p.utid IN (SELECT unnest($utids)) AND grade_name(e.grade) <> 'recurrent'
GROUP BY ALL
ORDER BY core_ns DESC, p.episode_id, p.waited_on, p.idle_cpu
LIMIT $limit
