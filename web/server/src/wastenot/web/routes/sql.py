"""SQL over a trace, the schema it documents, and search."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Annotated

import duckdb
from fastapi import APIRouter, Query, Response
from pydantic import RootModel
from wastenot.analyzer.store.tables import schema_sql, tables_not_made
from wastenot.analyzer.trace import run_on
from wastenot.web import answers
from wastenot.web.answers import ARROW_RESPONSE
from wastenot.web.library import OpenTrace
from wastenot.web.models import Schema, SchemaColumn, SchemaTable, SearchHit, SqlQuery
from wastenot.web.sql_pool import SqlPool
from wastenot.web.trace_request import RequestedFindings, run_query, settings

NUMBERED = re.compile(r"(?P<kind>episode|event)?\s*#?(?P<number>[0-9]{1,18})", re.IGNORECASE | re.ASCII)
"""An episode or event by its number: `episode 3`, `#3`, `3`."""

router = APIRouter(prefix="/traces/{id}", tags=["sql"])


class _SearchHits(RootModel[list[SearchHit]]):
    pass


@router.post("/sql", response_class=Response, responses=ARROW_RESPONSE)
async def sql(asked: RequestedFindings, query: SqlQuery) -> Response:
    """Run one reading statement; metadata: `truncated`, `elapsed_ms`."""
    pool: SqlPool = asked.request.app.state.sql
    limit = max(1, min(query.limit, settings(asked.request).sql_rows))
    table, answered = await asked.with_tables(lambda: pool.run(asked.request, asked.opened, query.sql, limit))
    metadata = {"truncated": str(answered.cut is not None).lower(), "elapsed_ms": f"{answered.elapsed_ms:.1f}"}
    return await asyncio.to_thread(answers.arrow, asked.request, table, None, metadata)


@router.get("/schema", response_model=Schema)
async def schema(asked: RequestedFindings) -> Response:
    """The tables and columns as the trace documents them, those that are made on demand included."""
    return await asked.json(await asked.run(lambda cursor: _schema(cursor, asked.opened)))


def _schema(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace) -> Schema:
    tables = _tables_of(cursor, opened.path)
    absent = tables_not_made(cursor, "balance")
    if absent:
        with duckdb.connect() as empty:
            empty.execute(schema_sql())
            declared = {table.name: table for table in _tables_of(empty, opened.path)}
        tables += [declared[name].model_copy(update={"rows": None}) for name in absent]
        tables.sort(key=lambda table: table.name)
    macros = run_on(
        cursor,
        opened.path,
        "SELECT DISTINCT function_name AS name FROM duckdb_functions() WHERE function_type = 'macro' "
        "AND NOT internal ORDER BY 1",
    ).column("name")
    return Schema(tables=tables, macros=macros.to_pylist())


def _tables_of(cursor: duckdb.DuckDBPyConnection, path: Path) -> list[SchemaTable]:
    """The tables of a file, by name."""
    tables = run_on(
        cursor,
        path,
        "SELECT table_name, comment, estimated_size FROM duckdb_tables() WHERE NOT internal ORDER BY table_name",
    ).to_pylist()
    columns = run_on(
        cursor,
        path,
        "SELECT table_name, column_name, data_type, is_nullable, comment FROM duckdb_columns() WHERE NOT internal "
        "ORDER BY table_name, column_index",
    ).to_pylist()
    return [
        SchemaTable(
            name=t["table_name"],
            meaning=t["comment"] or "",
            rows=t["estimated_size"],
            columns=[
                SchemaColumn(
                    name=c["column_name"],
                    type=c["data_type"],
                    nullable=c["is_nullable"],
                    meaning=c["comment"] or "",
                )
                for c in columns
                if c["table_name"] == t["table_name"]
            ],
        )
        for t in tables
    ]


@router.get("/search", response_model=list[SearchHit])
async def search(
    asked: RequestedFindings,
    q: Annotated[str, Query(min_length=1, max_length=200)],
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> Response:
    """Threads, processes and cgroups by name, number or path; `episode 12`, `event 12`, `#12` or `12`: those."""
    return await asked.json(
        _SearchHits(await asked.run(lambda cursor: _search(cursor, asked.opened, q.strip(), limit)))
    )


def _search(cursor: duckdb.DuckDBPyConnection, opened: OpenTrace, q: str, limit: int) -> list[SearchHit]:
    found = [
        SearchHit(**{k: r[k] for k in ("kind", "id", "label", "ts_ns")})
        for r in run_query(cursor, opened, "search", q=q, limit=limit).to_pylist()
    ]
    asked = NUMBERED.fullmatch(q)
    if asked is not None:
        numbered = run_query(cursor, opened, "search_number", number=int(asked["number"])).to_pylist()
        kind = (asked["kind"] or "").lower()
        found = [SearchHit(**row) for row in numbered if row["kind"].startswith(kind)] + found
    return found[:limit]
