-- What the snapshot of the machine has of its identity; NULL: not recorded.
-- parameters: none
-- columns: one row
--   arch   as in table `machine`
--   host   name of the machine
SELECT max(arch) AS arch, max(json_extract_string(snapshot, '$.host')) AS host FROM machine
