-- Antagonists: who ran on the CPU while a thread waited on its queue.
-- A range join of the threads' waits with the slices of the CPU they waited on. Slices of a CPU follow each other without
-- gaps, so the first slice of a wait is found with an ASOF join, and the others by their numbers.
-- parameters:
--   $utids    list of threads
-- columns:
--   utid                    the thread that waited
--   antagonist_utid, antagonist_tid, antagonist   who ran; utid 0 is the idle thread (the CPU was about to switch)
--   waited_ns     [ns]      how long the one waited while the other ran
--   share         [1]       of all the waiting of this thread
WITH waits AS (
  SELECT utid, cpu, start_ns AS a, start_ns + dur_ns AS b
  FROM thread_state
  WHERE list_contains($utids, utid) AND cpu IS NOT NULL AND phase IN (1, 2) -- runnable, preempted
),
slices AS (
  SELECT cpu, utid AS runs, start_ns AS a, start_ns + dur_ns AS b, row_number() OVER (PARTITION BY cpu ORDER BY start_ns) AS n
  FROM cpu_slice
  WHERE cpu IN (SELECT cpu FROM waits)
),
begun AS (
  SELECT w.utid, w.cpu, w.a, w.b, s.runs, s.b AS slice_end, s.n
  FROM waits w ASOF JOIN slices s ON s.cpu = w.cpu AND s.a <= w.a
),
within AS (
  SELECT utid, runs, least(b, slice_end) - a AS overlap_ns FROM begun WHERE slice_end > a
),
longer AS (SELECT utid, cpu, b, n FROM begun WHERE b > slice_end),
ended AS (
  SELECT l.utid, l.cpu, l.b, l.n AS first_n, s.n AS last_n
  FROM longer l ASOF JOIN slices s ON s.cpu = l.cpu AND s.a < l.b
),
later AS (SELECT utid, cpu, b, unnest(range(first_n + 1, last_n + 1)) AS n FROM ended),
beyond AS (
  SELECT l.utid, s.runs, least(l.b, s.b) - s.a AS overlap_ns FROM later l JOIN slices s ON s.cpu = l.cpu AND s.n = l.n
),
overlap AS (
  SELECT utid, runs AS antagonist_utid, sum(overlap_ns)::BIGINT AS waited_ns
  FROM (FROM within UNION ALL FROM beyond)
  WHERE runs IS NOT NULL AND overlap_ns > 0
  GROUP BY ALL
)
SELECT o.utid, o.antagonist_utid, t.tid AS antagonist_tid,
       CASE WHEN o.antagonist_utid = 0 THEN 'swapper' ELSE t.name END AS antagonist, o.waited_ns,
       o.waited_ns / sum(o.waited_ns) OVER (PARTITION BY o.utid) AS share
FROM overlap o LEFT JOIN thread t ON t.utid = o.antagonist_utid
ORDER BY o.utid, o.waited_ns DESC, o.antagonist_utid
