-- One episode with all its figures.
-- parameters:
--   $episode  its number
-- columns: one row, as in episodes.sql; no row when there is no such episode
SELECT
  e.episode_id, grade_name(e.grade) AS grade, grade_name(e.severity) AS severity, e.part_of, e.start_ns, e.end_ns, e.start_ns - t.start_ns AS at_ns,
  e.end_ns - e.start_ns AS dur_ns, e.core_ns, e.total_core_ns, e.peak, e.idle_cpus, e.overloaded_cpus, e.threads,
  distance_name(e.distance) AS distance, e.domain, e.placement, e.correction, e.resolution, proof_name(e.proof) AS proof,
  proof_name(e.placement_proof) AS placement_proof, proof_name(e.correction_proof) AS correction_proof,
  proof_name(e.resolution_proof) AS resolution_proof,
  e.excused_core_ns, e.first_event, e.last_event
FROM episode e, trace t
WHERE e.episode_id = $episode
