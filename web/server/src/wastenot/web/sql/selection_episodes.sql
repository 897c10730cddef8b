-- Episodes that overlap a window, worst grade first.
-- parameters:
--   $start, $end  [ns]  window
-- columns:
--   episode_id
SELECT episode_id FROM episode WHERE start_ns < $end::BIGINT AND end_ns > $start::BIGINT ORDER BY total_core_ns DESC, episode_id LIMIT 100
