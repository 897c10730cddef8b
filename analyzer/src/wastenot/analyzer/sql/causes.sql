-- Which balancer paths the waste is charged to. An episode's cause is that of most of its wasted time.
-- Recurrent episodes stand apart: their time is counted in the grades of their spells as well.
-- parameters: none
-- columns:
--   placement               how the threads came to wait there
--   correction              why nobody moved them earlier
--   resolution              what ended it
--   proof                   proved, consistent or unknown: of the correction; of the placement where waste is recurrent
--   placement_proof, correction_proof, resolution_proof   of each answer: what holds for all these episodes at least
--   recurrent               true for recurrent episodes: many short spells between the same CPUs
--   core_ns     [core-ns]   waste charged to this cause; without the recurrent ones sums to that of the listed episodes
--   episodes                episodes with this cause; one and its parts (the same waste) are one
SELECT placement, correction, resolution, proof_name(proof) AS proof, grade_name(grade) = 'recurrent' AS recurrent,
       proof_name(min(placement_proof)) AS placement_proof, proof_name(min(correction_proof)) AS correction_proof,
       proof_name(min(resolution_proof)) AS resolution_proof,
       sum(core_ns)::BIGINT AS core_ns, count(DISTINCT coalesce(part_of, episode_id)) AS episodes
FROM episode
GROUP BY placement, correction, resolution, proof, recurrent
ORDER BY recurrent, core_ns DESC, placement, correction, resolution, proof
