-- What the threads of some lanes did in a window, state by state. States that reach beyond the window are given whole.
-- parameters:
--   $start, $end  [ns]  window
--   $lanes        lane of each thread
--   $utids        the threads, one for each lane of `$lanes`
--   $limit        rows at most
-- columns:
--   lane                number from 0
--   utid
--   start_ns      [ns]  counted from $start; negative for a state that began before
--   dur_ns        [ns]
--   phase               a code of `thread_phase`
--   cpu           [cpu] on which it ran or was queued; NULL for neither
WITH members AS (SELECT unnest($lanes::INTEGER[]) AS lane, unnest($utids::INTEGER[]) AS utid)
SELECT lane, utid, start_ns - $start::BIGINT AS start_ns, dur_ns, phase, cpu
FROM (
  SELECT utid, start_ns, dur_ns, phase, cpu FROM thread_state /* of the window */
  WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT AND utid IN (SELECT utid FROM members)
) JOIN members USING (utid)
ORDER BY start_ns, lane, utid
LIMIT $limit
