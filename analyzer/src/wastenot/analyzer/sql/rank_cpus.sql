-- CPUs on which the ranks of a parallel program may be placed, with their place in the machine.
-- CPUs that are offline at the end are left out, and those outside of the cpuset of a rank where cpusets were recorded:
-- nothing can be placed there.
-- parameters:
--   $utids    list of threads
-- columns:
--   cpu
--   package, node, llc, core, smt   place, as in table `cpu`
--   is_certain                      the cpuset of every rank is known
WITH ranks AS (SELECT utid, tid, start_ns, end_ns FROM thread WHERE utid IN (SELECT unnest($utids))),
seen AS (
  SELECT r.utid, s.id, s.cpuset_mask_id FROM thread_snapshot s JOIN ranks r ON r.tid = s.tid AND r.start_ns IS NULL
  UNION ALL
  SELECT r.utid, a.id, a.cpuset_mask_id FROM affinity a
  JOIN ranks r ON r.tid = a.tid AND a.ts_ns >= coalesce(r.start_ns, a.ts_ns) AND a.ts_ns <= coalesce(r.end_ns, a.ts_ns)
),
last_seen AS (SELECT utid, arg_max(cpuset_mask_id, id) AS mask_id FROM seen GROUP BY utid),
sets AS (SELECT l.utid, m.cpus FROM last_seen l JOIN mask m ON m.mask_id = l.mask_id)
SELECT
  c.cpu, c.package, c.node, c.llc, c.core, c.smt,
  (SELECT count(*) FROM sets) = (SELECT count(*) FROM ranks) AS is_certain
FROM cpu c
WHERE coalesce((SELECT arg_max(h.online, h.id) FROM cpu_hotplug h WHERE h.cpu = c.cpu), c.online) AND NOT c.isolated AND NOT EXISTS (FROM sets s WHERE NOT list_contains(s.cpus, c.cpu))
ORDER BY c.cpu
