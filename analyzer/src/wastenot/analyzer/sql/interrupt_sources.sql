-- Interrupt work on some CPUs that began in a time while some threads ran there, by kind and vector.
-- parameters:
--   $cpus      list of CPUs
--   $utids     list of threads
--   $start_ns  [ns]  from
--   $end_ns    [ns]  until
--   $limit     rows at most
-- columns:
--   cpu
--   kind      hardirq, softirq or mixed
--   vector    irq number, or softirq vector; NULL not recorded
--   spans     how often
--   busy_ns   [ns]  how long
WITH spans AS (
  SELECT cpu, kind, vector, ts_ns, dur_ns FROM irq_span
  WHERE cpu IN (SELECT unnest($cpus)) AND ts_ns >= $start_ns AND ts_ns < $end_ns
), slices AS (
  SELECT cpu, start_ns, start_ns + dur_ns AS end_ns FROM cpu_slice
  WHERE utid IN (SELECT unnest($utids)) AND cpu IN (SELECT unnest($cpus))
    AND start_ns + dur_ns > $start_ns AND start_ns < $end_ns
)
SELECT i.cpu, irq_kind_name(i.kind) AS kind, i.vector, count(*) AS spans, sum(i.dur_ns)::BIGINT AS busy_ns
FROM spans i ASOF JOIN slices s ON s.cpu = i.cpu AND s.start_ns <= i.ts_ns
WHERE s.end_ns > i.ts_ns
GROUP BY ALL
ORDER BY busy_ns DESC, i.cpu, i.vector
LIMIT $limit
