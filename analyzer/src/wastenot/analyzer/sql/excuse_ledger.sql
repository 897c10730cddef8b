-- The excuse ledger: what each excuse, applied after the ones before it, took off the waste.
-- All excuses of the enumeration appear, in their order; core_ns sums exactly to idle_while_waiting_ns - wasted_ns.
-- parameters: none
-- columns:
--   excuse                  name of the excuse
--   core_ns     [core-ns]   integral of the drop of the matching that it caused
--   recorded                the trace can show this excuse
SELECT excuse_name(e.code) AS excuse, coalesce(l.core_ns, 0)::BIGINT AS core_ns, coalesce(l.recorded, false) AS recorded
FROM range(len(excuse_values())) e(code)
LEFT JOIN excuse_ledger l ON l.excuse = e.code
ORDER BY e.code
