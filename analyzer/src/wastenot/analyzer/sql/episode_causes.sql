-- Why an episode wasted cores: the answers to the three questions, over all its pairs, heaviest first.
-- parameters:
--   $episode  its number
-- columns:
--   question              placed_by (how threads came to wait), not_moved_because (why nothing moved them), ended_by (what ended it)
--   answer                a value of the enumeration that `question` names
--   proof                 proved, consistent or unknown
--   rule                  the rule that says so (docs/causes); NULL when none does
--   kernels               kernel releases for which it holds
--   chosen                the answer for that time; false: an alternative that also fits
--   weight_ns   [core-ns] waste for which it is the answer
--   event_ids   [event id] events it rests on, at most eight
SELECT
  question_name(question) AS question, answer, proof_name(proof) AS proof, rule, kernels, chosen,
  sum(weight_ns)::BIGINT AS weight_ns,
  list_slice(list_sort(list_distinct(flatten(list(event_ids)))), 1, 8) AS event_ids
FROM attribution
WHERE episode_id = $episode
GROUP BY attribution.question, answer, attribution.proof, rule, kernels, chosen
ORDER BY attribution.question, chosen DESC, weight_ns DESC, attribution.proof DESC, answer
