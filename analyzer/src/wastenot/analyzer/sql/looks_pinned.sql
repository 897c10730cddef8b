-- Threads of unknown affinity that look pinned: they ran on some CPUs only, often and long enough to have been moved, and
-- waited there while other CPUs were idle. By name, most avoidable wait first.
-- No event proves it: threads that no scheduling domain carries away look the same.
-- parameters:
--   $min_switches     starts to run below which a thread is left out
--   $min_avoidable_ns  [ns]  avoidable wait below which it is left out
--   $min_share        avoidable wait per run time below which it is left out (two busy threads on one CPU: 1)
--   $stray            share of a name's run time that a CPU needs to count (threads run elsewhere before they are pinned)
--   $limit            rows at most
-- columns:
--   name              [text]  of the threads
--   threads                   how many
--   cpus              [cpus]  the CPUs that they ran on, all of them together
--   run_ns, avoidable_wait_ns  [ns]  summed over the threads
--   elsewhere_ns      [ns]    run time on other CPUs
--   switches                  times they started to run
WITH suspects AS (
  SELECT utid, name, run_ns, avoidable_wait_ns, switches
  FROM thread
  WHERE utid <> 0 AND NOT mask_known AND NOT per_cpu_thread
    AND switches >= $min_switches AND avoidable_wait_ns >= greatest($min_avoidable_ns, $min_share * run_ns)
),
named AS (
  SELECT name, count(*) AS threads, sum(run_ns)::BIGINT AS run_ns, sum(avoidable_wait_ns)::BIGINT AS avoidable_wait_ns,
    sum(switches)::BIGINT AS switches
  FROM suspects GROUP BY name
),
placed AS (
  SELECT s.name, c.cpu, sum(c.run_ns)::BIGINT AS ran_ns
  FROM thread_cpu c JOIN suspects s USING (utid) GROUP BY s.name, c.cpu
),
on_cpus AS (
  SELECT p.name, list(p.cpu ORDER BY p.cpu) FILTER (p.ran_ns >= $stray * n.run_ns) AS cpus,
    coalesce(sum(p.ran_ns) FILTER (p.ran_ns < $stray * n.run_ns), 0)::BIGINT AS elsewhere_ns
  FROM placed p JOIN named n ON n.name IS NOT DISTINCT FROM p.name GROUP BY p.name
)
SELECT n.name, n.threads, o.cpus, n.run_ns, n.avoidable_wait_ns, o.elsewhere_ns, n.switches
FROM named n JOIN on_cpus o ON n.name IS NOT DISTINCT FROM o.name
WHERE len(o.cpus) < (SELECT count(*) FROM cpu WHERE online)
ORDER BY n.avoidable_wait_ns DESC, n.name
LIMIT $limit
