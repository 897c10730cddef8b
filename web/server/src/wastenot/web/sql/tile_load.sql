-- What loaded the CPUs in one tile, as the checker stored it.
-- parameters:
--   $level, $tile   of the table
-- columns: as in table `tile_load`
SELECT cpu, bin, bins, measure, value FROM tile_load /* of the tile */ WHERE level = $level AND tile = $tile
