"""Bulk insert: rows keep their order and their number, errors reach the caller."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pyarrow as pa
import pytest
from wastenot.analyzer.store.writing import BatchWriter


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE a (id BIGINT NOT NULL, name VARCHAR); CREATE TABLE b (id BIGINT)")
        yield connection


def batch(ids: range, **columns: list[object]) -> pa.RecordBatchReader:
    made = pa.record_batch({"id": pa.array(ids, pa.int64()), **columns})
    return pa.RecordBatchReader.from_batches(made.schema, [made])


def test_a_million_rows_keep_their_order(con: duckdb.DuckDBPyConnection) -> None:
    with BatchWriter(con) as writer:
        for start in range(0, 1_000_000, 100_000):
            writer.emit("a", batch(range(start, start + 100_000)))
            writer.emit("b", batch(range(start, start + 10)))
    assert con.sql("SELECT count(*), min(id), max(id) FROM a").fetchall() == [(1_000_000, 0, 999_999)]
    assert con.sql("SELECT count(*) FROM (SELECT id < lag(id) OVER () AS back FROM a) WHERE back").fetchall() == [(0,)]
    assert con.sql("SELECT count(*) FROM b").fetchall() == [(100,)]
    assert writer.rows_written == {"a": 1_000_000, "b": 100}


def test_columns_are_matched_by_name(con: duckdb.DuckDBPyConnection) -> None:
    rows = pa.record_batch({"name": ["x"], "id": pa.array([7], pa.int64())})
    with BatchWriter(con) as writer:
        writer.emit("a", pa.RecordBatchReader.from_batches(rows.schema, [rows]))
    assert con.sql("FROM a").fetchall() == [(7, "x")]


def test_an_error_while_inserting_reaches_the_caller(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.Error), BatchWriter(con) as writer:
        writer.emit("nowhere", batch(range(3)))


def test_an_error_of_the_producer_is_not_hidden(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(ZeroDivisionError), BatchWriter(con) as writer:
        writer.emit("a", batch(range(3)))
        raise ZeroDivisionError
