"""`wastenot sql`: a query over the documented tables."""

from __future__ import annotations

import csv
import json
import math
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from wastenot.analyzer.errors import TablesNotMade
from wastenot.analyzer.result import Result, for_python
from wastenot.analyzer.sql_process import Limits, QueryOutcome, SqlProcess
from wastenot.analyzer.store.opening import require_trace
from wastenot.analyzer.store.recheck import make_tables, require_checked
from wastenot.analyzer.store.tables import MissedTables, TableSet
from wastenot.analyzer.text.printable import printable
from wastenot.analyzer.trace import open_trace
from wastenot.cli.errors import CommandError
from wastenot.cli.options import json_option, trace_argument, window_of, window_option
from wastenot.cli.output import bounds_of_trace, check_progress, note, show
from wastenot.cli.parameters import TEXT, Integer, Number, argument, command, flag, option

TABLE_ROWS = 10_000
"""Rows of a printed table; --csv and --json print all."""


@command()
@trace_argument
@argument("query", type=TEXT, metavar="'SELECT …'", help="The query; - reads it from stdin.")
@json_option
@flag("--csv", "as_csv", help="Print CSV.")
@window_option
@option("--seconds", type=Number(0.1, 1e6), default=300.0, help="Longest run.")
@option("--memory", type=Integer(64, 1 << 24), default=2048, help="Most memory of the query, MiB.")
@option("--result-size", "size", type=Integer(1, 1 << 20), default=256, help="Largest result, MiB.")
def sql(
    trace: Path,
    query: str,
    as_json: bool,
    as_csv: bool,
    window: str | None,
    seconds: float,
    memory: int,
    size: int,
) -> None:
    """Run a query, in a process of its own with limits, which reads the trace and no other file, without network.

    Tables that are made on demand are made first where the query asks for one and the file lacks it: a copy of the file
    gets them and then takes its name. With --window, thread_state, cpu_slice, runqueue, avoidable_wait, wasted,
    wasted_cpu and migration hold the rows that touch it (4,000,000 at most), as in the whole trace; the file is not
    written. All other tables, and all that are named with a database in front, are those of the whole trace; they are
    refused where they are made on demand and have not been made.

    docs/reference/tables.md documents the tables; `<enum>_name(code)` turns a code into its name.
    """
    if as_json and as_csv:
        raise CommandError("--json and --csv: choose one")
    statement = sys.stdin.read() if query == "-" else query
    require_trace(trace)
    rows = (1 << 62) if as_json or as_csv else TABLE_ROWS
    answered = QueryOutcome()
    limits = Limits(seconds, memory << 20, rows, size << 20)
    between = None if window is None else window_of(window, bounds_of_trace(trace))
    parts = (for_python(part) for part in _rows(trace, statement, limits, answered, between))
    if as_json:
        _print_json(parts)
    elif as_csv:
        _print_csv(parts)
    else:
        found = Result(pa.concat_tables(_of_one_kind(list(parts))))
        if not sys.stdout.isatty():
            found.shown_rows = len(found)
        show(found, wide=True)
    if answered.cut == "rows":
        note(f"the first {TABLE_ROWS:,} rows; --csv and --json print all")
    elif answered.cut is not None:
        raise CommandError(f"result cut off: it is larger than {size} MiB; add a LIMIT, or raise --result-size")


def _rows(
    trace: Path, statement: str, limits: Limits, answered: QueryOutcome, window: tuple[int, int] | None
) -> Iterator[pa.Table]:
    """The rows; a table is missed before the first of them."""

    def make(tables: TableSet) -> bool:
        require_checked(trace)
        with check_progress(quiet=False) as progress:
            if tables != "balance":
                return make_tables(trace, progress, tables=tables) is not None
            with open_trace(trace, progress=progress) as whole:
                return whole.make_tables(tables)

    missed = MissedTables(make)
    while True:
        try:
            yield from _asked(trace, statement, limits, answered, window)
            return
        except TablesNotMade as absent:
            if window is not None:
                raise absent.refusal_of_window() from None
            table, refusal = absent.table, absent.refusal()
        missed.make(table, refusal)


def _asked(
    trace: Path, statement: str, limits: Limits, answered: QueryOutcome, window: tuple[int, int] | None
) -> Iterator[pa.Table]:
    """The rows; before the first a progress line where a window is made."""
    with SqlProcess() as process:
        with check_progress(quiet=window is None) as progress:
            parts = process.run(trace, statement, limits, answered, window, progress)
            first = next(parts)
        yield first
        yield from parts


def _print_csv(parts: Iterable[pa.Table]) -> None:
    """As the trace has them in a file or pipe, printable on a terminal."""
    on_terminal = sys.stdout.isatty()
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for i, part in enumerate(parts):
        if i == 0:
            writer.writerow(part.column_names)
        rows: Iterable[Sequence[object]] = zip(*(column.to_pylist() for column in part.columns), strict=True)
        if on_terminal:
            rows = ([printable(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
        writer.writerows(rows)


def _of_one_kind(parts: list[pa.Table]) -> list[pa.Table]:
    """The parts with each column as text where it is text in one of them: see `for_python`."""
    if all(part.schema == parts[0].schema for part in parts):
        return parts
    return [
        pa.table([pa.array([None if v is None else str(v) for v in c.to_pylist()], pa.string()) for c in part.columns],
                 names=part.column_names)
        for part in parts
    ]  # fmt: skip


def _as_json(value: Any) -> Any:
    """What JSON has no number for as text: "NaN", "Infinity", "-Infinity"."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {str(key): _as_json(one) for key, one in value.items()}
    return [_as_json(one) for one in value] if isinstance(value, (list, tuple)) else value


def _print_json(parts: Iterable[pa.Table]) -> None:
    """As `output.show_json` prints a list, part by part."""
    before = "[\n"
    for part in parts:
        for row in part.to_pylist():
            try:
                text = json.dumps(row, indent=2, default=str, allow_nan=False)
            except ValueError:
                text = json.dumps(_as_json(row), indent=2, default=str)
            sys.stdout.write(before + textwrap.indent(text, "  "))
            before = ",\n"
    sys.stdout.write("[]\n" if before == "[\n" else "\n]\n")
