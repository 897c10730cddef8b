"""The generated DDL loads into DuckDB with its comments and macros, and holds rows of every table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from wastenot.schemas.declarations import Vocabulary
from wastenot.schemas.generate import SQL_TYPES

SAMPLES = {
    "i64": "1",
    "i32": "1",
    "i16": "1",
    "u8": "0",
    "bool": "true",
    "text": "'x'",
    "bytes": "'x'::BLOB",
    "list_i16": "[1]",
    "list_i32": "[1]",
    "list_i64": "[1]",
    "list_text": "['x']",
}


@pytest.fixture(scope="module")
def store(root: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A fresh database with all tables."""
    with duckdb.connect() as con:
        con.execute((root / "schemas/src/wastenot/schemas/generated/schema.sql").read_text())
        yield con


def test_tables_have_the_declared_columns(store: duckdb.DuckDBPyConnection, vocabulary: Vocabulary) -> None:
    rows = store.execute(
        "SELECT table_name, column_name, data_type, is_nullable FROM duckdb_columns() WHERE NOT internal "
        "ORDER BY table_name, column_index"
    ).fetchall()
    declared = [(t.name, c.name, SQL_TYPES[c.type], c.nullable) for t in vocabulary.tables for c in t.columns]
    assert rows == sorted(declared, key=lambda row: row[0])


def test_every_table_and_column_carries_its_comment(store: duckdb.DuckDBPyConnection, vocabulary: Vocabulary) -> None:
    tables = dict(store.execute("SELECT table_name, comment FROM duckdb_tables()").fetchall())
    assert tables == {t.name: t.doc for t in vocabulary.tables}
    rows = store.execute("SELECT table_name, column_name, comment FROM duckdb_columns() WHERE NOT internal").fetchall()
    comments = {(table, column): comment for table, column, comment in rows}
    for table in vocabulary.tables:
        for column in table.columns:
            unit = f"[{column.unit}] " if column.unit else ""
            assert comments[table.name, column.name] == unit + column.doc


def test_the_macro_of_an_enumeration_gives_its_texts(store: duckdb.DuckDBPyConnection, vocabulary: Vocabulary) -> None:
    for enum in vocabulary.enums:
        codes = len(enum.values)
        rows = store.execute(f"SELECT {enum.name}_name(code) FROM range({codes}) t(code) ORDER BY code").fetchall()
        assert [text for (text,) in rows] == list(enum.values)
        assert store.execute(f"SELECT {enum.name}_name({codes}), {enum.name}_name(NULL)").fetchone() == (None, None)


def test_a_row_goes_into_every_table(store: duckdb.DuckDBPyConnection, vocabulary: Vocabulary) -> None:
    for table in vocabulary.tables:
        values = ", ".join(SAMPLES[c.type] for c in table.columns)
        store.execute(f"INSERT INTO {table.name} VALUES ({values})")
        assert store.execute(f"SELECT count(*) FROM {table.name}").fetchone() == (1,)


def test_null_is_refused_where_it_is_not_declared(store: duckdb.DuckDBPyConnection, vocabulary: Vocabulary) -> None:
    for table in vocabulary.tables:
        for column in table.columns:
            values = [SAMPLES[c.type] if c.name != column.name else "NULL" for c in table.columns]
            statement = f"INSERT INTO {table.name} VALUES ({', '.join(values)})"
            if column.nullable:
                store.execute(statement)
            else:
                with pytest.raises(duckdb.ConstraintException):
                    store.execute(statement)
