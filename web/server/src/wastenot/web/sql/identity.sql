-- What the snapshot of the machine has of its identity; NULL: not recorded. And which wakeups have a sched_waking.
-- parameters: none
-- columns: one row
--   arch          as in table `machine`
--   host          name of the machine
--   has_wakings   sched_waking was recorded, of all wakeups or of those that another CPU completes (trace.queued_wakings_only)
--   has_attempt_scans   it was recorded which CPUs load-balance attempts scanned, or that they searched domains that are known
--   deepest_idle_state  highest number of an idle state
--   highest_khz   [kHz]  highest frequency
SELECT
  (SELECT max(arch) FROM machine) AS arch,
  (SELECT max(json_extract_string(snapshot, '$.host')) FROM machine) AS host,
  EXISTS (FROM sched_waking) OR EXISTS (FROM trace WHERE queued_wakings_only) AS has_wakings,
  (EXISTS (FROM balance_search) AND EXISTS (FROM domain WHERE exact)) OR EXISTS (FROM cpus_scanned WHERE attempt_id IS NOT NULL)
    AS has_attempt_scans,
  (SELECT max(state) FROM cpu_idle) AS deepest_idle_state,
  (SELECT max(khz) FROM cpu_frequency) AS highest_khz
