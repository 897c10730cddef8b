"""`wastenot episodes`: the list."""

from __future__ import annotations

from typing import Annotated

import typer
from wastenot.analyzer import open_trace
from wastenot.analyzer.listing_view import episodes_table
from wastenot.cli.options import JsonOption, TraceArgument
from wastenot.cli.output import show, show_json


def episodes(
    trace: TraceArgument,
    grade: Annotated[
        str | None,
        typer.Option(
            help="Only this grade, or `all`; otherwise persistent, lasting and recurrent.", show_default=False
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Rows at most.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """List the episodes of waste, worst first."""
    with open_trace(trace) as opened:
        found = opened.episodes(None if grade is None else grade.replace(" ", "_"), limit)
        total = opened.sql("SELECT count(*) AS n FROM episode").one()["n"]
    if as_json:
        show_json(found.rows())
    elif found:
        show(episodes_table(found), wide=True)
        if len(found) == limit:
            show(f"The {limit} worst; --limit shows more.")
    else:
        what = "persistent, lasting or recurrent" if grade is None else grade
        show(f"No {what} episodes" + (f"; --grade all shows all {total:,}." if total and grade is None else "."))
