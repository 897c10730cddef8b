"""`wastenot episodes`: the list."""

from __future__ import annotations

from typing import Annotated

import typer
from wastenot.analyzer import CheckOptions, open_trace
from wastenot.analyzer.listing_view import episodes_table
from wastenot.analyzer.units import duration
from wastenot.cli.errors import CommandError
from wastenot.cli.options import JsonOption, TraceArgument
from wastenot.cli.output import show, show_json


def episodes(
    trace: TraceArgument,
    grade: Annotated[
        str | None,
        typer.Option(
            help="Only this grade, or `all`: as the checker found them, one waste perhaps several times.",
            show_default=False,
        ),
    ] = None,
    severity: Annotated[
        str | None,
        typer.Option(
            help="Only those that wasted as much as this grade or more (persistent, lasting, expected); otherwise "
            "lasting or more, and recurrent ones.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Rows at most.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """List the episodes of waste, those that wasted most first. Their numbers are names, not ranks."""
    if grade is not None and severity is not None:
        raise CommandError("--grade and --severity: choose one")
    with open_trace(trace) as opened:
        found = opened.episodes(None if grade is None else grade.replace(" ", "_"), limit, severity)
        total = opened.sql("SELECT count(*) AS n FROM episode").one()["n"]
        options = CheckOptions.from_json(opened.metric("verdict").one()["options"])
    if as_json:
        show_json(found.rows())
    elif found:
        show(episodes_table(found), wide=True)
        if len(found) == limit:
            show(f"The {limit} worst; --limit shows more.")
    else:
        what = grade or (f"{severity} or worse" if severity else "lasting or recurrent")
        show(f"No {what} episodes" + (f"; --grade all shows all {total:,}." if total and grade is None else "."))
    if options.thresholds_ns and not as_json:
        given = ", ".join(f"{of}={duration(ns)}" for of, ns in options.thresholds_ns.items())
        show(f"Graded with --threshold {given}; `wastenot check` grades by the definition again.")
