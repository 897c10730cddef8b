-- Load-balance attempts in a window.
-- parameters:
--   $start, $end  [ns]  window
--   $limit        rows at most
-- columns:
--   ts_ns, dur_ns [ns]
--   cpu, dst_cpu  [cpu] that ran the attempt, and for which
--   level               level of the domain, 0 the smallest; NULL newidle as a whole
--   idle_type           why it ran
--   pulled        [threads]  moved; NULL unknown
--   function            kernel function observed
SELECT ts_ns, dur_ns, cpu, dst_cpu, domain_level AS level, idle_type_name(idle_type) AS idle_type, pulled, function
FROM balance_attempt
WHERE ts_ns >= $start::BIGINT AND ts_ns < $end::BIGINT
ORDER BY id
LIMIT $limit
