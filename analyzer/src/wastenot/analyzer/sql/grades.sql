-- Waste by grade, worst first. All grades appear; the grades but recurrent sum to the whole waste.
-- parameters: none
-- columns:
--   grade                 persistent, recurrent, lasting, expected, in_flight, noise
--   episodes              episodes of the grade
--   core_ns   [core-ns]   waste of exactly this grade
SELECT g.grade, coalesce(t.episodes, 0)::BIGINT AS episodes, coalesce(t.core_ns, 0)::BIGINT AS core_ns
FROM (VALUES (0, 'persistent', 4), (1, 'lasting', 3), (2, 'recurrent', 5), (3, 'expected', 2), (4, 'in_flight', 1),
             (5, 'noise', 0)) g(position, grade, code)
LEFT JOIN verdict_grade t ON t.grade = g.code
ORDER BY g.position
