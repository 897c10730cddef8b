-- Until when threads that were queued in a window stayed on the queue they were on.
-- parameters:
--   $start, $end  [ns]  window
--   $utids        the threads
-- columns: one row
--   until_ns      [ns]  the latest end of such a wait; NULL: none was queued
SELECT max(start_ns + dur_ns) AS until_ns
FROM thread_state /* of the window */
WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT AND phase IN (1, 2, 7) AND utid IN (SELECT unnest($utids::INTEGER[]))
