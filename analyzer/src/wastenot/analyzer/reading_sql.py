"""Which statements a user may run on a trace: one that reads."""

from __future__ import annotations

import re

from wastenot.analyzer.deferred import duckdb
from wastenot.analyzer.errors import BadQuery

EXPLAIN = re.compile(r"^\s*EXPLAIN(\s+ANALYZE)?\s+", re.IGNORECASE)


def require_reading(sql: str, con: duckdb.DuckDBPyConnection) -> None:
    """Raise BadQuery unless it is exactly one SELECT, VALUES, DESCRIBE, SUMMARIZE, SHOW or EXPLAIN, parsed by `con`."""
    try:
        statements = con.extract_statements(sql)
    except duckdb.Error as e:
        raise BadQuery.of(e) from None
    if not statements:
        raise BadQuery("query refused: it is empty; write a SELECT, as in 'SELECT * FROM thread LIMIT 5'")
    if len(statements) != 1:
        raise BadQuery(f"query refused: {len(statements)} statements; give one")
    kind = statements[0].type
    if kind == duckdb.StatementType.EXPLAIN:
        inner = EXPLAIN.sub("", sql, count=1)
        if inner == sql:
            raise BadQuery("query refused: write EXPLAIN or EXPLAIN ANALYZE before the query, and nothing before it")
        require_reading(inner, con)  # EXPLAIN ANALYZE runs what it explains
        return
    if kind != duckdb.StatementType.SELECT:
        raise BadQuery(f"query refused: {kind.name} is not permitted here; SELECT, DESCRIBE, SUMMARIZE and EXPLAIN are")
