-- What the trace holds beyond switches and wakeups, and which excuses it can show.
-- parameters: none
-- columns:
--   kind    a value of the enumeration `evidence_kind`
--   state   recorded: through the whole recording; partial: some, and whether all is not known; absent
--   why     why it was not recorded throughout; NULL where it was, and where the trace does not say it
SELECT kinds.kind, coalesce(evidence.state, 'absent') AS state, evidence.why
FROM (SELECT unnest(evidence_kind_values()) AS kind, generate_subscripts(evidence_kind_values(), 1) AS place) AS kinds
LEFT JOIN evidence USING (kind)
ORDER BY place
