"""The walk over an open trace that finds the jobs of its deadline tasks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wastenot._native import Rows, WastenotError, checker
from wastenot.analyzer.model.deadline_servers import fair_servers, postponed, reclaiming
from wastenot.analyzer.model.deadlines import DeadlineFigures, DeclaredTask
from wastenot.analyzer.model.edf_coverage import edf_coverage
from wastenot.analyzer.model.lock_waits import lock_waits
from wastenot.analyzer.store.checking import Progress
from wastenot.analyzer.store.tables import CHECKER_ENTITIES, event_tables

if TYPE_CHECKING:
    import duckdb


def walk_deadlines(
    path: Path,
    cursor_of: Callable[[], duckdb.DuckDBPyConnection],
    tasks: Sequence[DeclaredTask],
    progress: Progress | None = None,
) -> tuple[DeadlineFigures, Rows]:
    """The figures, and the rows of all jobs. Files of versions without a table of events have no such events.

    To the walk's report comes how much of the time of SCHED_DEADLINE threads global EDF was checked for
    (`edf.awake_ns`, `edf.checked_ns`); it is `checked` where that is some. `servers` has what of the servers the
    figures do not account for, `locks` the waits for locks.
    """
    with cursor_of() as cursor:
        there = {name for (name,) in cursor.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
        found = cursor.execute("SELECT events FROM trace").fetchone()
    events = found[0] if found else 0
    cursors = {table: cursor_of() for table in (*event_tables(), *CHECKER_ENTITIES) if table in there}
    batches: list[Rows] = []
    try:
        streams = {table: cursor.sql(f"SELECT * FROM {table}") for table, cursor in cursors.items()}
        show = None if progress is None else lambda done: progress(min(done, events), events)
        options = json.dumps({"tasks": [task.to_json() for task in tasks]})
        try:
            text = checker.deadlines(streams, options, lambda _, stream: batches.append(Rows(stream)), show)
        except WastenotError as e:
            raise WastenotError(f"{path}: {e}") from None
    finally:
        for cursor in cursors.values():
            cursor.close()
    report, jobs = json.loads(text), Rows.joined(batches)
    with cursor_of() as cursor:
        awake_ns, checked_ns = edf_coverage(cursor, there, report)
    with cursor_of() as cursor:
        report["servers"] = {
            "reclaiming": reclaiming(cursor, there, report),
            "fair": fair_servers(cursor),
            "postponed": postponed(cursor, there, report, jobs),
        }
    with cursor_of() as cursor:
        report["locks"] = lock_waits(cursor, there, report, jobs)
    report["edf"] |= {"checked": checked_ns > 0, "awake_ns": awake_ns, "checked_ns": checked_ns}
    return DeadlineFigures(report), jobs
