-- What the snapshot of the machine has of its identity; NULL: not recorded. And which wakeups have a sched_waking.
-- parameters: none
-- columns: one row
--   arch          as in table `machine`
--   host          name of the machine
--   has_wakings   sched_waking was recorded, of all wakeups or of those that another CPU completes (trace.queued_wakings_only)
--   has_attempt_scans   CPUs that load-balance attempts scanned were recorded
SELECT
  (SELECT max(arch) FROM machine) AS arch,
  (SELECT max(json_extract_string(snapshot, '$.host')) FROM machine) AS host,
  EXISTS (FROM sched_waking) OR EXISTS (FROM trace WHERE queued_wakings_only) AS has_wakings,
  EXISTS (FROM cpus_scanned WHERE attempt_id IS NOT NULL) AS has_attempt_scans
