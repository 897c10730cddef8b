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
    episodes: Annotated[int, typer.Option(min=0, max=20, help="Episodes shown in full, the worst first.")] = 6,
    force: ForceOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write one page with the verdict, the worst episodes and a replay of each.

    It opens in any browser without a network and stays below 5 MB for traces of any length: of a long episode the
    replay has the start only. It contains names of threads, processes and cgroups.
    """
    from wastenot.web.report import write_report  # slow to import

    written = write_report(trace, output, episodes, force)
    if not quiet:
        content = f"{written.episodes} episodes, {written.changes:,} changes of threads' states to replay"
        note(f"wrote {output} ({written.bytes / 1e6:,.1f} MB): {content}")
