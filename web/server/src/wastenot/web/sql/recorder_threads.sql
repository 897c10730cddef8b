-- Threads of the process that recorded the trace: that of the threads which wastenot's recorder starts and names.
-- parameters: none
-- columns:
--   utid, upid   one row per thread; none in a trace of another tool
WITH recorder AS (SELECT DISTINCT tgid FROM thread WHERE name IN ('wastenot-record', 'wastenot-counts'))
SELECT utid, upid FROM thread JOIN recorder USING (tgid) WHERE utid <> 0 ORDER BY utid
