"""`wastenot episode`: one episode with its evidence."""

from __future__ import annotations

from pathlib import Path

from wastenot.analyzer import open_trace
from wastenot.cli.options import json_option, trace_argument
from wastenot.cli.output import show, show_json
from wastenot.cli.parameters import Integer, argument, command


@command()
@trace_argument
@argument("number", type=Integer(), metavar="N", help="Its number, as `episodes` lists it.")
@json_option
def episode(trace: Path, number: int, as_json: bool) -> None:
    """Show one episode: CPUs, threads, cause and proof, and the events it rests on."""
    with open_trace(trace) as opened:
        found = opened.episode(number)
    if as_json:
        show_json(found.to_json())
    else:
        show(found)
