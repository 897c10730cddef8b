-- The CPUs of the machine in the order of its topology: node, last-level cache, core, hardware thread.
-- parameters: none
-- columns:
--   cpu, node, llc, core, package, smt, online, isolated, capacity: as in table `cpu`
SELECT cpu, node, llc, core, package, smt, online, isolated, capacity FROM cpu ORDER BY node, package, llc, core, smt, cpu
