"""The version of the tables, and the way from an older version to this one.

`trace.schema_version` says which version a file has. A file of version n is brought to n + 1 by the statements
registered for n, and so on. A change of the declarations that an older file cannot satisfy raises `SCHEMA_VERSION`
here and in `schemas/rust/lib.rs`, registers an upgrader, and is described in `schemas/CHANGES.md`.
"""

from __future__ import annotations

from collections.abc import Mapping

SCHEMA_VERSION = 10
"""Version of the tables that this wastenot writes."""

FORMER_TABLES = frozenset({"considered", "grade_total", "ledger", "needless_wait", "summary", "trust"})
"""Names of tables that only files of earlier versions have."""

_PROOFS = "; ".join(
    f"ALTER TABLE {table} ADD COLUMN {question}_proof UTINYINT"
    for table in ("episode", "episode_pair")
    for question in ("placement", "correction", "resolution")
)

_EXCUSES_OF_2_TO_4 = [
    "per_cpu_thread",
    "migration_disabled",
    "cpuset",
    "affinity",
    "throttled",
    "isolated",
    "cookie",
    "irq_busy",
]

_DROP_FINDINGS_OF_3 = "; ".join(
    f"DROP TABLE IF EXISTS {table}"
    for table in (
        *("attribution", "bubble", "bubble_member", "bubble_stat", "cpu_slice", "entity_holder", "episode"),
        *("episode_pair", "grade_total", "ledger", "migration", "needless_wait", "process", "runqueue", "summary"),
        *("thread", "thread_state", "tile_base", "tile_load", "tile_run", "trust", "wasted", "wasted_cpu"),
    )
)
"""The tables that a check fills, as version 3 had them: the next check makes them anew."""

UPGRADERS: dict[int, str] = {
    1: f"""
    {_PROOFS};
    ALTER TABLE migration ADD COLUMN path VARCHAR;
    ALTER TABLE migration ADD COLUMN path_proof UTINYINT;
    CREATE OR REPLACE MACRO question_name(code) AS (['placement', 'correction', 'resolution'])[code + 1];
    """,
    2: f"""
    ALTER TABLE trace ADD COLUMN unverified VARCHAR[] DEFAULT [];
    ALTER TABLE trace ADD COLUMN recorded_excuses VARCHAR[];
    UPDATE trace
    SET recorded_excuses = list_filter({_EXCUSES_OF_2_TO_4}, lambda e: NOT list_contains(unrecorded_excuses, e));
    ALTER TABLE trace ADD COLUMN recorded_evidence VARCHAR[];
    UPDATE trace SET recorded_evidence = list_concat(
        CASE WHEN evidence IN ('L1', 'L2', 'L3') THEN ['migrations', 'migration_stacks'] ELSE [] END,
        CASE WHEN evidence IN ('L2', 'L3')
              AND len(list_filter(degraded, lambda note: starts_with(note, 'passes of the load balancer'))) = 0
             THEN ['load_balance_attempts'] ELSE [] END,
        CASE WHEN evidence = 'L3' THEN ['schedstat_counters'] ELSE [] END);
    ALTER TABLE migration DROP COLUMN path;
    ALTER TABLE migration ADD COLUMN path UTINYINT;
    ALTER TABLE trace ALTER unverified DROP DEFAULT;
    ALTER TABLE trace ALTER unverified SET NOT NULL;
    DROP TABLE IF EXISTS tile_run;
    DROP TABLE IF EXISTS tile_load;
    """,
    3: f"""
    {_DROP_FINDINGS_OF_3};
    ALTER TABLE IF EXISTS considered RENAME TO cpus_scanned;
    """,
    # A note that starts with the words below says no more than that load-balance attempts were not recorded. It names
    # programs of early recorders, and nothing else in these files distinguishes it from other notes: text is compared.
    4: f"""
    CREATE TABLE evidence (kind VARCHAR NOT NULL, state VARCHAR NOT NULL, why VARCHAR);
    CREATE TABLE IF NOT EXISTS cpus_scanned (
      id BIGINT NOT NULL, ts_ns BIGINT NOT NULL, cpu SMALLINT NOT NULL, attempt_id BIGINT, tid INTEGER,
      mask_id INTEGER, chosen_cpu SMALLINT, prev_cpu SMALLINT, wake_flags INTEGER
    );
    INSERT INTO evidence
    WITH filled AS (SELECT list(table_name) AS tables FROM duckdb_tables() WHERE estimated_size > 0),
    present AS (
      SELECT 'migrations' AS kind, EXISTS (FROM sched_migrate_task) AS has_some UNION ALL
      SELECT 'migration_stacks', EXISTS (FROM sched_migrate_task WHERE stack_id IS NOT NULL) UNION ALL
      SELECT 'load_balance_attempts', (SELECT list_contains(tables, 'balance_attempt') FROM filled) UNION ALL
      SELECT 'placements', EXISTS (FROM cpus_scanned WHERE tid IS NOT NULL) UNION ALL
      SELECT 'cpus_scanned', EXISTS (FROM cpus_scanned WHERE mask_id IS NOT NULL) UNION ALL
      SELECT 'load_balance_kicks', (SELECT list_contains(tables, 'balance_kick') FROM filled) UNION ALL
      SELECT 'schedstat_counters', (SELECT list_contains(tables, 'schedstat') FROM filled) UNION ALL
      SELECT unnest({_EXCUSES_OF_2_TO_4}), false)
    SELECT kind, CASE WHEN list_contains(list_concat(recorded_evidence, recorded_excuses), kind) THEN 'recorded'
                      WHEN has_some THEN 'partial' ELSE 'absent' END, NULL
    FROM present, trace;
    ALTER TABLE trace ADD COLUMN notes VARCHAR[];
    UPDATE trace SET notes = list_filter(degraded, lambda note: NOT starts_with(note, 'passes of the load balancer'));
    ALTER TABLE trace DROP COLUMN degraded;
    ALTER TABLE trace DROP COLUMN recorded_evidence;
    ALTER TABLE trace DROP COLUMN recorded_excuses;
    ALTER TABLE trace DROP COLUMN unrecorded_excuses;
    """,
    5: """
    ALTER TABLE trace RENAME COLUMN evidence TO evidence_level;
    ALTER TABLE IF EXISTS attribution RENAME COLUMN evidence TO event_ids;
    ALTER TABLE IF EXISTS episode_pair RENAME COLUMN evidence TO event_ids;
    ALTER TABLE IF EXISTS attribution ALTER COLUMN rule TYPE VARCHAR USING coalesce(map_extract_value(MAP {
      'gained-by-mask': 'affinity-change', 'mask-changed': 'affinity-change', 'new-thread': 'fork-exec',
      'wakeup-cut-short': 'wakeup-scan-cut', 'wakeup-kept-prev': 'wakeup-prev-cpu', 'wakeup-to-waker': 'wake-affine',
      'wakeup-other': 'wakeup', 'taken-by-wakeup': 'wakeup-elsewhere', 'no-longer-runnable': 'blocked-or-exited',
      'placed-by-sched-ext': 'sched-ext', 'not-the-fair-class': 'sched-ext'}, rule), rule);
    """,
    6: """
    ALTER TABLE IF EXISTS sched_switch ADD COLUMN nr_running INTEGER;
    ALTER TABLE trace ADD COLUMN queued_wakings_only BOOLEAN;
    """,
    7: "ALTER TABLE IF EXISTS ext_scheduler ADD COLUMN IF NOT EXISTS threads_recorded BOOLEAN;",
    8: """
    ALTER TABLE IF EXISTS cpu_load ADD COLUMN IF NOT EXISTS util BIGINT;
    ALTER TABLE IF EXISTS cpu_load ADD COLUMN IF NOT EXISTS runnable BIGINT;
    ALTER TABLE IF EXISTS cpu_load ADD COLUMN IF NOT EXISTS capacity BIGINT;
    """,
    9: """
    ALTER TABLE IF EXISTS newidle_entry ADD COLUMN IF NOT EXISTS next_balance_ns BIGINT;
    ALTER TABLE IF EXISTS balance_kick ADD COLUMN IF NOT EXISTS next_balance_ns BIGINT;
    """,
}
"""From version n to n + 1: the SQL statements to run on the file. `trace.schema_version` is set by the runner."""


class UpgradeError(ValueError):
    """No way leads from the version found to the one wanted; the message names both."""


def path_of_upgrades(found: int, wanted: int, upgraders: Mapping[int, str]) -> list[tuple[int, str]]:
    """The steps from `found` to `wanted`, each as (version reached, SQL). Empty when they are equal.

    Raises UpgradeError for a version from the future, and where a step is not registered.
    """
    if found > wanted:
        raise UpgradeError(f"schema version {found} is newer than {wanted}; upgrade wastenot")
    missing = [n for n in range(found, wanted) if n not in upgraders]
    if missing:
        raise UpgradeError(f"no upgrade leads from schema version {missing[0]} to {missing[0] + 1}; record again")
    return [(n + 1, upgraders[n]) for n in range(found, wanted)]
