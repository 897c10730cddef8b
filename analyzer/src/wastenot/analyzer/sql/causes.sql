-- Which balancer paths the waste is charged to. An episode's cause is that of most of its wasted time.
-- Recurrent episodes are left out: their time is counted in the grades of their spells.
-- parameters: none
-- columns:
--   placement               how the threads came to wait there
--   correction              why nobody moved them earlier
--   resolution              what ended it
--   proof                   proved, consistent or unknown
--   core_ns     [core-ns]   waste charged to this cause; sums to wasted_ns
--   episodes                episodes with this cause
SELECT placement, correction, resolution, proof_name(proof) AS proof, sum(core_ns)::BIGINT AS core_ns, count(*) AS episodes
FROM episode
WHERE grade_name(grade) <> 'recurrent'
GROUP BY ALL
ORDER BY core_ns DESC, placement, correction, resolution, proof
