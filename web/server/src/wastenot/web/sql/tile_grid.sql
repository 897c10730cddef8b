-- Where the tiles start and how dense the trace is.
-- parameters: none
-- columns: one row
--   start_ns      [ns]  start of the first bin
--   end_ns        [ns]  end of the trace
--   mean_ns       [ns]  mean time between two switches, CPUs that were never seen included
SELECT coalesce((SELECT min(start_ns) FROM tile_base), s.start_ns) AS start_ns, s.end_ns,
       ((s.end_ns - s.start_ns) * (SELECT count(*) FROM cpu) / greatest((SELECT count(*) FROM sched_switch), 1))::BIGINT AS mean_ns
FROM verdict s
