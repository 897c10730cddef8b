"""Tables as the report's page reads them: columns of numbers, or of codes into texts."""

from __future__ import annotations

import itertools
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


def packed(table: pa.Table, differences: str | None = None) -> dict[str, Any]:
    """The table as JSON; the column `differences` as its first value and the differences from row to row."""
    columns = {name: _column(table[name]) for name in table.column_names}
    if differences is not None:
        values = columns[differences]["n"]
        columns[differences]["n"] = [v - w for w, v in itertools.pairwise([0, *values])]
    return {"rows": table.num_rows, "meta": {}, "columns": columns}


def shifted(table: pa.Table, name: str, origin: int) -> pa.Table:
    """The table with `origin` taken off a column of times."""
    at = table.column_names.index(name)
    return table.set_column(at, name, pc.subtract(table[name], pa.scalar(origin, table[name].type)))


def _column(column: pa.ChunkedArray) -> dict[str, Any]:
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        coded = column.combine_chunks().dictionary_encode()
        if isinstance(coded, pa.ChunkedArray):
            coded = coded.combine_chunks()
        return {"codes": coded.indices.fill_null(-1).to_pylist(), "values": coded.dictionary.to_pylist()}
    if pa.types.is_floating(kind):
        return {"n": [None if v is None or v != v else float(f"{v:.6g}") for v in column.to_pylist()]}
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return {"n": column.to_pylist()}
    if pa.types.is_decimal(kind):
        return {"n": [None if v is None else float(v) for v in column.to_pylist()]}
    return {"items": column.to_pylist()}
