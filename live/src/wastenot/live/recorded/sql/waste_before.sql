-- Waste at an instant, and in the second and the minute before it.
-- parameters:
--   $at           [ns]  the instant
--   $second       [ns]  start of the second
--   $minute       [ns]  start of the minute
-- columns:
--   now        [cores]    wasted at the instant
--   second_ns  [core-ns]  wasted since the start of the second
--   minute_ns  [core-ns]  wasted since the start of the minute
SELECT
  coalesce(sum(wasted) FILTER (WHERE start_ns + dur_ns > $at::BIGINT), 0)::INTEGER AS now,
  coalesce(sum(wasted * (least(start_ns + dur_ns, $at::BIGINT) - greatest(start_ns, $second::BIGINT)))
           FILTER (WHERE start_ns + dur_ns > $second::BIGINT), 0)::BIGINT AS second_ns,
  coalesce(sum(wasted * (least(start_ns + dur_ns, $at::BIGINT) - greatest(start_ns, $minute::BIGINT))), 0)::BIGINT AS minute_ns
FROM wasted
WHERE start_ns <= $at::BIGINT AND start_ns + dur_ns > $minute::BIGINT
