-- Who ran in one tile, as the checker stored it.
-- parameters:
--   $level, $tile   of the table
-- columns: as in table `tile_run`
SELECT cpu, bin, bins, busy_ns, idle_ns, unobserved_ns, utid1, ns1, utid2, ns2, utid3, ns3, utid4, ns4
FROM tile_run WHERE level = $level AND tile = $tile
