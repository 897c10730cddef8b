"""`wastenot sql`: a query over the documented tables."""

from __future__ import annotations

import csv
import sys
from typing import Annotated

import typer
from wastenot.analyzer import open_trace
from wastenot.cli.errors import CommandError
from wastenot.cli.options import JsonOption, TraceArgument
from wastenot.cli.output import show, show_json


def sql(
    trace: TraceArgument,
    query: Annotated[
        str, typer.Argument(metavar="'SELECT …'", help="The query; - reads it from stdin.", show_default=False)
    ],
    as_json: JsonOption = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> None:
    """Run a query. The trace is open read-only, and SQL has no way to files or network.

    docs/reference/tables.md documents the tables; `<enum>_name(code)` turns a code into its name.
    """
    if as_json and as_csv:
        raise CommandError("--json and --csv: choose one")
    statement = sys.stdin.read() if query == "-" else query
    with open_trace(trace) as opened:
        found = opened.sql(statement)
    if not sys.stdout.isatty():
        found.shown_rows = len(found)
    if as_json:
        show_json(found.rows())
    elif as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(found.columns)
        writer.writerows(row.values() for row in found)
    else:
        show(found, wide=True)
