-- Which threads ran in one tile, as the checker stored it.
-- parameters:
--   $level, $tile   of the table
-- columns: as in table `tile_run`, of rows that fill several tiles the part in this one; utid 0: none
SELECT cpu, greatest((tile - $tile) * 64 + bin, 0) AS bin,
       least((tile - $tile) * 64 + bin + bins, 64) - greatest((tile - $tile) * 64 + bin, 0) AS bins, busy_ns, idle_ns, unobserved_ns, coalesce(utid1, 0) AS utid1, ns1,
       coalesce(utid2, 0) AS utid2, ns2, coalesce(utid3, 0) AS utid3, ns3, coalesce(utid4, 0) AS utid4, ns4
FROM tile_run /* of the tile */ WHERE level = $level AND tile <= $tile AND tile * 64 + bin + bins > $tile * 64
