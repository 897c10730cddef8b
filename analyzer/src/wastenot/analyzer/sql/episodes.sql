-- Episodes, those that wasted most first. One waste is one row: what lies within another row is listed on request only.
-- parameters:
--   $grades      list of grade names to show
--   $severities  list of severities to show as well
--   $parts       true: these very episodes, also those within another row; false: the rows in which there is one of these
--   $limit       rows at most
-- columns:
--   episode_id, grade
--   severity              how much it wasted, as the highest grade whose threshold one idle core reaches with that
--   part_of               the episode that is the same waste and contains it; NULL none
--   within                the timed episode of a lower grade that contains it, and whose waste holds its own (the outermost one);
--                         NULL: it is a row. Recurrent episodes are rows always
--   adds_ns               [core-ns]  what it adds to the waste of all rows: total_core_ns of a timed row, which no other timed row has;
--                         0 of what lies within another, and of recurrent ones, whose intervals are counted in their own grades
--   start_ns, end_ns      [ns]       interval
--   at_ns                 [ns]       start, counted from the start of the recording
--   dur_ns                [ns]       length
--   core_ns               [core-ns]  waste of exactly this grade
--   total_core_ns         [core-ns]  waste of this grade or a higher one
--   peak                  [cores]    most cores wasted at once
--   idle_cpus, overloaded_cpus       the CPUs concerned
--   threads               [threads]  that waited beside an idle CPU
--   distance, domain                 how far apart the pair with most waste is
--   placed_by, not_moved_because, ended_by, proof   the cause
--   placed_by_proof, not_moved_because_proof, ended_by_proof   how sure each is
--   excused_core_ns       [core-ns]  what excuses took away inside the interval
WITH timed AS (FROM episode WHERE grade_name(grade) <> 'recurrent'),
expected AS (SELECT episode_id, start_ns, end_ns FROM episode WHERE grade_name(grade) = 'expected'),
lasting AS (SELECT episode_id, start_ns, end_ns FROM episode WHERE grade_name(grade) = 'lasting'),
-- Of each timed episode the outermost one of a lower grade that contains it, or itself. Those of one grade do not overlap.
outermost AS (
  SELECT t.episode_id,
    CASE WHEN grade_name(t.grade) IN ('lasting', 'persistent') AND x.end_ns >= t.end_ns THEN x.episode_id
         WHEN grade_name(t.grade) = 'persistent' AND l.end_ns >= t.end_ns THEN l.episode_id
         ELSE t.episode_id END AS outer_id
  FROM timed t
  ASOF LEFT JOIN expected x ON t.start_ns >= x.start_ns
  ASOF LEFT JOIN lasting l ON t.start_ns >= l.start_ns
),
placed AS (
  SELECT e.episode_id, nullif(o.outer_id, e.episode_id) AS within,
    CASE WHEN o.outer_id = e.episode_id THEN e.total_core_ns ELSE 0 END AS adds_ns
  FROM episode e LEFT JOIN outermost o USING (episode_id)
),
asked AS (
  SELECT e.episode_id, p.within
  FROM episode e JOIN placed p USING (episode_id)
  WHERE list_contains($grades, grade_name(e.grade)) OR list_contains($severities, grade_name(e.severity))
)
SELECT
  e.episode_id, grade_name(e.grade) AS grade, grade_name(e.severity) AS severity, e.part_of, p.within, p.adds_ns::BIGINT AS adds_ns,
  e.start_ns, e.end_ns, e.start_ns - t.start_ns AS at_ns,
  e.end_ns - e.start_ns AS dur_ns, e.core_ns, e.total_core_ns, e.peak, e.idle_cpus, e.overloaded_cpus, e.threads,
  distance_name(e.distance) AS distance, e.domain,
  placed_by_name(e.placed_by) AS placed_by, not_moved_because_name(e.not_moved_because) AS not_moved_because,
  ended_by_name(e.ended_by) AS ended_by, proof_name(e.proof) AS proof,
  proof_name(e.placed_by_proof) AS placed_by_proof, proof_name(e.not_moved_because_proof) AS not_moved_because_proof,
  proof_name(e.ended_by_proof) AS ended_by_proof,
  e.excused_core_ns, e.first_event, e.last_event
FROM episode e JOIN placed p USING (episode_id), trace t
WHERE CASE WHEN $parts THEN e.episode_id IN (SELECT episode_id FROM asked)
           ELSE p.within IS NULL AND e.episode_id IN (SELECT coalesce(within, episode_id) FROM asked) END
ORDER BY e.total_core_ns DESC, e.episode_id
LIMIT $limit
