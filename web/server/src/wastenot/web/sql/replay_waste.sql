-- Intervals of constant waste in a window: how many cores at each instant, exactly.
-- parameters:
--   $start, $end  [ns]  window
--   $limit        rows at most
-- columns:
--   start_ns, dur_ns  [ns]     intervals that overlap the window, whole; nothing is wasted between them
--   wasted, certain   [cores]
SELECT start_ns, dur_ns, wasted, certain FROM wasted /* of the window */
WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT AND wasted > 0
ORDER BY start_ns
LIMIT $limit
