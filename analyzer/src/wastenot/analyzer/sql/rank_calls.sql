-- What the ranks of a parallel program entered and left: calls that wait, and bodies of parallel regions.
-- parameters:
--   $utids    list of threads
--   $names    list of names
-- columns:
--   utid
--   ts_ns     [ns]
--   kind      code, as in table `region_event`
--   enter     1 it enters, 0 it leaves
--   name      place of the function's name in the list, from 0
SELECT r.utid, e.ts_ns, e.kind, e.enter::TINYINT AS enter, list_position($names, e.name) - 1 AS name
FROM region_event e
JOIN thread r ON r.tid = e.tid AND e.ts_ns >= coalesce(r.start_ns, e.ts_ns) AND e.ts_ns <= coalesce(r.end_ns, e.ts_ns)
WHERE r.utid IN (SELECT unnest($utids)) ORDER BY r.utid, e.id
