"""Running the checker over a trace file and storing what it finds."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from wastenot._native import checker, replay, version
from wastenot.analyzer.deferred import duckdb
from wastenot.analyzer.errors import BadArgument, DiskFull
from wastenot.analyzer.store.deadline_jobs import derive_jobs
from wastenot.analyzer.store.opening import file_error
from wastenot.analyzer.store.tables import (
    CHECKED_SETS,
    CHECKER_ENTITIES,
    CHECKPOINT_TABLES,
    MADE_LATER,
    TableSet,
    event_tables,
    missing_tables,
    statements_by_table,
    tables_not_made,
    tables_on_demand,
)
from wastenot.analyzer.store.writing import BatchWriter
from wastenot.schemas.generated.enums import GRADE_TIMED

TIMED_GRADES: tuple[str, ...] = GRADE_TIMED
"""Grades that have a threshold (τ); noise is everything below the first."""

RUNNABLE, PREEMPTED = 1, 2
"""Codes of `thread_phase`: a thread that waits for a CPU."""


BUBBLE_INPUTS = dict.fromkeys(
    ("trace", "cpu", "cgroup", "thread", "process", "thread_snapshot", "cgroup_move", "bubble_event", "migration"), ""
) | {
    "cpu_slice": "WHERE utid > 0 ORDER BY start_ns",
    "thread_state": f"WHERE phase IN ({RUNNABLE}, {PREEMPTED})",
    "perf_counter": "WHERE counter = 'cache-misses'",
}
"""Tables that bubbles are derived from, each with what is asked of it."""

Progress = Callable[[int, int], None]
"""Called now and then with (events done, events in all)."""


@dataclass(frozen=True)
class CheckOptions:
    """What a check can be asked: strict mode, and other thresholds τ of the grades in nanoseconds.

    It also makes those tables that are made on demand which belong to the set `tables`; findings are the same.
    """

    strict: bool = False
    thresholds_ns: Mapping[str, int] = field(default_factory=dict)
    tables: TableSet = field(default="verdict", compare=False)
    checkpoint_events: int | None = field(default=None, compare=False)
    """Events between two checkpoints; None: half a million, and more where their states are large."""

    def __post_init__(self) -> None:
        if self.tables not in CHECKED_SETS:
            raise BadArgument(f"tables {self.tables!r}: no such set; one of {', '.join(CHECKED_SETS)}")
        for grade in self.thresholds_ns:
            if grade not in TIMED_GRADES:
                raise BadArgument(f"threshold {grade!r}: no threshold of that name; one of {', '.join(TIMED_GRADES)}")

    def to_json(self) -> str:
        """The options as the checker takes them."""
        options = {"strict": self.strict, "thresholds_ns": dict(self.thresholds_ns), "tables": self.tables}
        return json.dumps(options | {"checkpoint_events": self.checkpoint_events})

    @staticmethod
    def from_json(text: str) -> CheckOptions:
        """The options of a stored check; thresholds left to the definition are absent or null there."""
        raw: dict[str, Any] = json.loads(text)
        thresholds = raw.get("thresholds_ns") or {}
        return CheckOptions(bool(raw.get("strict")), {k: v for k, v in thresholds.items() if v is not None})


def run_check(con: duckdb.DuckDBPyConnection, options: CheckOptions, progress: Progress | None = None) -> None:
    """Walk the events of an open trace and fill the checker's tables.

    One cursor per table streams its rows in id order; memory does not grow with the trace. Those tables must be empty.
    Tables that are made on demand are made anew when `options` ask for them, and where an application declared bubbles:
    what is broken in those belongs to the verdict. Otherwise the trace has none of them afterwards.
    Raises `wastenot._native.WastenotError` for what the checker refuses.
    """
    if con.execute("SELECT 1 FROM bubble_event LIMIT 1").fetchone() is not None:
        options = replace(options, tables="all")
    made = (*tables_on_demand(options.tables), *CHECKPOINT_TABLES)
    for table in (*MADE_LATER, *CHECKPOINT_TABLES):
        con.execute(f"DROP TABLE IF EXISTS {table}; {statements_by_table()[table] if table in made else ''}")
    total = con.execute("SELECT events FROM trace").fetchone()
    events = total[0] if total else 0
    cursors = {table: con.cursor() for table in (*event_tables(), *CHECKER_ENTITIES)}
    try:
        streams = {table: cursor.sql(f"SELECT * FROM {table}") for table, cursor in cursors.items()}
        report = None if progress is None else lambda done: progress(done, events)
        with BatchWriter(con) as writer:
            checker.check(streams, options.to_json(), writer.emit, report)
    finally:
        for cursor in cursors.values():
            cursor.close()
    if options.tables == "all":
        derive_bubbles(con)
        derive_jobs(con)


def derive_bubbles(con: duckdb.DuckDBPyConnection) -> None:
    """Fill the tables of bubbles of a trace that was just checked, and add what is broken in them to `data_quality`."""
    cursors = {table: con.cursor() for table in BUBBLE_INPUTS}
    try:
        streams: dict[str, object] = {
            table: cursor.sql(f"SELECT * FROM {table} {BUBBLE_INPUTS[table]}") for table, cursor in cursors.items()
        }
        with BatchWriter(con) as writer:
            replay.derive_bubbles(streams, writer.emit)
    finally:
        for cursor in cursors.values():
            cursor.close()


def is_current(con: duckdb.DuckDBPyConnection, options: CheckOptions) -> bool:
    """Whether the findings stored in the trace are those of this checker with these options, and all that they ask."""
    if missing_tables(con) or tables_not_made(con, options.tables):
        return False
    row = con.execute("SELECT checker_version, options FROM verdict").fetchone()
    return row is not None and row[0] == version() and CheckOptions.from_json(row[1]) == options


def writing_error(path: Path, error: duckdb.Error) -> Exception:
    """DuckDB's error while writing as one of ours."""
    text = str(error)
    if "No space left" in text or "disk full" in text.lower():
        return DiskFull(path)
    return file_error(path, error)
