"""What wastenot makes of a trace file, as figures that can be compared."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
from wastenot import collector
from wastenot.analyzer.store.checking import CheckOptions, run_check
from wastenot.analyzer.store.tables import schema_sql
from wastenot.analyzer.store.writing import BatchWriter

EXCUSES = (
    "per_cpu_thread", "migration_disabled", "cpuset", "affinity", "throttled", "isolated", "cookie", "irq_busy",
)  # fmt: skip
"""In the order of their application (docs/semantics.md, the invariant)."""


@dataclass
class Figures:
    """The figures of a verdict that do not depend on how the trace was written; nanoseconds."""

    idle_while_waiting: int
    wasted: int
    certain: int
    excused: dict[str, int]
    episodes: dict[str, int] = field(default_factory=dict)
    threads: Counter[tuple[int, str, int, int]] = field(default_factory=Counter)
    """(tid, name, running, waiting) of each thread that ran or waited."""


def imported(path: Path, affinity: tuple[str, ...] = ()) -> duckdb.DuckDBPyConnection:
    """The trace in memory, checked, with all tables."""
    con = duckdb.connect()
    con.execute(schema_sql())
    with BatchWriter(con) as writer:
        collector.import_trace(path, writer.emit, collector.Declared(affinity, None, None, None), None)
    run_check(con, CheckOptions(tables="all"))
    return con


def figures(con: duckdb.DuckDBPyConnection) -> Figures:
    """The verdict's figures."""
    idle_while_waiting, wasted, certain = rows(con, "SELECT idle_while_waiting_ns, wasted_ns, certain_ns FROM verdict")[
        0
    ]
    ledger = dict(rows(con, "SELECT excuse_name(excuse), core_ns FROM excuse_ledger"))
    grades = dict(rows(con, "SELECT grade_name(grade), episodes FROM verdict_grade"))
    query = "SELECT tid, name, run_ns, wait_wakeup_ns + wait_preempted_ns FROM thread WHERE utid <> 0"
    threads = Counter(row for row in rows(con, query) if row[2] or row[3])
    return Figures(idle_while_waiting, wasted, certain, {e: ledger.get(e, 0) for e in EXCUSES}, grades, threads)


def rows(con: duckdb.DuckDBPyConnection, query: str) -> list[tuple[Any, ...]]:
    """All rows of a query."""
    return con.execute(query).fetchall()
