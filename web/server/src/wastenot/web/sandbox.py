"""SQL that a user gives: one reading statement, on a connection without files, network or settings, within limits."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from wastenot.analyzer.errors import BadQuery
from wastenot.analyzer.trace import first_lines

EXPLAIN = re.compile(r"^\s*EXPLAIN(\s+ANALYZE)?\s+", re.IGNORECASE)


def admit(sql: str) -> None:
    """BadQuery unless it is exactly one SELECT, VALUES, DESCRIBE, SUMMARIZE, SHOW or EXPLAIN."""
    try:
        statements = duckdb.extract_statements(sql)
    except duckdb.Error as e:
        raise BadQuery(f"query refused: {first_lines(e)}") from None
    if len(statements) != 1:
        raise BadQuery(f"query refused: {len(statements)} statements; give one")
    kind = statements[0].type
    if kind == duckdb.StatementType.EXPLAIN:
        inner = EXPLAIN.sub("", sql, count=1)
        if inner == sql:
            raise BadQuery("query refused: write EXPLAIN or EXPLAIN ANALYZE before the query, and nothing before it")
        admit(inner)  # EXPLAIN ANALYZE runs what it explains
        return
    if kind != duckdb.StatementType.SELECT:
        raise BadQuery(f"query refused: {kind.name} is not permitted here; SELECT, DESCRIBE, SUMMARIZE and EXPLAIN are")


def run_limited(cursor: duckdb.DuckDBPyConnection, path: Path, sql: str, limit: int) -> tuple[pa.Table, bool, float]:
    """At most `limit` rows, whether there were more, and how long it took (ms). BadQuery when DuckDB refuses it."""
    admit(sql)
    began = time.monotonic()
    try:
        reader: Any = cursor.execute(sql).to_arrow_reader(2048)
        batches, rows = [], 0
        for batch in reader:
            batches.append(batch)
            rows += batch.num_rows
            if rows > limit:
                break
        table = pa.Table.from_batches(batches, reader.schema)
    except (duckdb.Error, pa.ArrowException, OSError) as e:
        raise BadQuery(f"query refused: {first_lines(e)}") from None
    return table.slice(0, limit), rows > limit, (time.monotonic() - began) * 1e3
