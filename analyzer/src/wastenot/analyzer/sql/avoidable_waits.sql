-- When ranks of a parallel program waited beside an idle CPU that they may use.
-- parameters:
--   $utids    list of threads
-- columns:
--   utid
--   waited_on               CPU on whose queue it waited
--   start_ns, end_ns  [ns]  one wait
SELECT utid, waited_on, start_ns, start_ns + dur_ns AS end_ns
FROM avoidable_wait WHERE utid IN (SELECT unnest($utids)) ORDER BY utid, start_ns
