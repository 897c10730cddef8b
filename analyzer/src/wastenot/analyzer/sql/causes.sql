-- Which balancer paths the waste is charged to. An episode's cause is that of most of its wasted time.
-- Recurrent episodes have rows of their own: their time is counted in the grades of their intervals as well.
-- parameters: none
-- columns:
--   placed_by             how the threads came to wait there
--   not_moved_because     why nothing moved them earlier
--   ended_by              what ended it
--   proof                 proved, consistent or unknown: that of not_moved_because; of placed_by where waste is recurrent
--   placed_by_proof, not_moved_because_proof, ended_by_proof   of each answer: the weakest that one of these episodes has
--   proved                of each answer, the share of the time for which it was given that is proved
--   reasons               answers to not_moved_because in these episodes with their shares of the waste, the cause's own first, then most first
--   prevented             shares of the waste that another placement of the thread would have prevented (placement), another
--                         decision of the balancer (balancing), and either one (either; in both of these)
--   recurrent             true for recurrent episodes: many short intervals between the same CPUs
--   core_ns     [core-ns] waste charged to this cause; without the recurrent ones sums to that of the listed episodes
--   episodes              episodes with this cause; one and its parts (the same waste) are one
WITH listed AS (
  SELECT episode_id, sum(core_ns) AS ns FROM episode_pair GROUP BY episode_id),
cause AS (
  SELECT placed_by, not_moved_because, ended_by, proof, grade_name(grade) = 'recurrent' AS recurrent,
         min(placed_by_proof) AS placed_by_proof, min(not_moved_because_proof) AS not_moved_because_proof,
         min(ended_by_proof) AS ended_by_proof, list(episode_id) AS ids,
         sum(placement_core_ns) AS placement_ns, sum(balancing_core_ns) AS balancing_ns, sum(either_core_ns) AS either_ns,
         sum(listed.ns) AS listed_ns,
         sum(core_ns)::BIGINT AS core_ns, count(DISTINCT coalesce(part_of, episode_id)) AS episodes
  FROM episode LEFT JOIN listed USING (episode_id)
  GROUP BY placed_by, not_moved_because, ended_by, proof, recurrent),
answered AS (
  SELECT episode_id, question_name(question) AS question, answer, sum(weight_ns) AS ns,
         coalesce(sum(weight_ns) FILTER (proof_name(proof) = 'proved'), 0) AS proved_ns
  FROM attribution WHERE chosen
  GROUP BY episode_id, question, answer),
of_cause AS (
  SELECT c.ids, a.question, a.answer, sum(a.ns) AS ns, sum(a.proved_ns) AS proved_ns
  FROM (SELECT ids, unnest(ids) AS episode_id FROM cause) c JOIN answered a USING (episode_id)
  GROUP BY c.ids, a.question, a.answer),
reason AS (
  SELECT ids, answer, ns, answer = not_moved_because_name(cause.not_moved_because) AS is_named
  FROM of_cause JOIN cause USING (ids) WHERE question = 'not_moved_because'),
shared AS (
  SELECT ids, list({'reason': answer, 'share': ns / total} ORDER BY is_named DESC, ns DESC, answer) AS reasons
  FROM (SELECT *, sum(ns) OVER (PARTITION BY ids) AS total FROM reason)
  GROUP BY ids)
-- NULL where the answer was given of none of the time.
SELECT placed_by_name(placed_by) AS placed_by, not_moved_because_name(not_moved_because) AS not_moved_because,
       ended_by_name(ended_by) AS ended_by, proof_name(proof) AS proof, recurrent,
       proof_name(placed_by_proof) AS placed_by_proof, proof_name(not_moved_because_proof) AS not_moved_because_proof,
       proof_name(ended_by_proof) AS ended_by_proof, coalesce(reasons, []) AS reasons,
       {'placed_by': how.proved_ns / how.ns, 'not_moved_because': why.proved_ns / why.ns,
        'ended_by': ended.proved_ns / ended.ns} AS proved,
       {'placement': coalesce(placement_ns / listed_ns, 0.0), 'balancing': coalesce(balancing_ns / listed_ns, 0.0),
        'either': coalesce(either_ns / listed_ns, 0.0)} AS prevented,
       core_ns, episodes
FROM cause LEFT JOIN shared USING (ids)
LEFT JOIN of_cause how ON how.ids = cause.ids AND how.question = 'placed_by' AND how.answer = placed_by_name(placed_by)
LEFT JOIN of_cause why
  ON why.ids = cause.ids AND why.question = 'not_moved_because' AND why.answer = not_moved_because_name(not_moved_because)
LEFT JOIN of_cause ended ON ended.ids = cause.ids AND ended.question = 'ended_by' AND ended.answer = ended_by_name(ended_by)
ORDER BY recurrent, core_ns DESC, cause.placed_by, cause.not_moved_because, cause.ended_by, cause.proof
