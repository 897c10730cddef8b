-- Which balancer paths the waste is charged to. An episode's cause is that of most of its wasted time.
-- Recurrent episodes stand apart: their time is counted in the grades of their spells as well.
-- parameters: none
-- columns:
--   placement               how the threads came to wait there
--   correction              why nobody moved them earlier
--   resolution              what ended it
--   proof                   proved, consistent or unknown
--   recurrent               true for recurrent episodes: many short spells between the same CPUs
--   core_ns     [core-ns]   waste charged to this cause; without the recurrent ones sums to that of the listed episodes
--   episodes                episodes with this cause
SELECT placement, correction, resolution, proof_name(proof) AS proof, grade_name(grade) = 'recurrent' AS recurrent,
       sum(core_ns)::BIGINT AS core_ns, count(*) AS episodes
FROM episode
GROUP BY ALL
ORDER BY recurrent, core_ns DESC, placement, correction, resolution, proof
