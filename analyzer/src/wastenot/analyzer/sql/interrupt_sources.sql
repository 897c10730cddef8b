-- Interrupt work on some CPUs that began in a time, by kind and vector.
-- parameters:
--   $cpus      list of CPUs
--   $start_ns  [ns]  from
--   $end_ns    [ns]  until
--   $limit     rows at most
-- columns:
--   cpu
--   kind      hardirq, softirq or mixed
--   vector    irq number, or softirq vector; NULL not recorded
--   spans     how often
--   busy_ns   [ns]  how long
SELECT cpu, irq_kind_name(kind) AS kind, vector, count(*) AS spans, sum(dur_ns)::BIGINT AS busy_ns
FROM irq_span WHERE cpu IN (SELECT unnest($cpus)) AND ts_ns >= $start_ns AND ts_ns < $end_ns GROUP BY ALL
ORDER BY busy_ns DESC, cpu, vector
LIMIT $limit
