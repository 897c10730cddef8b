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
--   within                the row in whose time it lies, and whose waste holds its own; NULL: it is a row
--   adds_ns               [core-ns]  what it adds to the waste of all rows: its total_core_ns; of a recurrent one the waste of the timed ones
--                         within it, and what else of its own no other row has, at most; 0 within another row
--   start_ns, end_ns      [ns]       interval
--   at_ns                 [ns]       begin, counted from the begin of the recording
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
recurring AS (FROM episode WHERE grade_name(grade) = 'recurrent'),
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
outer_ones AS (SELECT t.episode_id, t.start_ns, t.end_ns, t.total_core_ns FROM timed t JOIN outermost o ON o.episode_id = t.episode_id AND o.outer_id = t.episode_id),
-- The waste up to an instant, for the ends of recurrent episodes and of timed ones.
waste AS (
  SELECT start_ns, start_ns + dur_ns AS end_ns, wasted, sum(wasted * dur_ns) OVER (ORDER BY start_ns ROWS UNBOUNDED PRECEDING) - wasted * dur_ns AS before
  FROM wasted WHERE wasted > 0 AND EXISTS (FROM recurring)
),
instants AS (
  SELECT start_ns AS ts_ns FROM recurring UNION SELECT end_ns FROM recurring UNION SELECT start_ns FROM outer_ones UNION SELECT end_ns FROM outer_ones
),
waste_until AS (
  SELECT ts_ns, coalesce(before + wasted * (least(ts_ns, end_ns) - start_ns), 0) AS core_ns FROM instants ASOF LEFT JOIN waste ON ts_ns >= start_ns
),
meets AS (
  SELECT r.episode_id AS recurrent_id, t.episode_id, t.total_core_ns, greatest(r.start_ns, t.start_ns) AS from_ns, least(r.end_ns, t.end_ns) AS to_ns,
    t.start_ns >= r.start_ns AND t.end_ns <= r.end_ns AS is_inside, r.total_core_ns AS recurrent_ns
  FROM recurring r JOIN outer_ones t ON t.start_ns < r.end_ns AND t.end_ns > r.start_ns
),
-- A timed episode inside several recurrent ones belongs to the heaviest.
inside AS (
  SELECT episode_id, any_value(total_core_ns) AS total_core_ns, arg_max(recurrent_id, (recurrent_ns, -recurrent_id)) AS recurrent_id
  FROM meets WHERE is_inside GROUP BY episode_id
),
held AS (SELECT recurrent_id, sum(total_core_ns) AS core_ns FROM inside GROUP BY recurrent_id),
met AS (
  SELECT recurrent_id, sum(u.core_ns - f.core_ns) AS core_ns, arg_max(episode_id, (to_ns - from_ns, -episode_id)) AS most
  FROM meets JOIN waste_until f ON f.ts_ns = from_ns JOIN waste_until u ON u.ts_ns = to_ns GROUP BY recurrent_id
),
-- What a recurrent episode can add: the timed ones inside it, and the waste of its time in which there is no timed one.
recurrent_rows AS (
  SELECT r.episode_id, m.most, coalesce(h.core_ns, 0) AS held_ns, r.total_core_ns,
    greatest(coalesce(h.core_ns, 0), least(r.total_core_ns, coalesce(h.core_ns, 0) + u.core_ns - f.core_ns - coalesce(m.core_ns, 0))) AS adds_ns
  FROM recurring r
  JOIN waste_until f ON f.ts_ns = r.start_ns JOIN waste_until u ON u.ts_ns = r.end_ns
  LEFT JOIN held h ON h.recurrent_id = r.episode_id LEFT JOIN met m ON m.recurrent_id = r.episode_id
),
-- It is a row where most of the waste of the timed ones inside it is its own and it adds most of its own; else its waste is that of the timed
-- one it meets longest.
is_row AS (SELECT *, most IS NULL OR (2 * total_core_ns >= held_ns AND 2 * adds_ns >= total_core_ns) AS is_row FROM recurrent_rows),
timed_place AS (
  SELECT o.episode_id, o.outer_id, r.episode_id AS recurrent_id
  FROM outermost o LEFT JOIN inside i ON i.episode_id = o.outer_id LEFT JOIN is_row r ON r.episode_id = i.recurrent_id AND r.is_row
),
placed AS (
  SELECT episode_id, coalesce(recurrent_id, nullif(outer_id, episode_id)) AS within, NULL AS adds_ns FROM timed_place
  UNION ALL
  SELECT r.episode_id, CASE WHEN r.is_row THEN NULL ELSE coalesce(t.recurrent_id, r.most) END, CASE WHEN r.most IS NULL THEN r.total_core_ns ELSE r.adds_ns END
  FROM is_row r LEFT JOIN timed_place t ON t.episode_id = r.most
),
asked AS (
  SELECT e.episode_id, p.within
  FROM episode e JOIN placed p USING (episode_id)
  WHERE list_contains($grades, grade_name(e.grade)) OR list_contains($severities, grade_name(e.severity))
)
SELECT
  e.episode_id, grade_name(e.grade) AS grade, grade_name(e.severity) AS severity, e.part_of, p.within,
  CASE WHEN p.within IS NULL THEN coalesce(p.adds_ns, e.total_core_ns) ELSE 0 END::BIGINT AS adds_ns,
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
ORDER BY CASE WHEN $parts THEN e.total_core_ns ELSE coalesce(p.adds_ns, e.total_core_ns) END DESC, e.episode_id
LIMIT $limit
