"""What the catalog of a trace may hold: base tables of plain columns, and the macros that name enumerations.

A trace can come from another person. A view in place of a table, a macro with the name of a built-in function, a
default, a generated column, an index over an expression or a trigger would run with the rights of the user who opens
the file. They are refused before the first query over its tables.

The queries here name `system.main` and call no other function, because a macro of the file takes the place of a
built-in function of the same name, and views are looked for first, because listing the columns of a view binds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from wastenot.analyzer.deferred import duckdb
from wastenot.analyzer.errors import ForeignFile
from wastenot.analyzer.store.tables import schema_sql, statements_by_table
from wastenot.schemas.upgrade import FORMER_TABLES

PLAIN_TYPES = frozenset(
    kind + brackets
    for kind in ("BIGINT", "INTEGER", "SMALLINT", "UTINYINT", "BOOLEAN", "VARCHAR")
    for brackets in ("", "[]")
) | {"BLOB"}
"""Types of columns that a trace may have: numbers, truth values, texts, lists of them, and bytes."""

_TABLE = re.compile(r"CREATE TABLE (\w+|\"\w+\")\((.*)\);", re.DOTALL)
_COLUMN = re.compile(r"(\w+|\"\w+\") ([A-Z]+(?:\[\])?)( NOT NULL)?")
_TEXTS = r"list_value\('(?:[^']|'')*'(?:, '(?:[^']|'')*')*\)"
_ENUM_MACROS = {"code": re.compile(_TEXTS + r"\[\(code \+ 1\)\]"), "": re.compile(_TEXTS)}
"""How the macros of enumerations read, by their parameters: `<enum>_name(code)` and `<enum>_values()`."""

_OBJECTS = (
    ("view", "view_name", "duckdb_views() WHERE NOT internal"),
    ("trigger", "trigger_name", "duckdb_triggers()"),
    ("index", "index_name", "duckdb_indexes()"),
    ("sequence", "sequence_name", "duckdb_sequences()"),
    ("type", "type_name", "duckdb_types() WHERE NOT internal"),
    ("schema", "schema_name", "duckdb_schemas() WHERE NOT internal"),
)
"""Kinds of objects that no trace has, and where DuckDB lists them."""


def require_plain(path: Path, con: duckdb.DuckDBPyConnection) -> None:
    """Raise ForeignFile unless the file open on `con` holds nothing but tables of a trace and enumeration macros."""
    tables = con.execute(
        "SELECT schema_name, table_name, sql FROM system.main.duckdb_tables() WHERE NOT internal"
    ).fetchall()
    if not any(table == "trace" for _, table, _ in tables):
        raise ForeignFile(path, "a DuckDB file without the tables of a trace")
    for what, name, listing in _OBJECTS:
        found = con.execute(f"SELECT {name} FROM system.main.{listing}").fetchone()
        if found is not None:
            raise ForeignFile(path, f"it holds the {what} {_shown(found[0])}, which no trace has")
    for schema, table, sql in tables:
        if schema != "main" or table not in statements_by_table().keys() | FORMER_TABLES:
            raise ForeignFile(path, f"it holds the table {_shown(table)}, which no trace has")
        _columns(path, table, sql)
    for name, kind, parameters, text in con.execute(
        "SELECT function_name, function_type, parameters, macro_definition FROM system.main.duckdb_functions() "
        "WHERE NOT internal"
    ).fetchall():
        declared = macros().get(name) if kind == "macro" else None
        if declared is None or declared != ",".join(parameters) or not _ENUM_MACROS[declared].fullmatch(text or ""):
            raise ForeignFile(path, f"it holds the macro {_shown(name)}, which no trace has")


def require_declared(path: Path, con: duckdb.DuckDBPyConnection) -> None:
    """Raise ForeignFile unless every column of the trace open on `con` is declared in `schemas/`, with its type.

    A column may be missing, which means NULL, and may hold NULL where it is declared not to: upgrades add such columns.
    """
    declared = declared_columns()
    for table, sql in con.execute(
        "SELECT table_name, sql FROM system.main.duckdb_tables() WHERE NOT internal"
    ).fetchall():
        if table not in declared:
            raise ForeignFile(path, f"it holds the table {_shown(table)}, which only earlier versions had")
        for name, kind in _columns(path, table, sql).items():
            if declared[table].get(name) != kind:
                raise ForeignFile(path, f"its column {table}.{name} is not one of this version, or of another type")


def _columns(path: Path, table: str, sql: str) -> dict[str, str]:
    """Columns and types of a CREATE TABLE statement as DuckDB prints it; ForeignFile for any but plain columns."""
    statement = _TABLE.fullmatch(sql or "")
    parts = statement[2].split(", ") if statement else []
    columns = {}
    for part in parts:
        column = _COLUMN.fullmatch(part)
        if column is None or column[2] not in PLAIN_TYPES:
            raise ForeignFile(path, f"its table {table} has more than plain columns ({_shown(part)})")
        columns[column[1].strip('"')] = column[2]
    if not columns:
        raise ForeignFile(path, f"its table {table} has no columns")
    return columns


@cache
def macros() -> dict[str, str]:
    """Parameters of the macros of the enumerations, by name."""
    return dict(re.findall(r"CREATE OR REPLACE MACRO (\w+)\((code|)\)", schema_sql()))


@cache
def declared_columns() -> dict[str, dict[str, str]]:
    """Columns of every table, with their types."""
    return {table: dict(_columns_of(text)) for table, text in statements_by_table().items()}


def _columns_of(statement: str) -> Iterator[tuple[str, str]]:
    body = statement.split("(\n", 1)[1].split("\n);", 1)[0]
    for line in body.splitlines():
        name, kind = line.strip().rstrip(",").split(" ")[:2]
        yield name.strip('"'), kind


def _shown(text: str) -> str:
    """A name of the file, short and printable."""
    return ascii(text)[:60]
