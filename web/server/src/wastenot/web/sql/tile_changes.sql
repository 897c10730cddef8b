-- From when on which level of detail is the lowest one that is stored.
-- parameters: none
-- columns:
--   start_ns      [ns]
--   level               bins are 1024 << level ns wide
SELECT start_ns, level FROM tile_base ORDER BY start_ns
