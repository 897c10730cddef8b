"""`wastenot top`: who waited, and for whom."""

from __future__ import annotations

from typing import Annotated

import typer
from wastenot.analyzer import open_trace
from wastenot.analyzer.listing_view import top_table
from wastenot.analyzer.top import BY
from wastenot.cli.errors import CommandError
from wastenot.cli.options import JsonOption, TraceArgument
from wastenot.cli.output import show, show_json


def top(
    trace: TraceArgument,
    by: Annotated[str, typer.Option(help="thread, process or cgroup.")] = "thread",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Rows at most.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """List threads, processes or cgroups by needless wait: run, wait, migrations, and who ran meanwhile."""
    if by not in BY:
        raise CommandError(f"--by {by}: this version knows {', '.join(BY)}")
    with open_trace(trace) as opened:
        rows = opened.top(by, limit)
    if as_json:
        show_json(rows.rows())
    else:
        show(top_table(rows, by), wide=True)
