-- Episodes by severity: how much each wasted, whatever its shape. Parts count with the episode that they are part of.
-- parameters: none
-- columns:
--   severity               persistent, lasting, expected; below that nothing is listed
--   episodes               wastes of exactly this severity, recurrent ones included
--   timed_ns   [core-ns]   of them the waste of the episodes that are not recurrent, each moment counted once
--   recurrent_ns [core-ns] of them the waste of the recurrent ones, which is part of the grades of their intervals as well
SELECT g.severity, count(e.episode_id) FILTER (e.part_of IS NULL) AS episodes,
  coalesce(sum(e.core_ns) FILTER (grade_name(e.grade) <> 'recurrent'), 0)::BIGINT AS timed_ns,
  coalesce(sum(e.core_ns) FILTER (grade_name(e.grade) = 'recurrent'), 0)::BIGINT AS recurrent_ns
FROM (VALUES (0, 'persistent'), (1, 'lasting'), (2, 'expected')) g(position, severity)
LEFT JOIN (
  SELECT e.*, grade_name(coalesce(whole.severity, e.severity)) AS of_whole
  FROM episode e LEFT JOIN episode whole ON whole.episode_id = e.part_of
) e ON e.of_whole = g.severity
GROUP BY g.position, g.severity
ORDER BY g.position
