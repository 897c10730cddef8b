-- What loaded the CPUs in one tile, as the checker stored it.
-- parameters:
--   $level, $tile   of the table
-- columns: as in table `tile_load`, of rows that fill several tiles the part in this one
SELECT cpu, greatest((tile - $tile) * 64 + bin, 0) AS bin,
       least((tile - $tile) * 64 + bin + bins, 64) - greatest((tile - $tile) * 64 + bin, 0) AS bins, measure, value FROM tile_load /* of the tile */ WHERE level = $level AND tile <= $tile AND tile * 64 + bin + bins > $tile * 64
