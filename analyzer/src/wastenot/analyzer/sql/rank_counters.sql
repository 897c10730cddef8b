-- What hardware counters added in runs of the ranks of a parallel program.
-- parameters:
--   $utids    list of threads
-- columns:
--   utid
--   ts_ns       [ns]  when the counter was read: beside the switch that ended the run
--   is_cycles   1 cycles of the CPU, 0 instructions executed
--   value       what it added in the run
SELECT r.utid, e.ts_ns, (e.counter = 'cycles')::TINYINT AS is_cycles, e.value
FROM perf_counter e
JOIN thread r ON r.tid = e.tid AND e.ts_ns >= coalesce(r.start_ns, e.ts_ns) AND e.ts_ns <= coalesce(r.end_ns, e.ts_ns)
WHERE r.utid IN (SELECT unnest($utids)) AND e.counter IN ('instructions', 'cycles')
ORDER BY r.utid, e.ts_ns, is_cycles
