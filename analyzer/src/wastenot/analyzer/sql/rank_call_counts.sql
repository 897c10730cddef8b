-- How often the ranks of a parallel program entered calls that wait, and bodies of parallel regions.
-- parameters:
--   $utids    list of threads
-- columns:
--   utid
--   name      function, or name of the region
--   kind      as in table `region_event`
--   calls     times it was entered
SELECT r.utid, e.name, region_kind_name(e.kind) AS kind, count(*) FILTER (e.enter) AS calls
FROM region_event e
JOIN thread r ON r.tid = e.tid AND e.ts_ns >= coalesce(r.start_ns, e.ts_ns) AND e.ts_ns <= coalesce(r.end_ns, e.ts_ns)
WHERE r.utid IN (SELECT unnest($utids)) GROUP BY ALL ORDER BY r.utid, calls DESC, e.name
