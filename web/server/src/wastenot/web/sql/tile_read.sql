-- One tile of the timeline from the slices, for bins so short that few slices lie in each: 64 bins of up to 64 CPUs.
-- parameters:
--   $start    [ns]  begin of the first bin
--   $width    [ns]  of a bin
--   $cpus           list of CPUs, in the order of their lanes
-- columns: a row per lane and bin that has anything
--   lane, bin
--   busy, idle, unobserved  [1]  shares of the bin: a thread ran, swapper ran, not observed (or offline)
--   waiting       [threads]  mean length of the queue, the running thread not counted
--   wasted        [1]        share in which the CPU was idle and matched to a waiting thread
--   migrations               threads that arrived
--   utid1..4, share1..4      threads that ran most, and their shares of the bin
--   rest          [1]        share of all the others
WITH lanes AS (SELECT unnest($cpus) AS cpu, generate_subscripts($cpus, 1) - 1 AS lane),
slices AS (
  SELECT l.lane, s.utid, greatest(s.start_ns, $start::BIGINT) - $start::BIGINT AS a, least(s.start_ns + s.dur_ns, $start::BIGINT + 64 * $width::BIGINT) - $start::BIGINT AS b
  FROM cpu_slice s JOIN lanes l USING (cpu)
  WHERE s.start_ns < $start::BIGINT + 64 * $width::BIGINT AND s.start_ns + s.dur_ns > $start::BIGINT
),
cut AS (SELECT *, unnest(range(a // $width::BIGINT, (b - 1) // $width::BIGINT + 1)) AS bin FROM slices),
shares AS (
  SELECT lane, bin, utid, sum(least(b, (bin + 1) * $width::BIGINT) - greatest(a, bin * $width::BIGINT)) AS ns FROM cut GROUP BY ALL
),
ranked AS (
  SELECT *, row_number() OVER (PARTITION BY lane, bin, coalesce(utid, 0) > 0 ORDER BY ns DESC, utid) AS place FROM shares
),
runs AS (
  SELECT lane, bin,
         sum(ns) FILTER (utid > 0) AS busy, sum(ns) FILTER (utid = 0) AS idle, sum(ns) FILTER (utid IS NULL) AS unobserved,
         max(utid) FILTER (utid > 0 AND place = 1) AS utid1, max(ns) FILTER (utid > 0 AND place = 1) AS ns1,
         max(utid) FILTER (utid > 0 AND place = 2) AS utid2, max(ns) FILTER (utid > 0 AND place = 2) AS ns2,
         max(utid) FILTER (utid > 0 AND place = 3) AS utid3, max(ns) FILTER (utid > 0 AND place = 3) AS ns3,
         max(utid) FILTER (utid > 0 AND place = 4) AS utid4, max(ns) FILTER (utid > 0 AND place = 4) AS ns4,
         sum(ns) FILTER (utid > 0 AND place > 4) AS rest
  FROM ranked GROUP BY lane, bin
),
queues AS (
  SELECT l.lane, q.queued, greatest(q.start_ns, $start::BIGINT) - $start::BIGINT AS a, least(q.start_ns + q.dur_ns, $start::BIGINT + 64 * $width::BIGINT) - $start::BIGINT AS b
  FROM runqueue q JOIN lanes l USING (cpu)
  WHERE q.queued > 0 AND q.start_ns < $start::BIGINT + 64 * $width::BIGINT AND q.start_ns + q.dur_ns > $start::BIGINT
),
queue_bins AS (SELECT *, unnest(range(a // $width::BIGINT, (b - 1) // $width::BIGINT + 1)) AS bin FROM queues),
waits AS (
  SELECT lane, bin, sum(queued * (least(b, (bin + 1) * $width::BIGINT) - greatest(a, bin * $width::BIGINT))) AS waiting FROM queue_bins GROUP BY ALL
),
matches AS (
  SELECT l.lane, greatest(m.start_ns, $start::BIGINT) - $start::BIGINT AS a,
         least(m.start_ns + m.dur_ns, $start::BIGINT + 64 * $width::BIGINT) - $start::BIGINT AS b
  FROM wasted_cpu m JOIN lanes l USING (cpu)
  WHERE m.start_ns < $start::BIGINT + 64 * $width::BIGINT AND m.start_ns + m.dur_ns > $start::BIGINT
),
match_bins AS (SELECT *, unnest(range(a // $width::BIGINT, (b - 1) // $width::BIGINT + 1)) AS bin FROM matches),
waste AS (
  SELECT lane, bin, sum(least(b, (bin + 1) * $width::BIGINT) - greatest(a, bin * $width::BIGINT)) AS wasted
  FROM match_bins GROUP BY ALL
),
arrivals AS (
  SELECT l.lane, (m.ts_ns - $start::BIGINT) // $width::BIGINT AS bin, count(*) AS migrations
  FROM migration m JOIN lanes l ON l.cpu = m.dest_cpu
  WHERE m.ts_ns >= $start::BIGINT AND m.ts_ns < $start::BIGINT + 64 * $width::BIGINT GROUP BY ALL
),
keys AS (SELECT lane, bin FROM runs UNION SELECT lane, bin FROM waits UNION SELECT lane, bin FROM arrivals
  UNION SELECT lane, bin FROM waste)
SELECT lane::UTINYINT AS lane, bin::UTINYINT AS bin, coalesce(r.busy / $width::BIGINT, 0)::FLOAT AS busy, coalesce(r.idle / $width::BIGINT, 0)::FLOAT AS idle,
       coalesce(r.unobserved / $width::BIGINT, 0)::FLOAT AS unobserved, coalesce(w.waiting / $width::BIGINT, 0)::FLOAT AS waiting,
       coalesce(x.wasted / $width::BIGINT, 0)::FLOAT AS wasted, least(coalesce(m.migrations, 0), 65535)::USMALLINT AS migrations,
       r.utid1, r.utid2, r.utid3, r.utid4, coalesce(r.ns1 / $width::BIGINT, 0)::FLOAT AS share1, coalesce(r.ns2 / $width::BIGINT, 0)::FLOAT AS share2,
       coalesce(r.ns3 / $width::BIGINT, 0)::FLOAT AS share3, coalesce(r.ns4 / $width::BIGINT, 0)::FLOAT AS share4, coalesce(r.rest / $width::BIGINT, 0)::FLOAT AS rest
FROM keys k LEFT JOIN runs r USING (lane, bin) LEFT JOIN waits w USING (lane, bin) LEFT JOIN arrivals m USING (lane, bin) LEFT JOIN waste x USING (lane, bin)
ORDER BY lane, bin
