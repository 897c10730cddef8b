-- What the threads of some lanes did in the bins of a tile. Several threads may share a lane: those of a process, say.
-- parameters:
--   $start, $end  [ns]  the tile's window
--   $width        [ns]  length of a bin
--   $lanes        lane of each thread
--   $utids        the threads, one for each lane of `$lanes`
-- columns:
--   lane, bin             numbers from 0; a bin in which no state is known has no row
--   running, waiting, sleeping, blocked, stopped, throttled   [threads]  on average over the bin; waiting: after a wakeup or a preemption
--   cpu           [cpu]   on which they ran longest; NULL: they did not run
--   cpu_share     [1]     of the bin for which they ran there
WITH members AS (SELECT unnest($lanes::INTEGER[]) AS lane, unnest($utids::INTEGER[]) AS utid),
states AS (
  SELECT lane, phase, cpu, greatest(start_ns - $start::BIGINT, 0) AS a, least(start_ns + dur_ns, $end::BIGINT) - $start::BIGINT AS b
  FROM (
    SELECT utid, start_ns, dur_ns, phase, cpu FROM thread_state /* of the window */
    WHERE start_ns < $end::BIGINT AND start_ns + dur_ns > $start::BIGINT AND utid IN (SELECT utid FROM members)
  ) JOIN members USING (utid)
),
cut AS (
  SELECT lane, phase, cpu, a // $width AS bin, b - a AS ns FROM states WHERE a // $width = (b - 1) // $width
  UNION ALL
  SELECT lane, phase, cpu, bin, least(b, (bin + 1) * $width) - greatest(a, bin * $width)
  FROM (
    SELECT *, unnest(range(a // $width, (b - 1) // $width + 1)) AS bin FROM states WHERE a // $width <> (b - 1) // $width
  )
),
sums AS (
  SELECT lane, bin, phase, CASE WHEN phase = 0 THEN cpu END AS cpu, sum(ns)::DOUBLE / $width AS share FROM cut GROUP BY ALL
)
SELECT lane, bin::INTEGER AS bin,
       coalesce(sum(share) FILTER (phase = 0), 0)::FLOAT AS running, coalesce(sum(share) FILTER (phase IN (1, 2)), 0)::FLOAT AS waiting,
       coalesce(sum(share) FILTER (phase = 3), 0)::FLOAT AS sleeping, coalesce(sum(share) FILTER (phase = 4), 0)::FLOAT AS blocked,
       coalesce(sum(share) FILTER (phase = 5), 0)::FLOAT AS stopped, coalesce(sum(share) FILTER (phase = 7), 0)::FLOAT AS throttled,
       (arg_max(cpu, (share, -cpu)) FILTER (phase = 0))::SMALLINT AS cpu, (max(share) FILTER (phase = 0))::FLOAT AS cpu_share
FROM sums
GROUP BY lane, bin
ORDER BY lane, bin
