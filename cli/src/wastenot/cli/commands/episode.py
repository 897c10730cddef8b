"""`wastenot episode`: one episode with its evidence."""

from __future__ import annotations

from typing import Annotated

import typer
from wastenot.analyzer import open_trace
from wastenot.cli.options import JsonOption, TraceArgument
from wastenot.cli.output import show, show_json


def episode(
    trace: TraceArgument,
    number: Annotated[int, typer.Argument(metavar="N", help="Its number, as `episodes` lists it.", show_default=False)],
    as_json: JsonOption = False,
) -> None:
    """Show one episode: CPUs, threads, cause and proof, and the events it rests on."""
    with open_trace(trace) as opened:
        found = opened.episode(number)
    if as_json:
        show_json(found.to_json())
    else:
        show(found)
