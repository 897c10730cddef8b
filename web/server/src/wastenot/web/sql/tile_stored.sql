-- One tile of the timeline as the checker stored it: 64 bins of up to 64 CPUs.
-- parameters:
--   $level          of the tables
--   $tile           which 64 bins
--   $cpus           list of CPUs, in the order of their lanes
-- columns: as in tile_read.sql
WITH lanes AS (SELECT unnest($cpus::SMALLINT[]) AS cpu, generate_subscripts($cpus::SMALLINT[], 1) - 1 AS lane),
width AS (SELECT (1024::BIGINT << $level::INTEGER)::DOUBLE AS ns),
runs AS (
  SELECT l.lane, unnest(range(r.bin, r.bin + r.bins)) AS bin, r.*
  EXCLUDE (level, tile, bin, bins, cpu)
  FROM tile_run r JOIN lanes l USING (cpu) WHERE r.level = $level AND r.tile = $tile
),
loads AS (
  SELECT lane, bin, sum(value) FILTER (measure = 0) AS waiting, sum(value) FILTER (measure = 1) AS wasted,
         sum(value) FILTER (measure = 2) AS migrations
  FROM (
    SELECT l.lane, unnest(range(t.bin, t.bin + t.bins)) AS bin, t.measure, t.value
    FROM tile_load t JOIN lanes l USING (cpu) WHERE t.level = $level AND t.tile = $tile
  )
  GROUP BY lane, bin
)
SELECT coalesce(r.lane, d.lane)::UTINYINT AS lane, coalesce(r.bin, d.bin)::UTINYINT AS bin,
       coalesce(r.busy_ns / w.ns, 0)::FLOAT AS busy, coalesce(r.idle_ns / w.ns, 0)::FLOAT AS idle,
       coalesce(r.unobserved_ns / w.ns, 0)::FLOAT AS unobserved, coalesce(d.waiting / w.ns, 0)::FLOAT AS waiting,
       coalesce(d.wasted / w.ns, 0)::FLOAT AS wasted, least(coalesce(d.migrations, 0), 65535)::USMALLINT AS migrations,
       r.utid1, r.utid2, r.utid3, r.utid4, coalesce(r.ns1 / w.ns, 0)::FLOAT AS share1,
       coalesce(r.ns2 / w.ns, 0)::FLOAT AS share2, coalesce(r.ns3 / w.ns, 0)::FLOAT AS share3,
       coalesce(r.ns4 / w.ns, 0)::FLOAT AS share4,
       coalesce((r.busy_ns - r.ns1 - r.ns2 - r.ns3 - r.ns4) / w.ns, 0)::FLOAT AS rest
FROM width w, runs r FULL JOIN loads d ON d.lane = r.lane AND d.bin = r.bin
ORDER BY 1, 2
