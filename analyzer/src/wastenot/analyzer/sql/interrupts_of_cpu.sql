-- Interrupt work on one CPU, in order; spans that touch or overlap are one.
-- parameters:
--   $cpu      the CPU
-- columns:
--   start_ns, end_ns  [ns]  one stretch of interrupt work of more than 20 us
WITH spans AS (
  SELECT ts_ns AS a, ts_ns + dur_ns AS b,
         max(ts_ns + dur_ns) OVER (ORDER BY ts_ns, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
  FROM irq_span WHERE cpu = $cpu AND dur_ns > 0
),
numbered AS (SELECT a, b, count(*) FILTER (reached IS NULL OR a > reached) OVER (ORDER BY a, b) AS stretch FROM spans)
SELECT min(a) AS start_ns, max(b) AS end_ns FROM numbered GROUP BY stretch ORDER BY 1
