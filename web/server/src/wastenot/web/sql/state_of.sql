-- What one thread was doing at an instant; no row where that is not known.
-- parameters:
--   $utid         the thread
--   $at       [ns]  the instant
-- columns:
--   phase           a code of `thread_phase`
--   cpu       [cpu] that it ran or was queued on; NULL when it did neither
--   start_ns, dur_ns  [ns]
SELECT phase, cpu, start_ns, dur_ns
FROM thread_state /* of the window */
WHERE start_ns <= $at::BIGINT AND start_ns + dur_ns > $at::BIGINT AND utid = $utid
