"""`wastenot._native.Rows` beside pyarrow: the same Python values, for the types that it knows."""

from __future__ import annotations

import datetime
import decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wastenot._native import Rows
from wastenot.analyzer.errors import BadQuery
from wastenot.analyzer.result import Result
from wastenot.analyzer.trace import rows_on

LEAVES: list[tuple[pa.DataType, st.SearchStrategy[Any]]] = [
    *((getattr(pa, f"int{bits}")(), st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)) for bits in (8, 16, 32, 64)),
    *((getattr(pa, f"uint{bits}")(), st.integers(0, 2**bits - 1)) for bits in (8, 16, 32, 64)),
    (pa.float32(), st.floats(width=32, allow_nan=False)),
    (pa.float64(), st.floats(allow_nan=False)),
    (pa.bool_(), st.booleans()),
    *((kind, st.text()) for kind in (pa.string(), pa.large_string(), pa.string_view())),
    (pa.null(), st.none()),
]


def nested(of: st.SearchStrategy[tuple[pa.DataType, st.SearchStrategy[Any]]]) -> st.SearchStrategy[Any]:
    def lists(one: tuple[pa.DataType, st.SearchStrategy[Any]]) -> tuple[pa.DataType, st.SearchStrategy[Any]]:
        return pa.list_(one[0]), st.lists(st.none() | one[1], max_size=3)

    def structures(two: list[tuple[pa.DataType, st.SearchStrategy[Any]]]) -> tuple[pa.DataType, Any]:
        names = [f"f{i}" for i in range(len(two))]
        kind = pa.struct(list(zip(names, [t for t, _ in two], strict=True)))
        return kind, st.fixed_dictionaries({n: st.none() | v for n, (_, v) in zip(names, two, strict=True)})

    return of.map(lists) | st.lists(of, min_size=1, max_size=3).map(structures)


COLUMN = st.recursive(st.sampled_from(LEAVES), nested, max_leaves=4)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)  # the alphabet of text is built first
@given(st.data(), st.lists(COLUMN, min_size=1, max_size=4), st.integers(0, 5))
def test_rows_are_the_values_that_pyarrow_gives(data: st.DataObject, columns: list[Any], count: int) -> None:
    table = pa.table(
        {
            f"c{i}": pa.array(data.draw(st.lists(st.none() | values, min_size=count, max_size=count)), kind)
            for i, (kind, values) in enumerate(columns)
        }
    )
    rows = Rows(table)
    assert rows.dictionaries() == table.to_pylist()
    assert (len(rows), rows.columns()) == (table.num_rows, table.column_names)
    assert pa.table(rows).equals(table) and pa.table(rows).equals(table), "can be read again"


def test_values_of_an_enumeration_are_their_names() -> None:
    column = pa.array(["idle", None, "busy", "idle"]).dictionary_encode()
    for keys in (pa.uint8(), pa.uint16(), pa.uint32()):
        table = pa.table({"state": column.cast(pa.dictionary(keys, pa.string()))})
        assert Rows(table).dictionaries() == table.to_pylist()


@pytest.mark.parametrize(
    "value",
    [decimal.Decimal("1.50"), datetime.date(2026, 1, 2), datetime.datetime(2026, 1, 2), b"bytes", [datetime.date.min]],
)
def test_other_types_are_left_to_pyarrow(value: object) -> None:
    table = pa.table({"n": [1], "value": [value]})
    assert Rows(table).dictionaries() is None
    assert Result(table).rows() == table.to_pylist()


def test_what_is_not_a_stream_is_refused() -> None:
    with pytest.raises(AttributeError, match="__arrow_c_stream__"):
        Rows([1, 2])


def test_an_error_in_the_middle_of_a_result_is_that_of_the_query(tmp_path: Path) -> None:
    late = "SELECT CASE WHEN i = 300000 THEN error('late') ELSE i END FROM range(300001) t(i)"
    with duckdb.connect() as con, pytest.raises(BadQuery, match="late"):
        rows_on(con, tmp_path / "T.duckdb", late)
