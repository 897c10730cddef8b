-- Causes of the episodes that were under way between two instants. The waste is that of whole episodes.
-- parameters:
--   $since   [ns]  start
--   $until   [ns]  end
--   $limit         rows at most
-- columns:
--   placed_by, not_moved_because, ended_by   the cause
--   placed_by_proof, not_moved_because_proof, ended_by_proof   of each answer: what holds for all these episodes at least
--   recurrent                true for recurrent episodes, whose time is counted in other rows as well
--   core_ns     [core-ns]    waste of these episodes
--   episodes                 how many; one and its parts (the same waste) are one
SELECT placed_by_name(placed_by) AS placed_by, not_moved_because_name(not_moved_because) AS not_moved_because,
       ended_by_name(ended_by) AS ended_by, proof_name(min(placed_by_proof)) AS placed_by_proof,
       proof_name(min(not_moved_because_proof)) AS not_moved_because_proof,
       proof_name(min(ended_by_proof)) AS ended_by_proof, grade_name(grade) = 'recurrent' AS recurrent,
       sum(core_ns)::BIGINT AS core_ns, count(DISTINCT coalesce(part_of, episode_id)) AS episodes
FROM episode
WHERE start_ns <= $until::BIGINT AND end_ns > $since::BIGINT
GROUP BY placed_by, not_moved_because, ended_by, recurrent
ORDER BY recurrent, core_ns DESC, placed_by, not_moved_because, ended_by
LIMIT $limit
