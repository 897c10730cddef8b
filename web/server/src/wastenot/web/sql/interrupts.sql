-- Interrupt work on some CPUs in a window. Spans that reach beyond the window are given whole.
-- parameters:
--   $start, $end  [ns]  window
--   $cpus         list of CPUs; empty: all
--   $limit        rows at most
-- columns:
--   cpu
--   start_ns      [ns]  counted from $start; negative for a span that began before
--   dur_ns        [ns]
--   kind                a code of `irq_kind`
--   vector              irq number or softirq vector of the longest part; NULL not recorded
SELECT cpu, ts_ns - $start::BIGINT AS start_ns, dur_ns, kind, vector
FROM irq_span
WHERE ts_ns < $end::BIGINT AND ts_ns + dur_ns > $start::BIGINT AND (len($cpus) = 0 OR list_contains($cpus, cpu))
ORDER BY ts_ns, id
LIMIT $limit
