"""`wastenot report`: one page to attach to a bug report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from wastenot.cli.options import ForceOption, QuietOption, TraceArgument
from wastenot.cli.output import note


def report(
    trace: TraceArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="R.html", help="Page to write.", show_default=False)
    ],
    episodes: Annotated[int, typer.Option(min=0, max=20, help="Episodes told in full, the worst first.")] = 6,
    force: ForceOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write one page that carries the verdict, the worst episodes and a replay of each.

    It opens in any browser without a network and stays below 5 MB however long the trace is: of a long episode the
    replay carries the begin. Names of threads, processes and cgroups are in it.
    """
    from wastenot.web.report import write_report  # loading the browser's room takes a while

    written = write_report(trace, output, episodes, force)
    if not quiet:
        told = f"{written.episodes} episodes, {written.changes:,} changes of threads' states to replay"
        note(f"wrote {output} ({written.bytes / 1e6:,.1f} MB): {told}")
