"""Rows of a query in the shapes people want: Arrow, pandas, Python, a table in a terminal or a notebook."""

from __future__ import annotations

import html
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from wastenot._native import Rows
from wastenot.analyzer.deferred import Deferred, duckdb, pa

if TYPE_CHECKING:
    import pandas as pd
    from rich import table as rich_table
    from rich import text as rich_text
    from rich.console import Console, ConsoleOptions, RenderResult
    from wastenot.analyzer.render import printable
else:
    rich_table, rich_text = Deferred("rich.table"), Deferred("rich.text")
    printable = Deferred("wastenot.analyzer.render.printable")

SHOWN_ROWS = 50
"""Rows that a display shows by default (attribute `shown_rows`); the rest is counted."""


class Result:
    """Rows of a query. Column names carry their unit (`_ns`, `_cpus`).

    `rows` is anything with `__arrow_c_stream__`. pyarrow is imported only where a table of it is asked for: that takes
    longer than the queries of a verdict.
    """

    def __init__(self, rows: object, title: str = "") -> None:
        self._rows = Rows(rows)
        self.title = title
        self.shown_rows = SHOWN_ROWS

    def arrow(self) -> pa.Table:
        """The rows as a pyarrow table."""
        return pa.table(self._rows)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows for other libraries that read Arrow (polars, DuckDB ...)."""
        return self._rows.__arrow_c_stream__(requested_schema)

    def pandas(self) -> pd.DataFrame:
        """The rows as a pandas frame; needs pandas installed."""
        return self.arrow().to_pandas()

    def rows(self) -> list[dict[str, Any]]:
        """The rows as Python dictionaries."""
        found = self._rows.dictionaries()
        return self.arrow().to_pylist() if found is None else found

    def one(self) -> dict[str, Any]:
        """The only row; IndexError when there is none."""
        return self.rows()[0]

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._rows.columns()

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows())

    def __repr__(self) -> str:
        return f"<{self.title or 'Result'}: {len(self)} rows, columns {', '.join(self.columns)}>"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        shown = self._shown()
        widths = [max(len(name), *(len(row[i]) for row in shown), 0) for i, name in enumerate(self.columns)]
        if sum(widths) + 2 * len(widths) <= options.max_width:
            yield self._as_table(shown)
        else:
            yield from self._as_records(shown)
        if len(self) > len(shown):
            yield f"{len(self) - len(shown):,} more rows"

    def _shown(self) -> list[list[str]]:
        """The first rows as text, by column: two columns of a join may have one name."""
        columns = [column.to_pylist() for column in self.arrow().slice(0, self.shown_rows).columns]
        return [[cell_text(cell) for cell in row] for row in zip(*columns, strict=True)]

    def _as_table(self, shown: list[list[str]]) -> rich_table.Table:
        out = printable.PlainTable()
        for field in self.arrow().schema:
            out.add_column(
                rich_text.Text(field.name), justify="right" if _is_number(field.type) else "left", no_wrap=True
            )
        for row in shown:
            out.add_row(*(rich_text.Text(cell) for cell in row))
        return out

    def _as_records(self, shown: list[list[str]]) -> Iterator[rich_table.Table | rich_text.Text]:
        """A line per column, for rows that are wider than the console."""
        for number, row in enumerate(shown, start=1):
            yield rich_text.Text(f"row {number}", style="dim")
            grid = rich_table.Table.grid(padding=(0, 2))
            for name, cell in zip(self.columns, row, strict=True):
                grid.add_row(rich_text.Text(f"  {name}", style="dim"), rich_text.Text(cell))
            yield grid

    def _repr_html_(self) -> str:
        """A table for a notebook."""
        head = "".join(f"<th>{html.escape(c)}</th>" for c in self.columns)
        shown = self._shown()
        body = "".join("<tr>" + "".join(f"<td>{html.escape(v)}</td>" for v in row) + "</tr>" for row in shown)
        hidden = len(self) - len(shown)
        more = f"<p>{hidden:,} more rows</p>" if hidden > 0 else ""
        caption = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


class Queryable(Protocol):
    """What answers the metrics and SQL: an open trace."""

    path: Path

    def metric(self, name: str, **parameters: Any) -> Result:
        """One of the documented metrics, with its parameters."""

    def sql(self, statement: str, parameters: dict[str, Any] | list[Any] | None = None) -> Result:
        """A query over the documented tables."""


def for_python(table: pa.Table) -> pa.Table:
    """The table with columns of dates and times as text where Python has no such value: infinity, the year 290000."""
    for i, field in enumerate(table.schema):
        if not _may_overflow(field.type):
            continue
        try:
            table.column(i).to_pylist()
        except (OverflowError, ValueError, pa.ArrowException):
            with duckdb.connect() as con:
                con.register("arrow", pa.table({"value": table.column(i)}))
                text = con.sql("SELECT value::VARCHAR AS value FROM arrow").to_arrow_table()
            table = table.set_column(i, field.name, text.column(0))
    return table


def _may_overflow(kind: pa.DataType) -> bool:
    return bool(pa.types.is_temporal(kind) or pa.types.is_nested(kind))


def cell_text(value: object) -> str:
    """One value as text: nothing for NULL, lists with commas, six digits for fractions."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return ", ".join(cell_text(v) for v in value)
    return str(value)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))
