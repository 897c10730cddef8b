"""`waits()` in the SQL over a trace: whole waits for a CPU, made of `thread_state` where a query asks for them."""

from __future__ import annotations

import re

from wastenot.analyzer.deferred import duckdb
from wastenot.analyzer.queries import query

_CALL = re.compile(r"\bwaits\s*\(\s*\)", re.IGNORECASE)


def define_waits(cursor: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Define the macro on a cursor whose next query is `sql`, if that calls it. The file does not get it.

    Raises DuckDB's CatalogException where `thread_state` has not been made.
    """
    if _CALL.search(sql):
        body = query("waits").sql.rstrip().rstrip(";")
        cursor.execute(f"CREATE OR REPLACE TEMP MACRO waits() AS TABLE (\n{body}\n)")
