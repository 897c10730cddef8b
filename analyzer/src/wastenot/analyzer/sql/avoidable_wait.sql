-- Avoidable wait by pair of CPUs: where threads waited and which idle CPU they could have used.
-- From the episodes of grade expected and above and without the recurrent ones, so that no time counts twice.
-- parameters:
--   $limit    rows at most
-- columns:
--   waited_on, idle_cpu   [cpu]
--   distance                         nearest level the two CPUs share
--   core_ns               [core-ns]  time for which threads waited on the one and could have run on the other
--   threads               [threads]  how many
--   longest_of                       name of the thread with most of it
SELECT p.waited_on, p.idle_cpu, distance_name(any_value(p.distance)) AS distance, sum(p.core_ns)::BIGINT AS core_ns,
       count(DISTINCT p.utid) AS threads, arg_max(t.name, p.core_ns) AS longest_of
FROM episode_pair p
JOIN episode e USING (episode_id)
LEFT JOIN thread t USING (utid)
WHERE grade_name(e.grade) <> 'recurrent'
GROUP BY p.waited_on, p.idle_cpu
ORDER BY core_ns DESC, p.waited_on, p.idle_cpu
LIMIT $limit
