-- Busy and idle CPUs over time from the levels of detail.
-- parameters:
--   $level                of the tables
--   $first, $bins         first bin of that level, and how many
--   $per                  bins of that level in one of the answer
-- columns:
--   bin           from 0; bins of which nothing is known are left out
--   busy_ns, idle_ns  [cpu-ns]
SELECT (bin - $first::BIGINT) // $per::BIGINT AS bin, sum(busy_ns)::BIGINT AS busy_ns, sum(idle_ns)::BIGINT AS idle_ns
FROM (
  SELECT unnest(range(greatest(tile * 64 + bin, $first::BIGINT),
                      least(tile * 64 + bin + bins, $first::BIGINT + $bins::BIGINT))) AS bin, busy_ns, idle_ns
  FROM tile_run
  WHERE level = $level AND tile <= ($first::BIGINT + $bins::BIGINT) // 64 AND tile * 64 + bin + bins > $first::BIGINT AND busy_ns + idle_ns > 0
)
GROUP BY 1
