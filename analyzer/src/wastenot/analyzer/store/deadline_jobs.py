"""The table `dl_job`: jobs of the SCHED_DEADLINE threads of a trace, as `wastenot deadlines` finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wastenot._native import Rows, checker
from wastenot.analyzer.store.tables import CHECKER_ENTITIES, event_tables

if TYPE_CHECKING:
    import duckdb

CODED = {"activated_by": "job_activation", "ended_by": "job_ended_by", "fault": "deadline_fault"}
"""Columns that the walk has as names and the table as codes, each with its enumeration."""

_CODE = "list_position([{enum}_name(i::UTINYINT) FOR i IN range(255)], {column}) - 1"


def derive_jobs(con: duckdb.DuckDBPyConnection) -> None:
    """Fill the table, which is there and empty. A walk over the events, where they have parameters of such threads."""
    if not con.execute("SELECT 1 FROM dl_parameters LIMIT 1").fetchall():
        return
    codes = ", ".join(f"{_CODE.format(enum=enum, column=column)} AS {column}" for column, enum in CODED.items())
    cursors = {table: con.cursor() for table in (*event_tables(), *CHECKER_ENTITIES)}

    def emit(_: str, stream: object) -> None:
        con.register("jobs_of_walk", Rows(stream))
        con.execute(f"INSERT INTO dl_job BY NAME SELECT * EXCLUDE (contention_ns) REPLACE ({codes}) FROM jobs_of_walk")
        con.unregister("jobs_of_walk")

    try:
        streams = {table: cursor.sql(f"SELECT * FROM {table}") for table, cursor in cursors.items()}
        checker.deadlines(streams, "{}", emit)
    finally:
        for cursor in cursors.values():
            cursor.close()
