-- Avoidable wait in a window by cause. A wait counts for one episode, whole: of those that it touches and in which its thread waited on
-- that CPU the gravest one; recurrent ones only where there is no other. The rest belongs to none: short intervals.
-- parameters:
--   $start, $end  [ns]  window
--   $cpus         list of CPUs that threads waited on; empty: all
--   $utids        list of threads; empty: all
-- columns:
--   placed_by, not_moved_because, placed_by_proof, not_moved_because_proof   of the pair of thread and CPU; NULL: in no episode
--   avoidable_ns  [ns]  within the window; sums to that of avoidable.sql
--   threads             that waited so
--   episodes            to which these waits belong
--   worst_episode_id    the one with most of that; NULL: in no episode
WITH waits AS (
  SELECT row_number() OVER (ORDER BY start_ns, utid, waited_on) AS n, utid, waited_on, start_ns AS a, start_ns + dur_ns AS b,
         least(start_ns + dur_ns, $end::BIGINT) - greatest(start_ns, $start::BIGINT) AS ns
  FROM avoidable_wait /* of the window */
  WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
    AND (len($cpus) = 0 OR list_contains($cpus, waited_on))
    AND (len($utids::INTEGER[]) = 0 OR utid IN (SELECT unnest($utids::INTEGER[])))
),
pairs AS (
  SELECT p.episode_id, p.utid, p.waited_on, e.start_ns AS a, e.end_ns AS b,
         arg_max({'placed_by': p.placed_by, 'not_moved_because': p.not_moved_because, 'placed_by_proof': p.placed_by_proof,
                  'not_moved_because_proof': p.not_moved_because_proof}, (p.core_ns, -p.idle_cpu)) AS cause,
         (grade_name(e.grade) <> 'recurrent', e.severity, e.total_core_ns, -p.episode_id) AS gravity
  FROM episode_pair p JOIN episode e USING (episode_id)
  WHERE e.start_ns < $end::BIGINT AND e.end_ns > $start::BIGINT
  GROUP BY ALL
),
found AS (
  SELECT w.n, arg_max(p.cause, p.gravity) AS cause, arg_max(p.episode_id, p.gravity) AS episode_id
  FROM waits w JOIN pairs p ON p.utid = w.utid AND p.waited_on = w.waited_on AND p.a < w.b AND p.b > w.a
  GROUP BY w.n
),
by_episode AS (
  SELECT f.cause, f.episode_id, sum(w.ns) AS ns, list(w.utid) AS utids
  FROM waits w LEFT JOIN found f USING (n)
  GROUP BY ALL
)
SELECT placed_by_name(f.cause.placed_by) AS placed_by, not_moved_because_name(f.cause.not_moved_because) AS not_moved_because,
       proof_name(f.cause.placed_by_proof) AS placed_by_proof, proof_name(f.cause.not_moved_because_proof) AS not_moved_because_proof,
       sum(f.ns)::BIGINT AS avoidable_ns, len(list_distinct(flatten(list(f.utids)))) AS threads, count(f.episode_id) AS episodes,
       arg_max(f.episode_id, (f.ns, -f.episode_id)) AS worst_episode_id
FROM by_episode f
GROUP BY f.cause
ORDER BY avoidable_ns DESC, placed_by, not_moved_because, placed_by_proof, not_moved_because_proof
