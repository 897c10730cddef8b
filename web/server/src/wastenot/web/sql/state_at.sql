-- What every thread was doing at an instant, as far as it is known.
-- parameters:
--   $at       [ns]  the instant
-- columns:
--   utid
--   phase           a code of `thread_phase`
--   cpu       [cpu] that it ran or was queued on; NULL when it did neither
--   since_ns  [ns]  start of the phase
SELECT utid, phase, cpu, start_ns AS since_ns
FROM thread_state /* of the window */
WHERE start_ns <= $at::BIGINT AND start_ns + dur_ns > $at::BIGINT
ORDER BY utid
