-- What machine a trace was recorded on, in brief.
-- parameters: none
-- columns: one row
--   model                     the processor's; NULL not recorded
--   cpus, cores, caches, nodes  counts; -1 where nothing is known of them
SELECT (SELECT any_value(model) FROM machine) AS model, count(*) AS cpus,
       CASE WHEN max(core) < 0 THEN -1 ELSE count(DISTINCT (node, package, core)) END AS cores,
       CASE WHEN max(llc) < 0 THEN -1 ELSE count(DISTINCT llc) END AS caches,
       CASE WHEN max(node) < 0 THEN -1 ELSE count(DISTINCT node) END AS nodes
FROM cpu
