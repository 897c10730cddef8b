-- Antagonists: who ran on the CPU while a thread waited on its queue.
-- A range join of the threads' waits with the slices of the CPU they waited on. Both are cut into cells: a CPU and a stretch of
-- time of one to two mean slices (1 << shift ns). Within these they are joined by equality, without sorting either.
-- parameters:
--   $utids      list of threads
--   $start_ns   [ns]  start of a window: what lies outside of it does not count
--   $end_ns     [ns]  its end
-- columns:
--   utid                    the thread that waited
--   antagonist_utid, antagonist_tid, antagonist   who ran; utid 0 is the idle thread (the CPU was about to switch)
--   waited_ns     [ns]      how long the one waited while the other ran
--   share         [1]       of all the waiting of this thread in it
WITH waits AS (
  SELECT utid, cpu, greatest(start_ns, $start_ns) AS a, least(start_ns + dur_ns, $end_ns) AS b
  FROM thread_state
  WHERE utid IN (SELECT unnest($utids)) AND cpu IS NOT NULL AND phase IN (1, 2) -- runnable, preempted
    AND start_ns < $end_ns AND start_ns + dur_ns > $start_ns
),
slices AS (
  SELECT utid, cpu, greatest(start_ns, $start_ns) AS a, least(start_ns + dur_ns, $end_ns) AS b
  FROM cpu_slice WHERE utid IS NOT NULL AND start_ns < $end_ns AND start_ns + dur_ns > $start_ns
),
grid AS (SELECT greatest(coalesce(log2(avg(dur_ns)), 0), 0)::INTEGER + 1 AS shift FROM cpu_slice),
waits_in_cells AS (
  SELECT utid, cpu, a, b, a >> shift AS cell FROM waits, grid WHERE a >> shift = (b - 1) >> shift
  UNION ALL
  SELECT utid, cpu, greatest(a, cell << shift), least(b, (cell + 1) << shift), cell
  FROM (SELECT *, unnest(range(a >> shift, ((b - 1) >> shift) + 1)) AS cell FROM waits, grid WHERE a >> shift <> (b - 1) >> shift)
),
slices_in_cells AS (
  SELECT utid, cpu, a, b, a >> shift AS cell FROM slices, grid WHERE a >> shift = (b - 1) >> shift
  UNION ALL
  SELECT utid, cpu, greatest(a, cell << shift), least(b, (cell + 1) << shift), cell
  FROM (SELECT *, unnest(range(a >> shift, ((b - 1) >> shift) + 1)) AS cell FROM slices, grid WHERE a >> shift <> (b - 1) >> shift)
),
overlap AS (
  SELECT w.utid, s.utid AS antagonist_utid, sum(least(w.b, s.b) - greatest(w.a, s.a))::BIGINT AS waited_ns
  FROM waits_in_cells w JOIN slices_in_cells s ON w.cpu = s.cpu AND w.cell = s.cell AND w.a < s.b AND w.b > s.a
  GROUP BY ALL
)
SELECT o.utid, o.antagonist_utid, t.tid AS antagonist_tid,
       CASE WHEN o.antagonist_utid = 0 THEN 'idle (swapper)' ELSE t.name END AS antagonist, o.waited_ns,
       o.waited_ns / sum(o.waited_ns) OVER (PARTITION BY o.utid) AS share
FROM overlap o LEFT JOIN thread t ON t.utid = o.antagonist_utid
ORDER BY o.utid, o.waited_ns DESC, o.antagonist_utid
