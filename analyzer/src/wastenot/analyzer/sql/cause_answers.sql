-- Waste by the answers to the three questions about its cause. An episode's waste is shared among its answers by the waste of
-- the pairs that they are about; what no rule was asked about is unknown.
-- parameters: none
-- columns:
--   question              placed_by, not_moved_because or ended_by
--   answer                one of its answers
--   recurrent             true for recurrent episodes: their time is counted in the grades of their intervals as well
--   core_ns    [core-ns]  of each question, without the recurrent ones, the waste of the grades from expected on
WITH answered AS (
  SELECT episode_id, question, answer, sum(weight_ns) AS ns FROM attribution WHERE chosen GROUP BY episode_id, question, answer),
shared AS (
  SELECT episode_id, question, answer, ns / nullif(sum(ns) OVER (PARTITION BY episode_id, question), 0) AS share FROM answered)
SELECT question_name(q.question) AS question, coalesce(s.answer, 'unknown') AS answer, grade_name(e.grade) = 'recurrent' AS recurrent,
       round(sum(e.core_ns * coalesce(s.share, 1)))::BIGINT AS core_ns
FROM episode e
CROSS JOIN (SELECT i::UTINYINT AS question FROM range(3) r(i)) q
LEFT JOIN shared s ON s.episode_id = e.episode_id AND s.question = q.question
GROUP BY q.question, 2, 3
ORDER BY recurrent, q.question, core_ns DESC, answer
