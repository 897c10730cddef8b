-- Busy CPUs over time from the levels of detail.
-- parameters:
--   $level                of the tables
--   $first, $bins         first bin of that level, and how many
--   $per                  bins of that level in one of the answer
-- columns:
--   bin           from 0; bins in which nothing ran are left out
--   busy_ns       [cpu-ns]
SELECT (bin - $first::BIGINT) // $per::BIGINT AS bin, sum(busy_ns)::BIGINT AS busy_ns
FROM (
  SELECT tile::BIGINT * 64 + unnest(range(bin, bin + bins)) AS bin, busy_ns
  FROM tile_run
  WHERE level = $level AND tile BETWEEN $first::BIGINT // 64 AND ($first::BIGINT + $bins::BIGINT) // 64 AND busy_ns > 0
)
WHERE bin >= $first::BIGINT AND bin < $first::BIGINT + $bins::BIGINT
GROUP BY 1
