-- What the trace holds beyond switches and wakeups, and which excuses it can show.
-- parameters: none
-- columns:
--   kind    a value of the enumeration `evidence_kind`, or of `excuse`
--   state   recorded: through the whole recording; partial: some, and whether all is not known; absent
WITH held AS (
  SELECT 'migrations' AS kind, EXISTS (FROM sched_migrate_task) AS some UNION ALL
  SELECT 'migration_stacks', EXISTS (FROM sched_migrate_task WHERE stack_id IS NOT NULL) UNION ALL
  SELECT 'load_balance_attempts', EXISTS (FROM balance_attempt) UNION ALL
  SELECT 'placements', EXISTS (FROM cpus_scanned WHERE tid IS NOT NULL) UNION ALL
  SELECT 'cpus_scanned', EXISTS (FROM cpus_scanned WHERE mask_id IS NOT NULL) UNION ALL
  SELECT 'load_balance_kicks', EXISTS (FROM balance_kick) UNION ALL
  SELECT 'schedstat_counters', EXISTS (FROM schedstat))
SELECT kinds.kind, CASE WHEN list_contains(t.recorded_evidence, kinds.kind) THEN 'recorded'
                        WHEN held.some THEN 'partial' ELSE 'absent' END AS state
FROM trace t, (SELECT unnest(evidence_kind_values()) AS kind, generate_subscripts(evidence_kind_values(), 1) AS place) AS kinds
LEFT JOIN held USING (kind)
UNION ALL
SELECT excuses.kind, CASE WHEN list_contains(t.recorded_excuses, excuses.kind) THEN 'recorded' ELSE 'absent' END
FROM trace t, (SELECT unnest(excuse_values()) AS kind) AS excuses
