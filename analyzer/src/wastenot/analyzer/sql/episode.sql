-- One episode with all its figures.
-- parameters:
--   $episode  its number
-- columns: one row, as in episodes.sql; no row when there is no such episode
--   prevented             shares of the waste that other decisions would have prevented, as in causes.sql
SELECT
  e.episode_id, grade_name(e.grade) AS grade, grade_name(e.severity) AS severity, e.part_of, e.start_ns, e.end_ns, e.start_ns - t.start_ns AS at_ns,
  e.end_ns - e.start_ns AS dur_ns, e.core_ns, e.total_core_ns, e.peak, e.idle_cpus, e.overloaded_cpus, e.threads,
  distance_name(e.distance) AS distance, e.domain,
  placed_by_name(e.placed_by) AS placed_by, not_moved_because_name(e.not_moved_because) AS not_moved_because,
  ended_by_name(e.ended_by) AS ended_by, proof_name(e.proof) AS proof,
  proof_name(e.placed_by_proof) AS placed_by_proof, proof_name(e.not_moved_because_proof) AS not_moved_because_proof,
  proof_name(e.ended_by_proof) AS ended_by_proof,
  {'placement': coalesce(e.placement_core_ns / p.core_ns, 0.0), 'balancing': coalesce(e.balancing_core_ns / p.core_ns, 0.0),
   'either': coalesce(e.either_core_ns / p.core_ns, 0.0)} AS prevented,
  e.excused_core_ns, e.first_event, e.last_event
FROM episode e, trace t, (SELECT sum(core_ns) AS core_ns FROM episode_pair WHERE episode_id = $episode) p
WHERE e.episode_id = $episode
