-- Threads of unknown affinity that look pinned: they ran on some CPUs only, often and long enough to have been moved, and
-- waited there while other CPUs stood idle. By name and set of CPUs, most needless wait first.
-- No event proves it: threads that no scheduling domain carries away look the same.
-- parameters:
--   $min_switches     starts to run below which a thread tells nothing
--   $min_needless_ns  [ns]  needless wait below which it tells nothing
--   $limit            rows at most
-- columns:
--   name              [text]  of the threads
--   threads                   how many
--   cpus              [cpus]  the CPUs that they ran on, all of them together
--   run_ns, needless_wait_ns  [ns]  summed over the threads
--   switches                  times they started to run
WITH suspects AS (
  SELECT utid, name, run_ns, needless_wait_ns, switches
  FROM thread
  WHERE utid <> 0 AND NOT mask_known AND NOT per_cpu_thread
    AND switches >= $min_switches AND needless_wait_ns >= $min_needless_ns
),
ran AS (
  SELECT utid, list(DISTINCT cpu ORDER BY cpu) AS cpus
  FROM cpu_slice WHERE utid IN (SELECT utid FROM suspects) GROUP BY utid
),
named AS (
  -- Threads of one name that ran on one set of CPUs together; each of them may have seen only some of it.
  SELECT s.name, count(*) AS threads, list_sort(list_distinct(flatten(list(r.cpus)))) AS cpus,
    sum(s.run_ns)::BIGINT AS run_ns, sum(s.needless_wait_ns)::BIGINT AS needless_wait_ns, sum(s.switches)::BIGINT AS switches
  FROM suspects s JOIN ran r USING (utid) GROUP BY s.name
)
SELECT * FROM named
WHERE len(cpus) < (SELECT count(*) FROM cpu WHERE online)
ORDER BY needless_wait_ns DESC, name
LIMIT $limit
