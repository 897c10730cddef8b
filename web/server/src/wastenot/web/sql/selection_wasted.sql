-- Waste of the whole machine in a window.
-- parameters:
--   $start, $end  [ns]  window
-- columns: one row
--   wasted_ns, certain_ns  [core-ns]
SELECT coalesce(sum(wasted * ns), 0)::BIGINT AS wasted_ns, coalesce(sum(certain * ns), 0)::BIGINT AS certain_ns
FROM (
  SELECT wasted, certain, least(start_ns + dur_ns, $end::BIGINT) - greatest(start_ns, $start::BIGINT) AS ns
  FROM wasted /* of the window */ WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT
)
