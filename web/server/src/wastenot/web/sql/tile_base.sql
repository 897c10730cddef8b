-- The width of the narrowest bins for traces without the table `tile`: the mean slice, to the next power of two.
-- parameters: none
-- columns: one row
--   base_ns       [ns]
--   start_ns, end_ns  [ns]  window of the trace
SELECT greatest(1024, 1 << ceil(log2(greatest(coalesce((SELECT avg(dur_ns) FROM cpu_slice), 1), 1)))::INTEGER)::BIGINT AS base_ns,
       start_ns, end_ns
FROM summary
