-- Episodes, those that wasted most first.
-- parameters:
--   $grades      list of grade names to show
--   $severities  list of severities to show as well
--   $parts       whether to list the parts too: episodes that are the same waste as one of a lower grade
--   $limit       rows at most
-- columns:
--   episode_id, grade
--   severity              how much it wasted, as the highest grade whose threshold one idle core reaches with that
--   part_of               the episode that is the same waste and contains it; NULL none
--   start_ns, end_ns      [ns]       interval
--   at_ns                 [ns]       begin, counted from the begin of the recording
--   dur_ns                [ns]       length
--   core_ns               [core-ns]  waste of exactly this grade
--   total_core_ns         [core-ns]  waste of this grade or a higher one
--   peak                  [cores]    most cores wasted at once
--   idle_cpus, overloaded_cpus       the CPUs concerned
--   threads               [threads]  that waited needlessly
--   distance, domain                 how far apart the pair with most waste is
--   placement, correction, resolution, proof   the cause
--   placement_proof, correction_proof, resolution_proof   how sure each is
--   excused_core_ns       [core-ns]  what excuses took away inside the interval
SELECT
  e.episode_id, grade_name(e.grade) AS grade, grade_name(e.severity) AS severity, e.part_of, e.start_ns, e.end_ns, e.start_ns - t.start_ns AS at_ns,
  e.end_ns - e.start_ns AS dur_ns, e.core_ns, e.total_core_ns, e.peak, e.idle_cpus, e.overloaded_cpus, e.threads,
  distance_name(e.distance) AS distance, e.domain, e.placement, e.correction, e.resolution, proof_name(e.proof) AS proof,
  proof_name(e.placement_proof) AS placement_proof, proof_name(e.correction_proof) AS correction_proof,
  proof_name(e.resolution_proof) AS resolution_proof,
  e.excused_core_ns, e.first_event, e.last_event
FROM episode e, trace t
WHERE (list_contains($grades, grade_name(e.grade)) OR list_contains($severities, grade_name(e.severity)))
  AND ($parts OR e.part_of IS NULL)
ORDER BY e.total_core_ns DESC, e.episode_id
LIMIT $limit
