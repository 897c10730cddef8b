-- The threads that wait longest on each of the longest queues at an instant. Throttled threads are on none.
-- parameters:
--   $at       [ns]  the instant
--   $cpus           the CPUs whose queues are asked for
--   $threads        threads per queue at most
-- columns:
--   cpu             the CPU
--   name, tid       a thread that waits there
--   since_ns  [ns]  when its wait started
SELECT s.cpu, t.name, t.tid, s.start_ns AS since_ns
FROM thread_state s JOIN thread t USING (utid)
WHERE s.start_ns <= $at::BIGINT AND s.start_ns + s.dur_ns > $at::BIGINT
  AND thread_phase_name(s.phase) IN ('runnable', 'preempted') AND list_contains($cpus, s.cpu)
QUALIFY row_number() OVER (PARTITION BY s.cpu ORDER BY s.start_ns, s.utid) <= $threads
ORDER BY s.cpu, s.start_ns, s.utid
