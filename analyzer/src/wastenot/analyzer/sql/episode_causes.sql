-- Why an episode's waste came about: the answers to the three questions, over all its pairs, heaviest first.
-- parameters:
--   $episode  its number
-- columns:
--   question              placement (how threads came to wait), correction (why nobody moved them), resolution (what ended it)
--   answer                one of those of the semantics
--   proof                 proved, consistent or unknown
--   rule                  the rule that says so (docs/causes); NULL when none does
--   kernels               kernel releases for which it holds
--   chosen                the answer for that time; false: an alternative that also fits
--   weight_ns   [core-ns] waste for which it is the answer
--   evidence    [event id] events it rests on, at most eight
SELECT
  question_name(question) AS question, answer, proof_name(proof) AS proof, rule, kernels, chosen,
  sum(weight_ns)::BIGINT AS weight_ns,
  list_slice(list_sort(list_distinct(flatten(list(evidence)))), 1, 8) AS evidence
FROM attribution
WHERE episode_id = $episode
GROUP BY attribution.question, answer, attribution.proof, rule, kernels, chosen
ORDER BY attribution.question, chosen DESC, weight_ns DESC, attribution.proof DESC, answer
